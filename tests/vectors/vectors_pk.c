/* SPDX-License-Identifier: Apache-2.0 */
/* Public key: key agreement and signatures.
 *
 *   ROW agree key=PRIVATE in=PUBLIC out=SECRET       also result=fail: there is no secret
 *   ROW public key=PRIVATE out=PUBLIC                the public key of a private one
 *   ROW ladder key=BYTES in=BYTES iterations=N out=BYTES
 *                         RFC 7748 section 5.2: in each step the result is the next key, and the
 *                         key the next input
 *   ROW sign key=PRIVATE msg=MESSAGE tag=SIGNATURE   signs, and verifies under both keys
 *   ROW sign key=PRIVATE msg=MESSAGE out=DIGEST      the same, of a long signature: its SHA-256
 *   ROW verify key=PUBLIC msg=MESSAGE tag=SIGNATURE  also result=fail: the signature is wrong
 *   ROW sign_der, ROW verify_der                     the same, of ECDSA, with a signature in DER
 *   ROW verify key=N iv=E msg=MESSAGE tag=SIGNATURE  of RSA: PKCS#1 with SHA-256
 *   ROW verify key=P iv=Q salt=G info=Y msg=MESSAGE tag=R||S  of DSA, with SHA-256
 *   ROW agree key=PRIVATE in=PUBLIC out=SECRET  of the group of RFC 7919 that has the row's size
 *     info=CONTEXT, flags=N, iv=RANDOM               options: enum hr_sign_flags
 *     mac=HMAC                                       the HMAC by which nonces are made
 * `public` and `sign` take a seed too; tag=PRIVATE of `public` is then the private key.
 */
#include "internal.h"
#include "mldsa/mldsa.h"
#include "vectors.h"
#include <headrace/algorithms.h>
#include <headrace/dh.h>
#include <headrace/dsa.h>
#include <headrace/rsa.h>

enum { MOST_PUBLIC = 2592, MOST_SIGNATURE = 50176 };

/* No call takes a kernel of these rows: a case runs with all that the CPU has, and then, unless a
 * faster row has the same code, with the features of each further kernel, and with none. */
static void on_every_cpu(const struct vector *v,
                         void (*run)(const struct vector *v, const char *cpu))
{
    const uint64_t before = hr_cpu_features();
    struct hr_kernel kernel = { .needs = 1 };
    run(v, "best");
    if (signs_slowly(v->row))
        return;
    for (size_t i = 1; !hr_kernel_at(&kernel, v->row->alg, HR_OP_PK, i); i++) {
        if (kernel.needs & ~before)
            continue;
        cpu_override(kernel.needs);
        run(v, kernel.name);
    }
    cpu_override(0);
    if (kernel.needs)
        run(v, "no feature");
    cpu_override(before);
}

static void expect(const struct vector *v, const char *cpu, const char *call, int error,
                   const uint8_t *out, size_t len, const struct bytes *wanted)
{
    if (error || len != wanted->len || memcmp(out, wanted->p, len))
        complain("case %u: %s, %s, %s: %s", v->number, v->row->name, cpu, call,
                 error ? hr_strerror(error) : "wrong");
}

/* ---- key agreement ---- */

static void agree(const struct vector *v, const char *cpu)
{
    struct hr_agree_key key;
    uint8_t out[256];
    size_t len = sizeof out;
    int error = hr_agree_key_init(&key, v->row->alg, v->key.p, v->key.len);
    const int checked = hr_agree_check(v->row->alg, v->in.p, v->in.len);
    if (!error)
        error = hr_agree(out, &len, v->in.p, v->in.len, &key);
    hr_agree_key_wipe(&key);
    if (v->result == MUST_WORK) {
        expect(v, cpu, "agree", error, out, len, &v->out);
        if (checked)
            complain("case %u: %s: check: %s", v->number, v->row->name, hr_strerror(checked));
    } else if (v->result == MUST_FAIL && !error) {
        complain("case %u: %s, %s: accepted", v->number, v->row->name, cpu);
    }
}

void run_agree(const struct vector *v)
{
    on_every_cpu(v, agree);
}

static void agree_public(const struct vector *v, const char *cpu)
{
    struct hr_agree_key key;
    uint8_t out[256];
    size_t len = sizeof out;
    int error = hr_agree_key_init(&key, v->row->alg, v->key.p, v->key.len);
    if (!error)
        error = hr_agree_key_public(out, &len, &key);
    expect(v, cpu, "public key", error, out, len, &v->out);
    len = sizeof out;
    if (!error)
        error = hr_agree_key_private(out, &len, &key);
    expect(v, cpu, "private key", error, out, len, &v->key);
    hr_agree_key_wipe(&key);
}

void run_agree_public(const struct vector *v)
{
    on_every_cpu(v, agree_public);
}

