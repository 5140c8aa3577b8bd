/* SPDX-License-Identifier: Apache-2.0 */
/* The model of public keys: operations with keys.  Signatures, ciphertexts and secrets of both
 * sides are the same bytes, since their random numbers are; each is also looked at with the other
 * side's key. */
#include "pkey.h"

enum { ROOM = 17100, MAX_MESSAGE = 200, MAX_CONTEXT = 260 };

/* Functions of OpenSSL 3.2 and 3.4: NULL where libcrypto is older. */
__attribute__((weak)) int EVP_PKEY_sign_message_init(EVP_PKEY_CTX *, EVP_SIGNATURE *,
                                                     const OSSL_PARAM[]);
__attribute__((weak)) int EVP_PKEY_verify_message_init(EVP_PKEY_CTX *, EVP_SIGNATURE *,
                                                       const OSSL_PARAM[]);
__attribute__((weak)) int EVP_PKEY_sign_init_ex2(EVP_PKEY_CTX *, EVP_SIGNATURE *,
                                                 const OSSL_PARAM[]);
__attribute__((weak)) int EVP_PKEY_verify_init_ex2(EVP_PKEY_CTX *, EVP_SIGNATURE *,
                                                   const OSSL_PARAM[]);

static EVP_PKEY_CTX *begin(struct run *r, EVP_PKEY *key)
{
    EVP_PKEY_CTX *ctx =
        key ? EVP_PKEY_CTX_new_from_pkey(pkey_libctx(), key, pkey_properties(r)) : NULL;
    pkey_restart(r);
    return ctx;
}

/* duplicate goes on with a copy of a context, now and then. */
static void duplicate(struct run *r, EVP_PKEY_CTX **ctx)
{
    if (below(r, 6) || !*ctx)
        return;
    note(r, " copied");
    EVP_PKEY_CTX *copy = EVP_PKEY_CTX_dup(*ctx);
    MUST(copy);
    EVP_PKEY_CTX_free(*ctx);
    *ctx = copy;
}

/* ---- key agreement ---- */

void do_derive(struct run *r, struct result *out)
{
    static const uint8_t rooms[] = { 0, 31, 32, 32, 32, 33, 64 };
    unsigned char secret[64] = { 0 };
    EVP_PKEY **key = pkey_pick(r), **peer = pkey_pick(r);
    const size_t room = rooms[below(r, sizeof rooms)];
    const int validate = (int)below(r, 2), with_peer = below(r, 16) > 0, zero = !below(r, 8);
    if (pkey_type(r)->use != AGREES || !*key || !*peer)
        return;
    size_t len = room;
    EVP_PKEY_CTX *ctx = begin(r, *key);
    EVP_PKEY *small = NULL;
    if (zero) { /* a point of small order */
        static const unsigned char point[32] = { 1 };
        note(r, " of small order");
        small = EVP_PKEY_new_raw_public_key_ex(pkey_libctx(), pkey_type(r)->name,
                                               pkey_properties(r), point, sizeof point);
    }
    note(r, " room of %zu%s%s", room, validate ? ", checked" : "", with_peer ? "" : ", no peer");
    pkey_said(out, EVP_PKEY_derive_init(ctx));
    if (with_peer)
        pkey_said(out, EVP_PKEY_derive_set_peer_ex(ctx, small ? small : *peer, validate));
    duplicate(r, &ctx);
    pkey_said(out, EVP_PKEY_derive(ctx, room ? secret : NULL, &len));
    pkey_say(out, secret, sizeof secret);
    pkey_say(out, &len, sizeof len);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(small);
}

/* ---- signatures ---- */

/* do_begin says what the call returned: -2 for what a type of keys cannot do. */
void do_begin(struct run *r, struct result *out)
{
    EVP_PKEY **key = pkey_pick(r);
    EVP_PKEY_CTX *ctx = begin(r, *key);
    if (!ctx)
        return;
    const int signs = EVP_PKEY_sign_init(ctx), verifies = EVP_PKEY_verify_init(ctx);
    pkey_said(out, signs > 0);
    pkey_say(out, &signs, sizeof signs);
    pkey_say(out, &verifies, sizeof verifies);
    EVP_PKEY_CTX_free(ctx);
}

