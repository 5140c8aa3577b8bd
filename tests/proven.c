/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of s2n-bignum: every one of lib/proven/bignum.def can be linked, in both forms. Field
 * arithmetic, products and reductions are compared with schoolbook arithmetic, X25519 with RFC
 * 7748. The curves have tests of their own. */
#include "internal.h"
#include "proven/bignum.h"
#include "test.h"

#if defined(HR_PROVEN) && !defined(__sparc__)

enum { MOST = 64, ROUNDS = 40 };

/* ---- schoolbook arithmetic modulo m, k words ---- */

static int less(const uint64_t *x, const uint64_t *y, int k)
{
    while (--k && x[k] == y[k])
        ;
    return x[k] < y[k];
}

static uint64_t subtract(uint64_t *z, const uint64_t *x, const uint64_t *y, int k)
{
    unsigned __int128 borrow = 0;
    for (int i = 0; i < k; i++) {
        const unsigned __int128 d = (unsigned __int128)x[i] - y[i] - borrow;
        z[i] = (uint64_t)d;
        borrow = (d >> 64) & 1;
    }
    return (uint64_t)borrow;
}

static void plus(uint64_t *z, const uint64_t *x, const uint64_t *y, const uint64_t *m, int k)
{
    unsigned __int128 carry = 0;
    for (int i = 0; i < k; i++) {
        carry += (unsigned __int128)x[i] + y[i];
        z[i] = (uint64_t)carry;
        carry >>= 64;
    }
    if (carry || !less(z, m, k))
        subtract(z, z, m, k);
}

static void times(uint64_t *z, const uint64_t *x, const uint64_t *y, const uint64_t *m, int k)
{
    uint64_t sum[MOST] = { 0 };
    for (int bit = 64 * k; bit--;) {
        plus(sum, sum, sum, m, k);
        if (y[bit / 64] >> (bit % 64) & 1)
            plus(sum, sum, x, m, k);
    }
    memcpy(z, sum, 8 * (size_t)k);
}

/* below fills z with a number below m: a random one, or one of the smallest and largest. */
static void below(uint64_t *z, const uint64_t *m, int k, int round)
{
    uint64_t small[MOST] = { (uint64_t)round / 2 };
    if (round >= 8) {
        const uint64_t one[MOST] = { 1 };
        random_bytes(small, 8 * (size_t)k);
        times(z, one, small, m, k);
    } else if (round % 2) {
        small[0]++;
        subtract(z, m, small, k);
    } else {
        memcpy(z, small, 8 * (size_t)k);
    }
}

/* ---- fields ---- */

static const uint64_t p256[] = { UINT64_MAX, 0xffffffff, 0, 0xffffffff00000001 };
static const uint64_t p384[] = { 0xffffffff, 0xffffffff00000000, UINT64_MAX - 1,
                                 UINT64_MAX, UINT64_MAX,         UINT64_MAX };
static const uint64_t p521[] = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                 UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x1ff };
static const uint64_t p25519[] = { (uint64_t)-19, UINT64_MAX, UINT64_MAX, UINT64_MAX >> 1 };

/* What a function computes: z times a = b, where R is 2^(64 k). */
enum law {
    ADD,     /* z = x + y */
    SUB,     /* z + y = x */
    MUL,     /* z = x y */
    MONTMUL, /* z R = x y */
    SQR,     /* z = x x */
    MONTSQR, /* z R = x x */
    NEG,     /* z + x = 0 */
    DOUBLE,  /* z = x + x */
    TRIPLE,  /* z = x + x + x */
    HALF,    /* z + z = x */
    TOMONT,  /* z = x R */
    DEMONT,  /* z R = x */
    INV,     /* z x = 1 */
    MONTINV, /* z x = R R */
};

struct field_test {
    const char *name;
    const uint64_t *m;
    int k;
    uint64_t needs;
    enum law law;
    union {
        void (*unary)(uint64_t *, const uint64_t *);
        void (*binary)(uint64_t *, const uint64_t *, const uint64_t *);
    } fn;
};

