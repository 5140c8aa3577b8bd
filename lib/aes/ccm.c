/* SPDX-License-Identifier: Apache-2.0 */
/* CCM, SP 800-38C: its kernel table, and its part of messages in pieces. */
#include "../aead.h"

#define AESNI (CPU(AESNI) | CPU(SSE41))

/* clang-format off */
static const struct aead_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86("avx", CPU(AVX) | AESNI, aes_ccm_hash_avx,
               { aes_ccm_encrypt_avx, aes_ccm_decrypt_avx })
    KERNEL_X86("aesni", AESNI, aes_ccm_hash_aesni, { aes_ccm_encrypt_aesni, aes_ccm_decrypt_aesni })
    KERNEL_ARM64("ce", CPU(ARM_AES), aes_ccm_hash_ce,
                 { aes_ccm_encrypt_ce, aes_ccm_decrypt_ce })
    KERNEL_SPARC("t4", CPU(SPARC_AES) | CPU(SPARC_VIS3), ccm_hash_t4,
                 { ccm_encrypt_t4, ccm_decrypt_t4 })
    KERNEL_X86("avx2", CPU(AVX2), aes_ccm_hash_avx2, { aes_ccm_encrypt_avx2, aes_ccm_decrypt_avx2 })
    KERNEL_X86("ssse3", CPU(SSSE3), aes_ccm_hash_ssse3,
               { aes_ccm_encrypt_ssse3, aes_ccm_decrypt_ssse3 })
    KERNEL_ARM64("neon", CPU(ARM_NEON), aes_ccm_hash_neon,
                 { aes_ccm_encrypt_neon, aes_ccm_decrypt_neon })
    KERNEL_C(ccm_hash_c, { ccm_encrypt_c, ccm_decrypt_c })
};
/* clang-format on */

static _Atomic(const struct aead_kernel *) chosen;
const struct aead_impl ccm_impl = { kernels, COUNT(kernels), &chosen, &ccm_mode };

/* Starts a message with counter block 0 (SP 800-38C appendix A.3).  Block B0, which has the
 * lengths, is made by lengths(). */
static void start(struct aead_ctx *ctx, const uint8_t *iv, size_t iv_len)
{
    ctx->ctr[0] = (uint8_t)(14 - iv_len);
    memcpy(ctx->ctr + 1, iv, iv_len);
}

static void lengths(struct aead_ctx *ctx)
{
    const struct aead_key *const key = ctx->key;
    const uint64_t aad_len = ctx->aad_total, len = ctx->total;
    uint8_t b0[16], prefix[10] = { 0xff, 0xff };
    size_t prefix_len = aad_len < 0xff00 ? 2 : aad_len >> 32 ? 10 : 6;
    const size_t len_len = ctx->ctr[0] + 1u;
    memcpy(b0, ctx->ctr, 16);
    b0[0] |= (uint8_t)((aad_len ? 64 : 0) + (ctx->tag_len - 2) / 2 * 8);
    for (size_t i = 0; i < len_len && i < 8; i++)
        b0[15 - i] = (uint8_t)(len >> 8 * i);
    key->ecb(ctx->y, b0, 1, key->schedule, NULL, NULL);
    key->ecb(ctx->mask, ctx->ctr, 1, key->schedule, NULL, NULL);
    ctx->ctr[15] = 1;
    if (prefix_len == 2)
        store_be16(prefix, (uint16_t)aad_len);
    else if (prefix_len == 6)
        prefix[1] = 0xfe, store_be32(prefix + 2, (uint32_t)aad_len);
    else
        store_be64(prefix + 2, aad_len);
    if (aad_len)
        aead_blocks_absorb(ctx, prefix, prefix_len);
}

static void tag(struct aead_ctx *ctx, uint8_t out[16])
{
    aead_blocks_flush(ctx);
    for (int i = 0; i < 16; i++)
        out[i] = ctx->y[i] ^ ctx->mask[i];
}

static uint64_t max_len(size_t iv_len)
{
    if (iv_len < 7 || iv_len > 13)
        return 0;
    return iv_len == 7 ? UINT64_MAX : (UINT64_C(1) << 8 * (15 - iv_len)) - 1;
}

static int good_tag_len(size_t tag_len)
{
    return tag_len >= 4 && tag_len <= 16 && tag_len % 2 == 0;
}

const struct aead_mode ccm_mode = {
    .max_len = max_len,
    .good_tag_len = good_tag_len,
    .least_tag = 4,
    .ctx_size = sizeof(struct aead_ctx),
    .setup = aead_blocks_setup,
    .start = start,
    .lengths = lengths,
    .absorb = aead_blocks_absorb,
    .flush = aead_blocks_flush,
    .crypt = aead_blocks_crypt,
    .tag = tag,
};
