/* SPDX-License-Identifier: Apache-2.0 */
/* The model of DSA and DH: key management.  Groups of all shapes are tried: those that the library
 * takes, short ones, named ones, and without q. */
#include "ffc.h"
#include <openssl/param_build.h>

/* struct shape is how a group is generated: by lengths of p and q, or a name. */
static const struct shape {
    const char *name, *type, *group;
    unsigned p_bits, q_bits;
} shapes[] = {
    { "DSA 512", "DSA", NULL, 512, 160 },           { "DSA 1024", "DSA", NULL, 1024, 160 },
    { "DSA 2048", "DSA", NULL, 2048, 256 },         { "DHX 1024", "DHX", NULL, 1024, 160 },
    { "DH ffdhe2048", "DH", "ffdhe2048", 0, 0 },    { "DH modp_1536", "DH", "modp_1536", 0, 0 },
    { "DHX 2048-256", "DHX", "dh_2048_256", 0, 0 },
};
enum { NUM_SHAPES = sizeof shapes / sizeof *shapes, NUM_PAIRS = 2, NUM_PARTS = 10 };

static const char *const part_names[NUM_PARTS] = { "p",        "q",      "g",    "pub",      "priv",
                                                   "priv_len", "gindex", "seed", "pcounter", "j" };
/* Keys of each group, from OpenSSL; both are of one group. */
static OSSL_PARAM *pairs[NUM_SHAPES][NUM_PAIRS];
static size_t sizes[NUM_SHAPES];

static size_t shape_of(const struct run *r)
{
    size_t i = 0;
    while (strcmp(shapes[i].name, r->subject->name))
        i++;
    return i;
}

int ffc_is_dsa(const struct run *r)
{
    return !strcmp(shapes[shape_of(r)].type, "DSA");
}

size_t ffc_size(const struct run *r)
{
    return sizes[shape_of(r)];
}

const char *ffc_type(const struct run *r)
{
    return shapes[shape_of(r)].type;
}

/* ---- groups and keys from OpenSSL ---- */

static size_t generation(const struct shape *shape, OSSL_PARAM *list, size_t bits[2])
{
    size_t num = 0;
    bits[0] = shape->p_bits;
    bits[1] = shape->q_bits;
    if (shape->group) {
        list[num++] = OSSL_PARAM_construct_utf8_string("group", (char *)shape->group, 0);
    } else {
        list[num++] = OSSL_PARAM_construct_size_t("pbits", &bits[0]);
        list[num++] = OSSL_PARAM_construct_size_t("qbits", &bits[1]);
        list[num++] = OSSL_PARAM_construct_utf8_string("type", "fips186_2", 0);
    }
    list[num] = OSSL_PARAM_construct_end();
    return num;
}

static EVP_PKEY *make_group(const struct shape *shape)
{
    size_t bits[2];
    OSSL_PARAM list[4];
    EVP_PKEY *group = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(pkey_libctx(), shape->type, THEIRS);
    generation(shape, list, bits);
    MUST(ctx && EVP_PKEY_paramgen_init(ctx) > 0 && EVP_PKEY_CTX_set_params(ctx, list) > 0 &&
         EVP_PKEY_generate(ctx, &group) > 0);
    EVP_PKEY_CTX_free(ctx);
    return group;
}

/* import_key makes a key of a group by the definition: OpenSSL generates none in short groups. */
static EVP_PKEY *import_key(EVP_PKEY *group, const char *type)
{
    BIGNUM *p = NULL, *q = NULL, *g = NULL, *y = BN_new(), *x = BN_new();
    BN_CTX *numbers = BN_CTX_new();
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY *key = NULL;
    MUST(EVP_PKEY_get_bn_param(group, "p", &p) && EVP_PKEY_get_bn_param(group, "q", &q) &&
         EVP_PKEY_get_bn_param(group, "g", &g) && BN_rand(x, 150, 0, 0) &&
         BN_mod_exp(y, g, x, p, numbers) && OSSL_PARAM_BLD_push_BN(builder, "p", p) &&
         OSSL_PARAM_BLD_push_BN(builder, "q", q) && OSSL_PARAM_BLD_push_BN(builder, "g", g) &&
         OSSL_PARAM_BLD_push_BN(builder, "pub", y) && OSSL_PARAM_BLD_push_BN(builder, "priv", x));
    OSSL_PARAM *list = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(pkey_libctx(), type, THEIRS);
    MUST(list && ctx && EVP_PKEY_fromdata_init(ctx) > 0 &&
         EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEYPAIR, list) > 0);
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(list);
    OSSL_PARAM_BLD_free(builder);
    BN_CTX_free(numbers);
    BIGNUM *const all[] = { p, q, g, x, y };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        BN_free(all[i]);
    return key;
}

