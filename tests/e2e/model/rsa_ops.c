/* SPDX-License-Identifier: Apache-2.0 */
/* The model of RSA: signatures and encryption, with any parameters.  Salts and paddings of both
 * sides are made of the same random numbers. */
#include "rsa.h"
#include <openssl/rsa.h>

enum { ROOM = 600 };

/* ---- parameters ---- */

static const int pad_modes[] = { 1, 1, 6, 6, 6, 3, 4, 5, 0, 2, 7, 8, -1 };
static const char *const pad_texts[] = {
    "pkcs1", "pss", "pss", "none", "oaep", "x931", "no", NULL
};
static const int salts[] = { -2, -3, -4, -5, 0, 1, 20, 32, 64, 500, -1 };
static const char *const salt_texts[] = { "digest", "max", "auto", "auto-digestmax",
                                          "20",     "x",   "-1",   NULL };
static const char *const digests[] = { "SHA1",     "SHA256",   "SHA2-256", "SHA512", "SHA3-256",
                                       "SHA384",   "MD5",      "MD5-SHA1", "SM3",    "SHA512-256",
                                       "SHAKE256", "nonsense", "",         NULL };
static const char *const properties[] = { "", "?provider=default", NULL };
static const int versions[] = { 0x0303, 0x0303, 0x0302, 0, -1 };
static const int lens[] = { 0, 1, 20, 100, -1 };
static const int flags[] = { 0, 1, 1, -1 };

static const struct kind sign_kinds[] = {
    { OSSL_SIGNATURE_PARAM_PAD_MODE, OSSL_PARAM_INTEGER, pad_modes, NULL, 0 },
    { OSSL_SIGNATURE_PARAM_PAD_MODE, OSSL_PARAM_UTF8_STRING, lens, pad_texts, 0 },
    { OSSL_SIGNATURE_PARAM_PSS_SALTLEN, OSSL_PARAM_INTEGER, salts, NULL, 1 },
    { OSSL_SIGNATURE_PARAM_PSS_SALTLEN, OSSL_PARAM_UTF8_STRING, lens, salt_texts, 0 },
    { OSSL_SIGNATURE_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, lens, digests, 0 },
    { OSSL_SIGNATURE_PARAM_MGF1_DIGEST, OSSL_PARAM_UTF8_STRING, lens, digests, 0 },
    { OSSL_SIGNATURE_PARAM_PROPERTIES, OSSL_PARAM_UTF8_STRING, lens, properties, 0 },
    { NULL, 0, NULL, NULL, 0 },
};

/* Messages are not padded by X9.31, whose digests are not known where another digest is refused. */
static const int message_modes[] = { 1, 1, 6, 6, 6, 3, 4, 0, 2, 7, 8, -1 };
static const char *const message_texts[] = { "pkcs1", "pss", "pss", "none", "oaep", "no", NULL };
static const struct kind message_kinds[] = {
    { OSSL_SIGNATURE_PARAM_PAD_MODE, OSSL_PARAM_INTEGER, message_modes, NULL, 1 },
    { OSSL_SIGNATURE_PARAM_PAD_MODE, OSSL_PARAM_UTF8_STRING, lens, message_texts, 0 },
    { OSSL_SIGNATURE_PARAM_PSS_SALTLEN, OSSL_PARAM_INTEGER, salts, NULL, 1 },
    { OSSL_SIGNATURE_PARAM_PSS_SALTLEN, OSSL_PARAM_UTF8_STRING, lens, salt_texts, 0 },
    { OSSL_SIGNATURE_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, lens, digests, 0 },
    { OSSL_SIGNATURE_PARAM_MGF1_DIGEST, OSSL_PARAM_UTF8_STRING, lens, digests, 0 },
    { OSSL_SIGNATURE_PARAM_PROPERTIES, OSSL_PARAM_UTF8_STRING, lens, properties, 0 },
    { NULL, 0, NULL, NULL, 0 },
};