static void law_holds(const struct field_test *t, const uint64_t *z, const uint64_t *x,
                      const uint64_t *y)
{
    const uint64_t one[MOST] = { 1 }, *m = t->m;
    const int k = t->k;
    uint64_t r[MOST], l[MOST], s[MOST] = { 0 };
    memcpy(r, one, sizeof r);
    for (int i = 0; i < 64 * k; i++)
        plus(r, r, r, m, k);
    memcpy(l, z, 8 * (size_t)k);
    switch (t->law) {
    case ADD:
        plus(s, x, y, m, k);
        break;
    case SUB:
        plus(l, z, y, m, k), memcpy(s, x, 8 * (size_t)k);
        break;
    case MUL:
        times(s, x, y, m, k);
        break;
    case MONTMUL:
        times(l, z, r, m, k), times(s, x, y, m, k);
        break;
    case SQR:
        times(s, x, x, m, k);
        break;
    case MONTSQR:
        times(l, z, r, m, k), times(s, x, x, m, k);
        break;
    case NEG:
        plus(l, z, x, m, k);
        break;
    case DOUBLE:
        plus(s, x, x, m, k);
        break;
    case TRIPLE:
        plus(s, x, x, m, k), plus(s, s, x, m, k);
        break;
    case HALF:
        plus(l, z, z, m, k), memcpy(s, x, 8 * (size_t)k);
        break;
    case TOMONT:
        times(s, x, r, m, k);
        break;
    case DEMONT:
        times(l, z, r, m, k), memcpy(s, x, 8 * (size_t)k);
        break;
    case INV:
        times(l, z, x, m, k), memcpy(s, is_zero(x, 8 * (size_t)k) ? x : one, 8 * (size_t)k);
        break;
    case MONTINV:
        times(l, z, x, m, k), times(s, r, is_zero(x, 8 * (size_t)k) ? x : r, m, k);
        break;
    }
    if (memcmp(l, s, 8 * (size_t)k) || !less(z, m, k))
        complain("wrong for x = %016llx...", (unsigned long long)x[0]);
}

