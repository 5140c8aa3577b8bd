/* SPDX-License-Identifier: Apache-2.0 */
/* provider-signature(7): ML-DSA (FIPS 204) and SLH-DSA (FIPS 205), hedged unless a program asks for
 * deterministic signatures. */
#include "../../custody/custody.h"
#include "lattice.h"
#include <headrace/sign.h>
#include <headrace/xof.h>
#include <stdlib.h>

enum { RANDOM_LEN = 32, MU_LEN = 64, MAX_CONTEXT = 255, MAX_ID = 16 };
enum { SIGN_MESSAGE_INIT = 27, VERIFY_MESSAGE_INIT = 30 };

/* The parameters of OpenSSL 3.5, by number. */
enum { CONTEXT, ENTROPY, DETERMINISTIC, MU, ENCODING, NUM_PARAMS };
static const param_name names[NUM_PARAMS] = {
    [CONTEXT] = "context-string",      [ENTROPY] = "test-entropy",
    [DETERMINISTIC] = "deterministic", [MU] = "mu",
    [ENCODING] = "message-encoding",
};

struct signer {
    const struct provider *provider;
    struct served served;
    enum row_index index;
    struct lattice *key;
    int deterministic, is_mu;
    int encoding; /* 0: the message is the standard's M', context included */
    int has_random;
    uint8_t random[RANDOM_LEN];
    size_t context_len;
    uint8_t context[MAX_CONTEXT];
};

static int is_slhdsa(const struct signer *s)
{
    return lattice_is_slhdsa(hr_algorithm_at(s->index));
}

/* random_len returns the number of random bytes of a signature: of SLH-DSA, that of PK.seed's. */
static size_t random_len(const struct signer *s)
{
    return is_slhdsa(s) ? hr_algorithm_at(s->index)->public_len / 2 : RANDOM_LEN;
}

/* ---- contexts ---- */

static void *new_context(void *provctx, enum row_index index)
{
    struct signer *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->provider = provctx;
    s->index = index;
    s->encoding = 1;
    served_init(&s->served, index);
    return s;
}

static void freectx(void *ctx)
{
    struct signer *s = ctx;
    if (!s)
        return;
    stats_fold(&s->served);
    pkey_release(s->key);
    WIPE(s);
    free(s);
}

static void *dupctx(void *ctx)
{
    const struct signer *s = ctx;
    struct signer *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *s;
    served_init(&copy->served, s->index);
    if (copy->key)
        pkey_hold(copy->key);
    return copy;
}

/* ---- parameters ---- */

static int take_context(struct signer *s, const OSSL_PARAM *p)
{
    const void *bytes;
    size_t len;
    if (!p)
        return 1;
    s->context_len = 0;
    if (!param_get_octets(p, &bytes, &len) || len > MAX_CONTEXT)
        return 0;
    if (len)
        memcpy(s->context, bytes, len);
    s->context_len = len;
    return 1;
}

static int take_entropy(struct signer *s, const OSSL_PARAM *p)
{
    const void *bytes;
    size_t len;
    if (!p)
        return 1;
    s->has_random = 0;
    if (!param_get_octets(p, &bytes, &len) || len > random_len(s))
        return 0;
    if (len != random_len(s))
        return is_slhdsa(s) ? 0 : RAISE(s->provider, PROV_R_INVALID_SEED_LENGTH);
    memcpy(s->random, bytes, len);
    s->has_random = 1;
    return 1;
}

static int set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct signer *s = ctx;
    return take_context(s, param_find(params, names[CONTEXT])) &&
           take_entropy(s, param_find(params, names[ENTROPY])) &&
           pkey_get_int(params, names[DETERMINISTIC], &s->deterministic) &&
           pkey_get_int(params, names[ENCODING], &s->encoding) &&
           (is_slhdsa(s) || pkey_get_int(params, names[MU], &s->is_mu));
}

static const OSSL_PARAM *mldsa_settable_ctx(void *ctx, void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_OCTETS("context-string"), PARAM_OCTETS("test-entropy"),
        PARAM_INT("deterministic"),     PARAM_INT("mu"),
        PARAM_INT("message-encoding"),  PARAM_LIST_END,
    };
    return param_list(provctx, LIST_MLDSA_CTX_TAKEN, list);
}

static const OSSL_PARAM *slhdsa_settable_ctx(void *ctx, void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_OCTETS("context-string"),
        PARAM_OCTETS("test-entropy"),
        PARAM_INT("deterministic"),
        PARAM_INT("message-encoding"),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_SLHDSA_CTX_TAKEN, list);
}

/* get_ctx_params: the AlgorithmIdentifier in DER, 2.16.840.1.101.3.4.3.17 to 19 (RFC 9881 section
 * 2) or 20 to 31 (RFC 9814 section 3), without parameters. */
