/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA and ECDH with the default provider as the model: each verifies the other's signatures,
 * refuses the same wrong ones with the same result, and derives the same secrets. */
#include "evp.h"
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/x509.h>
#include <pthread.h>

/* Ours is preferred: it does not have all digests. */
static const char *const sides[] = { THEIRS, "?provider=headrace" };
enum { THEM, US, MAX_SIGNATURE = 160, MESSAGE = 300 };
static struct loaded both;
static uint64_t rng = 0x9e3779b97f4a7c15;

static const char *const curves[] = { "P-256", "P-384", "P-521", "brainpoolP256r1", "secp224r1" };
static const char *const digests[] = { "SHA1",     "SHA2-224", "SHA2-256", "SHA2-384",
                                       "SHA2-512", "SHA3-256", "MD5",      "BLAKE2B-512" };
#define NUM(array) (sizeof(array) / sizeof(array)[0])

static EVP_PKEY *generate(int side, const char *curve)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(both.libctx, "EC", sides[side]);
    MUST(ctx && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_group_name(ctx, curve) > 0);
    MUST(EVP_PKEY_generate(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* ---- messages ---- */

static EVP_MD_CTX *begin(int side, EVP_PKEY *key, const char *digest, int verify)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    MUST((verify ? EVP_DigestVerifyInit_ex : EVP_DigestSignInit_ex)(ctx, NULL, digest, both.libctx,
                                                                    sides[side], key, NULL) > 0);
    return ctx;
}

static size_t sign(int side, EVP_PKEY *key, const char *digest, const unsigned char *in,
                   unsigned char out[MAX_SIGNATURE])
{
    size_t len = MAX_SIGNATURE, size = 0;
    EVP_MD_CTX *ctx = begin(side, key, digest, 0);
    MUST(EVP_DigestSignUpdate(ctx, in, 7) > 0 && EVP_DigestSignUpdate(ctx, in + 7, MESSAGE - 7));
    EVP_MD_CTX *copy = EVP_MD_CTX_new();
    MUST(EVP_MD_CTX_copy(copy, ctx));
    EVP_MD_CTX_free(ctx);
    MUST(EVP_DigestSignFinal(copy, NULL, &size) > 0 && size == (size_t)EVP_PKEY_get_size(key));
    MUST(EVP_DigestSignFinal(copy, out, &len) > 0 && len <= size);
    EVP_MD_CTX_free(copy);
    return len;
}

static int verify(int side, EVP_PKEY *key, const char *digest, const unsigned char *in,
                  const unsigned char *sig, size_t len)
{
    EVP_MD_CTX *ctx = begin(side, key, digest, 1);
    MUST(EVP_DigestVerifyUpdate(ctx, in, MESSAGE) > 0);
    const int result = EVP_DigestVerifyFinal(ctx, sig, len);
    EVP_MD_CTX_free(ctx);
    return result;
}

/* identifier reads the AlgorithmIdentifier that a certificate would have. */
static size_t identifier(int side, EVP_PKEY *key, const char *digest, unsigned char out[32])
{
    EVP_PKEY_CTX *pctx = NULL;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, out, 32),
        OSSL_PARAM_construct_end(),
    };
    MUST(EVP_DigestSignInit_ex(ctx, &pctx, digest, both.libctx, sides[side], key, NULL) > 0);
    const int good = EVP_PKEY_CTX_get_params(pctx, params) > 0;
    EVP_MD_CTX_free(ctx);
    return good ? params[0].return_size : 0;
}

static int first_reason(void)
{
    const int reason = ERR_GET_REASON(ERR_peek_error());
    ERR_clear_error();
    return reason;
}

/* is_ours tells whether the library has the curve.  Of others, EVP may add an error of its own. */
static int is_ours(const EVP_PKEY *key)
{
    char name[32];
    return EVP_PKEY_get_group_name(key, name, sizeof name, NULL) > 0 &&
           (!strcmp(name, "prime256v1") || !strcmp(name, "secp384r1") ||
            !strcmp(name, "secp521r1"));
}

