/* SPDX-License-Identifier: Apache-2.0 */
/* RSA against OpenSSL: signatures whose encoded message (RFC 8017 section 9) has been changed get
 * the same verdict, ciphertexts of such encoded messages give the same message or error, and what
 * one signs or encrypts the other takes.  In some inputs, many operations in one call give what
 * each one gives. */
#include "fuzz.h"
#include "rsa_keys.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>
#include <headrace/rsa.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

enum { MAX = 256 };

static const struct digest {
    hr_alg alg;
    const char *name;
} digests[] = { { HR_SHA1, "SHA1" }, { HR_SHA256, "SHA256" }, { HR_SHA512, "SHA512" } };

/* ---- keys: OpenSSL reads them, and gives their numbers ---- */

static struct key {
    EVP_PKEY *theirs;
    struct hr_rsa_key ours;
    size_t len;
} keys[COUNT(rsa_keys)];

static struct hr_number number_of(EVP_PKEY *key, const char *name)
{
    static uint8_t memory[8][MAX];
    static size_t next;
    BIGNUM *n = NULL;
    uint8_t *const bytes = memory[next++ % COUNT(memory)];
    CHECK(EVP_PKEY_get_bn_param(key, name, &n) == 1);
    const int len = BN_bn2bin(n, bytes);
    BN_free(n);
    return (struct hr_number){ bytes, (size_t)len };
}

static void open_key(struct key *key, const uint8_t *der, size_t len)
{
    key->theirs = d2i_PrivateKey(EVP_PKEY_RSA, NULL, &der, (long)len);
    CHECK(key->theirs);
    const struct hr_rsa_parts parts = {
        .n = number_of(key->theirs, OSSL_PKEY_PARAM_RSA_N),
        .e = number_of(key->theirs, OSSL_PKEY_PARAM_RSA_E),
        .d = number_of(key->theirs, OSSL_PKEY_PARAM_RSA_D),
        .p = number_of(key->theirs, OSSL_PKEY_PARAM_RSA_FACTOR1),
        .q = number_of(key->theirs, OSSL_PKEY_PARAM_RSA_FACTOR2),
        .dp = number_of(key->theirs, OSSL_PKEY_PARAM_RSA_EXPONENT1),
        .dq = number_of(key->theirs, OSSL_PKEY_PARAM_RSA_EXPONENT2),
        .qinv = number_of(key->theirs, OSSL_PKEY_PARAM_RSA_COEFFICIENT1),
    };
    CHECK(!hr_rsa_key_init(&key->ours, &parts));
    key->len = hr_rsa_size(&key->ours);
    CHECK(key->len <= MAX);
}

static struct key *take_key(struct input *in)
{
    const size_t i = take_byte(in) % COUNT(keys);
    if (!keys[i].theirs)
        open_key(&keys[i], rsa_keys[i].der, rsa_keys[i].len);
    return &keys[i];
}

static void change(struct input *in, uint8_t *p, size_t len)
{
    for (uint8_t i = take_byte(in) % 6; i; i--) {
        const uint8_t at = take_byte(in);
        p[(at & 128 ? len - 1 - (at & 127) : at) % len] = take_byte(in);
    }
}

/* ---- contexts of OpenSSL ---- */

static EVP_PKEY_CTX *their_ctx(const struct key *key, int (*init)(EVP_PKEY_CTX *ctx),
                               const struct hr_rsa_options *options, const char *digest,
                               const char *mgf)
{
    static const int paddings[] = { [HR_RSA_PKCS1] = RSA_PKCS1_PADDING,
                                    [HR_RSA_PSS] = RSA_PKCS1_PSS_PADDING,
                                    [HR_RSA_OAEP] = RSA_PKCS1_OAEP_PADDING,
                                    [HR_RSA_NONE] = RSA_NO_PADDING };
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(key->theirs, NULL);
    CHECK(ctx && init(ctx) == 1 &&
          EVP_PKEY_CTX_set_rsa_padding(ctx, paddings[options->padding]) == 1);
    if (digest && options->padding == HR_RSA_OAEP)
        CHECK(EVP_PKEY_CTX_set_rsa_oaep_md_name(ctx, digest, NULL) == 1);
    else if (digest)
        CHECK(EVP_PKEY_CTX_set_signature_md(ctx, EVP_get_digestbyname(digest)) == 1);
    if (mgf)
        CHECK(EVP_PKEY_CTX_set_rsa_mgf1_md_name(ctx, mgf, NULL) == 1);
    if (options->padding == HR_RSA_PSS)
        CHECK(EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, options->salt_len == HR_RSA_SALT_ANY
                                                        ? RSA_PSS_SALTLEN_AUTO
                                                        : options->salt_len) == 1);
    return ctx;
}

/* ---- encoded messages ---- */

