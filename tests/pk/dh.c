/* SPDX-License-Identifier: Apache-2.0 */
/* Diffie and Hellman's agreement: published cases, one a line; the named groups; groups, keys and
 * public keys that are refused; and what calls leave on the stack.
 *
 *   dh FILE    "-" is stdin: then only its cases are run
 *   key [group=] p= [q=] g= x= [y=]     the key of the cases below it; y is its public key
 *   agree peer= out= [unpadded=1] [result=fail]
 *   file NAME, skip REASON, unread REASON   as in vectors/vectors.c
 */
#define _GNU_SOURCE
#include "dh/dh.h"
#include "internal.h"
#include "lines.h"
#include "memcheck.h"
#include "stack_test.h"
#include "test.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>

static const char *const group_names[] = { "",          "ffdhe2048", "ffdhe3072", "ffdhe4096",
                                           "ffdhe6144", "ffdhe8192", "modp1536",  "modp2048",
                                           "modp3072",  "modp4096",  "modp6144",  "modp8192" };

static int quick; /* orders of short groups only */

enum { PARTS = 7 };
static const char *const parts_names[PARTS] = { "p", "q", "g", "x", "y", "peer", "out" };
enum { P, Q, G, X, Y, PEER, OUT };

struct line {
    struct bytes part[PARTS];
    enum hr_dh_group group;
    int fail, unpadded;
};

static void read_word(void *ctx, const char *name, const char *value)
{
    struct line *const l = ctx;
    read_part(l->part, parts_names, PARTS, name, value);
    for (size_t i = 1; i < COUNT_OF(group_names); i++)
        if (!strcmp(name, "group") && !strcmp(value, group_names[i]))
            l->group = (enum hr_dh_group)i;
    if (!strcmp(name, "result"))
        l->fail = !strcmp(value, "fail");
    if (!strcmp(name, "unpadded"))
        l->unpadded = 1;
}

static struct hr_dh_params params_of(const struct line *l)
{
    return (struct hr_dh_params){ .group = l->group,
                                  .p = number_of(&l->part[P]),
                                  .q = number_of(&l->part[Q]),
                                  .g = number_of(&l->part[G]) };
}

static const struct dh_key *inside(const struct hr_dh_key *key)
{
    return (const struct dh_key *)key;
}

/* ---- cases ---- */

static struct hr_dh_key key;
static int have_key;
static struct line explicit_line;

static void compare_number(const struct bytes *wanted, const uint8_t *got, size_t len,
                           const char *what)
{
    const size_t zeros = wanted->len > len ? wanted->len - len : len - wanted->len;
    const uint8_t *const longer = wanted->len > len ? wanted->p : got;
    if (!is_zero(longer, zeros) ||
        memcmp(wanted->len > len ? wanted->p + zeros : wanted->p,
               wanted->len > len ? got : got + zeros, wanted->len > len ? len : wanted->len))
        complain("another %s", what);
}

static void run_key(const struct line *l)
{
    const struct hr_dh_params params = params_of(l);
    const struct hr_number x = number_of(&l->part[X]);
    uint8_t bytes[DH_BYTES];
    size_t len = sizeof bytes;
    const int error = hr_dh_key_init(&key, &params, &x);
    have_key = !error;
    if (error) {
        complain("key of %zu bytes: %s", l->part[P].len, hr_strerror(error));
        return;
    }
    if (l->part[Q].given)
        explicit_line = *l;
    if (hr_dh_public(bytes, &len, &key) || len != hr_dh_size(&key))
        complain("public key");
    if (l->part[Y].given)
        compare_number(&l->part[Y], bytes, len, "public key");
    bn_to_bytes(bytes, len, inside(&key)->p);
    compare_number(&l->part[P], bytes, len, "group");
}

