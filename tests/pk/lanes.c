/* SPDX-License-Identifier: Apache-2.0 */
/* Powers in lanes: every kernel, with every number of lanes and unlike numbers side by side,
 * against mont_power; in any state of the floating-point unit; what is refused; and what stays on
 * the stack. */
#include "bignum/mont_lanes.h"
#include "bignum/mont_power.h"
#include "cpu.h"
#include "memcheck.h"
#include "stack_test.h"
#include "test.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#define FLOAT_STATE() _mm_getcsr()
#define SET_FLOAT_STATE(state) _mm_setcsr(state)
#else
#define FLOAT_STATE() 0x1f80
#define SET_FLOAT_STATE(state) ((void)(state))
#endif

static int quick;

/* ---- numbers ---- */

enum { ROOM = MONT_LANES_LIMBS + 1 };
static struct {
    uint64_t m[ROOM], r2[ROOM], x[ROOM], y[ROOM], e[ROOM], f[ROOM], factor[ROOM], z[ROOM];
} numbers[MONT_LANES_MOST];
static struct mont_lane lanes[MONT_LANES_MOST];

static void any_words(uint64_t *z, size_t num)
{
    random_bytes(z, 8 * num);
    if (random_below(4) == 0)
        for (size_t i = 0; i < num; i++)
            z[i] = random_below(2) ? UINT64_MAX : 0;
}

/* A number below m: 0, 1, m - 1, or any. */
static void below(uint64_t *z, const struct modulus *m)
{
    const uint32_t kind = random_below(10);
    uint64_t any[ROOM];
    any_words(any, m->num);
    mont_reduce(z, any, m->num, m);
    if (kind < 2)
        memset(z, 0, 8 * m->num);
    if (kind == 1)
        z[0] = 1;
    if (kind == 2) {
        memcpy(z, m->m, 8 * m->num);
        z[0]--;
    }
}

static void any_exponent(uint64_t *e, size_t bits)
{
    any_words(e, (bits + 63) / 64);
    e[(bits - 1) / 64] &= UINT64_MAX >> (63 - (bits - 1) % 64);
}

static void fill_lane_bits(size_t i, size_t num, size_t e_bits)
{
    uint64_t *const m = numbers[i].m;
    any_words(m, num);
    if (random_below(2))
        m[num - 1] |= UINT64_C(1) << 63;
    else if (num == 1 || random_below(4) == 0)
        m[num - 1] >>= random_below(64);
    m[0] |= 3;
    lanes[i] = (struct mont_lane){
        .z = numbers[i].z, .x = numbers[i].x, .e = numbers[i].e, .e_bits = e_bits
    };
    mont_init(&lanes[i].m, m, num, numbers[i].r2);
    below(numbers[i].x, &lanes[i].m);
    any_exponent(numbers[i].e, e_bits);
}

static void fill_lane(size_t i, size_t num, size_t e_num)
{
    fill_lane_bits(i, num, 64 * e_num);
}

/* Gives a lane a second power. */
static void add_power(size_t i)
{
    below(numbers[i].y, &lanes[i].m);
    any_exponent(numbers[i].f, lanes[i].e_bits);
    lanes[i].y = numbers[i].y;
    lanes[i].f = numbers[i].f;
}

static void check_lanes(const struct mont_lanes_kernel *kernel, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        uint64_t want[ROOM];
        const struct mont_lane *const l = &lanes[i];
        const size_t e_num = (l->e_bits + 63) / 64;
        mont_power(want, numbers[i].x, l->e, e_num, &l->m);
        if (l->y) {
            uint64_t other[ROOM];
            mont_power(other, l->y, l->f, e_num, &l->m);
            mont_product(want, want, other, &l->m);
        }
        if (memcmp(want, l->z, 8 * l->m.num))
            complain("%s: lane %zu of %zu, %zu limbs, exponent of %zu bits", kernel->info.name, i,
                     num, l->m.num, l->e_bits);
    }
}

/* ---- every kernel ---- */

