/* SPDX-License-Identifier: Apache-2.0 */
/* New keys of RSA: small primes and words against schoolbook arithmetic; the numbers of keys of
 * every length and exponent; primes that are numbers of the source, as they were drawn; sources
 * that fail or repeat themselves; what is refused; and what stays on the stack.  evp_rsa_generate.c
 * tests primes by another implementation. */
#include "rsa/rsa_generate.h"
#include "bignum/sieve.h"
#include "memcheck.h"
#include "stack_test.h"
#include "test.h"
#include <headrace/algorithms.h>

static int quick;

/* ---- small primes, and words ---- */

static uint64_t rest_of(const uint64_t *x, size_t num, uint64_t m)
{
    uint64_t rest = 0;
    for (size_t i = num; i--;)
        rest = (uint64_t)(((bn_wide)rest << 64 | x[i]) % m);
    return rest;
}

static int has_small_factor(const uint64_t *x, size_t num)
{
    for (uint64_t p = 3; p < SIEVE_BELOW; p += 2)
        if (!rest_of(x, num, p))
            return 1;
    return 0;
}

enum { SMALL_LIMBS = 6 };

/* x = random * factor */
static void any_multiple(uint64_t *x, size_t num, uint64_t factor)
{
    uint64_t any[SMALL_LIMBS];
    random_bytes(any, sizeof any);
    memset(x, 0, num * sizeof *x);
    rsa_multiply_add(x, &factor, 1, any, num - 1);
}

static void compare_sieve(const struct sieve *sieve, const uint64_t *x, size_t num)
{
    if (sieve_divides(sieve, x, num) != has_small_factor(x, num))
        complain("small factors of a number of %zu limbs", num);
}

static void check_sieve(void)
{
    static struct sieve sieve;
    uint64_t x[SMALL_LIMBS];
    unsigned primes = 0;
    sieve_init(&sieve);
    for (uint64_t p = 3; p < SIEVE_BELOW; p += 2) {
        const uint64_t square = p * p;
        int prime = 1;
        for (uint64_t d = 3; d * d <= p; d += 2)
            prime &= p % d != 0;
        primes += (unsigned)prime;
        if (!sieve_divides(&sieve, &p, 1) || !sieve_divides(&sieve, &square, 1))
            complain("%u is not noticed", (unsigned)p);
        any_multiple(x, SMALL_LIMBS, p);
        if (!sieve_divides(&sieve, x, SMALL_LIMBS))
            complain("a multiple of %u is not noticed", (unsigned)p);
    }
    if (primes != SIEVE_PRIMES || sieve.num_primes != SIEVE_PRIMES ||
        sieve.num_groups > SIEVE_GROUPS)
        complain("%u primes, %zu in the sieve", primes, sieve.num_primes);
    for (uint64_t p = SIEVE_BELOW + 1; p < 2 * SIEVE_BELOW; p += 2)
        compare_sieve(&sieve, &p, 1);
    for (int i = 0; i < (quick ? 300 : 3000); i++) {
        random_bytes(x, sizeof x);
        x[0] |= 1;
        compare_sieve(&sieve, x, 1 + random_below(SMALL_LIMBS));
    }
    tap(1, "small primes");
}