static const struct kind crypt_kinds[] = {
    { OSSL_ASYM_CIPHER_PARAM_PAD_MODE, OSSL_PARAM_INTEGER, pad_modes, NULL, 0 },
    { OSSL_ASYM_CIPHER_PARAM_PAD_MODE, OSSL_PARAM_UTF8_STRING, lens, pad_texts, 0 },
    { OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, OSSL_PARAM_UTF8_STRING, lens, digests, 0 },
    { OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, OSSL_PARAM_UTF8_STRING, lens, digests, 0 },
    { OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, OSSL_PARAM_OCTET_STRING, lens, NULL, 0 },
    { OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, OSSL_PARAM_UNSIGNED_INTEGER, versions, NULL, 0 },
    { OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, OSSL_PARAM_UNSIGNED_INTEGER, versions, NULL,
      0 },
    { "implicit-rejection", OSSL_PARAM_UNSIGNED_INTEGER, flags, NULL, 0 },
    { NULL, 0, NULL, NULL, 0 },
};

/* say_params asks for the parameters that a context has. */
static void say_params(struct result *out, EVP_PKEY_CTX *ctx, int signs)
{
    int padding = 77, salt = 77;
    char digest[60] = "", mgf[60] = "", mode[20] = "", length[20] = "";
    unsigned char id[128] = { 0 };
    OSSL_PARAM list[] = {
        OSSL_PARAM_construct_int("pad-mode", &padding),
        OSSL_PARAM_construct_utf8_string("digest", digest, sizeof digest),
        OSSL_PARAM_construct_utf8_string("mgf1-digest", mgf, sizeof mgf),
        signs ? OSSL_PARAM_construct_int("saltlen", &salt) : OSSL_PARAM_construct_end(),
        OSSL_PARAM_construct_end(),
    };
    OSSL_PARAM texts[] = {
        OSSL_PARAM_construct_utf8_string("pad-mode", mode, sizeof mode),
        signs ? OSSL_PARAM_construct_utf8_string("saltlen", length, sizeof length)
              : OSSL_PARAM_construct_end(),
        OSSL_PARAM_construct_end(),
    };
    OSSL_PARAM ids[] = { OSSL_PARAM_construct_octet_string("algorithm-id", id, sizeof id),
                         OSSL_PARAM_construct_end() };
    pkey_said(out, EVP_PKEY_CTX_get_params(ctx, list));
    pkey_said(out, EVP_PKEY_CTX_get_params(ctx, texts));
    if (signs)
        pkey_said(out, EVP_PKEY_CTX_get_params(ctx, ids));
    pkey_say(out, &padding, sizeof padding);
    pkey_say(out, &salt, sizeof salt);
    pkey_say(out, digest, sizeof digest);
    pkey_say(out, mgf, sizeof mgf);
    pkey_say(out, mode, sizeof mode);
    pkey_say(out, length, sizeof length);
    pkey_say(out, id, sizeof id);
}

/* ---- data ---- */

static size_t pick_room(struct run *r)
{
    const size_t rooms[] = { ROOM, ROOM, ROOM, rsa_size(r), rsa_size(r) - 1, 0 };
    const size_t room = rooms[below(r, 6)];
    note(r, " room of %zu", room);
    return room;
}

static size_t pick_input(struct run *r, unsigned char *out)
{
    const size_t size = rsa_size(r),
                 sizes[] = { 32, 32, 20, 20,   64,        48,        36,
                             16, 28, 0,  size, size - 11, size - 10, below(r, ROOM) };
    const size_t len = sizes[below(r, 14)];
    random_bytes(&r->random, out, len);
    if (len)
        out[0] &= below(r, 2) ? 0x3f : 0xff; /* a number below the modulus */
    note(r, " %zu bytes", len);
    return len;
}

/* spoil changes a bit or the length, sometimes; it returns whether it did. */
static int spoil(struct run *r, unsigned char *bytes, size_t *len)
{
    const size_t fault = below(r, 8), bit = below(r, 8 * (*len ? *len : 1));
    if (fault == 0)
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    if (fault == 1 && *len)
        *len -= 1;
    note(r, fault == 0 ? " wrong" : fault == 1 ? " short" : "");
    return fault < 2;
}

static void show(struct result *out, int good, const unsigned char *bytes, size_t len)
{
    if (good > 0)
        pkey_say(out, bytes, len);
}

/* ---- signatures of what is given ---- */

static void recover(struct run *r, struct result *out, EVP_PKEY *key, const struct choice *c,
                    const unsigned char *sig, size_t sig_len)
{
    unsigned char back[ROOM] = { 0 };
    const int with = below(r, 6) > 0;
    size_t len = sizeof back;
    EVP_PKEY_CTX *ctx = number_begin(r, key);
    int good = EVP_PKEY_verify_recover_init(ctx);
    pkey_said(out, good);
    if (good > 0) {
        number_set(out, ctx, c);
        good = EVP_PKEY_verify_recover(ctx, with ? back : NULL, &len, sig, sig_len);
        pkey_said(out, good);
        show(out, good, back, with ? len : 0);
        show(out, good, (unsigned char *)&len, sizeof len);
    }
    EVP_PKEY_CTX_free(ctx);
}

