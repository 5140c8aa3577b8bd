/* SPDX-License-Identifier: Apache-2.0 */
/* The T4's kernels leave no word of a key, nor of what is encrypted, in integer registers and
 * their stack, which functions that run later could write to memory. */
#include "aead.h"
#include "aes/aes.h"
#include "camellia/camellia.h"
#include "des/des.h"
#include "poly1305/poly1305.h"
#include "test.h"
#include "xts.h"

enum { SEEN = 42, REGISTERS = 26, BLOCKS = 5, LEN = 16 * BLOCKS, ROOM = LEN + 8 };

void call_and_look(void (*fn)(void), const uintptr_t args[6], uint64_t seen[SEEN]);
cipher_blocks_fn leaves_four;

/* IN, OUT: the kernel's input, or its output, is the secret plaintext. For CTR and OFB it may be
 * either. */
enum { IN = 1, OUT = 2 };
/* The arguments that a kernel takes: look() has them for each of these. */
enum call { CIPHER, TEXT, HASH, UNIT, POLY, DES, CAMELLIA };
static const struct kernel {
    const char *name;
    void (*fn)(void);
    unsigned secret;
    enum call call;
} kernels[] = {
#define FN(fn) (void (*)(void)) fn
    { "ECB encryption", FN(aes_ecb_encrypt_t4), IN, CIPHER },
    { "ECB decryption", FN(aes_ecb_decrypt_t4), OUT, CIPHER },
    { "CBC encryption", FN(aes_cbc_encrypt_t4), IN, CIPHER },
    { "CBC decryption", FN(aes_cbc_decrypt_t4), OUT, CIPHER },
    { "CFB encryption", FN(aes_cfb_encrypt_t4), IN, CIPHER },
    { "CFB decryption", FN(aes_cfb_decrypt_t4), OUT, CIPHER },
    { "CTR", FN(aes_ctr_t4), IN | OUT, CIPHER },
    { "GCM encryption", FN(gcm_encrypt_t4), IN, TEXT },
    { "GCM decryption", FN(gcm_decrypt_t4), OUT, TEXT },
    { "GHASH", FN(gcm_hash_t4), 0, HASH },
    { "CCM encryption", FN(ccm_encrypt_t4), IN, TEXT },
    { "CCM decryption", FN(ccm_decrypt_t4), OUT, TEXT },
    { "CCM's CBC-MAC", FN(ccm_hash_t4), IN, HASH },
    { "XTS encryption", FN(aes_xts_encrypt_t4), IN, UNIT },
    { "XTS decryption", FN(aes_xts_decrypt_t4), OUT, UNIT },
    { "Poly1305", FN(poly1305_blocks_t4), 0, POLY },
    { "DES, ECB encryption", FN(des_ecb_encrypt_t4), IN, DES },
    { "DES, ECB decryption", FN(des_ecb_decrypt_t4), OUT, DES },
    { "DES, CBC encryption", FN(des_cbc_encrypt_t4), IN, DES },
    { "DES, CBC decryption", FN(des_cbc_decrypt_t4), OUT, DES },
    { "DES, CFB encryption", FN(des_cfb_encrypt_t4), IN, DES },
    { "DES, CFB decryption", FN(des_cfb_decrypt_t4), OUT, DES },
    { "DES, OFB", FN(des_ofb_t4), IN | OUT, DES },
    { "DES, CTR", FN(des_ctr_t4), IN | OUT, DES },
    { "Camellia, ECB encryption", FN(camellia_ecb_encrypt_t4), IN, CAMELLIA },
    { "Camellia, ECB decryption", FN(camellia_ecb_decrypt_t4), OUT, CAMELLIA },
    { "Camellia, CBC encryption", FN(camellia_cbc_encrypt_t4), IN, CAMELLIA },
    { "Camellia, CBC decryption", FN(camellia_cbc_decrypt_t4), OUT, CAMELLIA },
    { "Camellia, CFB encryption", FN(camellia_cfb_encrypt_t4), IN, CAMELLIA },
    { "Camellia, CFB decryption", FN(camellia_cfb_decrypt_t4), OUT, CAMELLIA },
    { "Camellia, CTR", FN(camellia_ctr_t4), IN | OUT, CAMELLIA },
};

