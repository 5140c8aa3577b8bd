/* SPDX-License-Identifier: Apache-2.0 */
/* RSA: published cases, one a line; keys whose parts do not fit; faults in each half of a private
 * operation; TLS's padding; what calls refuse; and what they leave on the stack.
 *
 *   rsa [FILE]    "-" is stdin: then only its cases are run
 *   key n= e= [d= p= q= dp= dq= qinv=]        the key of the cases below it
 *   sign|verify|recover|encrypt|decrypt pad= [digest= mgf= salt= label= random= strict=1]
 *                    in=|msg= out=
 *                    [result=fail]            msg: a message, to be digested; else as it is
 *   file NAME, skip REASON, unread REASON     as in vectors/vectors.c
 */
#define _GNU_SOURCE
#include "rsa/rsa.h"
#include "internal.h"
#include "lines.h"
#include "memcheck.h"
#include "rsa_jobs.h"
#include "stack_test.h"
#include "test.h"
#include <headrace/algorithms.h>

/* ---- lines ---- */

struct line {
    struct bytes part[8], in, msg, out, label, random;
    struct hr_rsa_options options;
    int fail;
};

static const char *const parts_names[] = { "n", "e", "d", "p", "q", "dp", "dq", "qinv" };
static const char *const paddings[] = { "", "pkcs1", "pss", "oaep", "none", "tls" };

static hr_alg digest_of(const char *name)
{
    const struct hr_algorithm *row = hr_algorithm_by_name(name);
    if (!row)
        complain("no digest %s", name);
    return row ? row->alg : 0;
}

static void read_word(void *ctx, const char *name, const char *value)
{
    struct line *const l = ctx;
    read_part(l->part, parts_names, COUNT_OF(parts_names), name, value);
    for (size_t i = 1; i < COUNT_OF(paddings); i++)
        if (!strcmp(name, "pad") && !strcmp(value, paddings[i]))
            l->options.padding = (enum hr_rsa_padding)i;
    if (!strcmp(name, "digest"))
        l->options.digest = digest_of(value);
    if (!strcmp(name, "mgf"))
        l->options.mgf_digest = digest_of(value);
    if (!strcmp(name, "salt"))
        l->options.salt_len = atoi(value);
    if (!strcmp(name, "strict"))
        l->options.raise_errors = 1;
    if (!strcmp(name, "result"))
        l->fail = !strcmp(value, "fail");
    if (!strcmp(name, "in"))
        read_bytes(&l->in, value);
    if (!strcmp(name, "msg"))
        read_bytes(&l->msg, value);
    if (!strcmp(name, "out"))
        read_bytes(&l->out, value);
    if (!strcmp(name, "label"))
        read_bytes(&l->label, value);
    if (!strcmp(name, "random"))
        read_bytes(&l->random, value);
}

/* Reads the words after the first. */
static void read_line(struct line *l, char *rest)
{
    memset(l, 0, sizeof *l);
    for_words(rest, read_word, l);
    l->options.label = l->label.p;
    l->options.label_len = l->label.len;
    l->options.random = l->random.given ? l->random.p : NULL;
    if (l->msg.given) {
        const hr_alg digest = l->options.digest ? l->options.digest : HR_SHA1;
        l->in.len = hr_algorithm(digest)->out_len;
        if (hr_digest(l->in.p, digest, l->msg.p, l->msg.len))
            complain("digest");
    }
}

/* ---- cases ---- */

static struct hr_rsa_key key, public_key;
static int have_key, have_private;
static struct line key_line;
static unsigned cases;
/* The first private key of each length. */
static struct line kept[8];
static size_t num_kept;

static void keep(const struct line *l)
{
    for (size_t i = 0; i < num_kept; i++)
        if (kept[i].part[0].len == l->part[0].len)
            return;
    if (num_kept < COUNT_OF(kept))
        kept[num_kept++] = *l;
}

static struct hr_rsa_parts parts_of(struct line *l)
{
    struct hr_rsa_parts parts;
    struct hr_number *numbers = &parts.n;
    for (size_t i = 0; i < COUNT_OF(parts_names); i++)
        numbers[i] = number_of(&l->part[i]);
    return parts;
}

static void run_key(struct line *l)
{
    const struct hr_rsa_parts parts = parts_of(l);
    key_line = *l;
    have_private = l->part[2].given;
    int error = hr_rsa_key_init_public(&public_key, &parts);
    if (!error && have_private)
        error = hr_rsa_key_init(&key, &parts);
    have_key = !error;
    if (have_key && have_private)
        keep(l);
    if (error && !l->fail)
        complain("key of %zu bytes: %s", l->part[0].len, hr_strerror(error));
    if (!error && l->fail)
        complain("case %u: a wrong key is taken", cases);
}