/* struct choice is what a signature depends on beside key and message. */
struct choice {
    OSSL_PARAM list[5];
    unsigned char context[MAX_CONTEXT], entropy[33];
    int numbers[3];
};

static int is_edwards(const struct run *r)
{
    return !pkey_type(r)->seed;
}

static void choose_edwards(struct run *r, struct choice *c, OSSL_PARAM *at)
{
    static char *const instances[] = { "Ed25519", "Ed25519ctx", "ED25519PH",
                                       "Ed448",   "nonsense",   "Ed25519" };
    const size_t instance = below(r, below(r, 4) ? 3 : 6);
    const size_t lens[] = { 0, 1, 16, 255, 255, 256 };
    const size_t len = lens[below(r, 6)];
    if (below(r, 2)) {
        note(r, " %s", instances[instance]);
        *at++ = OSSL_PARAM_construct_utf8_string("instance", instances[instance], 0);
    }
    if (below(r, 2)) {
        note(r, " context of %zu", len);
        *at++ = OSSL_PARAM_construct_octet_string("context-string", c->context, len);
    }
    *at = OSSL_PARAM_construct_end();
}

static void choose_lattice(struct run *r, struct choice *c, OSSL_PARAM *at)
{
    static const char *const names[] = { "deterministic", "mu", "message-encoding" };
    const size_t lens[] = { 0, 1, 16, 255, 255, 256 };
    const size_t len = lens[below(r, 6)], most = pkey_type(r)->seed_len == 32 ? 32 : 16,
                 entropy = below(r, 8) ? most : most - 1 + 2 * below(r, 2);
    if (below(r, 2)) {
        note(r, " context of %zu", len);
        *at++ = OSSL_PARAM_construct_octet_string("context-string", c->context, len);
    }
    if (!below(r, 4)) {
        note(r, " entropy of %zu", entropy);
        *at++ = OSSL_PARAM_construct_octet_string("test-entropy", c->entropy, entropy);
    }
    const size_t name = below(r, 3);
    c->numbers[0] = (int)below(r, below(r, 6) ? 2 : 4);
    if (below(r, 2)) {
        note(r, " %s=%d", names[name], c->numbers[0]);
        *at++ = OSSL_PARAM_construct_int(names[name], &c->numbers[0]);
    }
    *at = OSSL_PARAM_construct_end();
}

/* choose gives nothing to OpenSSL 3.0 and 3.1, which ignore what they do not know. */
static void choose(struct run *r, struct choice *c)
{
    c->list[0] = OSSL_PARAM_construct_end();
    if (pkey_release() < 302)
        return;
    random_bytes(&r->random, c->context, sizeof c->context);
    random_bytes(&r->random, c->entropy, sizeof c->entropy);
    if (is_edwards(r))
        choose_edwards(r, c, c->list);
    else
        choose_lattice(r, c, c->list);
}

/* pick_message: 64 bytes are a digest of SHA-512, or a mu. */
static size_t pick_message(struct run *r, unsigned char *out)
{
    const size_t len = below(r, 2) ? 64 : below(r, MAX_MESSAGE);
    random_bytes(&r->random, out, len);
    note(r, " %zu bytes", len);
    return len;
}

static size_t pick_room(struct run *r)
{
    const size_t rooms[] = { ROOM, ROOM, ROOM, (size_t)(is_edwards(r) ? 63 : 2000), 0 };
    const size_t room = rooms[below(r, 5)];
    note(r, " room of %zu", room);
    return room;
}

/* spoil changes a bit or the length of a signature, sometimes. */
static void spoil(struct run *r, unsigned char *sig, size_t *len)
{
    const size_t fault = below(r, 8), bit = below(r, 8 * (*len ? *len : 1));
    if (fault == 0)
        sig[bit / 8] ^= (unsigned char)(1 << bit % 8);
    if (fault == 1 && *len)
        *len -= 1;
    note(r, fault == 0 ? " wrong" : fault == 1 ? " short" : "");
}

