/* SPDX-License-Identifier: Apache-2.0 */
/* DSA: published cases, one a line; keys whose parts do not fit; faults in each part of a key while
 * it signs; what calls refuse; and what they leave on the stack.
 *
 *   dsa FILE    "-" is stdin: then only its cases are run
 *   key p= q= g= y= [x=] [result=fail]      the key of the cases below it
 *   sign digest= msg= out=                  deterministic, by RFC 6979
 *   verify digest= msg= out= [der=1] [result=fail]
 *   file NAME, skip REASON, unread REASON   as in vectors/vectors.c
 */
#define _GNU_SOURCE
#include "dsa/dsa.h"
#include "class.h"
#include "internal.h"
#include "jobs.h"
#include "lines.h"
#include "memcheck.h"
#include "pk/nonce.h"
#include "stack_test.h"
#include "test.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>

enum { PARTS = 5, MAX_SIG = 64, MAX_DER = 80 };
static const char *const parts_names[PARTS] = { "p", "q", "g", "y", "x" };

struct line {
    struct bytes part[PARTS], msg, out;
    hr_alg digest;
    int fail, der;
};

static void read_word(void *ctx, const char *name, const char *value)
{
    struct line *const l = ctx;
    read_part(l->part, parts_names, PARTS, name, value);
    if (!strcmp(name, "digest")) {
        const struct hr_algorithm *row = hr_algorithm_by_name(value);
        l->digest = row ? row->alg : 0;
        if (!row)
            complain("no digest %s", value);
    }
    if (!strcmp(name, "result"))
        l->fail = !strcmp(value, "fail");
    if (!strcmp(name, "der"))
        l->der = 1;
    if (!strcmp(name, "msg"))
        read_bytes(&l->msg, value);
    if (!strcmp(name, "out"))
        read_bytes(&l->out, value);
}

static struct hr_dsa_parts parts_of(const struct line *l)
{
    struct hr_dsa_parts parts;
    struct hr_number *const numbers = &parts.p;
    for (size_t i = 0; i < PARTS; i++)
        numbers[i] = number_of(&l->part[i]);
    return parts;
}

/* ---- cases ---- */

static struct hr_dsa_key key, public_key;
static int have_key, have_private;
static struct line private_line;

static void run_key(const struct line *l)
{
    const struct hr_dsa_parts parts = parts_of(l);
    have_private = l->part[4].given;
    int error = hr_dsa_key_init_public(&public_key, &parts);
    if (!error && have_private)
        error = hr_dsa_key_init(&key, &parts);
    have_key = !error;
    if (have_key && have_private)
        private_line = *l;
    if (!error != !l->fail)
        complain("key of %zu bytes: %s", l->part[0].len, hr_strerror(error));
}

/* The signature of a line as r || s. */
static int raw_signature(uint8_t *sig, size_t *len, const struct line *l)
{
    *len = hr_dsa_size(&public_key);
    if (l->der)
        return hr_ecdsa_from_der(sig, *len, l->out.p, l->out.len);
    *len = l->out.len;
    memcpy(sig, l->out.p, l->out.len < MAX_SIG ? l->out.len : MAX_SIG);
    return 0;
}

static void run_verify(const struct line *l, const uint8_t *digest, size_t digest_len)
{
    uint8_t sig[MAX_SIG];
    size_t len;
    int error = raw_signature(sig, &len, l);
    if (!error)
        error = hr_dsa_verify(sig, len, digest, digest_len, &public_key);
    if (!error != !l->fail)
        complain("verify: %s", error ? hr_strerror(error) : "accepted");
}

static void run_sign(const struct line *l, const uint8_t *digest, size_t digest_len)
{
    const struct hr_sign_options options = { .flags = HR_SIGN_DETERMINISTIC, .digest = l->digest };
    uint8_t sig[MAX_SIG];
    size_t len = sizeof sig;
    const int error = hr_dsa_sign(sig, &len, digest, digest_len, &key, &options);
    if (error || len != l->out.len || memcmp(sig, l->out.p, len))
        complain("sign: %s", error ? hr_strerror(error) : "another signature");
}