static void check_fills(const struct mont_lanes_kernel *kernel)
{
    static const size_t usual[] = { 8, 16, 24, 32, 33, 48, 64 };
    const unsigned rounds = quick ? 6 : 40;
    for (unsigned round = 0; round < rounds && !complaints_suffice(); round++)
        for (size_t num = 1; num <= kernel->lanes; num++) {
            const size_t most = 1 + random_below(round % 8 ? 9 : MONT_LANES_LIMBS),
                         two = random_below(2);
            for (size_t i = 0; i < num; i++) {
                fill_lane_bits(i, 1 + random_below((uint32_t)most),
                               1 + random_below(round % 8 ? 200 : 600));
                if (two)
                    add_power(i);
            }
            mont_lanes_run(kernel, lanes, num);
            check_lanes(kernel, num);
        }
    for (size_t k = 0; k < COUNT_OF(usual); k++) {
        for (size_t i = 0; i < kernel->lanes; i++)
            fill_lane(i, usual[k], quick || usual[k] > 32 ? 2 : usual[k]);
        mont_lanes_run(kernel, lanes, kernel->lanes);
        check_lanes(kernel, kernel->lanes);
    }
    tap(1, "%s: any numbers in every lane", kernel->info.name);
}

/* Public exponents, longer moduli, and a factor. */
static void check_public(const struct mont_lanes_kernel *kernel)
{
    static const uint64_t usual[] = { 65537, 1, 2, 3 };
    for (unsigned round = 0; round < (quick ? 12 : 60) && !complaints_suffice(); round++) {
        const size_t num = 1 + random_below((uint32_t)kernel->lanes), e_num = round % 4 ? 1 : 2;
        const size_t most = round % 3 ? MONT_LANES_LIMBS : 16;
        for (size_t i = 0; i < num; i++) {
            fill_lane(i, 1 + random_below((uint32_t)most), e_num);
            below(numbers[i].factor, &lanes[i].m);
            lanes[i].factor = random_below(4) ? numbers[i].factor : NULL;
        }
        numbers[0].e[0] = round % 2 ? usual[round / 2 % COUNT_OF(usual)] : numbers[0].e[0] | 1;
        mont_lanes_run_vartime(kernel, lanes, num);
        for (size_t i = 0; i < num; i++) {
            uint64_t want[ROOM];
            const struct mont_lane *const l = &lanes[i];
            mont_power_vartime(want, numbers[i].x, numbers[0].e, e_num, &l->m);
            if (l->factor)
                mont_product(want, want, l->factor, &l->m);
            if (memcmp(want, l->z, 8 * l->m.num))
                complain("lane %zu of %zu, %zu limbs", i, num, l->m.num);
        }
    }
    tap(1, "%s: public exponents", kernel->info.name);
}

/* A result takes the place of its base, and a lane with another number changes no neighbour. */
static void check_neighbours(const struct mont_lanes_kernel *kernel)
{
    static uint64_t want[MONT_LANES_MOST][8];
    for (size_t i = 0; i < kernel->lanes; i++)
        fill_lane(i, 8, 1);
    mont_lanes_run(kernel, lanes, kernel->lanes);
    for (size_t i = 0; i < kernel->lanes; i++)
        memcpy(want[i], numbers[i].z, 64);
    for (size_t wrong = 0; wrong < kernel->lanes; wrong++) {
        uint64_t kept[8];
        memcpy(kept, numbers[wrong].x, 64);
        memset(numbers[wrong].x, 0xff, sizeof numbers[wrong].x); /* not below m */
        mont_lanes_run(kernel, lanes, kernel->lanes);
        for (size_t i = 0; i < kernel->lanes; i++)
            if (i != wrong && memcmp(want[i], numbers[i].z, 64))
                complain("lane %zu changes lane %zu", wrong, i);
        memcpy(numbers[wrong].x, kept, 64);
    }
    for (size_t i = 0; i < kernel->lanes; i++)
        lanes[i].z = numbers[i].x;
    mont_lanes_run(kernel, lanes, kernel->lanes);
    for (size_t i = 0; i < kernel->lanes; i++)
        if (memcmp(want[i], numbers[i].x, 64))
            complain("in place: lane %zu", i);
    tap(1, "%s: neighbours, and results in place", kernel->info.name);
}

