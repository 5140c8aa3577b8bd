/* SPDX-License-Identifier: Apache-2.0 */
/* The NIST curves: every kernel against the portable one, on random operands and on edges; the
 * generated multiples of the base point; and multiplications against a definition, affine additions
 * by slopes, with scalars and sums that need care. */
#include "ec/ec_window.h"
#include "test.h"

static const struct {
    const char *name;
    const struct ec_curve *curve;
} curves[] = { { "P-256", &p256_curve }, { "P-384", &p384_curve }, { "P-521", &p521_curve } };

static int quick;

static struct ec ec_with(const struct ec_curve *curve, size_t kernel)
{
    return (struct ec){ curve->domain, curve->comb, &curve->kernels[kernel] };
}
static struct ec portable(const struct ec_curve *curve)
{
    return ec_with(curve, curve->num_kernels - 1);
}

/* ---- numbers ---- */

/* A number below m: small, m less something small, ones and zeros in runs, or random. */
static void number_below(uint64_t *z, const uint64_t *m, size_t num)
{
    static const uint64_t words[] = { 0, 1, UINT64_MAX, UINT64_C(1) << 63, UINT64_C(1) << 32 };
    const uint32_t kind = random_below(5);
    const uint64_t small[EC_LIMBS] = { random_below(kind ? 40 : 3) };
    random_bytes(z, num * sizeof *z);
    for (size_t i = 0; kind == 2 && i < num; i++)
        z[i] = words[random_below(COUNT_OF(words))];
    if (kind == 0)
        ec_copy(z, small, num);
    if (kind == 1)
        bn_sub(z, m, small, num);
    z[num - 1] &= m[num - 1]; /* its leading bits are ones */
    while (!bn_less(z, m, num))
        bn_sub(z, z, m, num);
}

/* ---- affine points; infinity is no point of these tables ---- */

struct affine {
    int infinite;
    uint64_t xy[2 * EC_LIMBS];
};

/* The sum by the slope of the line through both points, or of the tangent. */
static struct affine slope_add(const struct affine *p, const struct affine *q, const struct ec *ec)
{
    const size_t num = ec->domain->num;
    const uint64_t *const m = ec->domain->p, *const x1 = p->xy, *const y1 = p->xy + num;
    uint64_t over[EC_LIMBS], under[EC_LIMBS], slope[EC_LIMBS];
    struct affine sum = { 0 };
    if (p->infinite || q->infinite)
        return p->infinite ? *q : *p;
    if (bn_equal(x1, q->xy, num)) {
        sum.infinite = !bn_equal(y1, q->xy + num, num);
        ec->kernel->sqr(slope, x1); /* (3 x^2 - 3) / 2 y */
        bn_mod_sub(slope, slope, ec->domain->one, m, num);
        bn_mod_add(over, slope, slope, m, num);
        bn_mod_add(over, over, slope, m, num);
        bn_mod_add(under, y1, y1, m, num);
    } else {
        bn_mod_sub(over, q->xy + num, y1, m, num);
        bn_mod_sub(under, q->xy, x1, m, num);
    }
    if (sum.infinite)
        return sum;
    ec_inverse(under, under, ec);
    ec->kernel->mul(slope, over, under);
    ec->kernel->sqr(over, slope);
    bn_mod_sub(over, over, x1, m, num);
    bn_mod_sub(sum.xy, over, q->xy, m, num);
    bn_mod_sub(over, x1, sum.xy, m, num);
    ec->kernel->mul(over, over, slope);
    bn_mod_sub(sum.xy + num, over, y1, m, num);
    return sum;
}

/* The product of the smaller of k and n - k, negated for the latter: most scalars here are near 0
 * or n, which takes few steps. */
