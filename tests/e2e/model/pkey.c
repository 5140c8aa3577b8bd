/* SPDX-License-Identifier: Apache-2.0 */
/* The model of public keys that are strings of bytes: key management.  Random numbers of both sides
 * are the same ones, so that generated keys, hedged signatures and ciphertexts must be alike. */
#define OPENSSL_SUPPRESS_DEPRECATED /* RAND_METHOD */
#include "pkey.h"
#include <openssl/encoder.h>
#include <openssl/rand.h>

static const struct pkey_type types[] = {
    { "X25519", "x25519", NULL, AGREES, 32, 32, 32 },
    { "ED25519", NULL, NULL, SIGNS, 32, 32, 32 },
    { "ML-KEM-512", NULL, "seed", ENCAPSULATES, 64, 1632, 800 },
    { "ML-KEM-768", NULL, "seed", ENCAPSULATES, 64, 2400, 1184 },
    { "ML-KEM-1024", NULL, "seed", ENCAPSULATES, 64, 3168, 1568 },
    { "X25519MLKEM768", NULL, NULL, ENCAPSULATES, 0, 2432, 1216 },
    { "ML-DSA-44", NULL, "seed", SIGNS, 32, 2560, 1312 },
    { "ML-DSA-65", NULL, "seed", SIGNS, 32, 4032, 1952 },
    { "ML-DSA-87", NULL, "seed", SIGNS, 32, 4896, 2592 },
    { "SLH-DSA-SHA2-128f", NULL, "seed", SIGNS, 48, 64, 32 },
};
enum { NUM_TYPES = sizeof types / sizeof *types };

static struct pair pairs[NUM_TYPES][NUM_SEEDS];
static OSSL_LIB_CTX *libctx;

/* ---- random numbers ---- */

static uint64_t generator;

static int generate(unsigned char *out, int len)
{
    random_bytes(&generator, out, (size_t)len);
    return 1;
}

static int status(void)
{
    return 1;
}

void pkey_restart(const struct run *r)
{
    generator = r->random | 1;
}

/* ---- subjects ---- */

unsigned pkey_release(void)
{
    return OPENSSL_version_major() * 100 + OPENSSL_version_minor();
}

OSSL_LIB_CTX *pkey_libctx(void)
{
    return libctx;
}

const struct pkey_type *pkey_type(const struct run *r)
{
    size_t i = 0;
    while (strcmp(types[i].name, r->subject->name))
        i++;
    return &types[i];
}

const struct pair *pkey_pair(const struct run *r, size_t index)
{
    return &pairs[pkey_type(r) - types][index];
}

const char *pkey_properties(const struct run *r)
{
    return r->side == OUR_SIDE ? OURS : THEIRS;
}

struct kit *pkey_kit(const struct run *r)
{
    return r->ctx[r->side];
}

static int is_known(const char *name, const char *properties)
{
    EVP_KEYMGMT *keymgmt = EVP_KEYMGMT_fetch(libctx, name, properties);
    EVP_KEYMGMT_free(keymgmt);
    return keymgmt != NULL;
}

/* make_pair lets OpenSSL compute the private and the public key of a seed; a hybrid key, which has
 * none, and one of SLH-DSA, which takes the seed only then, it generates. */
static void make_pair(const struct pkey_type *type, struct pair *out, uint64_t state)
{
    EVP_PKEY *key = NULL;
    size_t len;
    generator = state;
    random_bytes(&state, out->seed, type->seed_len);
    OSSL_PARAM list[] = {
        OSSL_PARAM_construct_octet_string(type->seed ? type->seed : "priv", out->seed,
                                          type->seed_len),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, type->name, THEIRS);
    MUST(ctx);
    if (type->seed_len && strncmp(type->name, "SLH", 3))
        MUST(EVP_PKEY_fromdata_init(ctx) > 0 &&
             EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEYPAIR, list) > 0);
    else
        MUST(EVP_PKEY_keygen_init(ctx) > 0 &&
             (!type->seed_len || EVP_PKEY_CTX_set_params(ctx, list) > 0) &&
             EVP_PKEY_generate(ctx, &key) > 0);
    MUST(EVP_PKEY_get_octet_string_param(key, "priv", out->private, MAX_KEY, &len) &&
         len == type->private_len);
    MUST(EVP_PKEY_get_octet_string_param(key, type->seed_len ? "pub" : "encoded-pub-key",
                                         out->public, MAX_KEY, &len) &&
         len == type->public_len);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
}