static int run_line(const char *op, char *rest)
{
    static struct line l;
    uint8_t digest[HR_DIGEST_MAX_OUT];
    memset(&l, 0, sizeof l);
    if (!strcmp(op, "skip"))
        return 0;
    for_words(rest, read_word, &l);
    if (!strcmp(op, "key")) {
        run_key(&l);
        return 1;
    }
    const int signs = !strcmp(op, "sign");
    if (!have_key || (signs && !have_private) || !l.digest)
        return 0;
    if (hr_digest(digest, l.digest, l.msg.p, l.msg.len))
        complain("digest");
    (signs ? run_sign : run_verify)(&l, digest, hr_algorithm(l.digest)->out_len);
    return 1;
}

/* ---- properties of the last private key ---- */

static void check_parts(void)
{
    static struct line changed;
    for (size_t i = 0; i < PARTS; i++) {
        struct hr_dsa_key wrong;
        changed = private_line;
        changed.part[i].p[changed.part[i].len - 2] ^= 2;
        const struct hr_dsa_parts parts = parts_of(&changed);
        if (hr_dsa_key_init(&wrong, &parts) != HR_EKEY)
            complain("a wrong %s is taken", parts_names[i]);
        if (!is_zero(&wrong, sizeof(struct dsa_key)))
            complain("a refused key is not wiped");
        if (i < 4 && hr_dsa_key_init_public(&wrong, &parts) != HR_EKEY)
            complain("a public key with a wrong %s is taken", parts_names[i]);
    }
    static const uint8_t zero[1], one[1] = { 1 };
    const struct hr_number p = number_of(&private_line.part[0]),
                           q = number_of(&private_line.part[1]);
    const struct {
        int part, error;
        struct hr_number number;
    } rows[] = {
        { 0, HR_EKEYLEN, q },
        { 1, HR_EKEYLEN, p },
        { 2, HR_EKEY, { zero, 1 } },
        { 2, HR_EKEY, { one, 1 } },
        { 2, HR_EKEY, p },
        { 3, HR_EKEY, { one, 1 } },
        { 3, HR_EKEY, p },
        { 4, HR_EKEY, { zero, 1 } },
        { 4, HR_EKEY, q },
        { 4, HR_EINVAL, { NULL, 0 } },
        { 0, HR_EINVAL, { NULL, 0 } },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct hr_dsa_key wrong;
        struct hr_dsa_parts parts = parts_of(&private_line);
        (&parts.p)[rows[i].part] = rows[i].number;
        const int error = hr_dsa_key_init(&wrong, &parts);
        if (error != rows[i].error)
            complain("part %d, row %zu: %s", rows[i].part, i, hr_strerror(error));
    }
    tap(1, "keys whose parts do not fit are refused");
}

static const struct hr_sign_options deterministic = { .flags = HR_SIGN_DETERMINISTIC };
static const uint8_t message[20] = "twenty bytes of it.";

/* A changed bit of any part that signing reads gives an error, and no signature. */
static void check_faults(void)
{
    uint8_t sig[MAX_SIG];
    size_t len = sizeof sig;
    struct dsa_key *const k = (struct dsa_key *)&key;
    uint64_t *const places[] = {
        k->p, k->p + 3, k->p_r2, &k->p_m0, k->g, k->q + 1, k->q_r2, &k->q_m0, k->x, k->x + 1, k->y,
    };
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        memset(sig, 0, sizeof sig);
        len = sizeof sig;
        *places[i] ^= 16;
        if (hr_dsa_sign(sig, &len, message, sizeof message, &key, &deterministic) != HR_EFAULT ||
            !is_zero(sig, sizeof sig))
            complain("fault %zu is not noticed", i);
        *places[i] ^= 16;
    }
    len = sizeof sig;
    if (hr_dsa_sign(sig, &len, message, sizeof message, &key, &deterministic) ||
        hr_dsa_verify(sig, len, message, sizeof message, &public_key))
        complain("the key does not sign afterwards");
    tap(1, "faults let no signature out");
}

static void check_nonces(void)
{
    static const uint8_t random[32] = { 7 };
    const struct hr_sign_options given = { .random = random };
    const struct hr_sign_options *const options[] = { NULL,   NULL,           &given,
                                                      &given, &deterministic, &deterministic };
    uint8_t sigs[COUNT_OF(options)][MAX_SIG];
    size_t len = 0;
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        len = MAX_SIG;
        if (hr_dsa_sign(sigs[i], &len, message, sizeof message, &key, options[i]) ||
            hr_dsa_verify(sigs[i], len, message, sizeof message, &public_key))
            complain("signature %zu", i);
    }
    const size_t half = len / 2;
    if (!memcmp(sigs[0], sigs[1], half) || !memcmp(sigs[0], sigs[2], half) ||
        !memcmp(sigs[2], sigs[4], half))
        complain("two signatures have one nonce");
    if (memcmp(sigs[2], sigs[3], len) || memcmp(sigs[4], sigs[5], len))
        complain("a nonce that is not random changes");
    tap(1, "nonces are random, the caller's, or deterministic");
}