static struct affine slope_multiply(const uint64_t *scalar, const struct affine *p,
                                    const struct ec *ec)
{
    struct affine sum = { .infinite = 1 };
    uint64_t k[EC_LIMBS];
    const uint64_t negate = ec_halve(k, scalar, ec->domain);
    for (size_t bit = 64 * (size_t)ec->domain->num; bit-- > 0;) {
        sum = slope_add(&sum, &sum, ec);
        if (k[bit / 64] >> bit % 64 & 1)
            sum = slope_add(&sum, p, ec);
    }
    if (!sum.infinite)
        ec_negate(sum.xy + ec->domain->num, negate, ec->domain->p, ec->domain->num);
    return sum;
}

static struct affine base_point(const struct ec *ec)
{
    struct affine p = { 0 };
    ec_copy(p.xy, ec->comb, 2 * (size_t)ec->domain->num);
    return p;
}

/* Whether a Jacobian point is this one. */
static int is_point(const uint64_t *jacobian, const struct affine *p, const struct ec *ec)
{
    const size_t num = ec->domain->num;
    uint64_t xy[2 * EC_LIMBS];
    if (p->infinite || bn_is_zero(jacobian + 2 * num, num))
        return p->infinite && bn_is_zero(jacobian + 2 * num, num);
    ec_affine(xy, jacobian, ec);
    return bn_equal(xy, p->xy, 2 * num) != 0;
}

/* ---- tests ---- */

/* Entry j of row i is j * 2^(width * step * i) * G. */
static void test_comb(const char *name, const struct ec_curve *curve)
{
    const struct ec ec = portable(curve);
    const struct ec_domain *const domain = ec.domain;
    const size_t num = domain->num, entries = (size_t)1 << (domain->width - 1);
    const size_t windows = ec_num_windows(domain, domain->width);
    const uint64_t *entry = ec.comb;
    uint64_t first[3 * EC_LIMBS], sum[3 * EC_LIMBS];
    ec_copy(first, entry, 2 * num);
    ec_copy(first + 2 * num, domain->one, num);
    for (size_t i = 0; i < windows; i += domain->step) {
        memset(sum, 0, sizeof sum);
        for (size_t j = 1; j <= entries; j++, entry += 2 * num) {
            struct affine p = { 0 };
            ec_copy(p.xy, entry, 2 * num);
            if (j == 2)
                ec.kernel->twice(sum, sum);
            else
                ec.kernel->add(sum, sum, first);
            if (!is_point(sum, &p, &ec))
                complain("entry %zu of row %zu", j, i / domain->step);
        }
        for (size_t bit = 0; bit < (size_t)domain->width * domain->step; bit++)
            ec.kernel->twice(first, first);
    }
    tap(1, "%s: the multiples of the base point are right", name);
}

/* A Jacobian point with a random z, or infinity. */
static void some_point(uint64_t *out, const struct affine *p, const struct ec *ec)
{
    const size_t num = ec->domain->num;
    uint64_t *const z = out + 2 * num, t[EC_LIMBS];
    number_below(z, ec->domain->p, num);
    ec->kernel->sqr(t, z);
    ec->kernel->mul(out, p->xy, t);
    ec->kernel->mul(t, t, z);
    ec->kernel->mul(out + num, p->xy + num, t);
}

static void expect_same(const char *what, const uint64_t *a, const uint64_t *b, size_t num)
{
    if (memcmp(a, b, num * sizeof *a))
        complain("%s differs", what);
}

static void compare_numbers(const struct ec *ec, const struct ec *c)
{
    const size_t num = ec->domain->num;
    uint64_t x[EC_LIMBS], y[EC_LIMBS], got[EC_LIMBS], wanted[EC_LIMBS];
    number_below(x, ec->domain->p, num);
    number_below(y, ec->domain->p, num);
    ec->kernel->mul(got, x, y);
    c->kernel->mul(wanted, x, y);
    expect_same("mul", got, wanted, num);
    ec_copy(got, x, num);
    ec->kernel->mul(got, got, got);
    ec->kernel->sqr(wanted, x);
    expect_same("mul in place", got, wanted, num);
    c->kernel->sqr(wanted, x);
    expect_same("sqr", got, wanted, num);
    ec_inverse(got, x, ec);
    ec_inverse(wanted, x, c);
    expect_same("inverse", got, wanted, num);
    number_below(x, ec->domain->n, num);
    ec_order_inverse(got, x, ec);
    ec_order_inverse(wanted, x, c);
    if (!bn_is_zero(x, num))
        expect_same("inverse modulo n", got, wanted, num);
}