void pkey_set_up(const struct loaded *both)
{
    static RAND_METHOD method;
    method.bytes = method.pseudorand = generate;
    method.status = status;
    MUST(RAND_set_rand_method(&method));
    libctx = both->libctx;
    generator = 1;
}

static size_t pkey_subjects(const struct loaded *both, struct subject out[], size_t most)
{
    size_t num = 0;
    pkey_set_up(both);
    for (size_t i = 0; i < NUM_TYPES && num < most; i++) {
        ERR_set_mark();
        const int known = is_known(types[i].name, THEIRS) && is_known(types[i].name, OURS);
        ERR_pop_to_mark();
        if (!known)
            continue;
        for (size_t j = 0; j < NUM_SEEDS; j++)
            make_pair(&types[i], &pairs[i][j], 0x1234567 + j);
        snprintf(out[num++].name, sizeof out->name, "%s", types[i].name);
    }
    return num;
}

void *pkey_make(const struct subject *s, int side)
{
    struct kit *kit = calloc(1, sizeof *kit);
    MUST(kit);
    return kit;
}

void pkey_unmake(void *made)
{
    struct kit *kit = made;
    for (size_t i = 0; i < NUM_KEYS; i++)
        EVP_PKEY_free(kit->keys[i]);
    free(kit);
}

/* ---- answers ---- */

void pkey_say(struct result *out, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    uint64_t sum = 0xcbf29ce484222325u;
    if (out->len + sizeof len + sizeof sum > MAX_OUT)
        return;
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ at[i]) * 0x100000001b3u;
    memcpy(out->out + out->len, &len, sizeof len);
    memcpy(out->out + out->len + sizeof len, &sum, sizeof sum);
    out->len += sizeof len + sizeof sum;
}

void pkey_said(struct result *out, int returned)
{
    unsigned long reason = 0, error;
    while ((error = ERR_get_error()))
        if (ERR_GET_LIB(error) == ERR_LIB_PROV)
            reason = (unsigned long)ERR_GET_REASON(error);
    const int value = returned > 0 ? returned : 0; /* of a failure, releases return 0 or less */
    pkey_say(out, &value, sizeof value);
    reason = returned > 0 ? 0 : reason;
    pkey_say(out, &reason, sizeof reason);
    out->ok = 1;
}

EVP_PKEY **pkey_pick(struct run *r)
{
    const size_t index = below(r, NUM_KEYS);
    note(r, " key %zu", index);
    return &pkey_kit(r)->keys[index];
}

unsigned pkey_bit(const struct run *r, EVP_PKEY *const *place)
{
    return 1u << (place - pkey_kit(r)->keys);
}

void pkey_keep(struct run *r, EVP_PKEY **place, EVP_PKEY *made, int decoded)
{
    EVP_PKEY_free(*place);
    *place = made;
    r->facts &= ~pkey_bit(r, place);
    r->facts |= decoded ? pkey_bit(r, place) : 0;
}

/* ---- steps that make keys ---- */

/* piece adds a part of a key to a list, sometimes with a wrong length, type or bit.  It returns 1
 * if a bit is wrong. */
static int piece(struct run *r, OSSL_PARAM **at, const char *key, unsigned char *place,
                 const unsigned char *bytes, size_t len)
{
    const size_t fault = below(r, 24);
    memcpy(place, bytes, len);
    if (fault == 0)
        place[below(r, len)] ^= (unsigned char)(1 << below(r, 8));
    const size_t shown = fault == 1 ? len - 1 : fault == 2 ? len + 1 : fault == 3 ? 0 : len;
    note(r, " %s=%zu bytes%s", key, shown, fault == 0 ? ", a bit wrong" : "");
    *(*at)++ = fault == 4 ? OSSL_PARAM_construct_utf8_string(key, (char *)place, 5)
                          : OSSL_PARAM_construct_octet_string(key, place, shown);
    return fault == 0;
}