static void same_verdict(EVP_PKEY *key, const char *digest, const unsigned char *in,
                         const unsigned char *sig, size_t len)
{
    int result[2], reason[2];
    for (int side = 0; side < 2; side++) {
        ERR_clear_error();
        result[side] = verify(side, key, digest, in, sig, len);
        reason[side] = first_reason();
    }
    if (!len) { /* OpenSSL's results for no signature at all changed in 3.4 */
        MUST(result[0] < 1 && result[1] < 1);
        return;
    }
    MUST(result[0] == result[1]);
    MUST(result[0] < 0 || !is_ours(key) || reason[0] == reason[1]);
}

/* spoil changes each byte of a signature, its length, and what follows it. */
static void spoil(EVP_PKEY *key, const char *digest, const unsigned char *in,
                  const unsigned char *sig, size_t len)
{
    unsigned char wrong[MAX_SIGNATURE + 8] = { 0 };
    for (size_t i = 0; i < len + 1; i++) {
        memcpy(wrong, sig, len);
        wrong[i] ^= (unsigned char)(1 << next_random(&rng) % 8);
        same_verdict(key, digest, in, wrong, len);
        same_verdict(key, digest, in, wrong, len + (i < len));
        same_verdict(key, digest, in, sig, i);
    }
}

/* crafted are signatures that are DER or nearly so, for all curves. */
static void crafted(EVP_PKEY *key, const unsigned char *in)
{
    static const unsigned char some[][16] = {
        { 8, 0x30, 6, 2, 1, 0, 2, 1, 1 },    /* r = 0 */
        { 8, 0x30, 6, 2, 1, 1, 2, 1, 0 },    /* s = 0 */
        { 8, 0x30, 6, 2, 1, 1, 2, 1, 1 },    /* small */
        { 8, 0x30, 6, 2, 1, 0x81, 2, 1, 1 }, /* negative */
        { 9, 0x30, 7, 2, 2, 0, 1, 2, 1, 1 }, /* a zero too many */
        { 9, 0x30, 7, 2, 2, 0, 0x81, 2, 1, 1 },
        { 9, 0x30, 0x81, 6, 2, 1, 1, 2, 1, 1 }, /* a long length */
        { 7, 0x30, 5, 2, 0, 2, 1, 1 },          /* no number */
        { 9, 0x30, 6, 2, 1, 1, 2, 1, 1, 0 },    /* something behind */
        { 9, 0x30, 7, 2, 1, 1, 2, 1, 1, 0 },
        { 8, 0x31, 6, 2, 1, 1, 2, 1, 1 },
        { 10, 0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0 },
        { 2, 0x30, 0 },
        { 1, 0x30 },
        { 0 },
    };
    unsigned char big[200] = { 0x30, 0x81, 140, 2, 67 };
    for (size_t i = 0; i < NUM(some); i++)
        same_verdict(key, "SHA256", in, some[i] + 1, some[i][0]);
    memset(big + 5, 0x7f, 67); /* longer than any order */
    big[72] = 2;
    big[73] = 69;
    memset(big + 74, 0x11, 69);
    same_verdict(key, "SHA256", in, big, 143);
}

static void test_messages(const char *curve, int maker)
{
    unsigned char in[MESSAGE], sig[MAX_SIGNATURE], id[2][32];
    EVP_PKEY *key = generate(maker, curve);
    random_bytes(&rng, in, sizeof in);
    for (size_t i = 0; i < NUM(digests); i++) {
        const size_t id_len = identifier(0, key, digests[i], id[0]);
        MUST(identifier(1, key, digests[i], id[1]) == id_len && !memcmp(id[0], id[1], id_len));
        for (int side = 0; side < 2; side++) {
            const size_t len = sign(side, key, digests[i], in, sig);
            MUST(verify(0, key, digests[i], in, sig, len) == 1);
            MUST(verify(1, key, digests[i], in, sig, len) == 1);
            if (i == 2)
                spoil(key, digests[i], in, sig, len);
            in[MESSAGE - 1] ^= 1;
            same_verdict(key, digests[i], in, sig, len);
            in[MESSAGE - 1] ^= 1;
        }
        ERR_clear_error();
    }
    crafted(key, in);
    EVP_PKEY_free(key);
}

/* ---- digests ---- */

