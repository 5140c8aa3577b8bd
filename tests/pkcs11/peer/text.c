/* SPDX-License-Identifier: Apache-2.0 */
/* Random messages through both modules: whole, in pieces, also empty ones, with questions for the
 * length, rooms that are too small and calls that do not belong there in between. */
#include "differ.h"
#include <stddef.h>

enum { MAX_TEXT = 600 };

/* ---- methods ---- */

enum parameter { NOTHING, IV, COUNTER, GCM, OAEP, PSS };
enum { CRYPTS = 1, SIGNS = 2, DIGESTS = 4, VARIES = 8, SHORT = 16 };
static const struct method {
    const char *name;
    CK_MECHANISM_TYPE type;
    enum key_set key;
    enum parameter parameter;
    unsigned block; /* the bytes of an IV, and those that texts are made of */
    unsigned flags;
    CK_MECHANISM_TYPE hash; /* of PSS */
    CK_ULONG mgf;
} methods[] = {
    { "AES-ECB", CKM_AES_ECB, KEY_AES, NOTHING, 16, CRYPTS, 0, 0 },
    { "AES-CBC", CKM_AES_CBC, KEY_AES, IV, 16, CRYPTS, 0, 0 },
    { "AES-CBC-PAD", CKM_AES_CBC_PAD, KEY_AES, IV, 16, CRYPTS, 0, 0 },
    { "AES-CTR", CKM_AES_CTR, KEY_AES, COUNTER, 1, CRYPTS, 0, 0 },
    { "AES-GCM", CKM_AES_GCM, KEY_AES, GCM, 1, CRYPTS, 0, 0 },
    { "3DES-ECB", CKM_DES3_ECB, KEY_DES3, NOTHING, 8, CRYPTS, 0, 0 },
    { "3DES-CBC", CKM_DES3_CBC, KEY_DES3, IV, 8, CRYPTS, 0, 0 },
    { "3DES-CBC-PAD", CKM_DES3_CBC_PAD, KEY_DES3, IV, 8, CRYPTS, 0, 0 },
    { "RSA-PKCS encryption", CKM_RSA_PKCS, KEY_RSA, NOTHING, 1, CRYPTS | VARIES | SHORT, 0, 0 },
    { "RSA-OAEP", CKM_RSA_PKCS_OAEP, KEY_RSA, OAEP, 1, CRYPTS | VARIES | SHORT, 0, 0 },
    { "MD5", CKM_MD5, NO_KEY, NOTHING, 1, DIGESTS, 0, 0 },
    { "SHA-1", CKM_SHA_1, NO_KEY, NOTHING, 1, DIGESTS, 0, 0 },
    { "SHA-224", CKM_SHA224, NO_KEY, NOTHING, 1, DIGESTS, 0, 0 },
    { "SHA-256", CKM_SHA256, NO_KEY, NOTHING, 1, DIGESTS, 0, 0 },
    { "SHA-384", CKM_SHA384, NO_KEY, NOTHING, 1, DIGESTS, 0, 0 },
    { "SHA-512", CKM_SHA512, NO_KEY, NOTHING, 1, DIGESTS, 0, 0 },
    { "HMAC-MD5", CKM_MD5_HMAC, KEY_SECRET, NOTHING, 1, SIGNS, 0, 0 },
    { "HMAC-SHA-1", CKM_SHA_1_HMAC, KEY_SECRET, NOTHING, 1, SIGNS, 0, 0 },
    { "HMAC-SHA-224", CKM_SHA224_HMAC, KEY_SECRET, NOTHING, 1, SIGNS, 0, 0 },
    { "HMAC-SHA-256", CKM_SHA256_HMAC, KEY_SECRET, NOTHING, 1, SIGNS, 0, 0 },
    { "HMAC-SHA-384", CKM_SHA384_HMAC, KEY_SECRET, NOTHING, 1, SIGNS, 0, 0 },
    { "HMAC-SHA-512", CKM_SHA512_HMAC, KEY_SECRET, NOTHING, 1, SIGNS, 0, 0 },
    { "AES-CMAC", CKM_AES_CMAC, KEY_AES, NOTHING, 1, SIGNS, 0, 0 },
    { "3DES-CMAC", CKM_DES3_CMAC, KEY_DES3, NOTHING, 1, SIGNS, 0, 0 },
    { "RSA-PKCS", CKM_RSA_PKCS, KEY_RSA, NOTHING, 1, SIGNS | SHORT, 0, 0 },
    { "SHA1-RSA", CKM_SHA1_RSA_PKCS, KEY_RSA, NOTHING, 1, SIGNS, 0, 0 },
    { "SHA256-RSA", CKM_SHA256_RSA_PKCS, KEY_RSA, NOTHING, 1, SIGNS, 0, 0 },
    { "SHA512-RSA", CKM_SHA512_RSA_PKCS, KEY_RSA, NOTHING, 1, SIGNS, 0, 0 },
    { "SHA1-PSS", CKM_SHA1_RSA_PKCS_PSS, KEY_RSA, PSS, 1, SIGNS | VARIES, CKM_SHA_1,
      CKG_MGF1_SHA1 },
    { "SHA256-PSS", CKM_SHA256_RSA_PKCS_PSS, KEY_RSA, PSS, 1, SIGNS | VARIES, CKM_SHA256,
      CKG_MGF1_SHA256 },
    { "SHA512-PSS", CKM_SHA512_RSA_PKCS_PSS, KEY_RSA, PSS, 1, SIGNS | VARIES, CKM_SHA512,
      CKG_MGF1_SHA512 },
    { "ECDSA", CKM_ECDSA, KEY_EC, NOTHING, 1, SIGNS | VARIES | SHORT, 0, 0 },
    { "EdDSA", CKM_EDDSA, KEY_ED, NOTHING, 1, SIGNS, 0, 0 },
};