/* show adds what was written: a call that fails may leave anything. */
static void show(struct result *out, int good, const unsigned char *bytes, size_t len)
{
    if (good > 0)
        pkey_say(out, bytes, len);
}

void do_sign(struct run *r, struct result *out)
{
    static unsigned char sig[ROOM], message[MAX_MESSAGE];
    struct choice c;
    EVP_PKEY **key = pkey_pick(r), **verifier = pkey_pick(r);
    const char *digest = below(r, 12) ? NULL : below(r, 2) ? "SHA256" : "";
    const size_t len = pick_message(r, message), room = pick_room(r);
    size_t sig_len = room;
    if (pkey_type(r)->use != SIGNS || !*key || !*verifier)
        return;
    choose(r, &c);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    pkey_restart(r);
    int good =
        EVP_DigestSignInit_ex(ctx, NULL, digest, pkey_libctx(), pkey_properties(r), *key, c.list);
    pkey_said(out, good);
    if (good > 0) {
        good = EVP_DigestSign(ctx, room ? sig : NULL, &sig_len, message, len);
        pkey_said(out, good);
        show(out, good, sig, room ? sig_len : 0);
        show(out, good, (unsigned char *)&sig_len, sizeof sig_len);
        if (good > 0 && !below(r, 4)) { /* with the same context again */
            note(r, " again");
            pkey_said(out, EVP_DigestSignInit_ex(ctx, NULL, NULL, NULL, NULL, NULL, NULL));
            sig_len = ROOM;
            good = EVP_DigestSign(ctx, sig, &sig_len, message, len);
            pkey_said(out, good);
        }
    }
    EVP_MD_CTX_reset(ctx);
    if (good <= 0 || !room)
        random_bytes(&r->random, sig, sig_len = 64);
    spoil(r, sig, &sig_len);
    good = EVP_DigestVerifyInit_ex(ctx, NULL, NULL, pkey_libctx(), pkey_properties(r), *verifier,
                                   c.list);
    pkey_said(out, good);
    if (good > 0)
        pkey_said(out, EVP_DigestVerify(ctx, sig, sig_len, message, len));
    EVP_MD_CTX_free(ctx);
}

/* start begins to sign or to verify with a signature's own functions. */
static int start(struct run *r, EVP_PKEY_CTX *ctx, const char *name, int of_message, int verifies,
                 const OSSL_PARAM *list)
{
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(pkey_libctx(), name, pkey_properties(r));
    int good = -1;
    if (signature && of_message)
        good = verifies ? EVP_PKEY_verify_message_init(ctx, signature, list)
                        : EVP_PKEY_sign_message_init(ctx, signature, list);
    else if (signature)
        good = verifies ? EVP_PKEY_verify_init_ex2(ctx, signature, list)
                        : EVP_PKEY_sign_init_ex2(ctx, signature, list);
    EVP_SIGNATURE_free(signature);
    return good;
}

static void algorithm_id(struct result *out, EVP_PKEY_CTX *ctx)
{
    unsigned char id[64] = { 0 };
    OSSL_PARAM list[] = { OSSL_PARAM_construct_octet_string("algorithm-id", id, sizeof id),
                          OSSL_PARAM_construct_end() };
    pkey_said(out, EVP_PKEY_CTX_get_params(ctx, list));
    pkey_say(out, id, sizeof id);
    pkey_say(out, &list[0].return_size, sizeof list[0].return_size);
}