static void do_import(struct run *r, struct result *out)
{
    static const int selections[] = { EVP_PKEY_KEYPAIR, EVP_PKEY_KEYPAIR, EVP_PKEY_PUBLIC_KEY,
                                      OSSL_KEYMGMT_SELECT_PRIVATE_KEY, EVP_PKEY_KEY_PARAMETERS };
    static unsigned char memory[3][MAX_KEY + 1];
    const struct pkey_type *t = pkey_type(r);
    OSSL_PARAM list[4], *at = list;
    EVP_PKEY **place = pkey_pick(r), *made = NULL;
    const int selection = selections[below(r, below(r, 2) ? 3 : 5)];
    const size_t index = below(r, NUM_SEEDS), parts = 1 + below(r, 7);
    const size_t other = below(r, 8) ? index : below(r, NUM_SEEDS);
    int odd = other != index;
    note(r, " pair %zu, selection 0x%x", index, selection);
    if (parts & 1)
        odd |= piece(r, &at, "priv", memory[0], pkey_pair(r, index)->private, t->private_len);
    if (parts & 2) {
        note(r, " of %zu", other);
        odd |= piece(r, &at, "pub", memory[1], pkey_pair(r, other)->public, t->public_len);
    }
    if (parts & 4 && t->seed)
        odd |= piece(r, &at, t->seed, memory[2], pkey_pair(r, index)->seed, t->seed_len);
    r->facts = odd ? r->facts | ODD_PAIR | ODD_KEY : r->facts & ~(unsigned)ODD_PAIR;
    *at = OSSL_PARAM_construct_end();
    pkey_restart(r);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, t->name, pkey_properties(r));
    MUST(ctx && EVP_PKEY_fromdata_init(ctx) > 0);
    pkey_said(out, EVP_PKEY_fromdata(ctx, &made, selection, list));
    EVP_PKEY_CTX_free(ctx);
    if (made)
        pkey_keep(r, place, made, 0);
}

static void do_raw(struct run *r, struct result *out)
{
    const struct pkey_type *t = pkey_type(r);
    EVP_PKEY **place = pkey_pick(r);
    const int is_private = below(r, 2) == 0;
    const struct pair *pair = pkey_pair(r, below(r, NUM_SEEDS));
    const size_t len = (is_private ? t->private_len : t->public_len) - !below(r, 16);
    note(r, " %s %zu bytes", is_private ? "private" : "public", len);
    pkey_restart(r);
    EVP_PKEY *made = is_private
                         ? EVP_PKEY_new_raw_private_key_ex(libctx, t->name, pkey_properties(r),
                                                           pair->private, len)
                         : EVP_PKEY_new_raw_public_key_ex(libctx, t->name, pkey_properties(r),
                                                          pair->public, len);
    pkey_said(out, made != NULL);
    if (made)
        pkey_keep(r, place, made, 0);
}

/* gen_params writes parameters of key generation. */
static void gen_params(struct run *r, OSSL_PARAM *at)
{
    static char x25519[] = "X25519", other[] = "P-256", properties[] = "";
    static unsigned char ikm[64];
    const struct pkey_type *t = pkey_type(r);
    const size_t wrong = below(r, 4);
    memcpy(ikm, pkey_pair(r, below(r, NUM_SEEDS))->seed, sizeof ikm);
    if (!below(r, 4)) {
        note(r, " group %s", wrong ? x25519 : other);
        *at++ = OSSL_PARAM_construct_utf8_string("group", wrong ? x25519 : other, 0);
    }
    if (!below(r, 6))
        *at++ = OSSL_PARAM_construct_utf8_string("properties", properties, 0);
    if (t->seed && below(r, 2)) {
        note(r, " seed%s", wrong ? "" : " too short");
        *at++ = OSSL_PARAM_construct_octet_string(t->seed, ikm, t->seed_len - !wrong);
    } else if (!t->seed && !below(r, 4) && pkey_release() >= 302) {
        note(r, " dhkem-ikm");
        *at++ = OSSL_PARAM_construct_octet_string("dhkem-ikm", ikm, 1 + below(r, sizeof ikm));
    }
    *at = OSSL_PARAM_construct_end();
}

static void do_generate(struct run *r, struct result *out)
{
    OSSL_PARAM list[4];
    EVP_PKEY **place = pkey_pick(r), *made = NULL;
    const int params_only = !below(r, 4);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, pkey_type(r)->name, pkey_properties(r));
    gen_params(r, list);
    note(r, params_only ? " parameters" : "");
    MUST(ctx);
    pkey_said(out, params_only ? EVP_PKEY_paramgen_init(ctx) : EVP_PKEY_keygen_init(ctx));
    pkey_said(out, EVP_PKEY_CTX_set_params(ctx, list));
    pkey_restart(r);
    pkey_said(out, EVP_PKEY_generate(ctx, &made));
    EVP_PKEY_CTX_free(ctx);
    if (made)
        pkey_keep(r, place, made, 0);
}

