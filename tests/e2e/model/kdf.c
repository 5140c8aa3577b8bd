/* SPDX-License-Identifier: Apache-2.0 */
/* The model of KDFs. */
#include "model.h"
#include <openssl/kdf.h>

enum facts {
    PARTIAL = 1,    /* parameters were refused */
    PROPERTIES = 2, /* properties were given without a digest */
};

static EVP_KDF_CTX *ctx(const struct run *r)
{
    return r->ctx[r->side];
}

static size_t kdf_subjects(const struct loaded *both, struct subject out[], size_t most)
{
    const struct hr_algorithm *row;
    size_t num = 0;
    for (size_t i = 0; (row = hr_algorithm_at(i)) && num < most; i++) {
        if (row->cls != HR_CLASS_KDF)
            continue;
        row_name(row, out[num].name);
        for (int side = 0; side < 2; side++)
            MUST((out[num].alg[side] = EVP_KDF_fetch(both->libctx, out[num].name,
                                                     side == OUR_SIDE ? OURS : THEIRS)));
        out[num++].row = row;
    }
    return num;
}

static void *kdf_make(const struct subject *s, int side)
{
    EVP_KDF_CTX *made = EVP_KDF_CTX_new(s->alg[side]);
    MUST(made);
    return made;
}

static void kdf_unmake(void *made)
{
    EVP_KDF_CTX_free(made);
}

/* ---- parameters ---- */

static const int lens[] = { 0, 1, 8, 15, 16, 20, 32, 64, 65, 128, -1 };
static const int small[] = { 0, 1, 1, 2, -2, 3, -1 };
static const int iterations[] = { 0, 1, 2, 7, 999, 1000, -1 };
static const char *const digests[] = { "SHA1",   "SHA256",   "SHA2-512", "MD5",
                                       "SHA512", "SHA3-256", "nonsense", NULL };
static const char *const modes[] = { "EXTRACT_AND_EXPAND", "EXTRACT_ONLY", "EXPAND_ONLY",
                                     "nonsense", NULL };
static const char *const properties[] = { "", "provider=default", "x=nonsense", NULL };

static const struct kind kinds[] = {
    { OSSL_KDF_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, lens, digests, 0 },
    { OSSL_KDF_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, lens, digests, 0 },
    { OSSL_KDF_PARAM_PROPERTIES, OSSL_PARAM_UTF8_STRING, lens, properties, 0 },
    { OSSL_KDF_PARAM_PASSWORD, OSSL_PARAM_OCTET_STRING, lens, NULL, 0 },
    { OSSL_KDF_PARAM_KEY, OSSL_PARAM_OCTET_STRING, lens, NULL, 0 },
    { OSSL_KDF_PARAM_SALT, OSSL_PARAM_OCTET_STRING, lens, NULL, 0 },
    { OSSL_KDF_PARAM_INFO, OSSL_PARAM_OCTET_STRING, lens, NULL, 0 },
    { OSSL_KDF_PARAM_ITER, OSSL_PARAM_UNSIGNED_INTEGER, iterations, NULL, 1 },
    { OSSL_KDF_PARAM_PKCS5, OSSL_PARAM_INTEGER, small, NULL, 0 },
    { OSSL_KDF_PARAM_MODE, OSSL_PARAM_UTF8_STRING, small, modes, 0 },
    { OSSL_KDF_PARAM_MODE, OSSL_PARAM_INTEGER, small, NULL, 0 },
    { OSSL_KDF_PARAM_SIZE, OSSL_PARAM_UNSIGNED_INTEGER, lens, NULL, 0 },
    { NULL, 0, NULL, NULL, 0 },
};

static void learn(struct run *r, const OSSL_PARAM *list)
{
    if (OSSL_PARAM_locate_const(list, OSSL_KDF_PARAM_PROPERTIES) &&
        !OSSL_PARAM_locate_const(list, OSSL_KDF_PARAM_DIGEST))
        r->facts |= PROPERTIES;
}