void do_message(struct run *r, struct result *out)
{
    static const char *const names[] = { "ED25519", "ED25519ph", "ED25519ctx" };
    static unsigned char sig[ROOM], message[MAX_MESSAGE];
    struct choice c;
    EVP_PKEY **key = pkey_pick(r), **verifier = pkey_pick(r);
    const char *name = is_edwards(r) ? names[below(r, 3)] : pkey_type(r)->name;
    const int of_message = (int)below(r, 2);
    const size_t len = pick_message(r, message), room = pick_room(r);
    size_t sig_len = room;
    if (pkey_type(r)->use != SIGNS || !*key || !*verifier || !EVP_PKEY_sign_message_init)
        return;
    note(r, " %s%s", name, of_message ? " of the message" : "");
    choose(r, &c);
    EVP_PKEY_CTX *ctx = begin(r, *key);
    int good = start(r, ctx, name, of_message, 0, c.list);
    pkey_said(out, good);
    if (good > 0) {
        algorithm_id(out, ctx);
        duplicate(r, &ctx);
        good = EVP_PKEY_sign(ctx, room ? sig : NULL, &sig_len, message, len);
        pkey_said(out, good);
        show(out, good, sig, room ? sig_len : 0);
    }
    EVP_PKEY_CTX_free(ctx);
    if (good <= 0 || !room)
        random_bytes(&r->random, sig, sig_len = 64);
    spoil(r, sig, &sig_len);
    ctx = begin(r, *verifier);
    good = start(r, ctx, name, of_message, 1, c.list);
    pkey_said(out, good);
    if (good > 0)
        pkey_said(out, EVP_PKEY_verify(ctx, sig, sig_len, message, len));
    EVP_PKEY_CTX_free(ctx);
}

/* ---- key encapsulation ---- */

static void decapsulate(struct run *r, struct result *out, EVP_PKEY *key, unsigned char *ct,
                        size_t ct_len)
{
    unsigned char secret[64] = { 0 };
    static const uint8_t rooms[] = { 32, 32, 32, 64, 31, 0 };
    size_t len = rooms[below(r, sizeof rooms)];
    const int with = len > 0;
    EVP_PKEY_CTX *ctx = begin(r, key);
    spoil(r, ct, &ct_len);
    int good = EVP_PKEY_decapsulate_init(ctx, NULL);
    pkey_said(out, good);
    if (good > 0) {
        good = EVP_PKEY_decapsulate(ctx, with ? secret : NULL, &len, ct, ct_len);
        pkey_said(out, good);
        show(out, good, secret, sizeof secret);
        show(out, good, (unsigned char *)&len, sizeof len);
    }
    EVP_PKEY_CTX_free(ctx);
}

void do_kem(struct run *r, struct result *out)
{
    static unsigned char ct[ROOM];
    unsigned char secret[64] = { 0 }, ikm[33];
    EVP_PKEY **key = pkey_pick(r), **other = pkey_pick(r);
    const size_t room = below(r, 6) ? ROOM : below(r, 2) * 700, ikm_len = 31 + below(r, 3);
    size_t ct_len = room, len = below(r, 8) ? 32 : 31;
    if (pkey_type(r)->use != ENCAPSULATES || !*key || !*other)
        return;
    random_bytes(&r->random, ikm, sizeof ikm);
    OSSL_PARAM list[] = { OSSL_PARAM_construct_octet_string("ikme", ikm, ikm_len),
                          OSSL_PARAM_construct_end() };
    const int with = !below(r, 3);
    note(r, " room of %zu, %zu%s", room, len, with ? ", ikme" : "");
    EVP_PKEY_CTX *ctx = begin(r, *key);
    int good = EVP_PKEY_encapsulate_init(ctx, with ? list : NULL);
    pkey_restart(r); /* an import tries the key with random numbers */
    pkey_said(out, good);
    if (good > 0) {
        good = EVP_PKEY_encapsulate(ctx, room ? ct : NULL, &ct_len, secret, &len);
        pkey_said(out, good);
        show(out, good, ct, room ? ct_len : 0);
        show(out, good, secret, sizeof secret);
        show(out, good, (unsigned char *)&ct_len, sizeof ct_len);
    }
    EVP_PKEY_CTX_free(ctx);
    if (good <= 0 || !room) /* the buffer has what another sequence left */
        random_bytes(&r->random, ct, ct_len = good > 0 ? ct_len : 768);
    decapsulate(r, out, *other, ct, ct_len);
}