static int run_line(const char *op, char *rest)
{
    static struct line l;
    uint8_t out[DH_BYTES];
    size_t len = sizeof out;
    memset(&l, 0, sizeof l);
    if (!strcmp(op, "skip"))
        return 0;
    for_words(rest, read_word, &l);
    if (!strcmp(op, "key")) {
        run_key(&l);
        return 1;
    }
    if (!have_key)
        return 0;
    const int error = hr_dh_agree(out, &len, l.part[PEER].p, l.part[PEER].len, &key,
                                  l.unpadded ? HR_DH_UNPADDED : 0);
    CT_PUBLIC(out, sizeof out);
    if (!error != !l.fail)
        complain("agree: %s", error ? hr_strerror(error) : "accepted");
    if (!error && (len != l.part[OUT].len || memcmp(out, l.part[OUT].p, len)))
        complain("agree: another secret");
    return 1;
}

/* ---- named groups ---- */

static void bytes_of(uint8_t *out, const uint64_t *x, const struct hr_dh_key *k)
{
    bn_to_bytes(out, inside(k)->bytes, x);
}

/* The group by its numbers is the named one; without q and with another generator it is not. */
static void check_numbers(const struct hr_dh_key *named)
{
    static uint8_t p[DH_BYTES];
    static struct hr_dh_key same;
    const uint8_t two[] = { 0, 2 }, three[] = { 3 }, x[32] = { 5 };
    const struct hr_number private = { x, sizeof x };
    bytes_of(p, inside(named)->p, named);
    struct hr_dh_params params = { .p = { p, inside(named)->bytes }, .g = { two, 2 } };
    if (hr_dh_key_init(&same, &params, &private) || inside(&same)->order != DH_ORDER_SAFE)
        complain("the numbers of a named group are not it");
    params.g = (struct hr_number){ three, 1 };
    if (hr_dh_key_init(&same, &params, &private) || inside(&same)->order != DH_ORDER_UNKNOWN)
        complain("another generator");
}

/* g has the order q, and a number has it just if its Jacobi symbol is 1. */
static void check_order(const struct hr_dh_key *k)
{
    const struct dh_key *const in = inside(k);
    const struct modulus p = dh_modulus(in);
    uint64_t y[DH_LIMBS], power[DH_LIMBS], one[DH_LIMBS] = { 1 };
    for (int i = 0; i < 4; i++) {
        memcpy(y, in->g, sizeof y);
        if (i)
            random_bytes(y, 8 * (in->num - 1));
        mont_power_vartime(power, y, in->q, in->q_num, &p);
        const int has_order = bn_equal(power, one, in->num) != 0;
        if (has_order != (bn_jacobi_vartime(y, in->p, in->num) == 1) ||
            has_order != !dh_check_vartime(y, in))
            complain("the order of number %d", i);
        if (!i && !has_order)
            complain("the order of g");
    }
}

static void check_group(enum hr_dh_group group)
{
    static struct hr_dh_key a, b;
    static uint8_t public_a[DH_BYTES], public_b[DH_BYTES], secret_a[DH_BYTES], secret_b[DH_BYTES];
    const struct hr_dh_params params = { .group = group };
    size_t a_len = DH_BYTES, b_len = DH_BYTES, sa_len = DH_BYTES, sb_len = DH_BYTES;
    if (hr_dh_key_generate(&a, &params) || hr_dh_key_generate(&b, &params) ||
        hr_dh_public(public_a, &a_len, &a) || hr_dh_public(public_b, &b_len, &b) ||
        hr_dh_agree(secret_a, &sa_len, public_b, b_len, &a, 0) ||
        hr_dh_agree(secret_b, &sb_len, public_a, a_len, &b, 0))
        complain("a call");
    CT_PUBLIC(secret_a, sizeof secret_a);
    CT_PUBLIC(secret_b, sizeof secret_b);
    if (sa_len != hr_dh_size(&a) || sb_len != sa_len || memcmp(secret_a, secret_b, sa_len))
        complain("the secrets differ");
    if (!memcmp(public_a, public_b, a_len))
        complain("two keys are the same");
    if (inside(&a)->bytes <= (IS_MEMCHECK || quick ? 256 : 512))
        check_order(&a);
    check_numbers(&a);
    tap(1, "%s", group_names[group]);
}

/* ---- what is refused ---- */