static int get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    const struct signer *s = ctx;
    const uint8_t last = (uint8_t)(is_slhdsa(s) ? 20 + s->index - INDEX_slhdsa_sha2_128s
                                                : 17 + s->index - INDEX_mldsa44);
    const uint8_t id[] = { 0x30, 11, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, last };
    OSSL_PARAM *p = (OSSL_PARAM *)param_find(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID);
    return !p || bytes_set(p, id, s->key ? sizeof id : 0);
}

static const OSSL_PARAM *gettable_ctx(void *ctx, void *provctx)
{
    static const struct param_spec list[] = { PARAM_OCTETS(OSSL_SIGNATURE_PARAM_ALGORITHM_ID),
                                              PARAM_LIST_END };
    return param_list(provctx, LIST_MLDSA_CTX_GOT, list);
}

/* ---- begin ---- */

static int message_init(void *ctx, void *key, const OSSL_PARAM params[])
{
    struct signer *s = ctx;
    struct lattice *given = key;
    if (!given && !s->key)
        return RAISE(s->provider, PROV_R_NO_KEY_SET);
    if (given) {
        pkey_hold(given);
        pkey_release(s->key);
        s->key = given;
    }
    s->is_mu = 0;
    return s->key->index == s->index && set_ctx_params(s, params);
}

static int digest_init(void *ctx, const char *digest, void *key, const OSSL_PARAM params[])
{
    struct signer *s = ctx;
    if (digest && *digest)
        return RAISE(s->provider, PROV_R_INVALID_DIGEST);
    return message_init(s, key, params);
}

/* ---- sign and verify ---- */

/* struct input is what the library signs. */
struct input {
    const uint8_t *at;
    size_t len;
    uint8_t mu[MU_LEN];
    struct hr_sign_options options;
};

/* shake256 digests two strings of bytes. */
static int shake256(uint8_t out[MU_LEN], const uint8_t *first, size_t first_len,
                    const uint8_t *then, size_t then_len)
{
    struct hr_xof_ctx ctx;
    return !hr_xof_init(&ctx, HR_SHAKE256) && !hr_xof_update(&ctx, first, first_len) &&
           !hr_xof_update(&ctx, then, then_len) && !hr_xof_squeeze(&ctx, out, MU_LEN);
}

/* digest_encoded computes mu of a message that is encoded already: SHAKE256 of the public key's
 * digest and of it (FIPS 204 algorithm 7). */
static int digest_encoded(uint8_t mu[MU_LEN], const struct lattice *key, const uint8_t *message,
                          size_t len)
{
    uint8_t public[LATTICE_MAX_PUBLIC], digest[MU_LEN];
    return lattice_part(public, key, PART_PUBLIC) &&
           shake256(digest, public, key->row->public_len, NULL, 0) &&
           shake256(mu, digest, sizeof digest, message, len);
}

/* bad_length fails, with the reason that OpenSSL 4 gives. */
static int bad_length(const struct signer *s)
{
    return is_openssl_4(s->provider) ? RAISE(s->provider, PROV_R_BAD_LENGTH) : 0;
}

static int prepare(struct input *in, const struct signer *s, const uint8_t *message, size_t len)
{
    *in = (struct input){ .at = message, .len = len };
    if (!s->is_mu && s->encoding) {
        in->options.context = s->context;
        in->options.context_len = s->context_len;
        return 1;
    }
    if (is_slhdsa(s)) {
        in->options.flags = HR_SIGN_ENCODED;
        return 1;
    }
    in->options.flags = HR_SIGN_MU;
    if (s->is_mu)
        return len == MU_LEN || bad_length(s);
    in->at = in->mu;
    in->len = MU_LEN;
    return digest_encoded(in->mu, s->key, message, len);
}

/* choose_random takes the random bytes that a program gave, none for a deterministic signature, or
 * new ones.  To OpenSSL, ML-DSA is deterministic if a program asks with 1, SLH-DSA if with any
 * other number than 0; the former then has zeros for random bytes, the latter PK.seed. */
static int choose_random(struct input *in, const struct signer *s, uint8_t random[RANDOM_LEN])
{
    in->options.random = random;
    if (s->has_random)
        memcpy(random, s->random, sizeof s->random);
    else if (is_slhdsa(s) && s->deterministic) {
        in->options.random = NULL;
        in->options.flags |= HR_SIGN_DETERMINISTIC;
    } else if (s->deterministic != 1)
        return random_secret(s->provider, random, random_len(s));
    return 1;
}

/* sign_named lets the service sign, which draws the random bytes. */
static int sign_named(const struct signer *s, unsigned char *out, size_t *len,
                      const struct input *in)
{
    struct custody *named = s->key->base.custody;
    if (s->deterministic || s->has_random)
        return custody_refuse(named, "no deterministic signatures");
    return custody_sign(named, out, len, in->at, in->len,
                        in->options.flags || in->options.context_len ? &in->options : NULL);
}