/* ---- steps ---- */

static void do_set(struct run *r, struct result *out)
{
    struct random_params memory;
    const OSSL_PARAM *list = pick_params(r, &memory, kinds);
    learn(r, list);
    out->ok = EVP_KDF_CTX_set_params(ctx(r), list) > 0;
    if (!out->ok)
        r->facts |= PARTIAL;
}

/* do_all sets all that a derivation needs. */
static void do_all(struct run *r, struct result *out)
{
    unsigned char secret[40], salt[20];
    char *digest = (char *)digests[below(r, 5)];
    random_bytes(&r->random, secret, sizeof secret);
    random_bytes(&r->random, salt, sizeof salt);
    const int is_hkdf = EVP_KDF_is_a(r->subject->alg[r->side], "HKDF");
    OSSL_PARAM list[] = { OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
                          OSSL_PARAM_construct_octet_string(is_hkdf ? OSSL_KDF_PARAM_KEY
                                                                    : OSSL_KDF_PARAM_PASSWORD,
                                                            secret, below(r, sizeof secret)),
                          OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt, sizeof salt),
                          OSSL_PARAM_construct_end() };
    note(r, " %s", digest);
    out->ok = EVP_KDF_CTX_set_params(ctx(r), list) > 0;
}

static void do_derive(struct run *r, struct result *out)
{
    struct random_params memory;
    static const uint8_t sizes[] = { 0, 1, 13, 14, 16, 20, 32, 64, 100 };
    const OSSL_PARAM *list = below(r, 4) ? NULL : pick_params(r, &memory, kinds);
    if (list)
        learn(r, list);
    out->len = sizes[below(r, sizeof sizes)];
    note(r, " %zu bytes", out->len);
    out->ok = EVP_KDF_derive(ctx(r), out->out, out->len, list) > 0;
    if (!out->ok && list)
        r->facts |= PARTIAL;
}

static void do_size(struct run *r, struct result *out)
{
    const size_t size = EVP_KDF_CTX_get_kdf_size(ctx(r));
    out->ok = 1;
    memcpy(out->out, &size, out->len = sizeof size);
}

static void do_reset(struct run *r, struct result *out)
{
    EVP_KDF_CTX_reset(ctx(r));
    r->facts = 0;
    out->ok = 1;
}

static void do_copy(struct run *r, struct result *out)
{
    EVP_KDF_CTX *copy = EVP_KDF_CTX_dup(ctx(r));
    out->ok = copy || r->side == THEIR_SIDE; /* some of OpenSSL's cannot be copied */
    if (!copy)
        return;
    EVP_KDF_CTX_free(ctx(r));
    r->ctx[r->side] = copy;
}

static const struct step steps[] = {
    { "set", do_set, 8 },   { "all", do_all, 3 },     { "derive", do_derive, 6 },
    { "size", do_size, 1 }, { "reset", do_reset, 1 }, { "copy", do_copy, 1 },
    { NULL, NULL, 0 },
};

static int partial(const struct run *r, const struct step *step, const struct result res[2])
{
    return (r->before & PARTIAL) != 0;
}

/* properties_alone: they are of no use; 3.5 does not look at their type. */
static int properties_alone(const struct run *r, const struct step *step,
                            const struct result res[2])
{
    return r->facts & PROPERTIES && res[THEIR_SIDE].ok > 0 && res[OUR_SIDE].ok <= 0;
}

static const struct difference differences[] = {
    { "properties of another type come without a digest", properties_alone, 0 },
    { "parameters were refused, of which releases take other parts", partial, 0 },
    { NULL, NULL, 0 },
};

const struct model kdf_model = {
    .name = "kdf",
    .subjects = kdf_subjects,
    .make = kdf_make,
    .unmake = kdf_unmake,
    .steps = steps,
    .differences = differences,
};