/* The operations without padding: the number that a signature is of, and the signature or the
 * encoded message of a number.  They return 0 if the number is too large.  OpenSSL, which has no
 * sanitizer and so is many times as fast, does the private one; in some inputs ours does it too. */
static int open_number(uint8_t *out, const uint8_t *in, const struct key *key)
{
    static const struct hr_rsa_options plain = { .padding = HR_RSA_NONE };
    size_t len = key->len;
    const int error = hr_rsa_encrypt(out, &len, in, key->len, &key->ours, &plain);
    CHECK(!error || error == HR_ELENGTH);
    return !error;
}
static int close_number(uint8_t *out, const uint8_t *in, const struct key *key, int both)
{
    static const struct hr_rsa_options plain = { .padding = HR_RSA_NONE };
    uint8_t ours[MAX];
    size_t len = key->len, our_len = key->len;
    EVP_PKEY_CTX *ctx = their_ctx(key, EVP_PKEY_sign_init, &plain, NULL, NULL);
    const int good = EVP_PKEY_sign(ctx, out, &len, in, key->len) == 1;
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    if (both) {
        const int error = hr_rsa_sign(ours, &our_len, in, key->len, &key->ours, &plain);
        CHECK(error == (good ? 0 : HR_ELENGTH) && (error || !memcmp(ours, out, len)));
    }
    return good;
}

/* ---- signatures ---- */

static struct hr_job new_job(enum hr_job_op op, const struct key *key,
                             const struct hr_rsa_options *options, uint8_t *sig,
                             const uint8_t *message, size_t len)
{
    return (struct hr_job){ .alg = (uint16_t)(key->len <= 128 ? HR_RSA1024 : HR_RSA2048),
                            .op = (uint8_t)op,
                            .key_form = HR_KEY_OBJECT,
                            .key = &key->ours,
                            .in = message,
                            .len = len,
                            .tag = sig,
                            .options = options };
}

/* Signs side by side, of which hr_rsa_sign made `want`; no signature has room for the second job.
 */
static void sign_many(const struct key *key, const struct hr_rsa_options *options,
                      const uint8_t *want, const uint8_t *message, size_t len)
{
    struct hr_job jobs[6];
    uint8_t sigs[COUNT(jobs)][MAX];
    for (size_t i = 0; i < COUNT(jobs); i++)
        jobs[i] = new_job(HR_JOB_SIGN, key, options, sigs[i], message, len);
    jobs[1].tag_len = (uint32_t)key->len - 1;
    CHECK(hr_sign_many(jobs, COUNT(jobs)) == HR_EBUFFER);
    for (size_t i = 0; i < COUNT(jobs); i++)
        CHECK(i == 1 ? jobs[i].result == HR_EBUFFER
                     : !jobs[i].result && !memcmp(sigs[i], want, key->len));
}

/* Verifies a signature, whose verdict alone is `error`, beside changed ones. */
static void verify_many(const struct key *key, const struct hr_rsa_options *options,
                        const uint8_t *sig, const uint8_t *message, size_t len, int error)
{
    struct hr_job jobs[7];
    uint8_t sigs[2][MAX];
    memcpy(sigs[0], sig, key->len);
    memcpy(sigs[1], sig, key->len);
    sigs[1][key->len / 2] ^= 1;
    const int verdicts[] = { error,
                             hr_rsa_verify(sigs[1], key->len, message, len, &key->ours, options) };
    for (size_t i = 0; i < COUNT(jobs); i++)
        jobs[i] = new_job(HR_JOB_VERIFY, key, options, sigs[i % 2], message, len);
    const int first = hr_verify_many(jobs, COUNT(jobs));
    CHECK(first == (verdicts[0] ? verdicts[0] : verdicts[1]));
    for (size_t i = 0; i < COUNT(jobs); i++)
        CHECK(jobs[i].result == verdicts[i % 2]);
}

static void compare_verdicts(const struct key *key, const struct hr_rsa_options *options,
                             const char *digest, const char *mgf, const uint8_t *sig,
                             const uint8_t *message, size_t len, int many)
{
    const int error = hr_rsa_verify(sig, key->len, message, len, &key->ours, options);
    if (many)
        verify_many(key, options, sig, message, len, error);
    EVP_PKEY_CTX *ctx = their_ctx(key, EVP_PKEY_verify_init, options, digest, mgf);
    CHECK((EVP_PKEY_verify(ctx, sig, key->len, message, len) == 1) == !error);
    EVP_PKEY_CTX_free(ctx);
}