static void expect(const char *what, int error, const uint8_t *out, size_t len,
                   const struct line *l)
{
    if (l->fail) {
        if (!error)
            complain("case %u: %s: accepted", cases, what);
    } else if (error || len != l->out.len || memcmp(out, l->out.p, len)) {
        complain("case %u: %s: %s", cases, what, error ? hr_strerror(error) : "wrong");
    }
}

static void run_case(const char *op, struct line *l)
{
    static const struct {
        const char *name;
        int (*call)(uint8_t *, size_t *, const uint8_t *, size_t, const struct hr_rsa_key *,
                    const struct hr_rsa_options *);
        int is_private;
    } calls[] = {
        { "sign", hr_rsa_sign, 1 },
        { "recover", hr_rsa_recover, 0 },
        { "encrypt", hr_rsa_encrypt, 0 },
        { "decrypt", hr_rsa_decrypt, 1 },
    };
    uint8_t out[4096];
    size_t len = sizeof out;
    cases++;
    if (!strcmp(op, "verify")) {
        const int error =
            hr_rsa_verify(l->out.p, l->out.len, l->in.p, l->in.len, &public_key, &l->options);
        if (!error != !l->fail)
            complain("case %u: verify: %s", cases, error ? hr_strerror(error) : "accepted");
        return;
    }
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        if (strcmp(op, calls[i].name))
            continue;
        const struct hr_rsa_key *const with = calls[i].is_private ? &key : &public_key;
        const int error = calls[i].call(out, &len, l->in.p, l->in.len, with, &l->options);
        CT_PUBLIC(out, sizeof out);
        expect(op, error, out, len, l);
        return;
    }
    complain("no operation %s", op);
}

static int run_line(const char *op, char *rest)
{
    static struct line l;
    if (!strcmp(op, "skip"))
        return 0;
    read_line(&l, rest);
    if (!strcmp(op, "key"))
        run_key(&l);
    else if (have_key)
        run_case(op, &l);
    else
        return 0;
    return 1;
}

/* ---- properties of the last private key ---- */

static void check_parts(void)
{
    for (size_t i = 1; i < COUNT_OF(parts_names); i++) {
        static struct line changed;
        changed = key_line;
        struct bytes *const part = &changed.part[i];
        part->p[part->len - 1 - random_below((uint32_t)part->len / 2)] ^= 2;
        const struct hr_rsa_parts parts = parts_of(&changed);
        struct hr_rsa_key wrong;
        if (hr_rsa_key_init(&wrong, &parts) != HR_EKEY)
            complain("a wrong %s is taken", parts_names[i]);
        if (!is_zero(&wrong, sizeof(struct rsa_key)))
            complain("a refused key is not wiped");
    }
    struct hr_rsa_parts parts = parts_of(&key_line);
    parts.d.len = 0;
    if (hr_rsa_key_init(&public_key, &parts) != HR_EINVAL)
        complain("a key without d is taken");
    parts = parts_of(&key_line);
    parts.n.len = 100;
    if (hr_rsa_key_init_public(&public_key, &parts) != HR_EKEYLEN)
        complain("a short key is taken");
    parts = parts_of(&key_line);
    parts.e = parts.n;
    if (hr_rsa_key_init_public(&public_key, &parts) != HR_EKEY)
        complain("an exponent that is not below n is taken");
    uint8_t longer[RSA_PRIVATE_BYTES] = { [0] = 1, [RSA_PRIVATE_BYTES - 1] = 3 };
    parts.e = (struct hr_number){ longer, sizeof longer };
    if (hr_rsa_key_init_public(&public_key, &parts) != HR_EKEY)
        complain("an exponent that is longer than n is taken");
    parts = parts_of(&key_line);
    if (hr_rsa_key_init_public(&public_key, &parts))
        complain("public key");
    tap(1, "keys whose parts do not fit are refused");
}

static const struct hr_rsa_options pkcs1 = { .padding = HR_RSA_PKCS1, .digest = HR_SHA256 };
static const struct hr_rsa_options pss = { .padding = HR_RSA_PSS,
                                           .digest = HR_SHA256,
                                           .salt_len = HR_RSA_SALT_DIGEST };