/* Public keys 0, 1, p - 1, p, p + 1, q's multiples, and one of the other half of the group. */
static void check_peers(void)
{
    static struct hr_dh_key k;
    uint8_t peer[DH_BYTES + 1], out[DH_BYTES];
    const struct hr_dh_params params = { .group = HR_DH_FFDHE2048 };
    uint64_t y[DH_LIMBS], one[DH_LIMBS] = { 1 };
    if (hr_dh_key_generate(&k, &params))
        complain("generate");
    const struct dh_key *const in = inside(&k);
    for (int i = 0; i < 6; i++) {
        size_t len = sizeof out;
        memset(y, 0, sizeof y);
        y[0] = i == 5 ? 11 : (uint64_t)i; /* 11 is no square modulo this p, 2 and 4 are */
        if (i == 3)
            bn_sub(y, in->p, one, in->num);
        const int bad = i != 2 && i != 4;
        bytes_of(peer, y, &k);
        memset(out, 0, sizeof out);
        const int error = hr_dh_agree(out, &len, peer, in->bytes, &k, 0);
        CT_PUBLIC(out, sizeof out);
        if (error != (bad ? HR_EKEY : 0) || (bad && !is_zero(out, sizeof out)))
            complain("public key %d: %s", i, hr_strerror(error));
    }
    for (unsigned i = 0; i < 3; i++) {
        size_t len = sizeof out;
        y[0] = i;
        memset(y + 1, 0, sizeof y - 8);
        bn_add(y, y, in->p, in->num);
        bytes_of(peer, y, &k);
        if (hr_dh_agree(out, &len, peer, in->bytes, &k, 0) != HR_EKEY)
            complain("p + %u is taken", i);
    }
    size_t len = sizeof out;
    memset(peer, 0, sizeof peer);
    peer[0] = 1;
    if (hr_dh_agree(out, &len, peer, in->bytes + 1, &k, 0) != HR_EKEY)
        complain("a long public key is taken");
    len = in->bytes - 1;
    if (hr_dh_agree(out, &len, peer, 1, &k, 0) != HR_EBUFFER)
        complain("a short buffer is taken");
    tap(1, "public keys that are refused");
}