static EVP_PKEY_CTX *with(int side, EVP_PKEY *key)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(both.libctx, key, sides[side]);
    MUST(ctx);
    return ctx;
}

/* test_digests signs what is a digest of any length, and what is none of the given digest. */
static void test_digests(const char *curve)
{
    unsigned char in[MESSAGE], sig[MAX_SIGNATURE];
    EVP_PKEY *key = generate(US, curve);
    random_bytes(&rng, in, sizeof in);
    for (size_t in_len = 0; in_len < 140; in_len += in_len < 70 ? 1 : 23)
        for (int side = 0; side < 2; side++) {
            size_t len = sizeof sig;
            EVP_PKEY_CTX *ctx = with(side, key), *other = with(!side, key);
            MUST(EVP_PKEY_sign_init(ctx) > 0 && EVP_PKEY_verify_init(other) > 0);
            MUST(EVP_PKEY_sign(ctx, sig, &len, in, in_len) > 0);
            MUST(EVP_PKEY_verify(other, sig, len, in, in_len) == 1);
            if (in_len) {
                in[0] ^= 0x80;
                MUST(EVP_PKEY_verify(other, sig, len, in, in_len) == 0);
            }
            len = sizeof sig;
            MUST(EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0);
            MUST((EVP_PKEY_sign(ctx, sig, &len, in, in_len) > 0) == (in_len == 32));
            len = 20;
            MUST(EVP_PKEY_sign(ctx, sig, &len, in, 32) <= 0);
            EVP_PKEY_CTX_free(ctx);
            EVP_PKEY_CTX_free(other);
            ERR_clear_error();
        }
    EVP_PKEY_free(key);
}

/* sign_by_digest signs as RFC 6979 says, if this OpenSSL can. */
static size_t sign_by_digest(int side, EVP_PKEY *key, char *digest, const unsigned char *in,
                             size_t in_len, unsigned char sig[MAX_SIGNATURE])
{
    unsigned nonce_type = 1;
    size_t len = MAX_SIGNATURE;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_uint("nonce-type", &nonce_type), OSSL_PARAM_construct_end()
    };
    EVP_PKEY_CTX *ctx = with(side, key);
    MUST(EVP_PKEY_sign_init_ex(ctx, params) > 0);
    if (EVP_PKEY_sign(ctx, sig, &len, in, in_len) <= 0)
        len = 0;
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return len;
}

/* test_deterministic: OpenSSL has deterministic nonces since 3.2, Headrace in its own rows. */
static void test_deterministic(const char *curve)
{
    const int theirs = OPENSSL_version_major() > 3 || OPENSSL_version_minor() >= 2;
    unsigned char in[64], sig[2][2][MAX_SIGNATURE];
    EVP_PKEY *key = generate(US, curve);
    random_bytes(&rng, in, sizeof in);
    for (size_t i = 0; i < NUM(digests); i++) {
        EVP_MD *md = EVP_MD_fetch(both.libctx, digests[i], NULL);
        const size_t in_len = (size_t)EVP_MD_get_size(md);
        size_t len[2][2];
        for (int n = 0; n < 4; n++)
            len[n / 2][n % 2] =
                sign_by_digest(n / 2, key, (char *)digests[i], in, in_len, sig[n / 2][n % 2]);
        MUST(theirs || len[US][0]);
        if (theirs)
            MUST(len[THEM][0] == len[US][0] && !memcmp(sig[THEM][0], sig[US][0], len[US][0]));
        if (theirs || (curve[0] == 'P' && !strncmp(digests[i], "SHA2", 4)))
            MUST(len[US][0] == len[US][1] && !memcmp(sig[US][0], sig[US][1], len[US][0]));
        EVP_MD_free(md);
    }
    EVP_PKEY_free(key);
}

/* ---- secrets ---- */

static size_t derive(int side, EVP_PKEY *key, EVP_PKEY *peer, const OSSL_PARAM params[],
                     unsigned char *out, size_t size)
{
    size_t len = size, whole = 0;
    EVP_PKEY_CTX *ctx = with(side, key);
    int good = EVP_PKEY_derive_init_ex(ctx, params) > 0 && EVP_PKEY_derive_set_peer(ctx, peer) > 0;
    EVP_PKEY_CTX *copy = good ? EVP_PKEY_CTX_dup(ctx) : NULL;
    good = copy && EVP_PKEY_derive(copy, NULL, &whole) > 0 && EVP_PKEY_derive(copy, out, &len) > 0;
    MUST(!good || len <= whole);
    EVP_PKEY_CTX_free(copy);
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return good ? len : 0;
}

