/* SPDX-License-Identifier: Apache-2.0 */
/* The model of DSA and DH: signatures, which both sides verify, and secrets, with any parameters.
 */
#include "ffc.h"

enum { ROOM = 600 };

/* ---- parameters ---- */

static const char *const digests[] = { "SHA1",     "SHA256",   "SHA2-256", "SHA512", "SHA3-256",
                                       "SHA384",   "MD5",      "SHA224",   "SM3",    "SHA512-256",
                                       "SHAKE256", "nonsense", "",         NULL };
static const char *const properties[] = { "", "?provider=default", NULL };
static const int nonce_types[] = { 0, 1, 1, 2, -1 }, lens[] = { 0, 1, 20, 100, -1 };
static const int flags[] = { 0, 1, 1, 1, 2, -1 };
static const char *const kdfs[] = { "", "X942KDF-ASN1", "X942KDF-ASN1", "nonsense", NULL };
static const char *const ciphers[] = { "AES-128-WRAP", "AES-256-WRAP", "id-aes128-wrap", "nonsense",
                                       NULL };

static const struct kind sign_kinds[] = {
    { OSSL_SIGNATURE_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, lens, digests, 0 },
    { OSSL_SIGNATURE_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, lens, digests, 0 },
    { OSSL_SIGNATURE_PARAM_PROPERTIES, OSSL_PARAM_UTF8_STRING, lens, properties, 0 },
    { "nonce-type", OSSL_PARAM_UNSIGNED_INTEGER, nonce_types, NULL, 0 },
    { NULL, 0, NULL, NULL, 0 },
};
static const struct kind derive_kinds[] = {
    { OSSL_EXCHANGE_PARAM_PAD, OSSL_PARAM_UNSIGNED_INTEGER, flags, NULL, 0 },
    { OSSL_EXCHANGE_PARAM_PAD, OSSL_PARAM_UNSIGNED_INTEGER, flags, NULL, 0 },
    { OSSL_EXCHANGE_PARAM_KDF_TYPE, OSSL_PARAM_UTF8_STRING, lens, kdfs, 0 },
    { OSSL_EXCHANGE_PARAM_KDF_DIGEST, OSSL_PARAM_UTF8_STRING, lens, digests, 0 },
    { OSSL_EXCHANGE_PARAM_KDF_OUTLEN, OSSL_PARAM_UNSIGNED_INTEGER, lens, NULL, 1 },
    { OSSL_EXCHANGE_PARAM_KDF_UKM, OSSL_PARAM_OCTET_STRING, lens, NULL, 0 },
    { OSSL_KDF_PARAM_CEK_ALG, OSSL_PARAM_UTF8_STRING, lens, ciphers, 0 },
    { NULL, 0, NULL, NULL, 0 },
};

static void show(struct result *out, int good, const void *bytes, size_t len)
{
    if (good > 0)
        pkey_say(out, bytes, len);
}

static size_t pick_room(struct run *r, size_t size)
{
    const size_t rooms[] = { ROOM, ROOM, ROOM, size, size - 1, 0 };
    const size_t room = rooms[below(r, 6)];
    note(r, " room of %zu", room);
    return room;
}

/* ---- signatures: random numbers are drawn in other ways, so the bytes differ ---- */

/* spoil changes a bit of r, a tag, or the length of a signature, sometimes: of all signatures in
 * the same way, whatever their bytes are. */
static void spoil(struct run *r, unsigned char *bytes, size_t *len)
{
    const size_t fault = below(r, 16);
    if (fault == 0 && *len > 12)
        bytes[10] ^= 4;
    if (fault == 1)
        *len -= 1;
    if (fault == 2)
        bytes[(*len)++] = 0;
    if (fault == 3)
        bytes[2] ^= 1;
    if (fault < 4)
        note(r, " fault %zu", fault);
}

/* their_key returns the key that OpenSSL's side has in the same place. */
static EVP_PKEY *their_key(const struct run *r, EVP_PKEY *const *place)
{
    const size_t index = (size_t)(place - pkey_kit(r)->keys);
    return ((const struct kit *)r->ctx[THEIR_SIDE])->keys[index];
}

static void algorithm_id(struct result *out, EVP_PKEY_CTX *ctx)
{
    unsigned char id[64] = { 0 };
    char digest[60] = "";
    OSSL_PARAM list[] = { OSSL_PARAM_construct_octet_string("algorithm-id", id, sizeof id),
                          OSSL_PARAM_construct_utf8_string("digest", digest, sizeof digest),
                          OSSL_PARAM_construct_end() };
    pkey_said(out, EVP_PKEY_CTX_get_params(ctx, list));
    pkey_say(out, id, sizeof id);
    pkey_say(out, digest, sizeof digest);
}

