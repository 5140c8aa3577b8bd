/* SPDX-License-Identifier: Apache-2.0 */
/* leftovers [t4 NAME]: the T4's kernels, or those whose names begin with NAME, leave nothing of a
 * key, nor of what is encrypted, in integer registers and their stack, which functions that run
 * later could write to memory.
 *
 * Each call is made twice, with two keys and two secret texts, and all else the same. A word that
 * differs afterwards was made of a secret, in whatever form. Only pieces of ciphertext may differ.
 */
#include "aead.h"
#include "aes/aes.h"
#include "camellia/camellia.h"
#include "des/des.h"
#include "poly1305/poly1305.h"
#include "test.h"
#include "xts.h"

enum { REGISTERS = 26, STACK = 128, SEEN = REGISTERS + STACK }; /* in call_and_look's order */
enum { BLOCKS = 5, LEN = 16 * BLOCKS, ROOM = LEN + 8 };

void call_and_look(void (*fn)(void), const uintptr_t args[6], uint64_t seen[SEEN]);
cipher_blocks_fn leaves_five;

/* IN, OUT: the kernel's input, or its output, is the secret plaintext. For CTR and OFB it may be
 * either. */
enum { IN = 1, OUT = 2 };
/* The arguments that a kernel takes: call() has them for each of these. */
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
static struct keys {
    struct aes_key aes;
    struct aead_key aead;
    struct xts_key xts;
    struct poly1305_key poly;
    struct des_key des;
    struct camellia_key camellia;
} keys, both[2]; /* `keys` is one of `both`, at one address */

/* The buffers of a call; `state` is that of a MAC, or receives the next IV. */
static struct {
    uint8_t in[ROOM], out[ROOM], iv[16], state[24];
} data __attribute__((aligned(8)));

static uint64_t seen[2][SEEN];

/* frame_words returns how many doublewords of stack a function takes by the `save` that it begins
 * with, or 0. */
static size_t frame_words(void (*fn)(void))
{
    uint32_t code;
    memcpy(&code, (const void *)(uintptr_t)fn, sizeof code);
    return (code & 0xffffe000) == 0x9de3a000 ? (0x2000 - (code & 0x1fff)) / 8 : 0;
}

/* is_piece returns whether the bytes of a word, without zeros at its ends, are a part of `text`. */
static int is_piece(uint64_t word, const uint8_t *text, size_t len)
{
    uint8_t bytes[8];
    size_t start = 0, end = sizeof bytes;
    store_be64(bytes, word);
    while (start < end && !bytes[start])
        start++;
    while (end > start && !bytes[end - 1])
        end--;
    for (size_t at = 0; at + (end - start) <= len; at++)
        if (!memcmp(text + at, bytes + start, end - start))
            return 1;
    return 0;
}

/* secrets_left returns how many words differ between the two calls and are no piece of the public
 * text: of registers, and of the function's frame. */
static unsigned secrets_left(void (*fn)(void), const uint8_t *text, size_t len)
{
    const size_t frame = frame_words(fn);
    unsigned n = 0;
    for (size_t i = 0; i < SEEN; i++)
        if ((i < REGISTERS || i >= SEEN - frame) && seen[0][i] != seen[1][i])
            n += !is_piece(seen[1][i], text, len);
    return n;
}

