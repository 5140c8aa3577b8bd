/* SPDX-License-Identifier: Apache-2.0 */
/* The calls for f8 and f9 with the parameters of 3GPP, one message a call: TS 35.201 and TS 55.216.
 */
#include "kasumi.h"
#include <headrace/kasumi.h>

void hr_kasumi_f8_iv(uint8_t iv[8], uint32_t count, unsigned bearer, unsigned direction)
{
    store_be32(iv, count);
    store_be32(iv + 4, (uint32_t)bearer << 27 | (uint32_t)(direction & 1) << 26);
}

void hr_kasumi_f9_iv(uint8_t iv[9], uint32_t count, uint32_t fresh, unsigned direction)
{
    store_be32(iv, count);
    store_be32(iv + 4, fresh);
    iv[8] = direction & 1;
}

void kasumi_f8_bits(uint8_t *out, const uint8_t *in, uint64_t num_bits,
                    const struct kasumi_key *key, uint8_t state[KASUMI_F8_IV])
{
    const size_t num_blocks = (size_t)(num_bits / 64), bytes = (size_t)(num_bits % 64 + 7) / 8;
    cipher_blocks_fn *const blocks = kasumi_f8_blocks();
    uint8_t last[8] = { 0 };
    blocks(out, in, num_blocks, key, state, state);
    if (!bytes)
        return;
    memcpy(last, in + 8 * num_blocks, bytes);
    blocks(last, last, 1, key, state, state);
    last[bytes - 1] &= (uint8_t)(0xff00u >> ((num_bits + 7) % 8 + 1));
    memcpy(out + 8 * num_blocks, last, bytes);
    WIPE(&last);
}

/* Writes keystream for the initial value `a` of the register A, XORed with `in` unless that is
 * NULL. */
static void keystream(uint8_t *out, const uint8_t *in, uint64_t num_bits, const uint8_t *key,
                      const uint8_t a[8])
{
    struct kasumi_key expanded;
    uint8_t state[KASUMI_F8_IV];
    kasumi_expand(&expanded, key);
    kasumi_f8_start(state, &expanded, a);
    if (!in)
        memset(out, 0, (size_t)(num_bits / 8 + (num_bits % 8 > 0)));
    kasumi_f8_bits(out, in ? in : out, num_bits, &expanded, state);
    WIPE(&expanded);
    WIPE(&state);
}

int hr_kasumi_f8_bits(uint8_t *out, const uint8_t *in, uint64_t num_bits, const uint8_t *key,
                      uint32_t count, unsigned bearer, unsigned direction)
{
    uint8_t a[8];
    if (!key || (num_bits && (!out || !in)) || bearer > 31 || direction > 1)
        return HR_EINVAL;
    if (overlap(out, in, (size_t)(num_bits / 8 + (num_bits % 8 > 0))))
        return HR_EOVERLAP;
    hr_kasumi_f8_iv(a, count, bearer, direction);
    if (num_bits)
        keystream(out, in, num_bits, key, a);
    return 0;
}

int hr_kasumi_f9_bits(uint8_t *mac, const uint8_t *in, uint64_t num_bits, const uint8_t *key,
                      uint32_t count, uint32_t fresh, unsigned direction)
{
    struct kasumi_f9_key expanded;
    struct kasumi_f9_state state;
    uint8_t iv[9];
    if (!mac || !key || (num_bits && !in) || direction > 1)
        return HR_EINVAL;
    const size_t bytes = (size_t)(num_bits / 8 + (num_bits % 8 > 0));
    hr_kasumi_f9_iv(iv, count, fresh, direction);
    kasumi_f9_setup(&expanded, key, kasumi_f9_choose(&kasumi_f9_impl));
    kasumi_f9_start(&state, &expanded, iv);
    kasumi_f9_update(&state, &expanded, in, num_bits % 64 > 56 ? bytes - 1 : bytes);
    if (num_bits % 64 > 56) /* an incomplete byte that is the last of a block */
        state.buf[7] = in[bytes - 1];
    kasumi_f9_final(mac, &state, &expanded, (unsigned)(num_bits % 64));
    WIPE(&expanded);
    return 0;
}

/* TS 55.216 KGCORE: A consists of CC, CB, CD, two zeros, CA and CE; CB and CE are zero in all uses.
 * A short key is repeated. */
static int kgcore(uint8_t *out, uint64_t num_bits, const uint8_t *kc, size_t kc_len, uint32_t cc,
                  unsigned cd, uint8_t ca)
{
    uint8_t key[HR_KASUMI_KEY_LEN], a[8];
    if (kc_len < 8 || kc_len > sizeof key)
        return HR_EKEYLEN;
    memcpy(key, kc, kc_len); /* copied at once: of a loop over bytes, compilers would make a copy on
                              * the stack */
    memcpy(key + kc_len, kc, sizeof key - kc_len);
    hr_kasumi_f8_iv(a, cc, 0, cd);
    a[5] = ca;
    if (num_bits)
        keystream(out, NULL, num_bits, key, a);
    WIPE(&key);
    return 0;
}

int hr_kasumi_a53(uint8_t *block1, uint8_t *block2, const uint8_t *key, size_t key_len,
                  uint32_t count)
{
    uint8_t both[29];
    if (!block1 || !block2 || !key || count >> 22)
        return HR_EINVAL;
    int error = kgcore(both, 228, key, key_len, count, 0, 0x0f);
    if (error)
        return error;
    for (int i = 0; i < HR_KASUMI_A53_LEN; i++) /* block 2 begins at bit 114, which is the third
                                                 * bit of byte 14 */
        block2[i] = (uint8_t)(both[14 + i] << 2 | (i < 14 ? both[15 + i] >> 6 : 0));
    memcpy(block1, both, HR_KASUMI_A53_LEN);
    block1[14] &= 0xc0;
    WIPE(&both);
    return 0;
}

int hr_kasumi_gea3(uint8_t *out, size_t out_len, const uint8_t *key, size_t key_len, uint32_t input,
                   unsigned direction)
{
    if (!key || (out_len && !out) || direction > 1)
        return HR_EINVAL;
    return kgcore(out, 8 * (uint64_t)out_len, key, key_len, input, direction, 0xff);
}