/* ---- parameters ---- */

struct parameters {
    CK_MECHANISM mechanism;
    uint8_t iv[16], aad[40];
    CK_AES_CTR_PARAMS counter;
    CK_GCM_PARAMS gcm;
    CK_RSA_PKCS_OAEP_PARAMS oaep;
    CK_RSA_PKCS_PSS_PARAMS pss;
};

static void fill(struct parameters *p, const struct method *m)
{
    random_bytes(p->iv, sizeof p->iv);
    random_bytes(p->aad, sizeof p->aad);
    p->counter.ulCounterBits = 128;
    memcpy(p->counter.cb, p->iv, sizeof p->counter.cb);
    p->gcm = (CK_GCM_PARAMS){ p->iv, 12, 96, p->aad, random_below(sizeof p->aad), 128 };
    if (!p->gcm.ulAADLen)
        p->gcm.pAAD = NULL;
    p->oaep = (CK_RSA_PKCS_OAEP_PARAMS){ CKM_SHA_1, CKG_MGF1_SHA1, CKZ_DATA_SPECIFIED, NULL, 0 };
    p->pss = (CK_RSA_PKCS_PSS_PARAMS){ m->hash, m->mgf, random_below(20) };
    const struct {
        void *at;
        CK_ULONG len;
    } forms[] = {
        [NOTHING] = { NULL, 0 },
        [IV] = { p->iv, m->block },
        [COUNTER] = { &p->counter, sizeof p->counter },
        [GCM] = { &p->gcm, sizeof p->gcm },
        [OAEP] = { &p->oaep, sizeof p->oaep },
        [PSS] = { &p->pss, sizeof p->pss },
    };
    p->mechanism = (CK_MECHANISM){ m->type, forms[m->parameter].at, forms[m->parameter].len };
}

/* spoil makes a parameter wrong. */
static void spoil(struct parameters *p, const struct method *m)
{
    if (m->parameter == NOTHING)
        return;
    const uint32_t flaw = random_below(5);
    note("flaw %u of the parameter", flaw);
    switch (flaw) {
    case 0:
        p->mechanism.pParameter = NULL;
        p->mechanism.ulParameterLen = 0;
        break;
    case 1:
        p->mechanism.ulParameterLen -= 1;
        break;
    case 2:
        p->counter.ulCounterBits = 129 + random_below(100);
        p->oaep.hashAlg = CKM_AES_ECB;
        p->pss.mgf = 99;
        break;
    case 3:
        p->gcm.ulTagBits = 8 * (17 + random_below(5));
        p->pss.sLen = 250;
        break;
    default:
        p->pss.hashAlg = CKM_MD5;
        p->oaep.mgf = 0;
        p->gcm.ulTagBits = 7;
    }
}