/* The keys for each kind of call; all that contain AES keys have the same. */
static struct {
    struct aes_key aes;
    struct aead_key aead;
    struct xts_key xts;
    struct poly1305_key poly;
    struct des_key des;
    struct camellia_key camellia;
} keys;

static uint64_t seen[SEEN];

/* found returns how often a doubleword of `bytes`, XORed with that of `by` if not NULL, is among
 * `seen`. */
static unsigned found(const uint8_t *bytes, const uint8_t *by, size_t len)
{
    unsigned n = 0;
    for (size_t at = 0; at + 8 <= len; at += 8) {
        const uint64_t word = load_be64(bytes + at) ^ (by ? load_be64(by + at) : 0);
        for (unsigned i = 0; i < SEEN && word; i++)
            n += seen[i] == word;
    }
    return n;
}

static unsigned found_key(const struct aes_key *key)
{
    const size_t len = 16 * (key->rounds + 1);
    return found(key->enc[0], NULL, len) + found(key->dec[0], NULL, len) +
           found(key->enc[0], key->enc[key->rounds], 16);
}

/* found_key_and returns how often a doubleword of the first or last round key XORed with a text is
 * among `seen`. */
static unsigned found_key_and(const struct aes_key *key, const uint8_t *text, size_t len)
{
    unsigned n = 0;
    for (size_t at = 0; at < len; at += 16)
        n += found(key->enc[0], text + at, 16) + found(key->enc[key->rounds], text + at, 16);
    return n;
}

/* found_camellia returns how often a subkey is among `seen`, or one that is added to a block XORed
 * with the IV or with the other such subkey. */
static unsigned found_camellia(const uint8_t iv[16])
{
    const unsigned num = camellia_num_keys(keys.camellia.rounds);
    const uint8_t *first = (const uint8_t *)keys.camellia.k, *last = first + 8 * (num - 2);
    return found(first, NULL, 8 * num) + found(first, iv, 16) + found(last, iv, 16) +
           found(first, last, 16);
}

/* found_other returns how often values made of a key are among `seen`: powers of H, tweaks in both
 * orders of their bytes, what Poly1305 makes of r; and the hash in `state`. */
static unsigned found_other(const struct kernel *kernel, const uint8_t *state, const uint8_t *iv)
{
    uint8_t words[2][16];
    if (kernel->call == TEXT || kernel->call == HASH)
        return found(keys.aead.powers[0], NULL, 96) + found(state, NULL, 16);
    if (kernel->call == POLY) {
        store_be64(words[0], keys.poly.r[1] + keys.poly.r[1] / 4);
        return found((uint8_t *)keys.poly.r, NULL, 16) + found(words[0], NULL, 8) +
               found(state, NULL, 16);
    }
    if (kernel->call == DES)
        return found(keys.des.key[0], NULL, 24) + found(keys.des.round[0], NULL, 384);
    if (kernel->call == CAMELLIA)
        return found_camellia(iv);
    if (kernel->call != UNIT)
        return 0;
    unsigned n = 0;
    aes_ecb_encrypt_c(words[0], iv, 1, &keys.aes, NULL, NULL);
    uint64_t t[2] = { load_le64(words[0]), load_le64(words[0] + 8) };
    for (unsigned i = 0; i <= BLOCKS + 1; i++) {
        for (unsigned half = 0; half < 2; half++) {
            store_be64(words[0] + 8 * half, t[half]);
            store_le64(words[1] + 8 * half, t[half]);
        }
        n += found(words[0], NULL, 16) + found(words[1], NULL, 16);
        const uint64_t carry = t[1] >> 63;
        t[1] = t[1] << 1 | t[0] >> 63;
        t[0] = t[0] << 1 ^ (0x87 & (0 - carry));
    }
    return n;
}

