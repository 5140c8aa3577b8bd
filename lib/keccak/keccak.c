/* SPDX-License-Identifier: Apache-2.0 */
/* Sponges over Keccak-f[1600], FIPS 202 section 4, by the best kernels of this CPU. */
#include "keccak.h"

/* clang-format off */
static const struct keccak_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86("bmi2", CPU(BMI2), keccak_permute_bmi2, keccak_absorb_bmi2)
    KERNEL_C(keccak_permute_c, keccak_absorb_c)
};
static const struct keccak_kernel4 kernels4[] = {
    KERNEL_X86("avx512", CPU(AVX512F) | CPU(AVX512VL), keccak_permute4_avx512)
    KERNEL_X86("avx2", CPU(AVX2), keccak_permute4_avx2)
    KERNEL_C(keccak_permute4_c)
};
/* clang-format on */

static _Atomic(const struct keccak_kernel *) chosen;
static _Atomic(const struct keccak_kernel4 *) chosen4;
const struct keccak_impl keccak_impl = { kernels, COUNT(kernels), &chosen };
const struct keccak_impl4 keccak_impl4 = { kernels4, COUNT(kernels4), &chosen4 };
static DEFINE_CHOOSE(choose, struct keccak_kernel,
                     struct keccak_impl) static DEFINE_CHOOSE(choose4, struct keccak_kernel4,
                                                              struct keccak_impl4)

    void keccak_forget(void)
{
    atomic_store(&chosen, NULL);
    atomic_store(&chosen4, NULL);
}

void keccak_f1600(uint64_t state[KECCAK_WORDS])
{
    choose(&keccak_impl)->permute(state);
}

void keccak_f1600_x4(uint64_t states[4][KECCAK_WORDS])
{
    choose4(&keccak_impl4)->permute(states);
}

/* ---- bytes of a state ---- */

void keccak_add(uint64_t *state, size_t at, const uint8_t *in, size_t len)
{
    for (; len && at % 8; at++, len--)
        state[at / 8] ^= (uint64_t)*in++ << 8 * (at % 8);
    for (; len >= 8; at += 8, in += 8, len -= 8)
        state[at / 8] ^= load_le64(in);
    for (; len; at++, len--)
        state[at / 8] ^= (uint64_t)*in++ << 8 * (at % 8);
}

void keccak_get(uint8_t *out, const uint64_t *state, size_t at, size_t len)
{
    for (; len && at % 8; at++, len--)
        *out++ = (uint8_t)(state[at / 8] >> 8 * (at % 8));
    for (; len >= 8; at += 8, out += 8, len -= 8)
        store_le64(out, state[at / 8]);
    for (; len; at++, len--)
        *out++ = (uint8_t)(state[at / 8] >> 8 * (at % 8));
}

void keccak_end(uint64_t *state, size_t at, size_t rate, uint8_t suffix)
{
    state[at / 8] ^= (uint64_t)suffix << 8 * (at % 8);
    state[rate / 8 - 1] ^= UINT64_C(1) << 63;
}

/* ---- one sponge ---- */

void keccak_start(struct keccak *k, size_t rate, uint8_t suffix)
{
    memset(k, 0, sizeof *k);
    k->rate = (uint8_t)rate;
    k->suffix = suffix;
}

void keccak_absorb(struct keccak *k, const void *in_bytes, size_t len)
{
    const struct keccak_kernel *kernel = choose(&keccak_impl);
    const uint8_t *in = in_bytes;
    const size_t rate = k->rate, room = rate - k->at;
    if (k->at && len >= room) {
        keccak_add(k->state, k->at, in, room);
        kernel->permute(k->state);
        in += room;
        len -= room;
        k->at = 0;
    }
    if (!k->at && len >= rate) {
        kernel->absorb(k->state, in, len / rate, rate);
        in += len - len % rate;
        len %= rate;
    }
    if (len)
        keccak_add(k->state, k->at, in, len);
    k->at = (uint8_t)(k->at + len);
}

void keccak_squeeze(struct keccak *k, uint8_t *out, size_t len)
{
    keccak_permute_fn *permute = choose(&keccak_impl)->permute;
    if (!k->squeezing) {
        keccak_end(k->state, k->at, k->rate, k->suffix);
        k->squeezing = 1;
        k->at = k->rate;
    }
    while (len) {
        if (k->at == k->rate) {
            permute(k->state);
            k->at = 0;
        }
        const size_t room = (size_t)(k->rate - k->at), n = len < room ? len : room;
        keccak_get(out, k->state, k->at, n);
        k->at = (uint8_t)(k->at + n);
        out += n;
        len -= n;
    }
}

void keccak_hash(uint8_t *out, size_t out_len, size_t rate, uint8_t suffix, const void *in,
                 size_t in_len)
{
    struct keccak k;
    keccak_start(&k, rate, suffix);
    keccak_absorb(&k, in, in_len);
    keccak_squeeze(&k, out, out_len);
    WIPE(&k);
}

/* ---- four sponges ---- */

void keccak_x4_absorb(struct keccak_x4 *k, size_t rate, uint8_t suffix, const uint8_t *const in[4],
                      size_t len)
{
    size_t at = 0;
    memset(k->states, 0, sizeof k->states);
    k->rate = rate;
    for (; len - at >= rate; at += rate) {
        for (size_t i = 0; i < 4; i++)
            keccak_add(k->states[i], 0, in[i] + at, rate);
        keccak_f1600_x4(k->states);
    }
    for (size_t i = 0; i < 4; i++) {
        if (len - at)
            keccak_add(k->states[i], 0, in[i] + at, len - at);
        keccak_end(k->states[i], len - at, rate, suffix);
    }
}

void keccak_x4_squeeze_blocks(struct keccak_x4 *k, uint8_t *const out[4], size_t num_blocks)
{
    for (size_t at = 0; num_blocks; num_blocks--, at += k->rate) {
        keccak_f1600_x4(k->states);
        for (size_t i = 0; i < 4; i++)
            keccak_get(out[i] + at, k->states[i], 0, k->rate);
    }
}