void run_ladder(const struct vector *v)
{
    struct hr_agree_key key;
    uint8_t k[32], u[32], out[32];
    size_t len = sizeof out;
    int error = v->key.len != sizeof k || v->in.len != sizeof u ? HR_ELENGTH : 0;
    memcpy(k, v->key.p, error ? 0 : sizeof k);
    memcpy(u, v->in.p, error ? 0 : sizeof u);
    for (uint64_t i = 0; !error && i < v->iterations; i++) {
        error = hr_agree_key_init(&key, v->row->alg, k, sizeof k);
        if (!error)
            error = hr_agree(out, &len, u, sizeof u, &key);
        memcpy(u, k, sizeof u);
        memcpy(k, out, sizeof k);
    }
    expect(v, "best", "ladder", error, k, sizeof k, &v->out);
}

/* ---- signatures ---- */

static struct hr_sign_options options_of(const struct vector *v)
{
    return (struct hr_sign_options){
        .flags = v->flags,
        .digest = v->mac ? v->mac->digest : HR_ALG_NONE,
        .context = v->info.p,
        .context_len = v->info.len,
        .random = v->iv.len == 32 ? v->iv.p : NULL,
    };
}

/* A build without proven code has none for some rows. */
static int has_code(const struct hr_algorithm *row)
{
    return !mldsa_op(row->alg) || mldsa_op(row->alg)->kernels[0].code;
}

/* Memory for a key of exactly the row's size. */
static struct hr_sign_key *new_key(const struct vector *v)
{
    return aligned_alloc(64, (hr_sign_key_size(v->row->alg) + 63) & ~(size_t)63);
}

static void check_verify(const struct vector *v, const char *cpu, const struct hr_sign_key *key)
{
    const struct hr_sign_options options = options_of(v);
    const int error = hr_verify(v->tag.p, v->tag.len, v->in.p, v->in.len, key, &options);
    if (v->result == MUST_WORK && error)
        complain("case %u: %s, %s: %s", v->number, v->row->name, cpu, hr_strerror(error));
    if (v->result == MUST_FAIL && !error)
        complain("case %u: %s, %s: accepted", v->number, v->row->name, cpu);
}

/* The case with the signature that was made, if it is the one with the case's digest. */
static struct vector with_signature(const struct vector *v, const char *cpu, uint8_t *sig,
                                    size_t len)
{
    struct vector whole = *v;
    uint8_t digest[32];
    int error = hr_digest(digest, HR_SHA256, sig, len);
    expect(v, cpu, "digest of a signature", error, digest, sizeof digest, &v->out);
    whole.tag = (struct bytes){ sig, len };
    return whole;
}

static void sign(const struct vector *v, const char *cpu)
{
    const struct hr_sign_options options = options_of(v);
    struct hr_sign_key *key = new_key(v);
    static uint8_t out[MOST_SIGNATURE];
    size_t len = sizeof out;
    int error = hr_sign_key_init(key, v->row->alg, v->key.p, v->key.len);
    if (error == HR_ECPU && !has_code(v->row)) {
        free(key);
        return;
    }
    if (!error)
        error = hr_sign(out, &len, v->in.p, v->in.len, key, &options);
    if (v->result == MUST_FAIL) {
        if (!error)
            complain("case %u: %s, %s: signed", v->number, v->row->name, cpu);
        free(key);
        return;
    }
    const struct vector whole = v->out.len ? with_signature(v, cpu, out, error ? 0 : len) : *v;
    expect(v, cpu, "sign", error, out, len, &whole.tag);
    check_verify(&whole, cpu, key);
    uint8_t public[MOST_PUBLIC];
    len = sizeof public;
    if (!error)
        error = hr_sign_key_public(public, &len, key);
    hr_sign_key_wipe(key);
    if (!error)
        error = hr_sign_key_init_public(key, v->row->alg, public, len);
    if (error)
        complain("case %u: %s, %s: public key: %s", v->number, v->row->name, cpu,
                 hr_strerror(error));
    else
        check_verify(&whole, cpu, key);
    free(key);
}

void run_sign(const struct vector *v)
{
    on_every_cpu(v, sign);
}

/* The case with its signature as r || s, or no bytes if it is not in DER. */
static struct vector without_der(const struct vector *v, uint8_t *sig)
{
    struct vector plain = *v;
    const size_t len = v->row->out_len;
    plain.tag = (struct bytes){ sig, hr_ecdsa_from_der(sig, len, v->tag.p, v->tag.len) ? 0 : len };
    return plain;
}

void run_sign_der(const struct vector *v)
{
    uint8_t sig[256], der[256];
    size_t len = sizeof der;
    const struct vector plain = without_der(v, sig);
    const int error = hr_ecdsa_to_der(der, &len, sig, v->row->out_len);
    expect(v, "any", "DER", error, der, len, &v->tag);
    run_sign(&plain);
}