static void do_dup(struct run *r, struct result *out)
{
    EVP_PKEY **from = pkey_pick(r), **to = pkey_pick(r);
    EVP_PKEY *made = *from ? EVP_PKEY_dup(*from) : NULL;
    r->facts |= *from && pkey_type(r)->use == ENCAPSULATES ? COPIED : 0;
    pkey_said(out, made != NULL);
    if (made)
        pkey_keep(r, to, made, (r->facts & pkey_bit(r, from)) != 0);
}

/* do_template makes a key with the parameters of another one, to which libssl gives the peer's
 * public key. */
static void do_template(struct run *r, struct result *out)
{
    EVP_PKEY **from = pkey_pick(r), **to = pkey_pick(r), *made = EVP_PKEY_new();
    const struct pair *pair = pkey_pair(r, below(r, NUM_SEEDS));
    const size_t len = pkey_type(r)->public_len - !below(r, 16);
    if (*from && r->facts & pkey_bit(r, from)) { /* a key without parts is not exported */
        EVP_PKEY_free(made);
        return;
    }
    pkey_said(out, *from && EVP_PKEY_copy_parameters(made, *from));
    if (*from)
        pkey_said(out, EVP_PKEY_set1_encoded_public_key(made, pair->public, len));
    if (EVP_PKEY_get0_provider(made))
        pkey_keep(r, to, made, 0);
    else
        EVP_PKEY_free(made);
}

/* ---- steps that ask keys ---- */

void do_equal(struct run *r, struct result *out)
{
    EVP_PKEY **a = pkey_pick(r), **b = pkey_pick(r);
    if (!*a || !*b)
        return;
    const int equal = EVP_PKEY_eq(*a, *b), params = EVP_PKEY_parameters_eq(*a, *b);
    pkey_say(out, &equal, sizeof equal);
    pkey_say(out, &params, sizeof params);
    pkey_said(out, 1);
}

void do_check(struct run *r, struct result *out)
{
    EVP_PKEY **key = pkey_pick(r);
    EVP_PKEY_CTX *ctx = *key ? EVP_PKEY_CTX_new_from_pkey(libctx, *key, pkey_properties(r)) : NULL;
    if (!ctx)
        return;
    pkey_restart(r);
    pkey_said(out, EVP_PKEY_param_check(ctx));
    pkey_said(out, EVP_PKEY_public_check(ctx));
    pkey_said(out, EVP_PKEY_private_check(ctx));
    pkey_said(out, EVP_PKEY_pairwise_check(ctx));
    pkey_said(out, EVP_PKEY_check(ctx));
    pkey_said(out, EVP_PKEY_public_check_quick(ctx));
    EVP_PKEY_CTX_free(ctx);
}

/* do_get asks for one parameter, with a buffer of any length, or with none. */
static void do_get(struct run *r, struct result *out)
{
    static const char *const names[] = {
        "pub", "priv", "encoded-pub-key", "seed", "mandatory-digest", "default-digest", "bits"
    };
    static const int lens[] = { 0, 1, 31, 32, 33, 64, 1184, 5000 };
    static unsigned char memory[MAX_KEY];
    EVP_PKEY **key = pkey_pick(r);
    const size_t which = below(r, sizeof names / sizeof *names);
    const char *name = names[which];
    const size_t len = (size_t)lens[below(r, sizeof lens / sizeof *lens)];
    const int with = below(r, 5) > 0 || which >= 4 /* no octets */, is_text = with && !below(r, 12);
    if (!*key)
        return;
    note(r, " %s, %zu bytes%s%s", name, len, with ? "" : " of NULL", is_text ? " as text" : "");
    memset(memory, 0xa5, sizeof memory);
    OSSL_PARAM list[] = {
        { name, is_text ? OSSL_PARAM_UTF8_STRING : OSSL_PARAM_OCTET_STRING, with ? memory : NULL,
          len, OSSL_PARAM_UNMODIFIED },
        OSSL_PARAM_construct_end(),
    };
    const int good = EVP_PKEY_get_params(*key, list);
    pkey_said(out, good);
    pkey_say(out, memory, sizeof memory);
    if (good > 0)
        pkey_say(out, &list[0].return_size, sizeof list[0].return_size);
}