/* ---- one message ---- */

typedef CK_RV init_call(CK_SESSION_HANDLE, CK_MECHANISM *, CK_OBJECT_HANDLE);
typedef CK_RV text_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG, CK_BYTE *, CK_ULONG *);
typedef CK_RV absorb_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG);
typedef CK_RV end_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG *);

/* The calls of a kind of operation, as places in a list of functions. */
static const struct calls {
    const char *init_name, *whole_name, *update_name, *final_name;
    size_t init, whole, update, final;
    int absorbs; /* an update gives out nothing */
} encrypt = { "C_EncryptInit",
              "C_Encrypt",
              "C_EncryptUpdate",
              "C_EncryptFinal",
              offsetof(functions, C_EncryptInit),
              offsetof(functions, C_Encrypt),
              offsetof(functions, C_EncryptUpdate),
              offsetof(functions, C_EncryptFinal),
              0 },
  decrypt = { "C_DecryptInit",
              "C_Decrypt",
              "C_DecryptUpdate",
              "C_DecryptFinal",
              offsetof(functions, C_DecryptInit),
              offsetof(functions, C_Decrypt),
              offsetof(functions, C_DecryptUpdate),
              offsetof(functions, C_DecryptFinal),
              0 },
  sign = { "C_SignInit",
           "C_Sign",
           "C_SignUpdate",
           "C_SignFinal",
           offsetof(functions, C_SignInit),
           offsetof(functions, C_Sign),
           offsetof(functions, C_SignUpdate),
           offsetof(functions, C_SignFinal),
           1 },
  digest = { "C_DigestInit",
             "C_Digest",
             "C_DigestUpdate",
             "C_DigestFinal",
             0,
             offsetof(functions, C_Digest),
             offsetof(functions, C_DigestUpdate),
             offsetof(functions, C_DigestFinal),
             1 };

#define CALL(type, place) (*(type *const *)(const void *)((const char *)p11 + (place)))

struct message {
    const struct calls *calls;
    const struct method *method;
    uint8_t *in;
    size_t len, at, used; /* at: of the pieces; used: by the call that ended it */
    int ended, failed;
    struct answer total[NUM_SIDES]; /* what both gave out so far */
};

static void keep(struct message *m, const char *call)
{
    ON_BOTH
    {
        struct answer *t = &m->total[x];
        memcpy(t->bytes + t->len, answers[x].bytes, answers[x].len);
        t->len += answers[x].len;
    }
    if (m->ended && !(m->method->flags & VARIES))
        settle_bytes(call, m->method->name, m->total);
    else if (m->ended && m->total[OURS].len != m->total[THEIRS].len)
        complain("%s, %s: %lu bytes, theirs %lu", call, m->method->name, m->total[OURS].len,
                 m->total[THEIRS].len);
}

/* judge looks at what both returned for a call that may end the operation. */
static void judge(struct message *m, const char *call, int ends)
{
    const int same = settle(call, m->method->name);
    const CK_RV rv = answers[OURS].rv;
    if (same && (rv == CKR_BUFFER_TOO_SMALL || rv == CKR_OPERATION_ACTIVE))
        return;
    m->failed = !same || rv != CKR_OK;
    m->ended = ends || m->failed;
    m->used = m->at;
    if (!m->failed)
        keep(m, call);
}

/* judge_question does so for a call that asked for a length. */
static void judge_question(struct message *m, const char *call)
{
    if (!settle(call, m->method->name) ||
        (answers[OURS].rv != CKR_OK && answers[OURS].rv != CKR_OPERATION_ACTIVE))
        m->ended = m->failed = 1;
}

/* A room: none, which asks for the length, or little, or enough. */
enum room { QUESTION, LITTLE, ENOUGH };
static enum room random_room(void)
{
    return one_in(4) ? QUESTION : one_in(6) ? LITTLE : ENOUGH;
}

static CK_BYTE *begin_answer(int x, enum room room)
{
    answers[x].len = room == ENOUGH ? ROOM - 1000 : room == LITTLE ? 3 : 0;
    return room == QUESTION ? NULL : answers[x].bytes;
}