static int sign_with(struct signer *s, unsigned char *out, size_t *len, struct input *in)
{
    uint8_t random[RANDOM_LEN] = { 0 };
    if (s->key->base.custody)
        return sign_named(s, out, len, in);
    if (!choose_random(in, s, random))
        return 0;
    const int error = hr_sign(out, len, in->at, in->len, s->key->made, &in->options);
    WIPE(&random);
    return error ? RAISE(s->provider, PROV_R_FAILED_TO_SIGN) : 1;
}

/* may_sign answers as OpenSSL does: of SLH-DSA, a public key tells the length of its signatures. */
static int may_sign(const struct signer *s, const unsigned char *out, size_t out_size)
{
    const size_t len = s->key->row->out_len;
    const int can = pkey_has_secret(&s->key->base);
    if (!is_slhdsa(s))
        return can && (!out || out_size >= len);
    if (out && out_size < len)
        return RAISE(s->provider, PROV_R_INVALID_SIGNATURE_SIZE);
    return !out || can || RAISE(s->provider, PROV_R_MISSING_KEY);
}

static int sign(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                const unsigned char *message, size_t len)
{
    struct signer *s = ctx;
    struct input in;
    size_t written = s->key->row->out_len;
    if (!may_sign(s, out, out_size) ||
        (out && (!prepare(&in, s, message, len) || !sign_with(s, out, &written, &in))))
        return 0;
    if (out)
        served_add(&s->served, len);
    if (out_len)
        *out_len = written;
    return 1;
}

static int verify(void *ctx, const unsigned char *signature, size_t signature_len,
                  const unsigned char *message, size_t len)
{
    struct signer *s = ctx;
    struct input in;
    if (!lattice_has_part(s->key, PART_PUBLIC))
        return is_slhdsa(s) ? RAISE(s->provider, PROV_R_MISSING_KEY) : 0;
    if (!is_slhdsa(s) && signature_len != s->key->row->out_len)
        return bad_length(s);
    if (!prepare(&in, s, message, len))
        return 0;
    served_add(&s->served, len);
    return !hr_verify(signature, signature_len, in.at, in.len, s->key->made, &in.options);
}

/* ---- functions ---- */

static any_function *shared(int id)
{
    switch (id) {
    case OSSL_FUNC_SIGNATURE_FREECTX:
        return (any_function *)freectx;
    case OSSL_FUNC_SIGNATURE_DUPCTX:
        return (any_function *)dupctx;
    case SIGN_MESSAGE_INIT:
    case VERIFY_MESSAGE_INIT:
        return (any_function *)message_init;
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT:
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT:
        return (any_function *)digest_init;
    case OSSL_FUNC_SIGNATURE_SIGN:
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN:
        return (any_function *)sign;
    case OSSL_FUNC_SIGNATURE_VERIFY:
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY:
        return (any_function *)verify;
    case OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS:
        return (any_function *)get_ctx_params;
    case OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS:
        return (any_function *)gettable_ctx;
    case OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS:
        return (any_function *)set_ctx_params;
    default:
        return NULL;
    }
}

/* Each row has functions of its own, since OpenSSL does not say for which it calls. */
#define SIGNATURE(sym, family)                                                 \
    static void *sym##_newctx(void *provctx, const char *properties)           \
    {                                                                          \
        return new_context(provctx, INDEX_##sym);                              \
    }                                                                          \
    any_function *sym##_signature(int id)                                      \
    {                                                                          \
        return id == OSSL_FUNC_SIGNATURE_NEWCTX ? (any_function *)sym##_newctx \
               : id == OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS                 \
                   ? (any_function *)family##_settable_ctx                     \
                   : shared(id);                                               \
    }
SIGNATURE(mldsa44, mldsa)
SIGNATURE(mldsa65, mldsa)
SIGNATURE(mldsa87, mldsa)
SIGNATURE(slhdsa_sha2_128s, slhdsa)
SIGNATURE(slhdsa_sha2_128f, slhdsa)
SIGNATURE(slhdsa_sha2_192s, slhdsa)
SIGNATURE(slhdsa_sha2_192f, slhdsa)
SIGNATURE(slhdsa_sha2_256s, slhdsa)
SIGNATURE(slhdsa_sha2_256f, slhdsa)
SIGNATURE(slhdsa_shake_128s, slhdsa)
SIGNATURE(slhdsa_shake_128f, slhdsa)
SIGNATURE(slhdsa_shake_192s, slhdsa)
SIGNATURE(slhdsa_shake_192f, slhdsa)
SIGNATURE(slhdsa_shake_256s, slhdsa)
SIGNATURE(slhdsa_shake_256f, slhdsa)
