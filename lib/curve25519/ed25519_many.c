/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 side by side, with the parts of one signature. */
#include "../pk/many.h"
#include "../pk/stack.h"
#include "ed25519_comb.h"
#include "ed25519_sign.h"
#include "fe25519.h"
#include "lanes25519.h"

#define IFMA512 (CPU(AVX512IFMA) | CPU(BMI2))
#define IFMA256 (CPU(AVX512IFMA) | CPU(AVX512VL) | CPU(BMI2))

/* From how many jobs on a kernel is the best, was measured on an Emerald Rapids. */
/* clang-format off */
#define IFMA256_ROW(more) \
    KERNEL_X86("ifma256", IFMA256 | (more), 4, { 3, 2 }, ed25519_multiply_ifma256, \
               ed25519_compare_ifma256, ed25519_verify_vartime_ifma256)
const struct ed25519_lanes_kernel ed25519_lanes_kernels[] = { /* best first; one by one last */
    IFMA256_ROW(CPU(HALVES512))
    KERNEL_X86("ifma512", IFMA512, 8, { 6, 5 }, ed25519_multiply_ifma512, ed25519_compare_ifma512,
               ed25519_verify_vartime_ifma512)
    IFMA256_ROW(0)
    KERNEL_C(1, { 1, 1 })
};
/* clang-format on */
const size_t ed25519_lanes_num_kernels = COUNT(ed25519_lanes_kernels);

static const struct ed25519_lanes_kernel *kernel_for(size_t num, int verifies)
{
    const struct ed25519_lanes_kernel *kernel = ed25519_lanes_kernels;
    const uint64_t have = hr_cpu_features();
    while (kernel->info.needs & ~have || num < kernel->least[verifies])
        kernel++;
    return kernel;
}

/* ---- numbers of lanes ---- */

static void put_scalar(struct scalar25519 *to, size_t lane, const uint64_t scalar[4])
{
    struct comb_digit digits[COMB_WINDOWS];
    static_assert((int)COMB_WINDOWS == (int)ED25519_WINDOWS, "the same digits");
    comb_digits(digits, scalar);
    for (size_t i = 0; i < COMB_WINDOWS; i++)
        to->window[i][lane] = digits[i].abs << 1 | (digits[i].negative & 1);
    WIPE(&digits);
}

static void put_number(struct number25519 *to, size_t lane, const uint64_t words[4])
{
    uint8_t bytes[32];
    struct fe x;
    store_words25519(bytes, words);
    fe_load(&x, bytes);
    for (size_t i = 0; i < DIGITS25519; i++)
        to->digit[i][lane] = x.v[i];
}

static void get_number(uint64_t words[4], const struct number25519 *from, size_t lane)
{
    uint8_t bytes[32];
    struct fe x;
    for (size_t i = 0; i < DIGITS25519; i++)
        x.v[i] = from->digit[i][lane];
    fe_store(bytes, &x);
    load_words25519(words, bytes, 4);
    WIPE(&x);
    WIPE(&bytes);
}

/* ---- verification ---- */

static void verify_group(const struct ed25519_lanes_kernel *kernel, struct sign_one *each,
                         size_t num)
{
    struct ed25519_lanes work = { .base.window = { { 0 } } };
    for (size_t i = 0; i < num; i++) {
        const struct ed25519_key *const key = each[i].key;
        uint64_t k[4], s[4];
        each[i].error = ed25519_verify_start(k, s, each[i].sig, &each[i].message, key);
        if (each[i].error)
            continue;
        put_scalar(&work.base, i, s);
        put_scalar(&work.other, i, k);
        put_number(&work.x, i, key->minus_a);
        put_number(&work.y, i, key->minus_a + 4);
    }
    kernel->verify_vartime(&work);
    for (size_t i = 0; i < num; i++) {
        uint64_t point[8];
        uint8_t bytes[32];
        if (each[i].error)
            continue;
        get_number(point, &work.x, i);
        get_number(point + 4, &work.y, i);
        ed25519_encode(bytes, point);
        each[i].error = memcmp(bytes, each[i].sig, sizeof bytes) ? HR_EMAC : 0;
    }
}

static void verify(struct sign_one *each, size_t num)
{
    for (size_t now; num; num -= now, each += now) {
        const struct ed25519_lanes_kernel *const kernel = kernel_for(num, 1);
        now = num < kernel->lanes ? num : kernel->lanes;
        if (kernel->verify_vartime)
            verify_group(kernel, each, now);
        else
            each->error = ed25519_verify(each->sig, &each->message, each->key);
    }
}

/* ---- signing ---- */

/* The steps of a group whose jobs have no error so far. */
static void start(struct ed25519_lanes *work, struct ed25519_making *making, struct sign_one *each,
                  size_t num)
{
    for (size_t i = 0; i < num; i++) {
        each[i].error = ed25519_sign_start(&making[i], &each[i].message, each[i].key);
        if (!each[i].error)
            put_scalar(&work->base, i, making[i].r);
    }
}

static void take_points(const struct ed25519_lanes *work, struct ed25519_making *making,
                        struct sign_one *each, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (each[i].error)
            continue;
        get_number(making[i].point, &work->x, i);
        get_number(making[i].point + 4, &work->y, i);
        each[i].error = ed25519_sign_middle(&making[i], &each[i].message, each[i].key);
    }
}

static void check(struct ed25519_lanes *work, struct ed25519_making *making, struct sign_one *each,
                  size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (each[i].error)
            continue;
        each[i].error = ed25519_sign_check(&making[i], &each[i].message, each[i].key);
        put_scalar(&work->base, i, making[i].again);
        put_number(&work->x, i, making[i].point);
        put_number(&work->y, i, making[i].point + 4);
    }
}

static void end(const struct ed25519_lanes *work, struct ed25519_making *making,
                struct sign_one *each, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        uint64_t zero[8];
        if (each[i].error)
            continue;
        get_number(zero, &work->x, i);
        get_number(zero + 4, &work->y, i);
        for (size_t j = 0; j < COUNT(zero); j++)
            making[i].wrong |= zero[j];
        each[i].error = ed25519_sign_end(each[i].sig, &making[i]);
        WIPE(&zero);
    }
}

static __attribute__((noinline)) void sign_group(const struct ed25519_lanes_kernel *kernel,
                                                 struct sign_one *each, size_t num)
{
    struct ed25519_lanes work = { .base.window = { { 0 } } };
    struct ed25519_making making[LANES25519];
    start(&work, making, each, num);
    kernel->multiply(&work);
    take_points(&work, making, each, num);
    check(&work, making, each, num);
    kernel->compare(&work);
    end(&work, making, each, num);
    WIPE(&work);
    WIPE(&making);
}

static void sign(struct sign_one *each, size_t num)
{
    for (size_t now; num; num -= now, each += now) {
        const struct ed25519_lanes_kernel *const kernel = kernel_for(num, 0);
        now = num < kernel->lanes ? num : kernel->lanes;
        if (kernel->multiply) {
            sign_group(kernel, each, now);
            pk_wipe_deep_stack();
        } else {
            each->error = ed25519_sign(each->sig, &each->message, each->key);
        }
    }
}

static int exist(const void *key, int verifies)
{
    (void)key;
    return kernel_for(PK_MANY, verifies)->lanes > 1;
}

const struct sign_lanes ed25519_lanes = { exist, sign, verify };