static EVP_PKEY *generate_key(EVP_PKEY *group)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(pkey_libctx(), group, THEIRS);
    MUST(ctx && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_generate(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static void make_pairs(size_t index)
{
    const struct shape *shape = &shapes[index];
    EVP_PKEY *group = make_group(shape);
    const int bits = EVP_PKEY_get_bits(group);
    sizes[index] = (size_t)(bits + 7) / 8;
    for (size_t i = 0; i < NUM_PAIRS; i++) {
        EVP_PKEY *key = bits < 1024 ? import_key(group, shape->type) : generate_key(group);
        MUST(EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &pairs[index][i]) > 0);
        EVP_PKEY_free(key);
    }
    EVP_PKEY_free(group);
}

static size_t ffc_subjects(const struct loaded *both, struct subject out[], size_t most)
{
    pkey_set_up(both);
    for (size_t i = 0; i < NUM_SHAPES && i < most; i++) {
        if (!pairs[i][0])
            make_pairs(i);
        snprintf(out[i].name, sizeof out->name, "%s", shapes[i].name);
    }
    return NUM_SHAPES;
}

/* ---- steps that make keys ---- */

static void do_import(struct run *r, struct result *out)
{
    static const size_t counts[] = { NUM_PARTS, NUM_PARTS, NUM_PARTS, 5, 4, 3 };
    const struct number_source from = { ffc_type(r), part_names, counts, pairs[shape_of(r)], 3, 0 };
    EVP_PKEY **place = pkey_pick(r);
    int selection;
    EVP_PKEY *made = number_import(r, out, &from, &selection);
    if (made)
        pkey_keep(r, place, made, 0);
}

/* do_generate makes a key in the group of another one. */
static void do_generate(struct run *r, struct result *out)
{
    static const int lens[] = { 0, 160, 200, 225, 300, 4000 };
    EVP_PKEY **from = pkey_pick(r), **place = pkey_pick(r), *made = NULL;
    int len = lens[below(r, 6)];
    OSSL_PARAM list[] = { OSSL_PARAM_construct_int("priv_len", &len), OSSL_PARAM_construct_end() };
    if (!*from)
        return;
    note(r, " priv_len=%d", len);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(pkey_libctx(), *from, pkey_properties(r));
    MUST(ctx);
    pkey_said(out, EVP_PKEY_keygen_init(ctx));
    if (len)
        pkey_said(out, EVP_PKEY_CTX_set_params(ctx, list));
    pkey_restart(r);
    pkey_said(out, EVP_PKEY_generate(ctx, &made));
    EVP_PKEY_CTX_free(ctx);
    if (made)
        pkey_keep(r, place, made, 0);
}

/* do_paramgen makes a group, or a key in a named group, from nothing. */
static void do_paramgen(struct run *r, struct result *out)
{
    static const struct shape tried[] = {
        { "", "", "ffdhe2048", 0, 0 }, { "", "", "modp_1536", 0, 0 },
        { "", "", "nonsense", 0, 0 },  { "", "", "dh_1024_160", 0, 0 },
        { "", "", NULL, 512, 160 },    { "", "", NULL, 100, 160 },
        { "", "", NULL, 512, 161 },
    };
    EVP_PKEY **place = pkey_pick(r), *made = NULL;
    const size_t which = ffc_is_dsa(r) ? 4 + below(r, 3) : below(r, 7); /* a DSA group takes long */
    const int keygen = (int)below(r, 2);
    size_t bits[2];
    OSSL_PARAM list[4];
    generation(&tried[which], list, bits);
    note(r, " %zu%s", which, keygen ? ", key" : "");
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(pkey_libctx(), ffc_type(r), pkey_properties(r));
    MUST(ctx);
    pkey_said(out, keygen ? EVP_PKEY_keygen_init(ctx) : EVP_PKEY_paramgen_init(ctx));
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
    static const char *const names[] = {
        "bits",  "security-bits",  "max-size",        "p",       "q", "g", "pub", "priv",
        "group", "default-digest", "encoded-pub-key", "nonsense"
    };
    static const size_t lens[] = { 0, 1, 4, 20, 64, 256, 512 };
    EVP_PKEY **key = pkey_pick(r);
    const char *name = names[below(r, 12)];
    const size_t len = lens[below(r, 7)];
    const int with = below(r, 5) > 0;
    const unsigned type = strstr(name, "digest") || !strcmp(name, "group") ? OSSL_PARAM_UTF8_STRING
                          : strstr(name, "encoded")                        ? OSSL_PARAM_OCTET_STRING
                                                    : OSSL_PARAM_UNSIGNED_INTEGER;
    number_get(r, out, *key, &(struct asked){ name, type, len, with });
}

static void do_export(struct run *r, struct result *out)
{
    number_export(r, out, part_names, NUM_PARTS);
}

static void do_ffc_facts(struct run *r, struct result *out)
{
    EVP_PKEY **key = pkey_pick(r);
    char text[80] = "";
    if (!*key)
        return;
    const int numbers[] = { EVP_PKEY_get_bits(*key),          EVP_PKEY_get_security_bits(*key),
                            EVP_PKEY_get_size(*key),          EVP_PKEY_get_id(*key),
                            EVP_PKEY_can_sign(*key),          EVP_PKEY_is_a(*key, "DSA"),
                            EVP_PKEY_is_a(*key, "DHX"),       EVP_PKEY_is_a(*key, "dhKeyAgreement"),
                            EVP_PKEY_missing_parameters(*key) };
    pkey_say(out, numbers, sizeof numbers);
    pkey_said(out, EVP_PKEY_get_default_digest_name(*key, text, sizeof text));
    pkey_say(out, text, sizeof text);
}

static void do_ffc_lists(struct run *r, struct result *out)
{
    EVP_PKEY **key = pkey_pick(r);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(pkey_libctx(), ffc_type(r), pkey_properties(r));
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(pkey_libctx(), "DSA", pkey_properties(r));
    EVP_KEYEXCH *exchange = EVP_KEYEXCH_fetch(pkey_libctx(), "DH", pkey_properties(r));
    MUST(ctx && signature && exchange && EVP_PKEY_keygen_init(ctx) > 0);
    if (*key) {
        say_list(out, EVP_PKEY_gettable_params(*key));
        say_list(out, EVP_PKEY_settable_params(*key));
    }
    say_list(out, EVP_PKEY_CTX_settable_params(ctx));
    say_list(out, EVP_SIGNATURE_gettable_ctx_params(signature));
    say_list(out, EVP_SIGNATURE_settable_ctx_params(signature));
    say_list(out, EVP_KEYEXCH_gettable_ctx_params(exchange));
    say_list(out, EVP_KEYEXCH_settable_ctx_params(exchange));
    EVP_KEYEXCH_free(exchange);
    EVP_SIGNATURE_free(signature);
    EVP_PKEY_CTX_free(ctx);
    pkey_said(out, 1);
}

static const struct step steps[] = {
    { "import", do_import, 6 },    { "generate", do_generate, 2 }, { "paramgen", do_paramgen, 1 },
    { "dup", do_number_dup, 1 },   { "equal", do_equal, 2 },       { "check", do_check, 1 },
    { "get", do_get, 2 },          { "export", do_export, 2 },     { "facts", do_ffc_facts, 1 },
    { "lists", do_ffc_lists, 1 },  { "sign", do_dsa_sign, 5 },     { "message", do_dsa_message, 5 },
    { "derive", do_dh_derive, 5 }, { "peer", do_dh_peer, 2 },      { NULL, NULL, 0 },
};

static const struct difference differences[] = {
    { NULL, NULL, 0 },
};

const struct model ffc_model = {
    .name = "ffc",
    .subjects = ffc_subjects,
    .make = pkey_make,
    .unmake = pkey_unmake,
    .steps = steps,
    .differences = differences,
    .is_slow = 1,
};