/* do_export shows all that a key exports. */
static void do_export(struct run *r, struct result *out)
{
    static const int selections[] = { EVP_PKEY_KEYPAIR, EVP_PKEY_PUBLIC_KEY,
                                      OSSL_KEYMGMT_SELECT_PRIVATE_KEY, EVP_PKEY_KEY_PARAMETERS };
    EVP_PKEY **key = pkey_pick(r);
    OSSL_PARAM *list = NULL;
    const int selection = selections[below(r, 4)];
    if (!*key)
        return;
    note(r, " selection 0x%x", selection);
    pkey_said(out, EVP_PKEY_todata(*key, selection, &list));
    static const char *const names[] = { "pub", "priv", "seed" };
    for (size_t i = 0; list && i < 3; i++) {
        const OSSL_PARAM *p = OSSL_PARAM_locate_const(list, names[i]);
        pkey_say(out, p ? p->data : NULL, p ? p->data_size : 0);
    }
    OSSL_PARAM_free(list);
}

static void do_set(struct run *r, struct result *out)
{
    static const char *const names[] = { "encoded-pub-key", "encoded-pub-key", "pub",
                                         "properties" };
    const struct pkey_type *t = pkey_type(r);
    EVP_PKEY **key = pkey_pick(r);
    const char *name = names[below(r, 4)];
    const struct pair *pair = pkey_pair(r, below(r, NUM_SEEDS));
    if (!*key || r->facts & pkey_bit(r, key)) /* EVP keeps the exported key as it was */
        return;
    if (!below(r, 3)) {
        note(r, " TLS");
        pkey_said(out, EVP_PKEY_set1_encoded_public_key(*key, pair->public, t->public_len));
        return;
    }
    note(r, " %s", name);
    if (!strcmp(name, "properties"))
        pkey_said(out, EVP_PKEY_set_utf8_string_param(*key, name, "?provider=none"));
    else
        pkey_said(out, EVP_PKEY_set_octet_string_param(*key, name, pair->public,
                                                       t->public_len - !below(r, 8)));
}

static const struct step steps[] = {
    { "import", do_import, 6 },     { "raw", do_raw, 3 },
    { "generate", do_generate, 4 }, { "dup", do_dup, 1 },
    { "template", do_template, 2 }, { "equal", do_equal, 2 },
    { "check", do_check, 2 },       { "facts", do_facts, 1 },
    { "get", do_get, 3 },           { "raw get", do_raw_get, 1 },
    { "export", do_export, 2 },     { "set", do_set, 2 },
    { "derive", do_derive, 3 },     { "begin", do_begin, 1 },
    { "sign", do_sign, 4 },         { "message", do_message, 3 },
    { "kem", do_kem, 4 },           { "code", do_code, 2 },
    { "lists", do_lists, 1 },       { NULL, NULL, 0 },
};

/* odd_pair: two signatures with different public keys give Ed25519's private key away.  Both refuse
 * one of ML-DSA, with other reasons. */
static int odd_pair(const struct run *r, const struct step *step, const struct result res[2])
{
    if (step->run != do_import || !(r->facts & ODD_PAIR) || pkey_type(r)->use != SIGNS)
        return 0;
    return !pkey_type(r)->seed || !memcmp(res[THEIR_SIDE].out, res[OUR_SIDE].out, 16);
}

/* unfit: a private key of SLH-DSA whose parts do not fit signs with OpenSSL, and fails with us. */
static int unfit(const struct run *r, const struct step *step, const struct result res[2])
{
    return (step->run == do_sign || step->run == do_message) && r->facts & ODD_KEY &&
           !strncmp(pkey_type(r)->name, "SLH", 3);
}

/* copied: OpenSSL 3.5 copies no private key of ML-KEM, and others wrongly. */
static int copied(const struct run *r, const struct step *step, const struct result res[2])
{
    return r->facts & COPIED;
}

static const struct difference differences[] = {
    { "a key of ML-KEM was copied", copied, 0 },
    { "a public key is not the private key's", odd_pair, 0 },
    { "a private key of SLH-DSA does not fit itself", unfit, 0 },
    { NULL, NULL, 0 },
};

const struct model pkey_model = {
    .name = "pkey",
    .subjects = pkey_subjects,
    .make = pkey_make,
    .unmake = pkey_unmake,
    .steps = steps,
    .differences = differences,
};