/* can_verify tells whether a key has a public number.  With one that has none OpenSSL answers for
 * some wrong signatures, and crashes for others; Headrace refuses them all. */
static int can_verify(const struct run *r, EVP_PKEY *const *place)
{
    BIGNUM *y = NULL;
    const int can = EVP_PKEY_get_bn_param(their_key(r, place), OSSL_PKEY_PARAM_PUB_KEY, &y) == 1;
    BN_free(y);
    ERR_clear_error();
    return can;
}

/* judge verifies as OpenSSL does. */
static void judge(struct result *out, EVP_PKEY *key, const unsigned char *sig, size_t sig_len,
                  const unsigned char *in, size_t in_len)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(pkey_libctx(), key, THEIRS);
    MUST(ctx);
    if (EVP_PKEY_verify_init(ctx) > 0)
        pkey_said(out, EVP_PKEY_verify(ctx, sig, sig_len, in, in_len) == 1);
    EVP_PKEY_CTX_free(ctx);
}

/* make_signature returns the length of a signature, or 0. */
static size_t make_signature(struct run *r, struct result *out, EVP_PKEY *key,
                             const struct choice *c, unsigned char *sig, const unsigned char *in,
                             size_t in_len)
{
    const size_t room = pick_room(r, ffc_size(r) > 128 ? 72 : 48);
    size_t sig_len = room;
    EVP_PKEY_CTX *ctx = number_begin(r, key);
    int good = EVP_PKEY_sign_init_ex(ctx, below(r, 2) && c->num ? c->memory[0].list : NULL);
    pkey_said(out, good);
    if (good > 0) {
        number_set(out, ctx, c);
        algorithm_id(out, ctx);
        MUST(number_duplicate(r, &ctx));
        good = EVP_PKEY_sign(ctx, room ? sig : NULL, &sig_len, in, in_len);
        pkey_said(out, good);
        show(out, good > 0 && !room, &sig_len, sizeof sig_len);
    }
    EVP_PKEY_CTX_free(ctx);
    return good > 0 && room ? sig_len : 0;
}

static size_t pick_input(struct run *r, unsigned char *out)
{
    static const uint8_t sizes[] = { 32, 32, 20, 20, 64, 48, 28, 16, 0, 100 };
    const size_t len = sizes[below(r, 10)];
    random_bytes(&r->random, out, len);
    note(r, " %zu bytes", len);
    return len;
}

void do_dsa_sign(struct run *r, struct result *out)
{
    static unsigned char sig[ROOM], message[ROOM];
    struct choice c;
    EVP_PKEY **key = pkey_pick(r), **verifier = pkey_pick(r);
    const size_t len = pick_input(r, message);
    number_choose(r, &c, sign_kinds);
    if (!ffc_is_dsa(r) || !*key || !*verifier)
        return;
    size_t sig_len = make_signature(r, out, *key, &c, sig, message, len);
    if (sig_len)
        judge(out, their_key(r, key), sig, sig_len, message, len);
    else
        memcpy(sig, "\x30\x06\x02\x01\x01\x02\x01\x01", sig_len = 8);
    spoil(r, sig, &sig_len);
    if (!can_verify(r, verifier))
        return;
    EVP_PKEY_CTX *ctx = number_begin(r, *verifier);
    const int good = EVP_PKEY_verify_init(ctx);
    pkey_said(out, good);
    if (good > 0) {
        number_set(out, ctx, &c);
        const int verified = EVP_PKEY_verify(ctx, sig, sig_len, message, len);
        pkey_said(out, verified);
        pkey_say(out, &verified, sizeof verified);
    }
    EVP_PKEY_CTX_free(ctx);
}