/* A changed bit of any part that a private operation reads gives an error, and no signature. */
static void check_faults(void)
{
    const size_t size = hr_rsa_size(&key);
    uint8_t digest[32] = { 1 }, sig[RSA_PRIVATE_BYTES];
    struct rsa_key *const k = (struct rsa_key *)&key;
    uint64_t *const places[] = {
        k->p.p, k->p.d, k->q.d, k->q.p, k->p.r2 + 2, k->q.r2 + 1, k->qinv
    };
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        size_t len = sizeof sig;
        memset(sig, 0, sizeof sig);
        places[i][0] ^= 16;
        if (hr_rsa_sign(sig, &len, digest, 32, &key, &pkcs1) != HR_EFAULT)
            complain("fault %zu is not noticed", i);
        len = sizeof sig;
        if (hr_rsa_decrypt(sig, &len, sig, size, &key, &pkcs1) != 0)
            if (CT_PUBLIC(sig, sizeof sig), !is_zero(sig, sizeof sig))
                complain("fault %zu leaves something in the output", i);
        places[i][0] ^= 16;
    }
    size_t len = sizeof sig;
    if (hr_rsa_sign(sig, &len, digest, 32, &key, &pkcs1) ||
        hr_rsa_verify(sig, len, digest, 32, &public_key, &pkcs1))
        complain("the key does not sign afterwards");
    tap(1, "faults let no signature out");
}

static void check_round_trips(void)
{
    uint8_t in[32], sig[RSA_PRIVATE_BYTES], out[RSA_PRIVATE_BYTES];
    for (int i = 0; i < 4; i++) {
        size_t len = sizeof sig, out_len = sizeof out;
        random_bytes(in, sizeof in);
        if (hr_rsa_sign(sig, &len, in, 32, &key, &pss) ||
            hr_rsa_verify(sig, len, in, 32, &public_key, &pss))
            complain("PSS does not verify");
        in[0] ^= 1;
        if (hr_rsa_verify(sig, len, in, 32, &public_key, &pss) != HR_EMAC)
            complain("PSS of another digest verifies");
        const struct hr_rsa_options oaep = { .padding = i % 2 ? HR_RSA_OAEP : HR_RSA_PKCS1,
                                             .digest = HR_SHA256 };
        const size_t in_len = random_below(33);
        len = sizeof sig;
        if (hr_rsa_encrypt(sig, &len, in, in_len, &public_key, &oaep) ||
            hr_rsa_decrypt(out, &out_len, sig, len, &key, &oaep) || out_len != in_len)
            complain("decryption fails");
        CT_PUBLIC(out, sizeof out);
        if (memcmp(in, out, in_len))
            complain("what is encrypted does not come back");
    }
    tap(1, "signatures verify, and messages come back");
}

static void check_tls(void)
{
    struct hr_rsa_options tls = { .padding = HR_RSA_TLS, .client_version = 0x303 };
    uint8_t secret[48] = { 3, 3, 7 }, ct[RSA_PRIVATE_BYTES], out[64];
    static const struct {
        uint16_t client, negotiated;
        uint8_t secret_len;
        int good;
    } rows[] = { { 0x303, 0, 48, 1 },
                 { 0x302, 0, 48, 0 },
                 { 0x302, 0x303, 48, 1 },
                 { 0x302, 0x301, 48, 0 },
                 { 0x303, 0, 47, 0 } };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t ct_len = sizeof ct, len = sizeof out;
        tls.client_version = rows[i].client;
        tls.negotiated_version = rows[i].negotiated;
        if (hr_rsa_encrypt(ct, &ct_len, secret, rows[i].secret_len, &public_key, &pkcs1) ||
            hr_rsa_decrypt(out, &len, ct, ct_len, &key, &tls) || len != 48)
            complain("TLS: case %zu is an error", i);
        CT_PUBLIC(out, sizeof out);
        if (rows[i].good != !memcmp(out, secret, 48))
            complain("TLS: case %zu", i);
    }
    tap(1, "TLS's premaster secret");
}