/* Signatures with each bit changed, and with r or s out of range. */
static void check_verify(void)
{
    uint8_t sig[MAX_SIG], wrong[MAX_SIG], der[MAX_DER];
    size_t len = sizeof sig, der_len = sizeof der;
    if (hr_dsa_sign(sig, &len, message, sizeof message, &key, NULL))
        complain("sign");
    for (size_t bit = 0; bit < 8 * len; bit += IS_MEMCHECK ? 97 : 7) {
        memcpy(wrong, sig, len);
        wrong[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (hr_dsa_verify(wrong, len, message, sizeof message, &public_key) != HR_EMAC)
            complain("bit %zu", bit);
    }
    const struct dsa_key *const k = (const struct dsa_key *)&key;
    for (int half = 0; half < 2; half++) {
        memcpy(wrong, sig, len);
        memset(wrong + half * k->q_bytes, 0, k->q_bytes);
        if (hr_dsa_verify(wrong, len, message, sizeof message, &public_key) != HR_EMAC)
            complain("zero is taken");
        bn_to_bytes(wrong + half * k->q_bytes, k->q_bytes, k->q);
        if (hr_dsa_verify(wrong, len, message, sizeof message, &public_key) != HR_EMAC)
            complain("q is taken");
    }
    if (hr_dsa_verify(sig, len - 1, message, sizeof message, &public_key) != HR_EMAC)
        complain("a short signature is taken");
    if (hr_ecdsa_to_der(der, &der_len, sig, len) || hr_ecdsa_from_der(wrong, len, der, der_len) ||
        memcmp(wrong, sig, len))
        complain("DER");
    tap(1, "wrong signatures are refused");
}

static void check_generate(void)
{
    struct hr_dsa_key new, again;
    uint8_t x[32], y[8 * DSA_LIMBS], sig[MAX_SIG];
    size_t x_len = sizeof x, y_len = sizeof y, len = sizeof sig;
    struct hr_dsa_parts parts = parts_of(&private_line);
    parts.x = parts.y = (struct hr_number){ NULL, 0 };
    if (hr_dsa_key_generate(&new, &parts) || hr_dsa_private(x, &x_len, &new) ||
        hr_dsa_public(y, &y_len, &new))
        complain("generate");
    parts.x = (struct hr_number){ x, x_len };
    if (hr_dsa_key_init(&again, &parts))
        complain("a key without y");
    parts.y = (struct hr_number){ y, y_len };
    if (hr_dsa_key_init(&again, &parts))
        complain("the new key");
    if (hr_dsa_sign(sig, &len, message, sizeof message, &again, NULL) ||
        hr_dsa_verify(sig, len, message, sizeof message, &new))
        complain("a new key does not sign");
    len = 10;
    if (hr_dsa_public(y, &len, &new) != HR_EBUFFER || hr_dsa_private(x, &len, &new) != HR_EBUFFER)
        complain("a short buffer is taken");
    tap(1, "new keys");
}

static void check_refusals(void)
{
    uint8_t sig[MAX_SIG];
    size_t len = 10;
    const struct hr_sign_options crc = { .digest = HR_CRC32 },
                                 prehash = { .flags = HR_SIGN_PREHASH };
    const struct {
        int got, wanted;
    } rows[] = {
        { hr_dsa_sign(sig, &len, message, 20, &key, NULL), HR_EBUFFER },
        { (len = sizeof sig, hr_dsa_sign(sig, &len, message, 20, &public_key, NULL)), HR_ESTATE },
        { hr_dsa_sign(sig, &len, message, 20, &key, &crc), HR_EALG },
        { hr_dsa_sign(sig, &len, message, 20, &key, &prehash), HR_EINVAL },
        { hr_dsa_sign(sig, &len, sig + 1, 20, &key, NULL), HR_EOVERLAP },
        { hr_dsa_sign(NULL, &len, message, 20, &key, NULL), HR_EINVAL },
        { hr_dsa_verify(NULL, 2, message, 20, &key), HR_EINVAL },
        { hr_dsa_private(sig, &len, &public_key), HR_ESTATE },
        { hr_dsa_key_init(NULL, NULL), HR_EINVAL },
        { (hr_dsa_key_wipe(&public_key), hr_dsa_verify(sig, 40, message, 20, &public_key)),
          HR_ESTATE },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].got != rows[i].wanted)
            complain("refusal %zu: %s", i, hr_strerror(rows[i].got));
    hr_dsa_key_wipe(NULL);
    hr_dsa_key_wipe(&key);
    if (!is_zero(&key, sizeof(struct dsa_key)) || hr_dsa_size(&key))
        complain("a wiped key is not zero");
    tap(1, "what calls refuse");
}