void do_dsa_message(struct run *r, struct result *out)
{
    static const unsigned char message[50];
    static unsigned char sig[ROOM];
    struct choice c;
    EVP_PKEY **key = pkey_pick(r), **verifier = pkey_pick(r);
    const char *digest = below(r, 4) ? digests[below(r, 13)] : NULL;
    const int again = !below(r, 4) && (!digest || strcmp(digest, "SHAKE256")); /* has two names */
    size_t sig_len = pick_room(r, 72);
    const size_t room = sig_len;
    number_choose(r, &c, sign_kinds);
    note(r, " digest %s%s", digest ? digest : "none", again ? ", again" : "");
    if (!ffc_is_dsa(r) || !*key || !*verifier)
        return;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx = NULL;
    pkey_restart(r);
    int good =
        EVP_DigestSignInit_ex(ctx, &pctx, digest, pkey_libctx(), pkey_properties(r), *key, NULL);
    pkey_said(out, good);
    if (good > 0) {
        number_set(out, pctx, &c);
        pkey_said(out, EVP_DigestSignUpdate(ctx, message, sizeof message));
        algorithm_id(out, pctx);
        good = EVP_DigestSignFinal(ctx, room ? sig : NULL, &sig_len);
        pkey_said(out, good);
        show(out, good > 0 && !room, &sig_len, sizeof sig_len);
    }
    if (good > 0 && again) { /* with the same context */
        const char *other = below(r, 2) ? NULL : digests[below(r, 13)];
        const OSSL_PARAM *list = below(r, 2) && c.num ? c.memory[0].list : NULL;
        note(r, ", with %s%s", other ? other : "none", list ? ", list" : "");
        pkey_said(out, EVP_DigestSignInit_ex(ctx, NULL, other, pkey_libctx(), pkey_properties(r),
                                             NULL, list));
        algorithm_id(out, EVP_MD_CTX_get_pkey_ctx(ctx));
        sig_len = ROOM;
        good = EVP_DigestSign(ctx, sig, &sig_len, message, sizeof message);
        pkey_said(out, good);
    }
    if (good <= 0 || !(room || again))
        memcpy(sig, "\x30\x06\x02\x01\x01\x02\x01\x01", sig_len = 8);
    spoil(r, sig, &sig_len);
    EVP_MD_CTX_reset(ctx);
    good = can_verify(r, verifier);
    if (good)
        good = EVP_DigestVerifyInit_ex(ctx, &pctx, digest, pkey_libctx(), pkey_properties(r),
                                       *verifier, NULL);
    pkey_said(out, good);
    if (good > 0) {
        number_set(out, pctx, &c);
        good = EVP_DigestVerify(ctx, sig, sig_len, message, sizeof message);
        pkey_said(out, good);
        pkey_say(out, &good, sizeof good);
    }
    EVP_MD_CTX_free(ctx);
}

/* ---- key agreement ---- */

void do_dh_derive(struct run *r, struct result *out)
{
    static unsigned char secret[ROOM];
    struct choice c;
    EVP_PKEY **key = pkey_pick(r), **peer = pkey_pick(r);
    const size_t room = pick_room(r, ffc_size(r));
    const int validate = (int)below(r, 2), with_peer = below(r, 16) > 0, late = (int)below(r, 2);
    size_t len = room;
    number_choose(r, &c, derive_kinds);
    if (ffc_is_dsa(r) || !*key || !*peer)
        return;
    note(r, "%s%s", validate ? ", checked" : "", with_peer ? "" : ", no peer");
    EVP_PKEY_CTX *ctx = number_begin(r, *key);
    int good = EVP_PKEY_derive_init_ex(ctx, late || !c.num ? NULL : c.memory[0].list);
    pkey_said(out, good);
    if (good > 0) {
        if (late)
            number_set(out, ctx, &c);
        if (with_peer)
            pkey_said(out, EVP_PKEY_derive_set_peer_ex(ctx, *peer, validate));
        MUST(number_duplicate(r, &ctx));
        good = EVP_PKEY_derive(ctx, room ? secret : NULL, &len);
        pkey_said(out, good);
        show(out, good, secret, room ? len : 0);
        show(out, good, &len, sizeof len);
    }
    EVP_PKEY_CTX_free(ctx);
}

/* do_dh_peer gives a key a public key in bytes, as TLS does, of any kind. */
void do_dh_peer(struct run *r, struct result *out)
{
    static unsigned char bytes[MAX_NUMBER + 1];
    EVP_PKEY **key = pkey_pick(r), **from = pkey_pick(r), *copy = NULL;
    const size_t fault = below(r, 8), more = below(r, 3);
    size_t len = ffc_size(r) + more - 1;
    unsigned char *encoded = NULL;
    if (ffc_is_dsa(r) || !*key || !*from)
        return;
    note(r, " fault %zu, length %zu", fault, len);
    const size_t encoded_len = EVP_PKEY_get1_encoded_public_key(*from, &encoded);
    pkey_say(out, encoded, encoded_len);
    memset(bytes, 0, sizeof bytes);
    if (fault > 3 && encoded_len == ffc_size(r))
        memcpy(bytes, encoded, len = encoded_len);
    else if (fault)
        bytes[len - 1] = (unsigned char)fault; /* 1, 2, 3 */
    OPENSSL_free(encoded);
    copy = EVP_PKEY_dup(*key); /* another place may have the same key */
    pkey_said(out, copy != NULL);
    if (!copy)
        return;
    pkey_said(out, EVP_PKEY_set1_encoded_public_key(copy, bytes, len));
    pkey_keep(r, key, copy, 0);
}
