/* SPDX-License-Identifier: Apache-2.0 */
/* XTS-AES in portable C over the bitsliced cipher.  Kernels: see xts.h. */
#include "../xts.h"
#include "aes.h"
#include "aes_bitslice.h"

/* t * x in GF(2^128), little-endian: IEEE 1619 section 5.2. */
static void next_tweak(uint64_t t[2])
{
    const uint64_t carry = t[1] >> 63;
    t[1] = t[1] << 1 | t[0] >> 63;
    t[0] = t[0] << 1 ^ (0x87 & (0 - carry));
}

static void xor_tweak(uint8_t out[16], const uint8_t in[16], const uint64_t t[2])
{
    store_le64(out, load_le64(in) ^ t[0]);
    store_le64(out + 8, load_le64(in + 8) ^ t[1]);
}

typedef void cipher_fn(uint8_t blocks[SLICED_LEN], const struct aes_sliced *sliced);

static void blocks(uint8_t *out, const uint8_t *in, size_t num_blocks, uint64_t t[2],
                   const struct aes_sliced *sliced, cipher_fn *cipher)
{
    uint8_t x[SLICED_LEN] = { 0 };
    uint64_t tweaks[SLICED_BLOCKS][2];
    while (num_blocks) {
        const size_t num = num_blocks < SLICED_BLOCKS ? num_blocks : SLICED_BLOCKS;
        for (size_t i = 0; i < num; i++, next_tweak(t)) {
            memcpy(tweaks[i], t, 16);
            xor_tweak(x + 16 * i, in + 16 * i, t);
        }
        cipher(x, sliced);
        for (size_t i = 0; i < num; i++)
            xor_tweak(out + 16 * i, x + 16 * i, tweaks[i]);
        num_blocks -= num, in += 16 * num, out += 16 * num;
    }
    WIPE(&tweaks);
    WIPE(&x);
}

/* Ciphertext stealing of the last whole block and the `part` bytes behind it.  Decryption takes
 * their tweaks in the opposite order. */
static void steal(uint8_t *out, const uint8_t *in, size_t part, uint64_t t[2],
                  const struct aes_sliced *sliced, cipher_fn *cipher, enum hr_op op)
{
    uint64_t first[2] = { t[0], t[1] }, last[2] = { t[0], t[1] };
    uint8_t whole[16], end[16];
    next_tweak(op == HR_OP_ENCRYPT ? last : first);
    memcpy(end, in + 16, part);
    blocks(whole, in, 1, first, sliced, cipher);
    memcpy(out + 16, whole, part);
    memcpy(whole, end, part);
    blocks(out, whole, 1, last, sliced, cipher);
    WIPE(&whole);
    WIPE(&end);
}

static int crypt(uint8_t *out, const uint8_t *in, size_t len, const struct xts_key *key,
                 const uint8_t iv[16], enum hr_op op)
{
    cipher_fn *const cipher = op == HR_OP_ENCRYPT ? aes_sliced_encrypt : aes_sliced_decrypt;
    struct aes_sliced sliced;
    uint8_t first[16];
    const size_t part = len % 16, whole = len - part - (part ? 16 : 0);
    aes_ecb_encrypt_c(first, iv, 1, &key->tweak, NULL, NULL);
    uint64_t t[2] = { load_le64(first), load_le64(first + 8) };
    (op == HR_OP_ENCRYPT ? aes_slice_encrypt_keys : aes_slice_decrypt_keys)(&sliced, &key->data);
    blocks(out, in, whole / 16, t, &sliced, cipher);
    if (part)
        steal(out + whole, in + whole, part, t, &sliced, cipher, op);
    WIPE(&t);
    WIPE(&first);
    WIPE(&sliced);
    return 0;
}

int aes_xts_encrypt_c(uint8_t *out, const uint8_t *in, size_t len, const struct xts_key *key,
                      const uint8_t iv[16])
{
    return crypt(out, in, len, key, iv, HR_OP_ENCRYPT);
}

int aes_xts_decrypt_c(uint8_t *out, const uint8_t *in, size_t len, const struct xts_key *key,
                      const uint8_t iv[16])
{
    return crypt(out, in, len, key, iv, HR_OP_DECRYPT);
}