static void check_refusals(void)
{
    uint8_t in[32] = { 0 }, sig[RSA_PRIVATE_BYTES];
    size_t len = 10;
    struct hr_rsa_options options = pkcs1;
    const struct hr_rsa_options oaep = { .padding = HR_RSA_OAEP };
    const struct hr_rsa_options pss_crc = { .padding = HR_RSA_PSS, .digest = HR_CRC32 };
    const struct {
        int got, wanted;
    } rows[] = {
        { hr_rsa_sign(sig, &len, in, 32, &key, &pkcs1), HR_EBUFFER },
        { (len = sizeof sig, hr_rsa_sign(sig, &len, in, 31, &key, &pkcs1)), HR_ELENGTH },
        { hr_rsa_sign(sig, &len, in, 32, &public_key, &pkcs1), HR_ESTATE },
        { hr_rsa_decrypt(sig, &len, in, 32, &key, &oaep), HR_ELENGTH },
        { hr_rsa_decrypt(sig, &len, in, 0, &key, &pkcs1), HR_ELENGTH },
        { hr_rsa_verify(in, 32, in, 32, &public_key, &pkcs1), HR_EMAC },
        { hr_rsa_verify(in, 32, in, 4, &public_key, &pss_crc), HR_EALG },
        { hr_rsa_recover(sig, &len, in, 32, &public_key, &pss_crc), HR_EINVAL },
        { (options.digest = HR_CRC32, hr_rsa_sign(sig, &len, in, 4, &key, &options)), HR_EALG },
        { (options.padding = HR_RSA_OAEP, hr_rsa_sign(sig, &len, in, 4, &key, &options)),
          HR_EINVAL },
        { hr_rsa_sign(sig, &len, in, 32, &key, NULL), HR_EINVAL },
        { hr_rsa_key_init(NULL, NULL), HR_EINVAL },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].got != rows[i].wanted)
            complain("refusal %zu: %s", i, hr_strerror(rows[i].got));
    hr_rsa_key_wipe(NULL);
    hr_rsa_key_wipe(&key);
    if (!is_zero(&key, sizeof(struct rsa_key)) || hr_rsa_size(&key))
        complain("a wiped key is not zero");
    tap(1, "what calls refuse");
}

/* ---- what is left on the stack ---- */

static struct hr_rsa_key stack_key;

static void *private_calls(void *line)
{
    uint8_t in[32] = { 1 }, sig[RSA_PRIVATE_BYTES];
    size_t len = sizeof sig;
    const struct hr_rsa_parts parts = parts_of(line);
    if (hr_rsa_key_init(&stack_key, &parts) ||
        hr_rsa_sign(sig, &len, in, sizeof in, &stack_key, &pss))
        complain("sign");
    return NULL;
}

static void *refused_key(void *line)
{
    static struct hr_rsa_key refused;
    struct hr_rsa_parts parts = parts_of(line);
    parts.qinv = parts.e;
    if (hr_rsa_key_init(&refused, &parts) != HR_EKEY)
        complain("a wrong qinv is taken");
    return NULL;
}

static void look_for_half(const struct rsa_half *half)
{
    look_for(half->p, half->num, "a prime");
    look_for(half->d, half->num, "an exponent");
    look_for(half->r2, half->num, "R^2 modulo a prime");
    look_for(&half->m0, 1, "m0 of a prime");
}

static void look_for_key(const struct line *l)
{
    const struct rsa_key *const k = (const struct rsa_key *)&stack_key;
    uint64_t d[RSA_PRIVATE_LIMBS], d_digest[4];
    bn_from_bytes(d, k->num, l->part[2].p, l->part[2].len);
    memcpy(d_digest, k->d_digest, sizeof d_digest);
    look_for(d, k->num, "d");
    look_for(d_digest, COUNT_OF(d_digest), "the digest of d");
    look_for(k->qinv, k->p.num, "qinv");
    look_for_half(&k->p);
    look_for_half(&k->q);
}

static void check_stack(void)
{
    static const char name[] = "no secret is left on the stack";
    if (HAS_WINDOWS || IS_MEMCHECK) {
        tap_skip(IS_MEMCHECK ? "Valgrind reports each look at a secret" : "register windows", "%s",
                 name);
        return;
    }
    for (size_t i = 0; i < num_kept; i++) {
        on_stack(private_calls, &kept[i]);
        look_for_key(&kept[i]);
        on_stack(refused_key, &kept[i]);
        look_for_key(&kept[i]);
    }
    tap(num_kept >= 3, "%s", name);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[argc - 1] : "-";
    if (run_file(name, run_line))
        return 1;
    if (!strcmp(name, "-"))
        return tap_done();
    check_parts();
    check_faults();
    rsa_check_jobs(&key, &public_key);
    rsa_check_cipher_jobs(&key, &public_key);
    check_round_trips();
    check_tls();
    check_refusals();
    check_stack();
    if (CT_ERRORS())
        complain("%u branches or addresses depend on a secret", CT_ERRORS());
    tap(1, "constant time, if this is Valgrind");
    return tap_done();
}
