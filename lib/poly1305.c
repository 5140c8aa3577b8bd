/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 over any kernel. */
#include "poly1305.h"

typedef unsigned __int128 u128;

/* clang-format off */
const struct poly1305_kernel poly1305_kernels[] = { /* best first; portable C last */
    KERNEL_SPARC("t4", CPU(SPARC_VIS3), poly1305_blocks_t4)
    KERNEL_C(poly1305_blocks_c)
};
/* clang-format on */
const size_t poly1305_num_kernels = COUNT(poly1305_kernels);

static _Atomic(const struct poly1305_kernel *) chosen;

const struct poly1305_kernel *poly1305_choose(void)
{
    const struct poly1305_kernel *kernel = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (kernel)
        return kernel;
    const uint64_t have = hr_cpu_features();
    for (kernel = poly1305_kernels; kernel->info.needs & ~have; kernel++)
        ;
    atomic_store_explicit(&chosen, kernel, memory_order_relaxed);
    return kernel;
}

void poly1305_forget(void)
{
    atomic_store(&chosen, NULL);
}

void poly1305_setup(struct poly1305_key *key, const uint8_t r[16],
                    const struct poly1305_kernel *kernel)
{
    key->r[0] = load_le64(r) & UINT64_C(0x0ffffffc0fffffff);
    key->r[1] = load_le64(r + 8) & UINT64_C(0x0ffffffc0ffffffc);
    key->kernel = kernel;
    if (kernel->setup)
        kernel->setup(key);
}

void poly1305_update(struct poly1305_state *state, const uint8_t *in, size_t len,
                     const struct poly1305_key *key)
{
    if (state->used) {
        const size_t room = 16 - state->used, n = len < room ? len : room;
        memcpy(state->part + state->used, in, n);
        state->used += n;
        in += n, len -= n;
        if (state->used < 16)
            return;
        key->kernel->blocks(state->h, state->part, 1, key);
    }
    if (len >= 16)
        key->kernel->blocks(state->h, in, len / 16, key);
    state->used = len % 16;
    if (state->used)
        memcpy(state->part, in + (len - state->used), state->used);
}

void poly1305_final(uint8_t out[16], struct poly1305_state *state, const struct poly1305_key *key,
                    const uint8_t s[16])
{
    if (state->used) {
        memset(state->part + state->used, 0, 16 - state->used);
        state->part[state->used] = 1; /* where whole blocks have 2^128 */
        poly1305_last_block(state->h, state->part, key);
    }
    uint64_t h0 = state->h[0], h1 = state->h[1], h2 = state->h[2];
    u128 x = (u128)h0 + 5 * (h2 >> 2);
    h0 = (uint64_t)x;
    x = (u128)h1 + (uint64_t)(x >> 64);
    h1 = (uint64_t)x;
    h2 = (h2 & 3) + (uint64_t)(x >> 64);
    /* now h < 2 (2^130 - 5), and is to be less by that where h + 5 reaches 2^130 */
    x = ((u128)h0 + 5) >> 64;
    x += h1;
    const uint64_t above = (h2 + (uint64_t)(x >> 64)) >> 2;
    x = (u128)h0 + 5 * above;
    h0 = (uint64_t)x;
    h1 += (uint64_t)(x >> 64);
    x = (u128)h0 + load_le64(s);
    store_le64(out, (uint64_t)x);
    store_le64(out + 8, h1 + load_le64(s + 8) + (uint64_t)(x >> 64));
    WIPE(state);
}

void poly1305_direct(uint8_t out[16], const uint8_t *in, size_t len, const struct poly1305_key *key,
                     const uint8_t s[16])
{
    if (key->kernel->direct) {
        key->kernel->direct(out, in, len, key, s);
        return;
    }
    struct poly1305_state state = { { 0 }, { 0 }, 0 };
    poly1305_update(&state, in, len, key);
    poly1305_final(out, &state, key, s);
}