static unsigned look(const struct kernel *kernel, size_t num_blocks, size_t in_at, size_t out_at)
{
    static uint8_t in_room[ROOM] __attribute__((aligned(8)));
    static uint8_t out_room[ROOM] __attribute__((aligned(8)));
    /* the other arguments of calls */
    static uint8_t iv[16] __attribute__((aligned(8))), state[24] __attribute__((aligned(8)));
    uint8_t *in = in_room + in_at, *out = out_room + out_at;
    const size_t part = num_blocks > 1 ? 3 * num_blocks : 0, len = 16 * num_blocks;
    random_bytes(in_room, sizeof in_room);
    random_bytes(iv, sizeof iv);
    random_bytes(state, 16);
    const uintptr_t o = (uintptr_t)out, i = (uintptr_t)in, v = (uintptr_t)iv, s = (uintptr_t)state;
    const uintptr_t args[][6] = {
        [CIPHER] = { o, i, num_blocks, (uintptr_t)&keys.aes, v, s },
        [TEXT] = { o, i, num_blocks, (uintptr_t)&keys.aead, v, s },
        [HASH] = { s, i, num_blocks, (uintptr_t)&keys.aead },
        [UNIT] = { o, i, len - part, (uintptr_t)&keys.xts, v },
        [POLY] = { s, i, num_blocks, (uintptr_t)&keys.poly },
        [CAMELLIA] = { o, i, num_blocks, (uintptr_t)&keys.camellia, v, s },
        [DES] = { o, i, 2 * num_blocks, (uintptr_t)&keys.des, v, s },
    };
    memset(seen, 0, sizeof seen);
    call_and_look(kernel->fn, args[kernel->call], seen);
    unsigned n =
        found_key(&keys.aes) + found_key_and(&keys.aes, in, len) + found_other(kernel, state, iv);
    const size_t out_len = kernel->call == HASH || kernel->call == POLY ? 0 : len;
    n += found_key_and(&keys.aes, out, out_len);
    n += kernel->secret & IN ? found(in, NULL, len) : 0;
    n += kernel->secret & OUT ? found(out, NULL, out_len) : 0;
    return n + (kernel->secret ? found(in, out, out_len) : 0);
}

static void expand(struct aes_key *key, size_t len)
{
    uint8_t bytes[32];
    random_bytes(bytes, sizeof bytes);
    const uintptr_t args[6] = { (uintptr_t)key, (uintptr_t)bytes, len, 1 };
    memset(seen, 0, sizeof seen);
    call_and_look((void (*)(void))aes_expand_t4, args, seen);
    if (found_key(key))
        complain("expansion of %zu bytes leaves %u words", len, found_key(key));
}

static void make_keys(size_t len)
{
    uint8_t r[32];
    random_bytes(r, sizeof r);
    des_expand(&keys.des, r, len - 8, 0); /* one pass or three */
    camellia_cipher.expand(&keys.camellia, r, len, 0);
    keys.aead.aes = keys.xts.data = keys.xts.tweak = keys.aes;
    gcm_setup_t4(&keys.aead);
    keys.poly.r[0] = load_le64(r) & UINT64_C(0x0ffffffc0fffffff);
    keys.poly.r[1] = load_le64(r + 8) & UINT64_C(0x0ffffffc0ffffffc);
}

static void set_up(size_t key_len)
{
    const uintptr_t args[6] = { (uintptr_t)&keys.aead };
    expand(&keys.aes, key_len);
    make_keys(key_len);
    memset(seen, 0, sizeof seen);
    call_and_look(FN(gcm_setup_t4), args, seen);
    /* gcm_setup_t4 has no register window of its own, so the stack that was looked at holds what
     * the emulator's signals left: it is ignored. */
    memset(seen + REGISTERS, 0, sizeof seen - REGISTERS * sizeof *seen);
    if (found_key(&keys.aes) + found(keys.aead.powers[0], NULL, 96))
        complain("GCM's powers leave words");
}

static void test_kernel(const struct kernel *kernel)
{
    for (size_t key_len = 16; key_len <= 32; key_len += 8) {
        set_up(key_len);
        for (size_t num = 1; num <= BLOCKS; num++)
            for (size_t at = 0; at < 16; at++) {
                const unsigned n = look(kernel, num, at & 1 ? 3 : 0, at >> 1);
                if (n)
                    complain("%zu blocks, key of %zu, out + %zu: %u words", num, key_len, at >> 1,
                             n);
            }
    }
    tap(1, "%s leaves nothing", kernel->name);
}

int main(void)
{
    const struct kernel control = { "control", FN(leaves_four), 0, CIPHER };
    random_bytes(&keys.aes, sizeof keys.aes);
    keys.aes.rounds = 10;
    tap(look(&control, 1, 0, 0) >= 4, "what is left in four places is seen");
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        test_kernel(&kernels[i]);
    return tap_done();
}
