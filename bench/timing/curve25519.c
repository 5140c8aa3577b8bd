/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 and Ed25519 in lanes. */
#include "curve25519/lanes25519.h"
#include "timing.h"
#include <stdio.h>

/* ---- X25519 in lanes ---- */

static const struct x25519_lanes_kernel *x25519_kernel;
static struct x25519_lanes x25519_work;

static void x25519_scalars(int class)
{
    for (size_t l = 0; l < LANES25519; l++)
        for (size_t i = 0; i < 4; i++)
            x25519_work.scalar[i][l] =
                (class ? any_word() & ~(uint64_t)(i ? 0 : 7) : 0) | (uint64_t)(i == 3) << 62;
}

static void x25519_points(int class)
{
    for (size_t l = 0; l < LANES25519; l++)
        for (size_t i = 0; i < DIGITS25519; i++)
            x25519_work.u.digit[i][l] = class ? any_word() >> 13 : !i * 9;
}

static void run_x25519(void)
{
    x25519_kernel->multiply(&x25519_work);
}

static void test_x25519(size_t num)
{
    for (size_t i = 0; i < x25519_lanes_num_kernels; i++) {
        x25519_kernel = &x25519_lanes_kernels[i];
        if (!x25519_kernel->multiply || x25519_kernel->info.needs & ~hr_cpu_features())
            continue;
        printf("X25519\n");
        x25519_points(1), x25519_scalars(1);
        test(x25519_kernel->info.name, "scalars", x25519_scalars, run_x25519, num);
        test(x25519_kernel->info.name, "points", x25519_points, run_x25519, num);
    }
}

/* ---- Ed25519 in lanes ---- */

static const struct ed25519_lanes_kernel *ed25519_kernel;
static struct ed25519_lanes ed25519_work;

/* Digits of a nonce, from -16 to 16. */
static void ed25519_nonces(int class)
{
    for (size_t l = 0; l < LANES25519; l++)
        for (size_t i = 0; i < ED25519_WINDOWS; i++) {
            const uint64_t any = any_word() % 33; /* in both classes, to take as long */
            ed25519_work.base.window[i][l] = class ? any : i ? 0 : 2;
        }
}

static void run_ed25519(void)
{
    ed25519_kernel->multiply(&ed25519_work);
}

static void run_ed25519_compare(void)
{
    ed25519_kernel->compare(&ed25519_work);
}

static void test_ed25519(size_t num)
{
    for (size_t i = 0; i < ed25519_lanes_num_kernels; i++) {
        ed25519_kernel = &ed25519_lanes_kernels[i];
        if (!ed25519_kernel->multiply || ed25519_kernel->info.needs & ~hr_cpu_features())
            continue;
        printf("Ed25519\n");
        test(ed25519_kernel->info.name, "nonces", ed25519_nonces, run_ed25519, num);
        test(ed25519_kernel->info.name, "compared", ed25519_nonces, run_ed25519_compare, num);
    }
}

void test_curve25519(size_t num)
{
    test_x25519(num);
    test_ed25519(num);
}