static void sign(struct input *in)
{
    struct key *const key = take_key(in);
    const struct digest *const digest = &digests[take_byte(in) % COUNT(digests)];
    const struct digest *const mgf = &digests[take_byte(in) % COUNT(digests)];
    const uint8_t kind = take_byte(in);
    const int pss = kind & 1, salt = take_byte(in) % 80;
    const int many = (kind & 12) == 12; /* some: most of the time would go there */
    uint8_t message[64], random[MAX], sig[MAX], number[MAX];
    size_t len = sizeof sig;
    struct hr_rsa_options options = { .padding = pss ? HR_RSA_PSS : HR_RSA_PKCS1,
                                      .digest = digest->alg,
                                      .mgf_digest = pss ? mgf->alg : 0,
                                      .salt_len = pss ? salt : 0,
                                      .random = pss ? random : NULL };
    const size_t message_len = hr_algorithm(digest->alg)->out_len;
    take_many(in, message, message_len);
    take_many(in, random, sizeof random);
    const int error = hr_rsa_sign(sig, &len, message, message_len, &key->ours, &options);
    CHECK(!error || error == HR_EKEYLEN);
    if (error)
        return;
    if (many)
        sign_many(key, &options, sig, message, message_len);
    if (kind & 2)
        options.salt_len = pss ? HR_RSA_SALT_ANY : 0;
    const char *const mgf_name = pss ? mgf->name : NULL;
    CHECK(!hr_rsa_verify(sig, len, message, message_len, &key->ours, &options));
    compare_verdicts(key, &options, digest->name, mgf_name, sig, message, message_len, many);
    CHECK(open_number(number, sig, key));
    change(in, number, key->len);
    if (close_number(sig, number, key, many))
        compare_verdicts(key, &options, digest->name, mgf_name, sig, message, message_len, many);
    change(in, sig, key->len);
    compare_verdicts(key, &options, digest->name, mgf_name, sig, message, message_len, many);
}

/* ---- encryption ---- */

static void compare_messages(const struct key *key, const struct hr_rsa_options *options,
                             const char *digest, const char *mgf, const uint8_t *ct)
{
    uint8_t ours[MAX], theirs[MAX];
    size_t len = sizeof ours, their_len = sizeof theirs;
    const int error = hr_rsa_decrypt(ours, &len, ct, key->len, &key->ours, options);
    const int oaep = options->padding == HR_RSA_OAEP;
    EVP_PKEY_CTX *ctx =
        their_ctx(key, EVP_PKEY_decrypt_init, options, oaep ? digest : NULL, oaep ? mgf : NULL);
    if (!oaep) /* since release 3.2; before, they always raise errors */
        (void)EVP_PKEY_CTX_ctrl_str(ctx, "rsa_pkcs1_implicit_rejection", "0");
    if (options->label_len) {
        void *label = OPENSSL_memdup(options->label, options->label_len);
        CHECK(EVP_PKEY_CTX_set0_rsa_oaep_label(ctx, label, (int)options->label_len) == 1);
    }
    CHECK((EVP_PKEY_decrypt(ctx, theirs, &their_len, ct, key->len) == 1) == !error);
    CHECK(error || (len == their_len && !memcmp(ours, theirs, len)));
    EVP_PKEY_CTX_free(ctx);
}

static void encrypt(struct input *in)
{
    struct key *const key = take_key(in);
    const struct digest *const digest = &digests[take_byte(in) % COUNT(digests)];
    const struct digest *const mgf = &digests[take_byte(in) % COUNT(digests)];
    const uint8_t kind = take_byte(in);
    uint8_t message[MAX], random[MAX], label[16], ct[MAX], number[MAX];
    size_t len = sizeof ct;
    const int oaep = kind & 1;
    const struct hr_rsa_options options = { .padding = oaep ? HR_RSA_OAEP : HR_RSA_PKCS1,
                                            .digest = oaep ? digest->alg : 0,
                                            .mgf_digest = oaep ? mgf->alg : 0,
                                            .label = label,
                                            .label_len = oaep && kind & 2 ? sizeof label : 0,
                                            .raise_errors = !oaep,
                                            .random = random };
    const size_t message_len = take_byte(in) % key->len;
    take_many(in, message, message_len);
    take_many(in, random, sizeof random);
    for (size_t i = 0; i < sizeof random; i++) /* PKCS#1's padding has no zeros */
        random[i] |= !random[i];
    take(in, label, sizeof label);
    const int error = hr_rsa_encrypt(ct, &len, message, message_len, &key->ours, &options);
    CHECK(!error || error == HR_ELENGTH || error == HR_EKEYLEN);
    if (error)
        return;
    compare_messages(key, &options, digest->name, mgf->name, ct);
    CHECK(close_number(number, ct, key, (kind & 12) == 12));
    change(in, number, key->len);
    if (open_number(ct, number, key))
        compare_messages(key, &options, digest->name, mgf->name, ct);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    if (take_byte(&in) & 1)
        sign(&in);
    else
        encrypt(&in);
    return 0;
}