/* Each rounding, denormals flushed or not, exceptions masked or not: bits of MXCSR. */
static void check_float_states(const struct mont_lanes_kernel *kernel)
{
    static const unsigned states[] = { 0x1f80, 0x3f80, 0x5f80, 0x7f80,
                                       0xffc0, 0x8040, 0x2000, 0x5fbf };
    const unsigned usual = FLOAT_STATE();
    for (size_t k = 0; k < COUNT_OF(states); k++) {
        for (size_t i = 0; i < kernel->lanes; i++)
            fill_lane(i, 8 + random_below(3), 1);
        SET_FLOAT_STATE(states[k]);
        mont_lanes_run(kernel, lanes, kernel->lanes);
        const unsigned after = FLOAT_STATE();
        SET_FLOAT_STATE(usual);
        if (after != states[k] && FLOAT_STATE() != 0x1f80)
            complain("state %x becomes %x", states[k], after);
        check_lanes(kernel, kernel->lanes);
    }
    tap(1, "%s: any state of the floating-point unit", kernel->info.name);
}

/* ---- what stays on the stack ---- */

static const struct mont_lanes_kernel *on_trial;

static void *run_on_stack(void *unused)
{
    mont_lanes_run(on_trial, lanes, on_trial->lanes);
    return unused;
}

/* Looks for limbs, for digits of 52 bits, and for these as doubles. */
static void look_for_number(const uint64_t *x, size_t num, const char *what)
{
    look_for(x, num, what);
    for (size_t at = 0; at + 52 <= 64 * num; at += 52) {
        uint64_t digit = x[at / 64] >> at % 64, bits;
        if (at % 64 > 12)
            digit |= x[at / 64 + 1] << (64 - at % 64);
        digit &= (UINT64_C(1) << 52) - 1;
        const double number = (double)digit;
        memcpy(&bits, &number, sizeof bits);
        look_for(&digit, 1, what);
        look_for(&bits, 1, what);
    }
}

static void check_stack(const struct mont_lanes_kernel *kernel)
{
    const size_t limbs = 16;
    for (size_t i = 0; i < kernel->lanes; i++) {
        fill_lane(i, limbs, 1);
        random_bytes(numbers[i].m, 8 * limbs);
        numbers[i].m[0] |= 1;
        mont_init(&lanes[i].m, numbers[i].m, limbs, numbers[i].r2);
        mont_reduce(numbers[i].x, numbers[i].r2, limbs, &lanes[i].m);
    }
    if (HAS_REDZONES && kernel->lanes == 1) {
        tap_skip("AddressSanitizer's memcpy leaves limbs that it copies", "%s: the stack",
                 kernel->info.name);
        return;
    }
    on_trial = kernel;
    on_stack(run_on_stack, NULL);
    if (!HAS_REDZONES && kernel->lanes <= 4 && stack_use() > 56 << 10)
        complain("%zu bytes of stack", stack_use());
    for (size_t i = 0; i < kernel->lanes; i += kernel->lanes - 1 ? kernel->lanes - 1 : 1) {
        look_for_number(numbers[i].m, limbs, "a modulus");
        look_for_number(numbers[i].x, limbs, "a base");
        look_for_number(numbers[i].z, limbs, "a power");
    }
    tap(1, "%s: the stack is left clean", kernel->info.name);
}

/* ---- memcheck ---- */

static void check_secrets(const struct mont_lanes_kernel *kernel)
{
    const unsigned before = CT_ERRORS();
    for (size_t i = 0; i < kernel->lanes; i++) {
        fill_lane(i, 8, 2);
        CT_SECRET(numbers[i].m, 64);
        CT_SECRET(numbers[i].r2, 64);
        CT_SECRET(numbers[i].x, 64);
        CT_SECRET(numbers[i].e, 16);
        CT_SECRET(&lanes[i].m.m0, 8);
    }
    mont_lanes_run(kernel, lanes, kernel->lanes);
    CT_PUBLIC(numbers, sizeof numbers);
    CT_PUBLIC(lanes, sizeof lanes);
    if (CT_ERRORS() != before)
        complain("%u branches or addresses depend on a secret", CT_ERRORS() - before);
    tap(1, "%s: secret moduli, bases and exponents", kernel->info.name);
}

static void check_kernel(const struct mont_lanes_kernel *kernel)
{
    const char *reason = cannot_run(kernel->info.needs);
    if (reason) {
        tap_skip(reason, "%s", kernel->info.name);
        return;
    }
    check_secrets(kernel);
    if (IS_MEMCHECK)
        return;
    check_fills(kernel);
    check_public(kernel);
    check_neighbours(kernel);
    check_float_states(kernel);
    check_stack(kernel);
}