static void check_groups(void)
{
    static struct line changed;
    const struct hr_number x = number_of(&explicit_line.part[X]);
    struct hr_dh_key wrong;
    for (size_t i = P; i <= G; i++) {
        changed = explicit_line;
        changed.part[i].p[changed.part[i].len - 2] ^= 4;
        const struct hr_dh_params params = params_of(&changed);
        if (hr_dh_key_init(&wrong, &params, &x) != HR_EKEY)
            complain("a wrong %s is taken", parts_names[i]);
        if (!is_zero(&wrong, sizeof(struct dh_key)))
            complain("a refused key is not wiped");
    }
    static const uint8_t zero[1], one[] = { 1 };
    const struct hr_dh_params params = params_of(&explicit_line);
    const struct hr_number none = { NULL, 0 }, bad_x[] = { { zero, 1 }, params.q, params.p };
    for (size_t i = 0; i < COUNT_OF(bad_x); i++)
        if (hr_dh_key_init(&wrong, &params, &bad_x[i]) != HR_EKEY)
            complain("private key %zu is taken", i);
    const struct {
        struct hr_dh_params params;
        int error;
    } rows[] = {
        { { .group = (enum hr_dh_group)12 }, HR_EALG },
        { { .group = HR_DH_FFDHE2048, .private_bits = 159 }, HR_EINVAL },
        { { .group = HR_DH_FFDHE2048, .private_bits = 2047 }, HR_EINVAL },
        { { .group = HR_DH_FFDHE2048, .private_bits = 2046 }, 0 },
        { { .group = HR_DH_FFDHE2048, .private_bits = 256 }, 0 },
        { { .p = params.p, .q = params.q, .g = { one, 1 } }, HR_EKEY },
        { { .p = params.p, .q = params.p, .g = params.g }, HR_EKEY },
        { { .p = params.q, .g = params.g }, HR_EKEYLEN },
        { { .p = params.p, .g = none }, HR_EINVAL },
        { { .p = params.p, .g = params.g }, 0 },
        { { .p = params.p, .q = params.q, .g = params.g }, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (hr_dh_key_generate(&wrong, &rows[i].params) != rows[i].error)
            complain("group %zu", i);
    tap(1, "groups and private keys that are refused");
}

static void check_refusals(void)
{
    uint8_t out[DH_BYTES];
    size_t len = 10;
    const struct {
        int got, wanted;
    } rows[] = {
        { hr_dh_public(out, &len, &key), HR_EBUFFER },
        { hr_dh_private(out, &len, &key), HR_EBUFFER },
        { hr_dh_agree(out, &len, out, 1, &key, 4), HR_EINVAL },
        { hr_dh_agree(out, &len, NULL, 1, &key, 0), HR_EINVAL },
        { hr_dh_key_generate(NULL, NULL), HR_EINVAL },
        { (hr_dh_key_wipe(&key), hr_dh_public(out, &len, &key)), HR_ESTATE },
        { hr_dh_agree(out, &len, out, 1, &key, 0), HR_ESTATE },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].got != rows[i].wanted)
            complain("refusal %zu: %s", i, hr_strerror(rows[i].got));
    hr_dh_key_wipe(NULL);
    if (!is_zero(&key, sizeof(struct dh_key)) || hr_dh_size(&key))
        complain("a wiped key is not zero");
    tap(1, "what calls refuse");
}

/* A job agrees as the call does, under a key of its row alone. */
static void check_jobs(void)
{
    static struct hr_dh_key k;
    static uint8_t public[DH_BYTES], secret[DH_BYTES], want[DH_BYTES];
    const struct hr_dh_params params = { .group = HR_DH_MODP1536 };
    size_t len = sizeof public, want_len = sizeof want;
    if (hr_dh_key_generate(&k, &params) || hr_dh_public(public, &len, &k) ||
        hr_dh_agree(want, &want_len, public, len, &k, 0))
        complain("a call");
    struct hr_job job = { .alg = HR_DH2048,
                          .op = HR_JOB_DERIVE,
                          .key_form = HR_KEY_OBJECT,
                          .key = &k,
                          .in = public,
                          .len = len,
                          .tag = secret };
    if (hr_job_run(&job))
        complain("%s", hr_strerror(job.result));
    CT_PUBLIC(secret, sizeof secret);
    CT_PUBLIC(want, sizeof want);
    if (memcmp(secret, want, want_len))
        complain("a job agrees on something else");
    job.len = 0;
    if (hr_job_run(&job) != HR_EINVAL)
        complain("a job agrees with nobody");
    job.len = len;
    job.alg = HR_DH3072;
    if (hr_job_run(&job) != HR_ESTATE)
        complain("a job agrees under a key of another size");
    hr_dh_key_wipe(&k);
    tap(1, "jobs");
}

/* ---- what is left on the stack ---- */

static void *private_calls(void *ctx)
{
    struct hr_dh_key *const k = ctx;
    const struct hr_dh_params params = { .group = HR_DH_FFDHE2048 };
    static uint8_t public[DH_BYTES], secret[DH_BYTES];
    size_t len = sizeof public, secret_len = sizeof secret;
    if (hr_dh_key_generate(k, &params) || hr_dh_public(public, &len, k) ||
        hr_dh_agree(secret, &secret_len, public, len, k, 0))
        complain("a call");
    return NULL;
}

static void check_stack(void)
{
    static struct hr_dh_key k;
    if (HAS_WINDOWS || IS_MEMCHECK) {
        tap_skip("register windows, or memcheck", "no secret is left on the stack");
        return;
    }
    on_stack(private_calls, &k);
    look_for(inside(&k)->x, (inside(&k)->x_bits + 63) / 64, "the private key");
    tap(1, "no secret is left on the stack");
}

int main(int argc, char **argv)
{
    quick = argc > 1 && !strcmp(argv[1], "--quick");
    const char *const file = argc > 1 + quick ? argv[1 + quick] : NULL;
    if (file && run_file(file, run_line))
        return 1;
    if (!file || !strcmp(file, "-"))
        return tap_done();
    for (size_t i = 1; i < COUNT_OF(group_names); i++)
        check_group((enum hr_dh_group)i);
    check_peers();
    check_groups();
    check_stack();
    check_jobs();
    check_refusals();
    if (IS_MEMCHECK)
        tap(!CT_ERRORS(), "nothing depends on a secret");
    return tap_done();
}
