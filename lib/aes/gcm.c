/* SPDX-License-Identifier: Apache-2.0 */
/* GCM, SP 800-38D: its kernel table, and its part of messages in pieces. */
#include "../aead.h"

#define AESNI (CPU(AESNI) | CPU(PCLMUL) | CPU(SSE41))
#define VAES256 (CPU(VAES) | CPU(VPCLMULQDQ) | CPU(AVX2) | AESNI)
#define VAES512 (CPU(AVX512F) | CPU(AVX512BW) | CPU(AVX512DQ) | CPU(AVX512VL) | CPU(BMI2) | VAES256)

/* clang-format off */
static const struct aead_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86("vaes512", VAES512, gcm_hash_vaes512,
               { gcm_encrypt_vaes512, gcm_decrypt_vaes512 }, gcm_setup_vaes512,
               { gcm_encrypt_direct_vaes512, gcm_decrypt_direct_vaes512 },
               { gcm_encrypt_hashed_vaes512, gcm_decrypt_hashed_vaes512 })
    KERNEL_X86("vaes256", VAES256, gcm_hash_vaes256,
               { gcm_encrypt_vaes256, gcm_decrypt_vaes256 }, gcm_setup_vaes256,
               { gcm_encrypt_direct_vaes256, gcm_decrypt_direct_vaes256 })
    KERNEL_X86("aesni", AESNI, gcm_hash_aesni,
               { gcm_encrypt_aesni, gcm_decrypt_aesni }, gcm_setup_aesni,
               { gcm_encrypt_direct_aesni, gcm_decrypt_direct_aesni })
    KERNEL_ARM64("eor3", CPU(ARM_AES) | CPU(ARM_PMULL) | CPU(ARM_SHA3),
                 gcm_hash_eor3, { gcm_encrypt_eor3, gcm_decrypt_eor3 }, gcm_setup_eor3,
                 { gcm_encrypt_direct_eor3, gcm_decrypt_direct_eor3 })
    KERNEL_ARM64("ce", CPU(ARM_AES) | CPU(ARM_PMULL),
                 gcm_hash_ce, { gcm_encrypt_ce, gcm_decrypt_ce }, gcm_setup_ce,
                 { gcm_encrypt_direct_ce, gcm_decrypt_direct_ce })
    KERNEL_SPARC("t4", CPU(SPARC_AES) | CPU(SPARC_VIS3), gcm_hash_t4,
                 { gcm_encrypt_t4, gcm_decrypt_t4 }, gcm_setup_t4)
    KERNEL_X86("avx2", CPU(AVX2), gcm_hash_c, { gcm_encrypt_avx2, gcm_decrypt_avx2 },
               gcm_setup_avx2)
    KERNEL_X86("ssse3", CPU(SSSE3), gcm_hash_c, { gcm_encrypt_ssse3, gcm_decrypt_ssse3 },
               gcm_setup_ssse3)
    KERNEL_ARM64("neon", CPU(ARM_NEON), gcm_hash_c, { gcm_encrypt_neon, gcm_decrypt_neon },
                 gcm_setup_neon)
    KERNEL_C(gcm_hash_c, { gcm_encrypt_c, gcm_decrypt_c }, gcm_setup_c)
};
/* clang-format on */

static _Atomic(const struct aead_kernel *) chosen;
const struct aead_impl gcm_impl = { kernels, COUNT(kernels), &chosen, &gcm_mode };

/* SP 800-38D section 7.1 step 2: if the IV does not have 12 bytes, J0 is the GHASH of the IV. */
static void hash_iv(struct aead_ctx *ctx, const uint8_t *iv, size_t iv_len)
{
    uint8_t last[32] = { 0 };
    const size_t part = iv_len % 16, whole = iv_len - part;
    uint8_t *const lengths = part ? last + 16 : last;
    ctx->key->kernel->hash(ctx->ctr, iv, whole / 16, ctx->key);
    memcpy(last, iv + whole, part);
    store_be64(lengths + 8, (uint64_t)iv_len * 8);
    ctx->key->kernel->hash(ctx->ctr, last, part ? 2 : 1, ctx->key);
}

static void start(struct aead_ctx *ctx, const uint8_t *iv, size_t iv_len)
{
    const struct aead_key *const key = ctx->key;
    if (iv_len == 12) {
        memcpy(ctx->ctr, iv, 12);
        ctx->ctr[15] = 1;
    } else {
        ctx->hashed_iv = 1;
        hash_iv(ctx, iv, iv_len);
    }
    key->ecb(ctx->mask, ctx->ctr, 1, key->schedule, NULL, NULL);
    store_be32(ctx->ctr + 12, load_be32(ctx->ctr + 12) + 1);
}

static void tag(struct aead_ctx *ctx, uint8_t out[16])
{
    uint8_t lengths[16];
    aead_blocks_flush(ctx);
    store_be64(lengths, ctx->aad_len * 8);
    store_be64(lengths + 8, ctx->len * 8);
    ctx->key->kernel->hash(ctx->y, lengths, 1, ctx->key);
    for (int i = 0; i < 16; i++)
        out[i] = ctx->y[i] ^ ctx->mask[i];
}

static uint64_t max_len(size_t iv_len)
{
    return iv_len - 1 < AEAD_MAX_AAD ? GCM_MAX_LEN : 0;
}

static int good_tag_len(size_t tag_len)
{
    return tag_len >= 4 && tag_len <= 16;
}

const struct aead_mode gcm_mode = {
    .max_len = max_len,
    .good_tag_len = good_tag_len,
    .least_tag = 1,
    .ctx_size = sizeof(struct aead_ctx),
    .setup = aead_blocks_setup,
    .start = start,
    .absorb = aead_blocks_absorb,
    .flush = aead_blocks_flush,
    .crypt = aead_blocks_crypt,
    .tag = tag,
};
