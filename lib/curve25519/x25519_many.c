/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 side by side, with the checks of one agreement. */
#include "../pk/many.h"
#include "../pk/stack.h"
#include "fe25519.h"
#include "lanes25519.h"
#include "words25519.h"
#include "x25519.h"

#define IFMA512 (CPU(AVX512IFMA) | CPU(BMI2))
#define IFMA256 (CPU(AVX512IFMA) | CPU(AVX512VL) | CPU(BMI2))

/* From how many jobs on a kernel is the best, was measured on an Emerald Rapids. */
/* clang-format off */
#define IFMA256_ROW(more) KERNEL_X86("ifma256", IFMA256 | (more), 4, 2, x25519_multiply_ifma256)
const struct x25519_lanes_kernel x25519_lanes_kernels[] = { /* best first; one by one last */
    IFMA256_ROW(CPU(HALVES512))
    KERNEL_X86("ifma512", IFMA512, 8, 5, x25519_multiply_ifma512)
    IFMA256_ROW(0)
    KERNEL_C(1, 1)
};
/* clang-format on */
const size_t x25519_lanes_num_kernels = COUNT(x25519_lanes_kernels);

static const struct x25519_lanes_kernel *kernel_for(size_t num)
{
    const struct x25519_lanes_kernel *kernel = x25519_lanes_kernels;
    const uint64_t have = hr_cpu_features();
    while (kernel->info.needs & ~have || num < kernel->least)
        kernel++;
    return kernel;
}

static void start_lane(struct x25519_lanes *work, size_t lane, const struct agree_one *one)
{
    uint64_t scalar[4];
    struct fe u;
    if (one->error)
        return;
    x25519_clamped(scalar, one->key);
    fe_load(&u, one->peer);
    for (size_t i = 0; i < COUNT(scalar); i++)
        work->scalar[i][lane] = scalar[i];
    for (size_t i = 0; i < DIGITS25519; i++)
        work->u.digit[i][lane] = u.v[i];
    WIPE(&scalar);
}

static void end_lane(struct agree_one *one, const struct x25519_lanes *work, size_t lane)
{
    uint8_t secret[32], any = 0;
    struct fe u;
    if (one->error)
        return;
    for (size_t i = 0; i < DIGITS25519; i++)
        u.v[i] = work->u.digit[i][lane];
    fe_store(secret, &u);
    for (size_t i = 0; i < sizeof secret; i++)
        any |= secret[i];
    CT_PUBLIC(&any, sizeof any); /* as for one agreement */
    if (any)
        memcpy(one->out, secret, sizeof secret);
    else
        one->error = HR_EKEY;
    WIPE(&secret);
    WIPE(&u);
}

static void agree_group(const struct x25519_lanes_kernel *kernel, struct agree_one *each,
                        size_t num)
{
    struct x25519_lanes work = { .scalar = { { 0 } } };
    for (size_t i = 0; i < num; i++) {
        each[i].error = each[i].peer_len == 32 ? 0 : HR_EKEYLEN;
        start_lane(&work, i, &each[i]);
    }
    kernel->multiply(&work);
    for (size_t i = 0; i < num; i++)
        end_lane(&each[i], &work, i);
    WIPE(&work);
    pk_wipe_deep_stack();
}

static void agree(struct agree_one *each, size_t num)
{
    for (size_t now; num; num -= now, each += now) {
        const struct x25519_lanes_kernel *const kernel = kernel_for(num);
        now = num < kernel->lanes ? num : kernel->lanes;
        if (kernel->multiply)
            agree_group(kernel, each, now);
        else
            each->error = x25519_agree(each->out, each->peer, each->peer_len, each->key);
    }
}

static int exist(const void *key)
{
    (void)key;
    return kernel_for(PK_MANY)->lanes > 1;
}

const struct agree_lanes x25519_lanes = { exist, agree };