/* ---- the call ---- */

static void refuse(size_t at, uint64_t low, uint64_t high)
{
    fill_lane(at, 8, 1);
    memset(numbers[at].m, 0, sizeof numbers[at].m);
    numbers[at].m[0] = low;
    numbers[at].m[7] = high;
    memset(numbers[0].z, 0x55, sizeof numbers[0].z);
    if (mont_lanes_power(lanes, MONT_LANES_MOST) != HR_EINVAL ||
        mont_lanes_power_vartime(lanes, MONT_LANES_MOST) != HR_EINVAL)
        complain("a modulus in lane %zu is taken", at);
    for (size_t i = 0; i < 8; i++)
        if (numbers[0].z[i] != UINT64_C(0x5555555555555555))
            complain("a result beside a wrong modulus");
}

static void check_call(void)
{
    const struct mont_lanes_kernel *const best = mont_lanes_kernel(8, MONT_LANES_MOST, 0);
    for (size_t num = 0; num <= MONT_LANES_MOST; num++) {
        for (size_t i = 0; i < num; i++)
            fill_lane(i, 1 + random_below(MONT_LANES_LIMBS), 1);
        if (mont_lanes_power(lanes, num))
            complain("%zu lanes are refused", num);
        check_lanes(best, num);
    }
    for (size_t at = 0; at < MONT_LANES_MOST; at++) {
        for (size_t i = 0; i < MONT_LANES_MOST; i++)
            fill_lane(i, 8, 1);
        refuse(at, 0, 0);
        refuse(at, 1, 0);
        refuse(at, 2, 0);
        refuse(at, 0, 1);
        refuse(at, UINT64_MAX - 1, UINT64_MAX);
    }
    tap(1, "any number of lanes; even moduli, 1 and 0 are refused");
}

/* A lane that is longer than vectors take, in every place. */
static void check_long(void)
{
    const struct mont_lanes_kernel *const best = mont_lanes_kernel(8, MONT_LANES_MOST, 0);
    for (size_t at = 0; at < MONT_LANES_MOST; at++) {
        for (size_t i = 0; i < MONT_LANES_MOST; i++) {
            fill_lane(i, i == at ? MONT_LANES_LIMBS + 1 : 1 + random_below(9), 1);
            lanes[i].strict = (int)random_below(2);
        }
        if (mont_lanes_power(lanes, MONT_LANES_MOST))
            complain("a long lane is refused");
        check_lanes(best, MONT_LANES_MOST);
    }
    tap(1, "a long lane beside short ones, strict or not");
}

/* No number of lanes, length or CPU makes strict lanes take doubles, which others do take. */
static void check_strict(void)
{
    const uint64_t have = hr_cpu_features(), all = UINT64_MAX,
                   masks[] = { all, ~CPU(AVX512IFMA), ~(CPU(AVX512IFMA) | CPU(AVX512F)) };
    unsigned doubles[2] = { 0 }, rows = 0;
    for (size_t i = 0; i < mont_lanes_num_kernels; i++)
        rows += mont_lanes_kernels[i].doubles;
    for (size_t k = 0; k < COUNT_OF(masks); k++) {
        cpu_override(masks[k]);
        for (size_t limbs = 1; limbs <= MONT_LANES_LIMBS; limbs++)
            for (size_t num = 1; num <= 2 * MONT_LANES_MOST; num++)
                for (unsigned flags = 0; flags < 4; flags++)
                    doubles[flags & MONT_LANES_STRICT] +=
                        mont_lanes_kernel(limbs, num, flags)->doubles;
    }
    cpu_override(have);
    if (doubles[MONT_LANES_STRICT] || !doubles[0] != !rows)
        complain("doubles: %u strict, %u others", doubles[1], doubles[0]);
    tap(1, "strict lanes take no doubles");
}

int main(int argc, char **argv)
{
    quick = argc > 1 && !strcmp(argv[1], "--quick");
    for (size_t i = 0; i < mont_lanes_num_kernels; i++)
        check_kernel(&mont_lanes_kernels[i]);
    check_strict();
    if (!IS_MEMCHECK) {
        check_call();
        check_long();
    }
    return tap_done();
}