static void compare_points(const struct ec *ec, const struct ec *c, const struct affine pool[4])
{
    const size_t num = ec->domain->num;
    uint64_t p[3 * EC_LIMBS], q[3 * EC_LIMBS], got[3 * EC_LIMBS];
    const struct affine *const a = &pool[random_below(4)], *const b = &pool[random_below(4)];
    some_point(p, a, c);
    some_point(q, b, c);
    const int p_infinite = bn_is_zero(p + 2 * num, num) != 0;
    const int q_infinite = bn_is_zero(q + 2 * num, num) != 0;
    struct affine l = *a, r = *b, sum;
    l.infinite = p_infinite;
    r.infinite = q_infinite;
    sum = slope_add(&l, &l, c);
    ec->kernel->twice(got, p);
    if (!is_point(got, &sum, c))
        complain("twice is wrong");
    sum = slope_add(&l, &r, c);
    if (a == b && !p_infinite && !q_infinite)
        sum.infinite = 1; /* the kernels' sum of a point and itself */
    ec->kernel->add(got, p, q);
    if (!is_point(got, &sum, c))
        complain("add is wrong");
    ec_copy(got, p, 3 * num);
    ec->kernel->add(got, got, q);
    if (!is_point(got, &sum, c))
        complain("add in place is wrong");
    r.infinite = 0;
    sum = slope_add(&l, &r, c);
    if (a == b && !p_infinite)
        sum.infinite = 1;
    ec->kernel->add_affine(got, p, b->xy);
    if (!is_point(got, &sum, c))
        complain("add_affine is wrong");
}

/* Four points, of which the last is the opposite of the first. */
static void make_pool(struct affine pool[4], const struct ec *c)
{
    const size_t num = c->domain->num;
    const struct affine base = base_point(c);
    for (int i = 0; i < 3; i++) {
        uint64_t k[EC_LIMBS] = { random_below(1000000) + 1 };
        pool[i] = slope_multiply(k, &base, c);
    }
    pool[3] = pool[0];
    ec_negate(pool[3].xy + num, UINT64_MAX, c->domain->p, c->domain->num);
}

static void test_kernel(const char *name, const struct ec_curve *curve, const struct ec *ec)
{
    const struct ec c = portable(curve);
    struct affine pool[4];
    make_pool(pool, &c);
    for (int i = quick ? 25 : 200; i-- > 0;)
        compare_numbers(ec, &c);
    for (int i = quick ? 25 : 200; i-- > 0;)
        compare_points(ec, &c, pool);
    tap(1, "%s: %s computes like the definition", name, ec->kernel->info.name);
}

/* Scalars: 0 to 18, n - 1 to n - 18, the middle, runs of ones, and random ones. */
static void some_scalar(uint64_t *k, unsigned i, const struct ec_domain *domain)
{
    const size_t num = domain->num;
    const uint64_t small[EC_LIMBS] = { i < 19 ? i : i - 18 };
    if (i < 19)
        ec_copy(k, small, num);
    else if (i < 37)
        bn_sub(k, domain->n, small, num);
    else if (i < 40)
        bn_add(k, domain->n_half, (const uint64_t[EC_LIMBS]){ i - 37 }, num);
    else
        number_below(k, domain->n, num);
}

