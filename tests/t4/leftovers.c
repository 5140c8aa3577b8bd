/* SPDX-License-Identifier: Apache-2.0 */
/* The T4's AES kernels leave no word of a key, nor of what is encrypted, in integer registers and
 * their stack, which functions that run later could write to memory. */
#include "aes.h"
#include "test.h"

enum { SEEN = 42, BLOCKS = 5, LEN = 16 * BLOCKS, ROOM = LEN + 8 };

void call_and_look(void (*fn)(void), const uintptr_t args[6], uint64_t seen[SEEN]);
cipher_blocks_fn leaves_four;

/* IN, OUT: that text is secret.  CTR does not know which one is. */
enum { IN = 1, OUT = 2 };
static const struct kernel {
    const char *name;
    cipher_blocks_fn *fn;
    unsigned secret;
} kernels[] = {
    { "ECB encryption", aes_ecb_encrypt_t4, IN },
    { "ECB decryption", aes_ecb_decrypt_t4, OUT },
    { "CBC encryption", aes_cbc_encrypt_t4, IN },
    { "CBC decryption", aes_cbc_decrypt_t4, OUT },
    { "CFB encryption", aes_cfb_encrypt_t4, IN },
    { "CFB decryption", aes_cfb_decrypt_t4, OUT },
    { "CTR", aes_ctr_t4, IN | OUT },
};

static uint64_t seen[SEEN];

/* How often a doubleword of `bytes`, moved by that of `by` where there is one, was seen. */
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

/* Doublewords of the outer keys with what is known of a text added. */
static unsigned found_key_and(const struct aes_key *key, const uint8_t *text, size_t len)
{
    unsigned n = 0;
    for (size_t at = 0; at < len; at += 16)
        n += found(key->enc[0], text + at, 16) + found(key->enc[key->rounds], text + at, 16);
    return n;
}

static unsigned look(const struct kernel *kernel, const struct aes_key *key, size_t num_blocks,
                     size_t in_at, size_t out_at)
{
    static uint8_t in_room[ROOM] __attribute__((aligned(8)));
    static uint8_t out_room[ROOM] __attribute__((aligned(8)));
    uint8_t iv[16], next[16];
    uint8_t *in = in_room + in_at, *out = out_room + out_at;
    random_bytes(in_room, sizeof in_room);
    random_bytes(iv, sizeof iv);
    const uintptr_t args[6] = { (uintptr_t)out, (uintptr_t)in, num_blocks,
                                (uintptr_t)key, (uintptr_t)iv, (uintptr_t)next };
    memset(seen, 0, sizeof seen);
    call_and_look((void (*)(void))kernel->fn, args, seen);
    const size_t len = 16 * num_blocks;
    unsigned n = found_key(key) + found_key_and(key, in, len) + found_key_and(key, out, len);
    n += kernel->secret & IN ? found(in, NULL, len) : 0;
    n += kernel->secret & OUT ? found(out, NULL, len) : 0;
    return n + (kernel->secret == (IN | OUT) ? found(in, out, len) : 0);
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

static void test_kernel(const struct kernel *kernel)
{
    struct aes_key key __attribute__((aligned(16)));
    for (size_t key_len = 16; key_len <= 32; key_len += 8) {
        expand(&key, key_len);
        for (size_t num = 1; num <= BLOCKS; num++)
            for (size_t at = 0; at < 16; at++) {
                const unsigned n = look(kernel, &key, num, at & 1 ? 3 : 0, at >> 1);
                if (n)
                    complain("%zu blocks, key of %zu, out + %zu: %u words", num, key_len, at >> 1,
                             n);
            }
    }
    tap(1, "%s leaves nothing", kernel->name);
}

int main(void)
{
    const struct kernel control = { "control", leaves_four, 0 };
    struct aes_key key __attribute__((aligned(16)));
    random_bytes(&key, sizeof key);
    key.rounds = 10;
    tap(look(&control, &key, 1, 0, 0) >= 4, "what is left in four places is seen");
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        test_kernel(&kernels[i]);
    return tap_done();
}