/* A job signs as the call does, another verifies it, and a third has the row of other keys. */
static void check_jobs(void)
{
    static const uint8_t digest[20] = { 7 };
    uint8_t sig[MAX_SIG], want[MAX_SIG];
    size_t len = sizeof want;
    const hr_alg alg = dsa_class.key_alg(&key);
    struct hr_job verify = { .alg = (uint16_t)alg,
                             .op = HR_JOB_VERIFY,
                             .key_form = HR_KEY_OBJECT,
                             .key = &public_key,
                             .in = digest,
                             .len = sizeof digest,
                             .tag = sig };
    struct hr_job sign = verify;
    sign.op = HR_JOB_SIGN;
    sign.key = &key;
    sign.options = &deterministic;
    if (hr_dsa_sign(want, &len, digest, sizeof digest, &key, &deterministic))
        complain("sign");
    CT_PUBLIC(want, sizeof want);
    check_sign_jobs(&sign, &verify, want, len);
    sign.alg = alg == HR_DSA1024 ? HR_DSA2048 : HR_DSA1024;
    if (hr_job_run(&sign) != HR_ESTATE)
        complain("a job signs under a key of another size");
    tap(1, "jobs");
}

/* ---- what is left on the stack ---- */

static const uint8_t fresh[NONCE_FRESH] = { 1, 2, 3 };

static void *private_calls(void *ctx)
{
    const struct hr_sign_options options = { .random = fresh };
    struct hr_dsa_key *const k = ctx;
    const struct hr_dsa_parts parts = parts_of(&private_line);
    uint8_t sig[MAX_SIG];
    size_t len = sizeof sig;
    if (hr_dsa_key_init(k, &parts) || hr_dsa_sign(sig, &len, message, sizeof message, k, &options))
        complain("sign");
    return NULL;
}

static void check_stack(void)
{
    if (HAS_WINDOWS || IS_MEMCHECK) {
        tap_skip("register windows, or memcheck", "no secret is left on the stack");
        return;
    }
    static struct hr_dsa_key stack_key;
    on_stack(private_calls, &stack_key);
    const struct dsa_key *const k = (const struct dsa_key *)&stack_key;
    const struct nonce_order order = { k->q, k->q_num, 8 * (size_t)k->q_bytes };
    uint64_t e[DSA_ORDER_LIMBS], nonce[DSA_ORDER_LIMBS];
    struct nonces nonces;
    bn_from_leftmost(e, k->q_num, message, sizeof message, order.bits);
    bn_reduce_once(e, 0, e, k->q, k->q_num);
    if (nonces_start(&nonces, HR_HMAC_SHA256, &order, k->x, e, fresh) ||
        nonces_next(nonce, &nonces))
        complain("nonce");
    look_for(k->x, k->q_num, "the private key");
    look_for(nonce, k->q_num, "the nonce");
    tap(1, "no secret is left on the stack");
}

int main(int argc, char **argv)
{
    if (argc > 1 && run_file(argv[1], run_line))
        return 1;
    if (argc < 2 || !strcmp(argv[1], "-"))
        return tap_done();
    const struct hr_dsa_parts parts = parts_of(&private_line);
    if (hr_dsa_key_init(&key, &parts) || hr_dsa_key_init_public(&public_key, &parts))
        complain("the last private key");
    check_parts();
    check_faults();
    check_nonces();
    check_verify();
    check_generate();
    check_stack();
    check_jobs();
    check_refusals();
    if (IS_MEMCHECK)
        tap(!CT_ERRORS(), "nothing depends on a secret");
    return tap_done();
}