static void verify(const struct vector *v, const char *cpu)
{
    struct hr_sign_key *key = new_key(v);
    const int error = hr_sign_key_init_public(key, v->row->alg, v->key.p, v->key.len);
    if (!error)
        check_verify(v, cpu, key);
    else if (v->result == MUST_WORK && (error != HR_ECPU || has_code(v->row)))
        complain("case %u: %s, %s: key: %s", v->number, v->row->name, cpu, hr_strerror(error));
    free(key);
}

void run_verify(const struct vector *v)
{
    on_every_cpu(v, verify);
}

void run_verify_der(const struct vector *v)
{
    uint8_t sig[256];
    const struct vector plain = without_der(v, sig);
    run_verify(&plain);
}

static void sign_public(const struct vector *v, const char *cpu)
{
    struct hr_sign_key *key = new_key(v);
    static uint8_t out[MOST_SIGNATURE];
    size_t len = sizeof out;
    int error = hr_sign_key_init(key, v->row->alg, v->key.p, v->key.len);
    if (error == HR_ECPU && !has_code(v->row)) {
        free(key);
        return;
    }
    if (!error)
        error = hr_sign_key_public(out, &len, key);
    expect(v, cpu, "public key", error, out, len, &v->out);
    len = sizeof out;
    if (!error)
        error = hr_sign_key_private(out, &len, key);
    expect(v, cpu, "private key", error, out, len, v->tag.len ? &v->tag : &v->key);
    len = sizeof out;
    if (!error)
        error = hr_sign_key_seed(out, &len, key);
    expect(v, cpu, "seed", error, out, len, &v->key);
    free(key);
}

void run_sign_public(const struct vector *v)
{
    on_every_cpu(v, sign_public);
}

void run_rsa_verify(const struct vector *v)
{
    const struct hr_rsa_parts parts = { .n = { v->key.p, v->key.len },
                                        .e = { v->iv.p, v->iv.len } };
    const struct hr_rsa_options options = { .padding = HR_RSA_PKCS1, .digest = HR_SHA256 };
    static struct hr_rsa_key key;
    uint8_t digest[32];
    int error = hr_digest(digest, HR_SHA256, v->in.p, v->in.len);
    if (!error)
        error = hr_rsa_key_init_public(&key, &parts);
    if (error || hr_rsa_size(&key) != v->row->out_len) {
        complain("case %u: %s: key: %s", v->number, v->row->name, hr_strerror(error));
        return;
    }
    error = hr_rsa_verify(v->tag.p, v->tag.len, digest, sizeof digest, &key, &options);
    if (v->result == MUST_FAIL ? error != HR_EMAC : error)
        complain("case %u: %s: %s", v->number, v->row->name, hr_strerror(error));
}

void run_dsa_verify(const struct vector *v)
{
    const struct hr_dsa_parts parts = { .p = { v->key.p, v->key.len },
                                        .q = { v->iv.p, v->iv.len },
                                        .g = { v->salt.p, v->salt.len },
                                        .y = { v->info.p, v->info.len } };
    static struct hr_dsa_key key;
    uint8_t digest[32];
    int error = hr_digest(digest, HR_SHA256, v->in.p, v->in.len);
    if (!error)
        error = hr_dsa_key_init_public(&key, &parts);
    if (error || v->key.len != v->row->public_len || hr_dsa_size(&key) != v->row->out_len) {
        complain("case %u: %s: key: %s", v->number, v->row->name, hr_strerror(error));
        return;
    }
    error = hr_dsa_verify(v->tag.p, v->tag.len, digest, sizeof digest, &key);
    if (v->result == MUST_FAIL ? error != HR_EMAC : error)
        complain("case %u: %s: %s", v->number, v->row->name, hr_strerror(error));
}

void run_dh_agree(const struct vector *v)
{
    static const struct {
        size_t bytes;
        enum hr_dh_group group;
    } groups[] = {
        { 256, HR_DH_FFDHE2048 },
        { 384, HR_DH_FFDHE3072 },
        { 512, HR_DH_FFDHE4096 },
        { 1024, HR_DH_FFDHE8192 },
    };
    static struct hr_dh_key key;
    const struct hr_number private = { v->key.p, v->key.len };
    struct hr_dh_params params = { 0 };
    uint8_t secret[1024];
    size_t len = sizeof secret;
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        if (groups[i].bytes == v->row->public_len)
            params.group = groups[i].group;
    int error = hr_dh_key_init(&key, &params, &private);
    if (!error)
        error = hr_dh_agree(secret, &len, v->in.p, v->in.len, &key, 0);
    if (error || len != v->row->out_len || len != v->out.len || memcmp(secret, v->out.p, len))
        complain("case %u: %s: %s", v->number, v->row->name, hr_strerror(error));
}