static uint64_t gcd_of(uint64_t x, uint64_t y)
{
    while (y) {
        const uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

static void check_words(void)
{
    uint64_t x[SMALL_LIMBS], z;
    for (int i = 0; i < 2000; i++) {
        const size_t num = 1 + random_below(SMALL_LIMBS);
        uint64_t e;
        random_bytes(x, sizeof x);
        random_bytes(&e, sizeof e);
        e = (i < 4 ? UINT64_MAX : e >> random_below(62)) | 3;
        if (random_below(4) == 0)
            any_multiple(x, num, num > 1 ? gcd_of(e, 3 * 5 * 7) : 1);
        const uint64_t rest = rest_of(x, num, e);
        const uint64_t found = rsa_invert_word(&z, x, num, e);
        if (!found != (gcd_of(e, rest) != 1))
            complain("whether a number has an inverse modulo a word");
        if (found && (bn_wide)z * rest % e != 1)
            complain("an inverse modulo a word");
    }
    tap(1, "inverses modulo words");
}

/* ---- sources ---- */

/* PRIME: the first numbers are all the same prime. */
enum source_kind { RANDOM, CONSTANT, FAILING, PRIME };
enum { PRIMES = 8 };

/* A stream of splitmix64.  Numbers as long as `watch` are compared. */
struct stream {
    enum source_kind kind;
    uint64_t state, calls, last_call;
    const uint64_t *prime;
    const uint64_t *watch[2];
    size_t watch_num, bits;
    int seen[2];
};

static uint64_t next_word(struct stream *s)
{
    uint64_t z = s->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A candidate is the number that was drawn, with its lowest bits and its highest one set. */
static void watch(struct stream *s, const uint64_t *drawn)
{
    uint64_t x[RSA_PRIME_LIMBS];
    memcpy(x, drawn, s->watch_num * sizeof *x);
    x[s->watch_num - 1] >>= 64 * s->watch_num - s->bits;
    x[(s->bits - 1) / 64] |= UINT64_C(1) << (s->bits - 1) % 64;
    x[0] |= 3;
    for (int i = 0; i < 2; i++)
        s->seen[i] |= !memcmp(x, s->watch[i], s->watch_num * sizeof *x);
}

static int draw(void *ctx, void *out, size_t len)
{
    struct stream *const s = ctx;
    uint64_t *const words = out;
    s->calls++;
    if (s->kind == FAILING && s->calls > s->last_call)
        return HR_ESYSTEM;
    for (size_t i = 0; i < len / 8; i++)
        words[i] = s->kind == CONSTANT ? UINT64_MAX : next_word(s);
    if (s->kind == PRIME && s->calls <= PRIMES)
        memcpy(words, s->prime, len);
    if (s->watch_num)
        watch(s, words);
    return 0;
}

static struct hr_rsa_key key;
static struct hr_rsa_numbers numbers;

static int generate_from(struct stream *s, uint32_t bits, uint64_t e)
{
    const int error =
        rsa_generate(&key, &numbers, bits, e, &(struct rsa_source){ .random = draw, .ctx = s });
    CT_PUBLIC(&numbers, sizeof numbers);
    return error;
}

static void load(uint64_t *z, const struct hr_number *number)
{
    bn_from_bytes(z, RSA_PRIME_LIMBS, number->bytes, number->len);
}

/* The same stream gives the same key, whose primes are numbers of the stream. */
static void check_stream(uint32_t bits)
{
    uint64_t p[RSA_PRIME_LIMBS], q[RSA_PRIME_LIMBS];
    struct stream s = { .kind = RANDOM, .state = bits };
    uint8_t first[sizeof numbers.bytes];
    if (generate_from(&s, bits, 0))
        complain("generate");
    memcpy(first, numbers.bytes, sizeof first);
    load(p, &numbers.parts.p);
    load(q, &numbers.parts.q);
    struct stream again = { .kind = RANDOM,
                            .state = bits,
                            .watch = { p, q },
                            .watch_num = (bits + 127) / 128,
                            .bits = bits / 2 };
    if (generate_from(&again, bits, 0))
        complain("generate");
    if (memcmp(first, numbers.bytes, sizeof first) || s.calls != again.calls)
        complain("the same stream gives another key");
    if (!again.seen[0] || !again.seen[1])
        complain("a prime is not as it was drawn");
    tap(1, "%u bits: primes are drawn", (unsigned)bits);
}

static void expect_nothing(const char *what, int error)
{
    CT_PUBLIC(&key, sizeof key);
    if (error != HR_ESYSTEM)
        complain("%s: %s", what, hr_strerror(error));
    if (!is_zero(&key, sizeof(struct rsa_key)) || !is_zero(&numbers, sizeof numbers))
        complain("%s: something is left", what);
}

static void check_bad_sources(void)
{
    uint64_t p[RSA_PRIME_LIMBS];
    struct stream good = { .kind = RANDOM }, constant = { .kind = CONSTANT };
    if (generate_from(&good, 1024, 0))
        complain("generate");
    load(p, &numbers.parts.p);
    expect_nothing("a constant", generate_from(&constant, 1024, 0));
    struct stream prime = { .kind = PRIME, .prime = p };
    expect_nothing("p is q", generate_from(&prime, 1024, 0));
    if (prime.calls > 8 * PRIMES)
        complain("p is q: %u calls", (unsigned)prime.calls);
    for (uint64_t i = 0; i < good.calls; i += i < 4 ? 1 : 1 + good.calls / (quick ? 4 : 40)) {
        struct stream failing = { .kind = FAILING, .last_call = i };
        expect_nothing("no random numbers", generate_from(&failing, 1024, 0));
    }
    tap(1, "sources that fail or repeat themselves");
}

/* ---- keys ---- */

static void use_key(void)
{
    static struct hr_rsa_key public_key;
    static const struct hr_rsa_options oaep = { .padding = HR_RSA_OAEP, .digest = HR_SHA256 };
    uint8_t in[32], ct[512], out[512];
    size_t ct_len = sizeof ct, len = sizeof out;
    random_bytes(in, sizeof in);
    if (hr_rsa_key_init_public(&public_key, &numbers.parts) ||
        hr_rsa_encrypt(ct, &ct_len, in, sizeof in, &public_key, &oaep) ||
        hr_rsa_decrypt(out, &len, ct, ct_len, &key, &oaep) || len != sizeof in)
        complain("a new key does not decrypt");
    CT_PUBLIC(out, sizeof out);
    if (memcmp(in, out, sizeof in))
        complain("a new key decrypts something else");
}

/* The numbers' lengths, p > q, both 3 modulo 4, and d below n / 2, as L is. */
static void check_numbers(uint32_t bits, uint64_t e)
{
    const struct hr_rsa_parts *const parts = &numbers.parts;
    const size_t whole = bits / 8, half = (bits / 2 + 7) / 8;
    uint64_t p[RSA_PRIME_LIMBS], q[RSA_PRIME_LIMBS], got = 0;
    for (size_t i = 0; i < parts->e.len; i++)
        got = got << 8 | parts->e.bytes[i];
    if (got != (e ? e : 65537) || !parts->e.bytes[0])
        complain("e");
    if (hr_rsa_size(&key) != whole || parts->n.len != whole || parts->d.len != whole ||
        parts->p.len != half || parts->q.len != half || parts->dp.len != half ||
        parts->dq.len != half || parts->qinv.len != half)
        complain("lengths");
    if (parts->n.bytes[0] < 0x80 || parts->d.bytes[0] >= 0x80)
        complain("n is too short, or d is not below it by half");
    load(p, &parts->p);
    load(q, &parts->q);
    if ((p[0] & q[0] & 3) != 3 || !bn_less(q, p, RSA_PRIME_LIMBS))
        complain("primes");
    if (bn_bits(p, RSA_PRIME_LIMBS) != bits / 2 || bn_bits(q, RSA_PRIME_LIMBS) != bits / 2)
        complain("lengths of primes");
    use_key();
}

static void check_keys(void)
{
    static const struct {
        uint32_t bits;
        uint64_t e;
        int slow;
    } rows[] = {
        { 1024, 0, 0 },
        { 1024, 3, 0 },
        { 1032, 17, 0 },
        { 1144, UINT64_MAX, 0 },
        { 1152, UINT64_C(16294579238595022365), 0 }, /* 3 5 7 ... 53 */
        { 1536, 65537, 0 },
        { 2048, 0, 0 },
        { 2056, UINT64_C(4294967297), 1 },
        { 3072, 0, 1 },
        { 4096, 0, 1 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].slow && (quick || IS_MEMCHECK))
            continue;
        const int error = hr_rsa_key_generate(&key, &numbers, rows[i].bits, rows[i].e);
        CT_PUBLIC(&numbers, sizeof numbers);
        if (error)
            complain("%s", hr_strerror(error));
        else
            check_numbers(rows[i].bits, rows[i].e);
        tap(1, "%u bits, e %llu", (unsigned)rows[i].bits, (unsigned long long)rows[i].e);
    }
    if (hr_rsa_key_generate(&key, NULL, 1024, 0) || hr_rsa_size(&key) != 128)
        complain("a key without its numbers");
    hr_rsa_key_wipe(&key);
    hr_rsa_numbers_wipe(&numbers);
    hr_rsa_numbers_wipe(NULL);
    if (!is_zero(&numbers, sizeof numbers))
        complain("wiped numbers are not zero");
    tap(1, "a key without its numbers");
}

static void check_refusals(void)
{
    static const struct {
        uint32_t bits;
        uint64_t e;
        int error;
    } rows[] = {
        { 0, 0, HR_EKEYLEN },    { 1016, 0, HR_EKEYLEN }, { 1025, 0, HR_EKEYLEN },
        { 1028, 0, HR_EKEYLEN }, { 4104, 0, HR_EKEYLEN }, { UINT32_MAX - 7, 0, HR_EKEYLEN },
        { 1024, 1, HR_EKEY },    { 1024, 2, HR_EKEY },    { 1024, 65536, HR_EKEY },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        memset(&key, 1, sizeof key);
        memset(&numbers, 1, sizeof numbers);
        if (hr_rsa_key_generate(&key, &numbers, rows[i].bits, rows[i].e) != rows[i].error)
            complain("refusal %zu", i);
        if (!is_zero(&key, sizeof(struct rsa_key)) || !is_zero(&numbers, sizeof numbers))
            complain("refusal %zu leaves something", i);
    }
    if (hr_rsa_key_generate(NULL, &numbers, 1024, 0) != HR_EINVAL)
        complain("no key");
    tap(1, "what is refused");
}

/* ---- what is left on the stack ---- */

static void *make_key(void *bits)
{
    if (hr_rsa_key_generate(&key, &numbers, *(const uint32_t *)bits, 0))
        complain("generate");
    return NULL;
}

static void check_stack(uint32_t bits)
{
    static const char *const names[] = { "n", "e", "d", "p", "q", "dp", "dq", "qinv" };
    const struct hr_number *const parts = &numbers.parts.n;
    if (HAS_WINDOWS || IS_MEMCHECK) {
        tap_skip(IS_MEMCHECK ? "Valgrind reports each look at a secret" : "register windows",
                 "%u bits: no secret is left on the stack", (unsigned)bits);
        return;
    }
    on_stack(make_key, &bits);
    const size_t use = stack_use();
    if (use > 128 << 10 && !HAS_REDZONES)
        complain("%zu bytes of stack", use);
    for (size_t i = 2; i < COUNT_OF(names); i++) {
        uint64_t x[2 * RSA_PRIME_LIMBS];
        bn_from_bytes(x, COUNT_OF(x), parts[i].bytes, parts[i].len);
        look_for(x, COUNT_OF(x), names[i]);
    }
    tap(1, "%u bits: no secret is left on %zu bytes of stack", (unsigned)bits, use);
}

int main(int argc, char **argv)
{
    quick = argc > 1 && !strcmp(argv[1], "--quick");
    check_sieve();
    check_words();
    check_stream(1024);
    check_stream(1128);
    check_bad_sources();
    check_keys();
    check_refusals();
    check_stack(1024);
    check_stack(quick ? 1032 : 4096);
    if (CT_ERRORS())
        complain("%u branches or addresses depend on a secret", CT_ERRORS());
    tap(1, "constant time, if this is Valgrind");
    return tap_done();
}
