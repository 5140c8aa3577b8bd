/* SPDX-License-Identifier: Apache-2.0 */
/* The model of RSA: key management.  Keys of all shapes are tried: those that the library takes,
 * too short ones, with three primes, and without the parts of the CRT. */
#include "rsa.h"

static const struct size {
    const char *name;
    unsigned bits, primes;
} sizes[] = {
    { "RSA 512", 512, 2 },   { "RSA 1024", 1024, 2 },
    { "RSA 1027", 1027, 2 }, { "RSA 1536 of three primes", 1536, 3 },
    { "RSA 2048", 2048, 2 },
};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes, NUM_PAIRS = 2, NUM_PARTS = 11 };

static const char *const part_names[NUM_PARTS] = {
    "n",
    "e",
    "d",
    "rsa-factor1",
    "rsa-factor2",
    "rsa-exponent1",
    "rsa-exponent2",
    "rsa-coefficient1",
    "rsa-factor3",
    "rsa-exponent3",
    "rsa-coefficient2",
};
/* The parts of each key, from OpenSSL. */
static OSSL_PARAM *pairs[NUM_SIZES][NUM_PAIRS];

static const struct size *size_of(const struct run *r)
{
    size_t i = 0;
    while (strcmp(sizes[i].name, r->subject->name))
        i++;
    return &sizes[i];
}

size_t rsa_size(const struct run *r)
{
    return (size_of(r)->bits + 7) / 8;
}

static void make_pair(const struct size *size, OSSL_PARAM **out)
{
    EVP_PKEY *key = NULL;
    size_t bits = size->bits, primes = size->primes;
    const OSSL_PARAM list[] = { OSSL_PARAM_construct_size_t("bits", &bits),
                                OSSL_PARAM_construct_size_t("primes", &primes),
                                OSSL_PARAM_construct_end() };
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(pkey_libctx(), "RSA", THEIRS);
    MUST(ctx && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_params(ctx, list) > 0 &&
         EVP_PKEY_generate(ctx, &key) > 0 && EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, out) > 0);
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(ctx);
}

static size_t rsa_subjects(const struct loaded *both, struct subject out[], size_t most)
{
    pkey_set_up(both);
    for (size_t i = 0; i < NUM_SIZES && i < most; i++) {
        for (size_t j = 0; j < NUM_PAIRS; j++)
            if (!pairs[i][j])
                make_pair(&sizes[i], &pairs[i][j]);
        snprintf(out[i].name, sizeof out->name, "%s", sizes[i].name);
    }
    return NUM_SIZES;
}

/* ---- steps that make keys ---- */

static void do_import(struct run *r, struct result *out)
{
    static const size_t counts[] = { NUM_PARTS, NUM_PARTS, NUM_PARTS, 2, 3, 5 };
    const int is_whole = pkey_release() < 302; /* OpenSSL 3.0 frees what is left twice */
    const struct number_source from = { "RSA", part_names, counts, pairs[size_of(r) - sizes],
                                        40,    is_whole };
    EVP_PKEY **place = pkey_pick(r);
    int selection;
    EVP_PKEY *made = number_import(r, out, &from, &selection);
    if (made && selection != EVP_PKEY_KEY_PARAMETERS)
        pkey_keep(r, place, made, 0);
    else
        EVP_PKEY_free(made); /* with a key without n OpenSSL crashes */
}

static void do_generate(struct run *r, struct result *out)
{
    static const size_t bit_counts[] = { 0, 100, 511, 512, 512, 600, 768 };
    size_t bits = bit_counts[below(r, 7)], primes = 2 + !below(r, 8);
    unsigned e = below(r, 4) ? 65537 : (unsigned)below(r, 20);
    OSSL_PARAM list[] = { OSSL_PARAM_construct_size_t("bits", &bits),
                          OSSL_PARAM_construct_size_t("primes", &primes),
                          OSSL_PARAM_construct_BN("e", (unsigned char *)&e, sizeof e),
                          OSSL_PARAM_construct_end() };
    EVP_PKEY **place = pkey_pick(r), *made = NULL;
    const int params_only = !below(r, 8);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(pkey_libctx(), "RSA", pkey_properties(r));
    MUST(ctx);
    note(r, " %zu bits, %zu primes, e=%u", bits, primes, e);
    pkey_said(out, params_only ? EVP_PKEY_paramgen_init(ctx) : EVP_PKEY_keygen_init(ctx));
    const int set = EVP_PKEY_CTX_set_params(ctx, list);
    pkey_said(out, set);
    pkey_restart(r);
    if (set > 0)
        pkey_said(out, EVP_PKEY_generate(ctx, &made));
    EVP_PKEY_CTX_free(ctx);
    if (made)
        pkey_keep(r, place, made, 0);
}