static void same_secret(EVP_PKEY *a, EVP_PKEY *b, const OSSL_PARAM params[], size_t size)
{
    unsigned char out[4][128] = { { 0 } };
    size_t len[4];
    for (int n = 0; n < 4; n++)
        len[n] = derive(n % 2, n / 2 ? b : a, n / 2 ? a : b, params, out[n], size);
    for (int n = 1; n < 4; n++)
        MUST(len[n] == len[0] && !memcmp(out[n], out[0], sizeof out[0]));
}

static void test_secrets(const char *curve, int side)
{
    char kdf[] = OSSL_KDF_NAME_X963KDF, sha384[] = "SHA384";
    unsigned char ukm[] = "user keying material";
    size_t kdf_len = 77;
    int cofactor = 1;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_int(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE, &cofactor),
        OSSL_PARAM_construct_utf8_string(OSSL_EXCHANGE_PARAM_KDF_TYPE, kdf, 0),
        OSSL_PARAM_construct_utf8_string(OSSL_EXCHANGE_PARAM_KDF_DIGEST, sha384, 0),
        OSSL_PARAM_construct_size_t(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, &kdf_len),
        OSSL_PARAM_construct_octet_string(OSSL_EXCHANGE_PARAM_KDF_UKM, ukm, sizeof ukm),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY *a = generate(side, curve), *b = generate(!side, curve);
    EVP_PKEY *foreign = generate(US, strcmp(curve, "P-256") ? "P-256" : "P-384");
    for (size_t size = 0; size < 70; size += 7)
        same_secret(a, b, NULL, size);
    same_secret(a, b, params, 128);
    same_secret(a, b, params, 76);
    MUST(derive(US, a, foreign, NULL, ukm, sizeof ukm) == 0);
    EVP_PKEY_free(a);
    EVP_PKEY_free(b);
    EVP_PKEY_free(foreign);
}

/* ---- threads ---- */

struct shared {
    EVP_PKEY *key, *peer;
    unsigned char in[MESSAGE];
};

static void *use(void *arg)
{
    struct shared *s = arg;
    unsigned char sig[MAX_SIGNATURE], secret[80];
    for (int i = 0; i < 20; i++) {
        const size_t len = sign(US, s->key, "SHA2-256", s->in, sig);
        MUST(verify(US, s->key, "SHA2-256", s->in, sig, len) == 1);
        MUST(derive(US, s->key, s->peer, NULL, secret, sizeof secret) > 0);
    }
    return NULL;
}

/* test_threads uses one key from several threads, which make its parts at the same time. */
static void test_threads(const char *curve)
{
    enum { THREADS = 4 };
    struct shared s = { generate(US, curve), generate(US, curve), { 0 } };
    for (int round = 0; round < 4; round++) {
        pthread_t threads[THREADS];
        EVP_PKEY *key = EVP_PKEY_dup(s.key);
        EVP_PKEY_free(s.key);
        s.key = key;
        for (int i = 0; i < THREADS; i++)
            MUST(!pthread_create(&threads[i], NULL, use, &s));
        for (int i = 0; i < THREADS; i++)
            MUST(!pthread_join(threads[i], NULL));
    }
    EVP_PKEY_free(s.key);
    EVP_PKEY_free(s.peer);
}

int main(void)
{
    size_t num = 0;
    both = load_both();
    for (size_t i = 0; i < NUM(curves); i++) {
        for (int side = 0; side < 2; side++) {
            test_messages(curves[i], side);
            test_secrets(curves[i], side);
        }
        test_digests(curves[i]);
        test_deterministic(curves[i]);
        test_threads(curves[i]);
        printf("ok %zu - ECDSA and ECDH with %s as the default provider's\n", ++num, curves[i]);
    }
    unload_both(&both);
    printf("1..%zu\n", num);
    return 0;
}