/* said names a call with what is unusual of it, for the table of differences. */
static const char *said(const char *call, enum room room, const CK_BYTE *in)
{
    static char text[60];
    snprintf(text, sizeof text, "%s%s%s", call,
             room == QUESTION ? " asking"
             : room == LITTLE ? " with little room"
                              : "",
             in ? "" : " of NULL");
    return text;
}

static void whole(struct message *m)
{
    const enum room room = random_room();
    const char *name = said(m->calls->whole_name, room, m->in);
    note("%s of %zu bytes, room %d", m->calls->whole_name, m->len, room);
    ON_BOTH
    {
        CK_BYTE *out = begin_answer(x, room);
        answers[x].rv =
            CALL(text_call, m->calls->whole)(sides[x].s, m->in, m->len, out, &answers[x].len);
    }
    if (room == QUESTION) {
        judge_question(m, name);
    } else {
        judge(m, name, 1);
        m->used = m->len;
    }
}

static void update(struct message *m)
{
    const size_t left = m->len - m->at,
                 part = left ? random_below((uint32_t)(one_in(2) ? left + 1 : left / 4 + 1)) : 0;
    const enum room room = m->calls->absorbs ? ENOUGH : random_room();
    CK_BYTE *in = part || one_in(2) ? m->in + m->at : NULL;
    const char *name = said(m->calls->update_name, room, in);
    note("%s of %zu bytes%s, room %d", m->calls->update_name, part, in ? "" : " at NULL", room);
    ON_BOTH
    {
        CK_BYTE *out = begin_answer(x, room);
        if (m->calls->absorbs) {
            answers[x].len = 0;
            answers[x].rv = CALL(absorb_call, m->calls->update)(sides[x].s, in, part);
        } else {
            answers[x].rv =
                CALL(text_call, m->calls->update)(sides[x].s, in, part, out, &answers[x].len);
        }
    }
    if (room == QUESTION) {
        judge_question(m, name);
        return;
    }
    judge(m, name, 0);
    if (answers[OURS].rv == CKR_OK)
        m->at += part;
}

static void final(struct message *m)
{
    const enum room room = random_room();
    const char *name = said(m->calls->final_name, room, m->in);
    note("%s, room %d", m->calls->final_name, room);
    ON_BOTH
    {
        CK_BYTE *out = begin_answer(x, room);
        answers[x].rv = CALL(end_call, m->calls->final)(sides[x].s, out, &answers[x].len);
    }
    if (room == QUESTION)
        judge_question(m, name);
    else
        judge(m, name, 1);
}

/* stray makes a call that does not belong there. */
static void stray(const struct message *m, struct parameters *p, const CK_OBJECT_HANDLE *key)
{
    note("%s again", m->calls->init_name);
    ON_BOTH answers[x].rv = m->calls->init
                                ? CALL(init_call, m->calls->init)(sides[x].s, &p->mechanism, key[x])
                                : p11->C_DigestInit(sides[x].s, &p->mechanism);
    (void)settle(m->calls->init_name, m->method->name);
}

/* run begins an operation and makes random calls until it ends; it returns whether it gave out a
 * whole result. */
static int run(struct message *m, struct parameters *p, const CK_OBJECT_HANDLE *key)
{
    note("%s, %s, parameter of %lu bytes", m->calls->init_name, m->method->name,
         p->mechanism.ulParameterLen);
    ON_BOTH answers[x].rv = m->calls->init
                                ? CALL(init_call, m->calls->init)(sides[x].s, &p->mechanism, key[x])
                                : p11->C_DigestInit(sides[x].s, &p->mechanism);
    if (!settle(m->calls->init_name, m->method->name) || answers[OURS].rv != CKR_OK)
        return 0;
    const int in_pieces = one_in(2);
    for (int i = 0; !m->ended; i++) {
        if (one_in(15))
            stray(m, p, key);
        else if (i > 30 || (in_pieces && m->at == m->len))
            final(m);
        else if (in_pieces != one_in(20))
            update(m);
        else
            whole(m);
    }
    return !m->failed;
}

/* ---- messages of each kind ---- */