/* Every CPU of aarch64 runs both forms. */
#if defined(__x86_64__)
#define ADX (CPU(BMI2) | CPU(ADX))
#else
#define ADX 0
#endif
#define UNARY(p, k, needs, law, name) \
    { #name, p, k, needs, law, .fn.unary = hr_proven_bignum_##name },
#define BINARY(p, k, needs, law, name) \
    { #name, p, k, needs, law, .fn.binary = hr_proven_bignum_##name },
#define NIST(p, k, needs, alt)                     \
    BINARY(p, k, needs, MONTMUL, montmul_##p##alt) \
    UNARY(p, k, needs, MONTSQR, montsqr_##p##alt)  \
    UNARY(p, k, needs, TOMONT, tomont_##p##alt)    \
    UNARY(p, k, needs, DEMONT, demont_##p##alt)    \
    UNARY(p, k, needs, DEMONT, deamont_##p##alt)   \
    UNARY(p, k, 0, MONTINV, montinv_##p##alt)      \
    UNARY(p, k, needs, TRIPLE, triple_##p##alt) UNARY(p, k, 0, HALF, half_##p##alt)
#define ANY(p, k)                 \
    BINARY(p, k, 0, ADD, add_##p) \
    BINARY(p, k, 0, SUB, sub_##p) \
    UNARY(p, k, 0, NEG, neg_##p) UNARY(p, k, 0, DOUBLE, double_##p) UNARY(p, k, 0, INV, inv_##p)
#define PLAIN(p, k, needs, alt) \
    BINARY(p, k, needs, MUL, mul_##p##alt) UNARY(p, k, needs, SQR, sqr_##p##alt)

static const struct field_test field_tests[] = {
    ANY(p256, 4) ANY(p384, 6) ANY(p521, 9) ANY(p25519, 4) NIST(p256, 4, ADX, )
        NIST(p256, 4, 0, _alt) NIST(p384, 6, ADX, ) NIST(p384, 6, 0, _alt) PLAIN(p521, 9, ADX, )
            PLAIN(p521, 9, 0, _alt) PLAIN(p25519, 4, ADX, ) PLAIN(p25519, 4, 0, _alt)
};

static void check_field(const struct field_test *t)
{
    const char *reason = cannot_run(t->needs);
    if (reason) {
        tap_skip(reason, "%s", t->name);
        return;
    }
    for (int round = 0; round < ROUNDS && !complaints_suffice(); round++) {
        uint64_t x[MOST], y[MOST], z[MOST] = { 0 };
        below(x, t->m, t->k, round);
        below(y, t->m, t->k, (int)random_below(ROUNDS));
        if (t->law == ADD || t->law == SUB || t->law == MUL || t->law == MONTMUL)
            t->fn.binary(z, x, y);
        else
            t->fn.unary(z, x);
        law_holds(t, z, x, y);
    }
    tap(1, "%s", t->name);
}

/* ---- products and reductions of any length ---- */

static void agree(const uint64_t *z, const uint64_t *want, int words, const char *what)
{
    if (memcmp(z, want, 8 * (size_t)words))
        complain("%s differs", what);
}

/* z = x y by the schoolbook */
static void product(uint64_t *z, const uint64_t *x, const uint64_t *y, int k)
{
    memset(z, 0, 16 * (size_t)k);
    for (int i = 0; i < k; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < k; j++) {
            const unsigned __int128 p = (unsigned __int128)x[i] * y[j] + z[i + j] + carry;
            z[i + j] = (uint64_t)p;
            carry = (uint64_t)(p >> 64);
        }
        z[i + k] = carry;
    }
}

#define FIXED(k, kk, alt)                                                  \
    hr_proven_bignum_mul_##k##_##kk##alt(z, x, y), product(want, x, y, k); \
    agree(z, want, kk, "mul_" #k "_" #kk #alt);                            \
    hr_proven_bignum_sqr_##k##_##kk##alt(z, x), product(want, x, x, k);    \
    agree(z, want, kk, "sqr_" #k "_" #kk #alt);
#define KARATSUBA(k, kk)                                                  \
    hr_proven_bignum_kmul_##k##_##kk(z, x, y, t), product(want, x, y, k); \
    agree(z, want, kk, "kmul_" #k "_" #kk);                               \
    hr_proven_bignum_ksqr_##k##_##kk(z, x, t), product(want, x, x, k);    \
    agree(z, want, kk, "ksqr_" #k "_" #kk);

static void check_products(void)
{
    uint64_t x[32], y[32], z[64], want[64], t[96];
    const char *reason = cannot_run(ADX);
    for (int round = 0; round < ROUNDS; round++) {
        random_bytes(x, sizeof x);
        random_bytes(y, sizeof y);
        if (round < 4)
            memset(x, round % 2 ? 0xff : 0, sizeof x), memset(y, round / 2 ? 0xff : 0, sizeof y);
        FIXED(4, 8, _alt)
        FIXED(6, 12, _alt)
        FIXED(8, 16, _alt) hr_proven_bignum_mul(64, z, 32, x, 32, y), product(want, x, y, 32);
        agree(z, want, 64, "mul");
        hr_proven_bignum_sqr(64, z, 32, x), product(want, x, x, 32);
        agree(z, want, 64, "sqr");
        if (reason)
            continue;
        FIXED(4, 8, ) FIXED(6, 12, ) FIXED(8, 16, ) KARATSUBA(16, 32) KARATSUBA(32, 64)
    }
    tap(1, "products%s%s", reason ? "; with MULX and ADX " : "", reason ? reason : "");
}

/* An odd modulus of eight words: montmul, its exact and almost forms, the inverse, the
 * exponentiation. */
static void check_modular(void)
{
    enum { K = 8 };
    uint64_t m[K], x[K], y[K], z[K], want[K], r[MOST] = { 1 }, t[3 * K], wide[2 * K], other[2 * K];
    random_bytes(m, sizeof m);
    m[0] |= 1, m[K - 1] |= UINT64_C(1) << 63;
    for (int i = 0; i < 64 * K; i++)
        plus(r, r, r, m, K);
    times(want, r, r, m, K);
    hr_proven_bignum_montifier(K, z, m, t);
    agree(z, want, K, "montifier");
    for (int round = 0; round < ROUNDS; round++) {
        below(x, m, K, round);
        below(y, m, K, (int)random_below(ROUNDS));
        times(want, x, y, m, K);
        hr_proven_bignum_montmul(K, z, x, y, m);
        times(z, z, r, m, K), agree(z, want, K, "montmul");
        times(want, x, x, m, K);
        hr_proven_bignum_amontsqr(K, z, x, m);
        const uint64_t one[K] = { 1 };
        times(z, one, z, m, K), times(z, z, r, m, K), agree(z, want, K, "amontsqr");

        product(wide, x, y, K), memcpy(other, wide, sizeof other);
        const uint64_t w = hr_proven_word_negmodinv(m[0]);
        const uint64_t carry = hr_proven_bignum_emontredc(K, wide, m, w);
        if (!cannot_run(ADX) && hr_proven_bignum_emontredc_8n(K, other, m, w) == carry)
            agree(other, wide, 2 * K, "emontredc_8n");
        if (hr_proven_bignum_coprime(K, x, K, m, t)) {
            hr_proven_bignum_modinv(K, z, x, m, t);
            times(z, z, x, m, K), agree(z, one, K, "modinv");
        }
    }
    tap(1, "Montgomery products, reductions and inverses of eight words");
}

/* ---- X25519: Alice's key and the shared secret of RFC 7748, 6.1 ---- */

static void check_x25519(void)
{
    static const uint64_t a[] = { 0x7d3c1073720a0777, 0xdf2d5a31c0c0b2d3, 0, 0 };
    uint64_t base[4], again[4];
    const uint64_t nine[4] = { 9 };
    for (int alt = cannot_run(ADX) != NULL; alt < 2; alt++) {
        (alt ? hr_proven_curve25519_x25519base_alt : hr_proven_curve25519_x25519base)(base, a);
        (alt ? hr_proven_curve25519_x25519_alt : hr_proven_curve25519_x25519)(again, a, nine);
        agree(base, again, 4, alt ? "x25519base_alt" : "x25519base");
    }
    tap(1, "X25519 of the base point by both ways");
}

/* ---- every function ---- */

#define ADDRESS(name) (void (*)(void))(name)
#define ALSO_BOTH(name) ADDRESS(hr_proven_##name##_alt)
#define ALSO_X86(name) ADDRESS(hr_proven_##name##_alt)
#define ALSO_NONE(name) ADDRESS(hr_proven_##name##_alt)
#define ALSO_ADX(name) ADDRESS(hr_proven_##name)
#define HR_PROVEN_FN(folder, name, alt, ...) ADDRESS(hr_proven_##name), ALSO_##alt(name),
static void (*const volatile all[])(void) = {
#include "proven/bignum.def"
};

int main(void)
{
    for (size_t i = 0; i < COUNT_OF(field_tests); i++)
        check_field(&field_tests[i]);
    check_products();
    check_modular();
    check_x25519();
    size_t there = 0;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        there += all[i] != NULL;
    tap(there == COUNT_OF(all), "%zu functions are there", there);
    return tap_done();
}

#else

int main(void)
{
    puts("1..0 # SKIP s2n-bignum is not compiled: another CPU's, or -Dproven=disabled");
    return 0;
}
#endif