void do_rsa_sign(struct run *r, struct result *out)
{
    static unsigned char sig[ROOM], message[ROOM];
    struct choice c;
    EVP_PKEY **key = pkey_pick(r), **verifier = pkey_pick(r);
    const size_t len = pick_input(r, message), room = pick_room(r);
    const int at_init = (int)below(r, 2);
    size_t sig_len = room;
    number_choose(r, &c, sign_kinds);
    if (!*key || !*verifier)
        return;
    EVP_PKEY_CTX *ctx = number_begin(r, *key);
    int good = EVP_PKEY_sign_init_ex(ctx, at_init && c.num ? c.memory[0].list : NULL);
    pkey_said(out, good);
    if (good > 0) {
        number_set(out, ctx, &c);
        say_params(out, ctx, 1);
        (void)number_duplicate(r, &ctx); /* OpenSSL copies no empty label */
        good = EVP_PKEY_sign(ctx, room ? sig : NULL, &sig_len, message, len);
        pkey_said(out, good);
        show(out, good, sig, room ? sig_len : 0);
        show(out, good, (unsigned char *)&sig_len, sizeof sig_len);
    }
    EVP_PKEY_CTX_free(ctx);
    if (good <= 0 || !room)
        random_bytes(&r->random, sig, sig_len = rsa_size(r));
    spoil(r, sig, &sig_len);
    ctx = number_begin(r, *verifier);
    good = EVP_PKEY_verify_init(ctx);
    pkey_said(out, good);
    if (good > 0) {
        number_set(out, ctx, &c);
        pkey_said(out, EVP_PKEY_verify(ctx, sig, sig_len, message, len));
    }
    EVP_PKEY_CTX_free(ctx);
    recover(r, out, *verifier, &c, sig, sig_len);
}

/* ---- signatures of messages ---- */

static int sign_message(struct run *r, struct result *out, EVP_PKEY *key, const char *digest,
                        const struct choice *c, unsigned char *sig, size_t *sig_len)
{
    static unsigned char message[ROOM];
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx = NULL;
    const size_t room = *sig_len;
    pkey_restart(r);
    int good =
        EVP_DigestSignInit_ex(ctx, &pctx, digest, pkey_libctx(), pkey_properties(r), key, NULL);
    pkey_said(out, good);
    if (good > 0) {
        number_set(out, pctx, c);
        pkey_said(out, EVP_DigestSignUpdate(ctx, message, 50));
        say_params(out, pctx, 1);
        good = EVP_DigestSignFinal(ctx, room ? sig : NULL, sig_len);
        pkey_said(out, good);
        show(out, good, sig, room ? *sig_len : 0);
        if (!below(r, 4)) { /* with the same context again */
            const char *other = below(r, 2) ? NULL : digests[below(r, 13)];
            const OSSL_PARAM *list = below(r, 2) && c->num ? c->memory[0].list : NULL;
            note(r, " again with %s%s", other ? other : "none", list ? ", list" : "");
            pkey_said(out, EVP_DigestSignInit_ex(ctx, NULL, other, pkey_libctx(),
                                                 pkey_properties(r), NULL, list));
            say_params(out, EVP_MD_CTX_get_pkey_ctx(ctx), 1);
            pkey_restart(r);
            *sig_len = ROOM;
            good = EVP_DigestSign(ctx, sig, sig_len, message, 50);
            pkey_said(out, good);
            show(out, good, sig, *sig_len);
        }
    }
    EVP_MD_CTX_free(ctx);
    return good;
}