static size_t random_text(uint8_t *out, const struct method *m)
{
    size_t len = random_below(m->flags & SHORT ? 66 : one_in(2) ? 70 : MAX_TEXT);
    if (m->block > 1 && !one_in(10))
        len -= len % m->block;
    random_bytes(out, len);
    return len;
}

/* damage changes a byte of a text, or its length. */
static size_t damage(uint8_t *bytes, size_t len)
{
    if (len && one_in(2))
        bytes[random_below((uint32_t)len)] ^= (uint8_t)(1 << random_below(8));
    else if (one_in(2))
        len -= len ? 1 + random_below((uint32_t)len) : 0;
    else
        bytes[len++] = 7;
    return len;
}

static void try_crypt(const struct method *m, struct parameters *p, const struct key *key)
{
    static uint8_t in[ROOM], sealed[ROOM];
    struct message one = { .calls = &encrypt, .method = m, .in = in };
    one.len = random_text(in, m);
    if (!run(&one, p, key->public))
        return;
    const struct answer *from = &one.total[m->flags & VARIES ? random_below(2) : OURS];
    memcpy(sealed, from->bytes, from->len);
    struct message two = { .calls = &decrypt, .method = m, .in = sealed, .len = from->len };
    const int is_damaged = one_in(5);
    if (is_damaged)
        two.len = damage(sealed, two.len);
    if (run(&two, p, key->secret) && !is_damaged && two.used == two.len &&
        (two.total[OURS].len != one.used || memcmp(two.total[OURS].bytes, in, two.total[OURS].len)))
        complain_with_notes("%s: another text, %lu bytes of %zu", m->name, two.total[OURS].len,
                            one.used);
}

static void verify(const struct method *m, struct parameters *p, const struct key *key, uint8_t *in,
                   size_t len, struct answer *signature)
{
    if (one_in(3))
        signature->len = damage(signature->bytes, signature->len);
    note("C_VerifyInit, %s", m->name);
    ON_BOTH answers[x].rv = p11->C_VerifyInit(sides[x].s, &p->mechanism, key->public[x]);
    if (!settle("C_VerifyInit", m->name) || answers[OURS].rv != CKR_OK)
        return;
    if (m->flags & SHORT || one_in(2)) {
        note("C_Verify of %zu bytes, signature of %lu", len, signature->len);
        ON_BOTH answers[x].rv =
            p11->C_Verify(sides[x].s, in, len, signature->bytes, signature->len);
        (void)settle("C_Verify", m->name);
        return;
    }
    const size_t cut = random_below((uint32_t)len + 1);
    for (int i = 0; i < 2; i++) {
        note("C_VerifyUpdate, cut %zu of %zu", cut, len);
        ON_BOTH answers[x].rv = i ? p11->C_VerifyUpdate(sides[x].s, in + cut, len - cut)
                                  : p11->C_VerifyUpdate(sides[x].s, in, cut);
        if (!settle("C_VerifyUpdate", m->name) || answers[OURS].rv != CKR_OK)
            return;
    }
    note("C_VerifyFinal, signature of %lu", signature->len);
    ON_BOTH answers[x].rv = p11->C_VerifyFinal(sides[x].s, signature->bytes, signature->len);
    (void)settle("C_VerifyFinal", m->name);
}

static void try_signature(const struct method *m, struct parameters *p, const struct key *key)
{
    static uint8_t in[ROOM];
    struct message one = { .calls = m->flags & SIGNS ? &sign : &digest, .method = m, .in = in };
    one.len = random_text(in, m);
    const int fine = run(&one, p, key ? key->secret : NULL);
    if (fine && m->flags & SIGNS)
        verify(m, p, key, in, one.used, &one.total[random_below(NUM_SIDES)]);
}

void try_text(void)
{
    const struct method *m = &methods[random_below(COUNT_OF(methods))];
    const int other_key = m->key && one_in(40);
    const struct key *key = other_key ? &keys[random_below((uint32_t)num_keys)] : key_in(m->key);
    struct parameters p;
    fill(&p, m);
    if (one_in(20))
        spoil(&p, m);
    note("key %s", key ? key->name : "none");
    if (m->flags & CRYPTS)
        try_crypt(m, &p, key);
    else
        try_signature(m, &p, key);
    renew();
}