static void call(const struct kernel *kernel, size_t num_blocks, size_t in_at, size_t out_at,
                 uint64_t result[SEEN])
{
    const uintptr_t o = (uintptr_t)data.out + out_at, i = (uintptr_t)data.in + in_at;
    const uintptr_t v = (uintptr_t)data.iv, s = (uintptr_t)data.state;
    const size_t len = 16 * num_blocks, part = num_blocks > 1 ? 3 * num_blocks : 0;
    const uintptr_t args[][6] = {
        [CIPHER] = { o, i, num_blocks, (uintptr_t)&keys.aes, v, s },
        [TEXT] = { o, i, num_blocks, (uintptr_t)&keys.aead, v, s },
        [HASH] = { s, i, num_blocks, (uintptr_t)&keys.aead },
        [UNIT] = { o, i, len - part, (uintptr_t)&keys.xts, v },
        [POLY] = { s, i, num_blocks, (uintptr_t)&keys.poly },
        [CAMELLIA] = { o, i, num_blocks, (uintptr_t)&keys.camellia, v, s },
        [DES] = { o, i, 2 * num_blocks, (uintptr_t)&keys.des, v, s },
    };
    if (kernel->secret & IN)
        random_bytes(data.in, sizeof data.in);
    random_bytes(data.state, 16);
    call_and_look(kernel->fn, args[kernel->call], result);
}

/* look returns how many words a kernel leaves. What an encryption writes is public. */
static unsigned look(const struct kernel *kernel, size_t num_blocks, size_t in_at, size_t out_at)
{
    random_bytes(&data, sizeof data);
    for (unsigned i = 0; i < 2; i++) {
        keys = both[i];
        call(kernel, num_blocks, in_at, out_at, seen[i]);
    }
    const int sealed = kernel->secret == IN && kernel->fn != FN(ccm_hash_t4);
    return secrets_left(kernel->fn, data.out + out_at, sealed ? 16 * num_blocks : 0);
}

static void make_keys(struct keys *to, size_t len)
{
    uint8_t bytes[32];
    random_bytes(bytes, sizeof bytes);
    des_expand(&to->des, bytes, len - 8, 0); /* one pass or three */
    camellia_cipher.expand(&to->camellia, bytes, len, 0);
    aes_expand_t4(&to->aes, bytes, len, 1);
    to->aead.aes = to->xts.data = to->xts.tweak = to->aes;
    gcm_setup_t4(&to->aead);
    to->poly.r[0] = load_le64(bytes) & UINT64_C(0x0ffffffc0fffffff);
    to->poly.r[1] = load_le64(bytes + 8) & UINT64_C(0x0ffffffc0ffffffc);
}

/* look_at_setup looks at what makes the keys, which is called as fn(key, bytes, len, 1). */
static void look_at_setup(const char *name, void (*fn)(void), size_t len)
{
    static uint8_t bytes[32] __attribute__((aligned(8)));
    const uintptr_t args[6] = { (uintptr_t)&keys.aead, (uintptr_t)bytes, len, 1 };
    for (unsigned i = 0; i < 2; i++) {
        keys = both[i];
        random_bytes(bytes, sizeof bytes);
        call_and_look(fn, args, seen[i]);
    }
    if (frame_words(fn) || secrets_left(fn, NULL, 0))
        complain("%s, key of %zu: %u words", name, len, secrets_left(fn, NULL, 0));
}

static void set_up(size_t key_len)
{
    make_keys(&both[0], key_len);
    make_keys(&both[1], key_len);
}

static void test_setup(void)
{
    for (size_t key_len = 16; key_len <= 32; key_len += 8) {
        set_up(key_len);
        look_at_setup("AES's round keys", FN(aes_expand_t4), key_len);
        look_at_setup("GCM's powers", FN(gcm_setup_t4), key_len);
    }
    tap(1, "what makes keys leaves nothing");
}

static void test_kernel(const struct kernel *kernel)
{
    if (!frame_words(kernel->fn) || frame_words(kernel->fn) > STACK)
        complain("a frame of %zu doublewords", frame_words(kernel->fn));
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

int main(int argc, char **argv)
{
    const struct kernel control = { "control", FN(leaves_five), 0, CIPHER };
    const char *name = argc == 3 ? argv[2] : "";
    set_up(16);
    tap(look(&control, 1, 0, 0) == 5, "what is left in five places is seen");
    test_setup();
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        if (!strncmp(kernels[i].name, name, strlen(name)))
            test_kernel(&kernels[i]);
    return tap_done();
}