void do_rsa_message(struct run *r, struct result *out)
{
    static const unsigned char message[50];
    static unsigned char sig[ROOM];
    struct choice c;
    EVP_PKEY **key = pkey_pick(r), **verifier = pkey_pick(r);
    const char *digest = below(r, 4) ? digests[below(r, 13)] : NULL;
    size_t sig_len = pick_room(r);
    number_choose(r, &c, message_kinds);
    note(r, " digest %s", digest ? digest : "none");
    if (!*key || !*verifier)
        return;
    memset(sig, 0, sizeof sig); /* where nothing is written, it is the same on both sides */
    if (sign_message(r, out, *key, digest, &c, sig, &sig_len) <= 0 || !sig_len)
        random_bytes(&r->random, sig, sig_len = rsa_size(r));
    spoil(r, sig, &sig_len);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx = NULL;
    const int good = EVP_DigestVerifyInit_ex(ctx, &pctx, digest, pkey_libctx(), pkey_properties(r),
                                             *verifier, NULL);
    pkey_said(out, good);
    if (good > 0) {
        number_set(out, pctx, &c);
        pkey_said(out, EVP_DigestVerify(ctx, sig, sig_len, message, sizeof message));
    }
    EVP_MD_CTX_free(ctx);
}

/* ---- encryption ---- */

static void decrypt(struct run *r, struct result *out, EVP_PKEY *key, const struct choice *c,
                    const unsigned char *ct, size_t ct_len)
{
    unsigned char back[ROOM] = { 0 };
    const size_t room = pick_room(r);
    size_t len = room;
    int padding = 0;
    EVP_PKEY_CTX *ctx = number_begin(r, key);
    int good = EVP_PKEY_decrypt_init_ex(ctx, NULL);
    pkey_said(out, good);
    if (good > 0) {
        number_set(out, ctx, c);
        OSSL_PARAM list[] = { OSSL_PARAM_construct_int("pad-mode", &padding),
                              OSSL_PARAM_construct_end() };
        (void)!EVP_PKEY_CTX_get_params(ctx, list);
        say_params(out, ctx, 0);
        (void)number_duplicate(r, &ctx); /* OpenSSL copies no empty label */
        good = EVP_PKEY_decrypt(ctx, room ? back : NULL, &len, ct, ct_len);
        pkey_said(out, good);
        if (padding != RSA_PKCS1_WITH_TLS_PADDING) /* else these may be random numbers */
            show(out, good, back, room ? len : 0);
        show(out, good, (unsigned char *)&len, sizeof len);
    }
    EVP_PKEY_CTX_free(ctx);
}

/* encrypt leaves the ciphertext's length in *ct_len, or 0. */
static void encrypt(struct run *r, struct result *out, EVP_PKEY *key, const struct choice *c,
                    unsigned char *ct, size_t *ct_len)
{
    static unsigned char message[ROOM];
    const size_t len = pick_input(r, message), room = pick_room(r);
    *ct_len = room;
    EVP_PKEY_CTX *ctx = number_begin(r, key);
    int good = EVP_PKEY_encrypt_init_ex(ctx, NULL);
    pkey_said(out, good);
    if (good > 0) {
        number_set(out, ctx, c);
        (void)number_duplicate(r, &ctx); /* OpenSSL copies no empty label */
        good = EVP_PKEY_encrypt(ctx, room ? ct : NULL, ct_len, message, len);
        pkey_said(out, good);
        pkey_say(out, &good, sizeof good); /* releases differ in how a failure is less than 1 */
        show(out, good, ct, room ? *ct_len : 0);
        show(out, good, (unsigned char *)ct_len, sizeof *ct_len);
    }
    EVP_PKEY_CTX_free(ctx);
    if (good <= 0 || !room)
        *ct_len = 0;
}

void do_rsa_encrypt(struct run *r, struct result *out)
{
    static unsigned char ct[ROOM];
    struct choice c;
    size_t ct_len;
    EVP_PKEY **key = pkey_pick(r);
    number_choose(r, &c, crypt_kinds);
    if (*key)
        encrypt(r, out, *key, &c, ct, &ct_len);
}

void do_rsa_crypt(struct run *r, struct result *out)
{
    static unsigned char ct[ROOM];
    struct choice c;
    size_t ct_len;
    EVP_PKEY **key = pkey_pick(r), **other = pkey_pick(r);
    number_choose(r, &c, crypt_kinds);
    if (!*key || !*other)
        return;
    encrypt(r, out, *key, &c, ct, &ct_len);
    r->facts |= BAD_PADDING;
    if (ct_len)
        r->facts &= ~(unsigned)(*key == *other ? BAD_PADDING : 0);
    else
        random_bytes(&r->random, ct, ct_len = rsa_size(r));
    if (spoil(r, ct, &ct_len))
        r->facts |= BAD_PADDING;
    decrypt(r, out, *other, &c, ct, ct_len);
}