/* k G, and k G + l P, of one curve: computed once for all its kernels. */
struct sum_case {
    uint64_t k[EC_LIMBS], l[EC_LIMBS];
    struct affine point, product, sum;
};
enum { NUM_SCALARS = 45, NUM_PARTS = 5, NUM_CASES = NUM_SCALARS + 2 * NUM_PARTS * NUM_PARTS };
static struct sum_case cases[NUM_CASES];
static size_t num_cases;

static void finish_case(struct sum_case *one, const struct ec *c)
{
    const struct affine base = base_point(c);
    one->product = slope_multiply(one->k, &base, c);
    const struct affine other = slope_multiply(one->l, &one->point, c);
    one->sum = slope_add(&one->product, &other, c);
}

/* Both parts of the sum are equal, or opposite: P = m G, l = times, k = m times or n - m times. */
static void make_parts(struct sum_case *one, uint64_t m, uint64_t times, const struct ec *c)
{
    const struct affine base = base_point(c);
    const uint64_t factor[EC_LIMBS] = { m }, product[EC_LIMBS] = { m * times };
    one[0] = one[1] =
        (struct sum_case){ .l = { times }, .point = slope_multiply(factor, &base, c) };
    ec_copy(one[0].k, product, EC_LIMBS);
    bn_sub(one[1].k, c->domain->n, product, c->domain->num);
    finish_case(&one[0], c);
    one[1].product = one[0].product;
    ec_negate(one[1].product.xy + c->domain->num, UINT64_MAX, c->domain->p, c->domain->num);
    one[1].sum.infinite = 1;
}

static void make_cases(const struct ec *c)
{
    const struct affine base = base_point(c);
    const uint64_t seven[EC_LIMBS] = { 7 };
    struct sum_case *one = cases;
    for (unsigned i = 0; i < NUM_SCALARS; i += quick ? 4 : 1, one++) {
        some_scalar(one->k, i, c->domain);
        some_scalar(one->l, random_below(60), c->domain);
        one->point = slope_multiply(seven, &base, c);
        finish_case(one, c);
    }
    for (uint64_t m = 1; m <= NUM_PARTS; m += quick ? 4 : 1)
        for (uint64_t times = 1; times <= NUM_PARTS; times += quick ? 2 : 1, one += 2)
            make_parts(one, m, times, c);
    num_cases = (size_t)(one - cases);
}

static void test_multiply(const char *name, const struct ec *ec, const struct ec *c)
{
    const struct affine base = base_point(c);
    uint64_t got[3 * EC_LIMBS];
    for (size_t i = 0; i < num_cases; i++) {
        const struct sum_case *const one = &cases[i];
        ec_multiply_base(got, one->k, ec);
        if (!is_point(got, &one->product, c))
            complain("case %zu: the base point times a scalar", i);
        ec_multiply(got, one->k, base.xy, ec);
        if (!is_point(got, &one->product, c))
            complain("case %zu: a point times a scalar", i);
        ec_multiply_two_vartime(got, one->k, one->l, one->point.xy, ec);
        if (!is_point(got, &one->sum, c))
            complain("case %zu: the sum of two", i);
    }
    tap(1, "%s: %s multiplies points", name, ec->kernel->info.name);
}

int main(int argc, char **argv)
{
    quick = argc > 1 && !strcmp(argv[1], "--quick");
    for (size_t i = 0; i < COUNT_OF(curves); i++) {
        const struct ec_curve *const curve = curves[i].curve;
        const struct ec c = portable(curve);
        test_comb(curves[i].name, curve);
        make_cases(&c);
        for (size_t j = 0; j < curve->num_kernels; j++) {
            const struct ec ec = ec_with(curve, j);
            const char *const reason = cannot_run(ec.kernel->info.needs);
            if (reason) {
                tap_skip(reason, "%s: %s", curves[i].name, ec.kernel->info.name);
                continue;
            }
            test_kernel(curves[i].name, curve, &ec);
            test_multiply(curves[i].name, &ec, &c);
        }
    }
    return tap_done();
}
