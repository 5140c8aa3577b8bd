/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-3, FIPS 202 section 6.1.  A context's state is the sponge's, and holds also what has been
 * absorbed of an incomplete block. */
#include "../digest_rows.h"
#include "keccak.h"

void sponge_update(struct digest_ctx *ctx, const struct digest_impl *impl,
                   const struct digest_kernel *kernel, const uint8_t *in, size_t len)
{
    const size_t rate = impl->block_len, used = ctx->total % rate, room = rate - used;
    ctx->total += len;
    if (len < room) {
        keccak_add(ctx->sponge, used, in, len);
        return;
    }
    if (used) {
        uint8_t block[HR_DIGEST_MAX_BLOCK] = { 0 };
        memcpy(block + used, in, room);
        kernel->blocks(ctx->sponge, block, 1);
        WIPE(&block);
        in += room;
        len -= room;
    }
    if (len >= rate)
        kernel->blocks(ctx->sponge, in, len / rate);
    keccak_add(ctx->sponge, 0, in + len - len % rate, len % rate);
}

/* Ends a message of which `used` bytes are in the state's last block. */
static void end(uint64_t *state, uint8_t *out, size_t used, const struct digest_impl *impl,
                const struct digest_kernel *kernel)
{
    static const uint8_t nothing[HR_DIGEST_MAX_BLOCK];
    keccak_end(state, used, impl->block_len, KECCAK_SHA3);
    kernel->blocks(state, nothing, 1);
    keccak_get(out, state, 0, impl->out_len);
}

void sponge_final(struct digest_ctx *ctx, const struct digest_impl *impl,
                  const struct digest_kernel *kernel, uint8_t *out)
{
    end(ctx->sponge, out, ctx->total % impl->block_len, impl, kernel);
}

static void direct(uint8_t *out, const uint8_t *in, size_t in_len, const struct digest_impl *impl)
{
    uint64_t state[KECCAK_WORDS] = { 0 };
    const struct digest_kernel *kernel = digest_kernel(impl);
    const size_t rate = impl->block_len, used = in_len % rate;
    if (in_len >= rate)
        kernel->blocks(state, in, in_len / rate);
    if (used)
        keccak_add(state, 0, in + in_len - used, used);
    end(state, out, used, impl, kernel);
    WIPE(&state);
}

/* SHA3_BLOCKS defines a row's digest_blocks_fn by a kernel of any rate.  It is inline, so that it
 * is no code where it is in no table. */
#define SHA3_BLOCKS(sym, isa)                                                         \
    static inline void sym##_##isa(void *state, const uint8_t *in, size_t num_blocks) \
    {                                                                                 \
        keccak_absorb_##isa(state, in, num_blocks, BLOCK_LEN_##sym);                  \
    }

/* SHA3_ROW defines the table of a row, its struct digest_impl and its direct call. */
#define SHA3_ROW(sym)                                                                              \
    SHA3_BLOCKS(sym, bmi2)                                                                         \
    SHA3_BLOCKS(sym, c)                                                                            \
    static const struct digest_kernel sym##_kernels[] = { /* best first; portable C last */        \
                                                          KERNEL_X86("bmi2", CPU(BMI2),            \
                                                                     sym##_bmi2) KERNEL_C(sym##_c) \
    };                                                                                             \
    static _Atomic(const struct digest_kernel *) sym##_chosen;                                     \
    const struct digest_impl sym##_impl = {                                                        \
        .kernels = sym##_kernels,                                                                  \
        .num_kernels = COUNT(sym##_kernels),                                                       \
        .chosen = &sym##_chosen,                                                                   \
        .direct = hr_##sym,                                                                        \
        .state_len = 8 * KECCAK_WORDS,                                                             \
        .out_len = OUT_LEN_##sym,                                                                  \
        .block_len = BLOCK_LEN_##sym,                                                              \
        .word_len = 8,                                                                             \
        .little_endian = 1,                                                                        \
        .sponge = 1,                                                                               \
    };                                                                                             \
    void hr_##sym(uint8_t out[OUT_LEN_##sym], const void *in, size_t in_len)                       \
    {                                                                                              \
        direct(out, in, in_len, &sym##_impl);                                                      \
    }

SHA3_ROW(sha3_224)
SHA3_ROW(sha3_256)
SHA3_ROW(sha3_384)
SHA3_ROW(sha3_512)