/* ---- steps that ask keys ---- */

static void do_get(struct run *r, struct result *out)
{
    static const char *const names[] = { "bits",
                                         "security-bits",
                                         "max-size",
                                         "n",
                                         "e",
                                         "d",
                                         "rsa-factor1",
                                         "rsa-coefficient1",
                                         "rsa-factor3",
                                         "default-digest",
                                         "mandatory-digest",
                                         "nonsense" };
    static const size_t lens[] = { 0, 1, 4, 8, 64, 128, 512 };
    EVP_PKEY **key = pkey_pick(r);
    const char *name = names[below(r, 12)];
    const size_t len = lens[below(r, 7)];
    const int with = below(r, 5) > 0;
    const unsigned type = strstr(name, "digest") ? OSSL_PARAM_UTF8_STRING
                          : below(r, 12)         ? OSSL_PARAM_UNSIGNED_INTEGER
                                                 : OSSL_PARAM_OCTET_STRING;
    number_get(r, out, *key, &(struct asked){ name, type, len, with });
}

static void do_export(struct run *r, struct result *out)
{
    number_export(r, out, part_names, NUM_PARTS);
}

static void do_rsa_facts(struct run *r, struct result *out)
{
    EVP_PKEY **key = pkey_pick(r);
    char text[80] = "";
    if (!*key)
        return;
    const int numbers[] = { EVP_PKEY_get_bits(*key),
                            EVP_PKEY_get_security_bits(*key),
                            EVP_PKEY_get_size(*key),
                            EVP_PKEY_get_id(*key),
                            EVP_PKEY_can_sign(*key),
                            EVP_PKEY_is_a(*key, "RSA"),
                            EVP_PKEY_is_a(*key, "rsaEncryption"),
                            EVP_PKEY_is_a(*key, "RSA-PSS") };
    pkey_say(out, numbers, sizeof numbers);
    pkey_said(out, EVP_PKEY_get_default_digest_name(*key, text, sizeof text));
    pkey_say(out, text, sizeof text);
}

static void do_rsa_lists(struct run *r, struct result *out)
{
    EVP_PKEY **key = pkey_pick(r);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(pkey_libctx(), "RSA", pkey_properties(r));
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(pkey_libctx(), "RSA", pkey_properties(r));
    EVP_ASYM_CIPHER *cipher = EVP_ASYM_CIPHER_fetch(pkey_libctx(), "RSA", pkey_properties(r));
    MUST(ctx && signature && cipher && EVP_PKEY_keygen_init(ctx) > 0);
    if (*key)
        say_list(out, EVP_PKEY_gettable_params(*key));
    say_list(out, EVP_PKEY_CTX_settable_params(ctx));
    say_list(out, EVP_SIGNATURE_gettable_ctx_params(signature));
    say_list(out, EVP_SIGNATURE_settable_ctx_params(signature));
    say_list(out, EVP_ASYM_CIPHER_gettable_ctx_params(cipher));
    say_list(out, EVP_ASYM_CIPHER_settable_ctx_params(cipher));
    EVP_ASYM_CIPHER_free(cipher);
    EVP_SIGNATURE_free(signature);
    EVP_PKEY_CTX_free(ctx);
    pkey_said(out, 1);
}

static const struct step steps[] = {
    { "import", do_import, 6 },       { "generate", do_generate, 1 },
    { "dup", do_number_dup, 1 },      { "equal", do_equal, 2 },
    { "check", do_check, 1 },         { "get", do_get, 2 },
    { "export", do_export, 2 },       { "facts", do_rsa_facts, 1 },
    { "lists", do_rsa_lists, 1 },     { "sign", do_rsa_sign, 5 },
    { "message", do_rsa_message, 5 }, { "crypt", do_rsa_crypt, 5 },
    { "encrypt", do_rsa_encrypt, 2 }, { NULL, NULL, 0 },
};

/* rejected: bad padding of PKCS#1 is an error of OpenSSL before 3.2. */
static int rejected(const struct run *r, const struct step *step, const struct result res[2])
{
    return step->run == do_rsa_crypt && r->facts & BAD_PADDING && pkey_release() < 302;
}

static const struct difference differences[] = {
    { "OpenSSL shows bad padding", rejected, 0 },
    { NULL, NULL, 0 },
};

const struct model rsa_model = {
    .name = "rsa",
    .subjects = rsa_subjects,
    .make = pkey_make,
    .unmake = pkey_unmake,
    .steps = steps,
    .differences = differences,
};
