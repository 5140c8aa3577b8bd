/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"
#include "../../cli/algorithm.h"
#include "../ways_pk.h"
#include "../ways_state.h"
#include <string.h>

enum { IV_LEN = 12, TAG_BITS = 128, HMAC_KEY = 32, DIGEST = 32, NUM_SAME = 3 };

#define USUAL true
#define SECRET(symbol, usual, does, type, key)  \
    {                                           \
        symbol, usual, does, type, type, key, 0 \
    }
#define RSA(symbol, usual)                                                          \
    {                                                                               \
        symbol, usual, CKF_SIGN, CKM_SHA256_RSA_PKCS, CKM_SHA256_RSA_PKCS, CKK_RSA, \
            CKM_RSA_PKCS_KEY_PAIR_GEN                                               \
    }
static const struct p11_row rows[] = {
    SECRET("aes_128_cbc", USUAL, CKF_ENCRYPT, CKM_AES_CBC, CKK_AES),
    SECRET("aes_192_cbc", false, CKF_ENCRYPT, CKM_AES_CBC, CKK_AES),
    SECRET("aes_256_cbc", false, CKF_ENCRYPT, CKM_AES_CBC, CKK_AES),
    SECRET("aes_128_gcm", USUAL, CKF_ENCRYPT, CKM_AES_GCM, CKK_AES),
    SECRET("aes_192_gcm", false, CKF_ENCRYPT, CKM_AES_GCM, CKK_AES),
    SECRET("aes_256_gcm", false, CKF_ENCRYPT, CKM_AES_GCM, CKK_AES),
    SECRET("sha1", false, CKF_DIGEST, CKM_SHA_1, 0),
    SECRET("sha256", USUAL, CKF_DIGEST, CKM_SHA256, 0),
    SECRET("sha384", false, CKF_DIGEST, CKM_SHA384, 0),
    SECRET("sha512", false, CKF_DIGEST, CKM_SHA512, 0),
    SECRET("hmac_sha1", false, CKF_SIGN, CKM_SHA_1_HMAC, CKK_GENERIC_SECRET),
    SECRET("hmac_sha256", USUAL, CKF_SIGN, CKM_SHA256_HMAC, CKK_GENERIC_SECRET),
    SECRET("hmac_sha512", false, CKF_SIGN, CKM_SHA512_HMAC, CKK_GENERIC_SECRET),
    SECRET("aes_128_cmac", USUAL, CKF_SIGN, CKM_AES_CMAC, CKK_AES),
    SECRET("aes_256_cmac", false, CKF_SIGN, CKM_AES_CMAC, CKK_AES),
    RSA("rsa2048", USUAL),
    RSA("rsa3072", false),
    RSA("rsa4096", false),
    { "ecdsa_p256", USUAL, CKF_SIGN, CKM_ECDSA_SHA256, CKM_ECDSA, CKK_EC, CKM_EC_KEY_PAIR_GEN },
};

const struct p11_row *p11_row(size_t i)
{
    return i < COUNT(rows) ? &rows[i] : NULL;
}

const struct p11_row *p11_row_of(const struct hr_algorithm *row)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (!strcmp(rows[i].symbol, row->symbol))
            return &rows[i];
    return NULL;
}

/* ---- messages ---- */

static void encrypt(void *ctx, uint64_t n)
{
    struct p11_message *m = ctx;
    CK_FUNCTION_LIST *p11 = m->token->p11;
    while (n--) {
        m->out_len = m->room;
        must(p11->C_EncryptInit(m->session, &m->mechanism, m->key) == CKR_OK);
        must(p11->C_Encrypt(m->session, (CK_BYTE *)m->in, m->len, m->out, &m->out_len) == CKR_OK);
    }
}

static void digest(void *ctx, uint64_t n)
{
    struct p11_message *m = ctx;
    CK_FUNCTION_LIST *p11 = m->token->p11;
    while (n--) {
        m->out_len = m->room;
        must(p11->C_DigestInit(m->session, &m->mechanism) == CKR_OK);
        must(p11->C_Digest(m->session, (CK_BYTE *)m->in, m->len, m->out, &m->out_len) == CKR_OK);
    }
}

static void sign(void *ctx, uint64_t n)
{
    struct p11_message *m = ctx;
    CK_FUNCTION_LIST *p11 = m->token->p11;
    while (n--) {
        m->out_len = m->room;
        must(p11->C_SignInit(m->session, &m->mechanism, m->key) == CKR_OK);
        must(p11->C_Sign(m->session, (CK_BYTE *)m->in, m->len, m->out, &m->out_len) == CKR_OK);
    }
}

/* one_message makes the calls of one message; *call is the last one. */
static CK_RV one_message(struct p11_message *m, CK_FLAGS does, const char **call)
{
    CK_FUNCTION_LIST *p11 = m->token->p11;
    CK_RV rv = does == CKF_ENCRYPT ? p11->C_EncryptInit(m->session, &m->mechanism, m->key)
               : does == CKF_SIGN  ? p11->C_SignInit(m->session, &m->mechanism, m->key)
                                   : p11->C_DigestInit(m->session, &m->mechanism);
    *call = "C_...Init";
    m->out_len = m->room;
    if (rv == CKR_OK) {
        CK_RV(*const calls[])
        (CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG, CK_BYTE *,
         CK_ULONG *) = { p11->C_Encrypt, p11->C_Sign, p11->C_Digest };
        const int which = does == CKF_ENCRYPT ? 0 : does == CKF_SIGN ? 1 : 2;
        *call = "the call after C_...Init";
        rv = calls[which](m->session, (CK_BYTE *)m->in, m->len, m->out, &m->out_len);
    }
    return rv;
}

/* try_once does so, and says which one failed. */
static int try_once(struct p11_message *m, CK_FLAGS does)
{
    const char *call;
    const CK_RV rv = one_message(m, does, &call);
    return rv == CKR_OK ? EXIT_SUCCESS : token_failed(m->token, call, rv);
}

/* verify_once checks a signature by the public key. */
static int verify_once(struct p11_message *m)
{
    CK_FUNCTION_LIST *p11 = m->token->p11;
    CK_RV rv = p11->C_VerifyInit(m->session, &m->mechanism, m->public_key);
    if (rv == CKR_OK)
        rv = p11->C_Verify(m->session, (CK_BYTE *)m->in, m->len, m->out, m->out_len);
    return rv == CKR_OK ? EXIT_SUCCESS : token_failed(m->token, "C_Verify", rv);
}

/* ---- keys ---- */

static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;

static CK_RV make_secret(struct p11_message *m, const struct p11_row *as, const uint8_t *value,
                         size_t len)
{
    CK_OBJECT_CLASS cls = CKO_SECRET_KEY;
    CK_KEY_TYPE type = as->key_type;
    CK_ATTRIBUTE template[] = {
        { CKA_CLASS, &cls, sizeof cls },
        { CKA_KEY_TYPE, &type, sizeof type },
        { CKA_TOKEN, &no, sizeof no },
        { CKA_PRIVATE, &no, sizeof no },
        { as->does == CKF_SIGN ? CKA_SIGN : CKA_ENCRYPT, &yes, sizeof yes },
        { CKA_VALUE, (void *)value, len },
    };
    return m->token->p11->C_CreateObject(m->session, template, COUNT(template), &m->key);
}

static CK_BYTE p256[] = { 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7 }; /* RFC 5480, 2.1.1.1 */

static CK_RV make_pair(struct p11_message *m, const struct p11_row *as,
                       const struct hr_algorithm *row)
{
    static CK_BYTE exponent[] = { 1, 0, 1 };
    CK_ULONG bits = row->public_len * 8;
    const bool is_rsa = as->key_type == CKK_RSA;
    CK_MECHANISM how = { as->pair, NULL, 0 };
    CK_ATTRIBUTE public_has[] = {
        { CKA_TOKEN, &no, sizeof no },
        { CKA_PRIVATE, &no, sizeof no },
        { CKA_VERIFY, &yes, sizeof yes },
        { CKA_EC_PARAMS, p256, sizeof p256 },
        { CKA_PUBLIC_EXPONENT, exponent, sizeof exponent },
    };
    if (is_rsa)
        public_has[NUM_SAME] = (CK_ATTRIBUTE){ CKA_MODULUS_BITS, &bits, sizeof bits };
    CK_ATTRIBUTE private_has[] = {
        { CKA_TOKEN, &no, sizeof no },
        { CKA_PRIVATE, &no, sizeof no },
        { CKA_SIGN, &yes, sizeof yes },
    };
    return m->token->p11->C_GenerateKeyPair(m->session, &how, public_has, NUM_SAME + 1 + is_rsa,
                                            private_has, COUNT(private_has), &m->public_key,
                                            &m->key);
}

static int make_key(struct p11_message *m, const struct p11_row *as, const struct cell *cell,
                    const uint8_t *bytes)
{
    CK_RV rv = CKR_OK;
    if (tool_is_public_key(cell->row))
        rv = make_pair(m, as, cell->row);
    else if (as->does != CKF_DIGEST)
        rv = make_secret(m, as, bytes, cell->row->digest ? HMAC_KEY : cell->row->key_len);
    return rv == CKR_OK ? EXIT_SUCCESS : token_failed(m->token, "making a key", rv);
}

/* ---- keys that a token has ---- */

enum { MAX_FOUND = 256, MAX_ID = 64 };

/* is_of_size tells whether a key is as long as the row's, or on its curve. */
static bool is_of_size(const struct p11_message *m, CK_OBJECT_HANDLE key, const struct p11_row *as,
                       const struct hr_algorithm *row)
{
    CK_BYTE bytes[MOST_SIGNATURE];
    CK_ULONG number = 0;
    CK_ATTRIBUTE a = as->key_type == CKK_RSA ? (CK_ATTRIBUTE){ CKA_MODULUS, bytes, sizeof bytes }
                     : as->key_type == CKK_EC
                         ? (CK_ATTRIBUTE){ CKA_EC_PARAMS, bytes, sizeof bytes }
                         : (CK_ATTRIBUTE){ CKA_VALUE_LEN, &number, sizeof number };
    if (as->key_type == CKK_GENERIC_SECRET) /* a key of any length */
        return true;
    if (m->token->p11->C_GetAttributeValue(m->session, key, &a, 1) != CKR_OK)
        return false;
    if (as->key_type == CKK_RSA)
        return a.ulValueLen == row->public_len;
    if (as->key_type == CKK_EC)
        return a.ulValueLen == sizeof p256 && !memcmp(bytes, p256, sizeof p256);
    return number == row->key_len;
}

static CK_ULONG find(const struct p11_message *m, CK_ATTRIBUTE *template, CK_ULONG num,
                     CK_OBJECT_HANDLE found[MAX_FOUND])
{
    CK_ULONG num_found = 0;
    if (m->token->p11->C_FindObjectsInit(m->session, template, num) != CKR_OK)
        return 0;
    if (m->token->p11->C_FindObjects(m->session, found, MAX_FOUND, &num_found) != CKR_OK)
        num_found = 0;
    m->token->p11->C_FindObjectsFinal(m->session);
    return num_found;
}

/* find_key takes the first key that may do a message of this row. */
static bool find_key(struct p11_message *m, const struct p11_row *as, const struct cell *cell)
{
    CK_OBJECT_CLASS cls = tool_is_public_key(cell->row) ? CKO_PRIVATE_KEY : CKO_SECRET_KEY;
    CK_KEY_TYPE type = as->key_type;
    CK_ATTRIBUTE template[] = { { CKA_CLASS, &cls, sizeof cls },
                                { CKA_KEY_TYPE, &type, sizeof type } };
    CK_OBJECT_HANDLE found[MAX_FOUND];
    const CK_ULONG num = find(m, template, COUNT(template), found);
    const char *call;
    for (CK_ULONG i = 0; i < num; i++) {
        m->key = found[i];
        if (is_of_size(m, m->key, as, cell->row) && one_message(m, as->does, &call) == CKR_OK)
            return true;
    }
    return false;
}

/* find_public finds the public key of the private one, by its id. */
static bool find_public(struct p11_message *m)
{
    CK_BYTE id[MAX_ID];
    CK_OBJECT_CLASS cls = CKO_PUBLIC_KEY;
    CK_OBJECT_HANDLE found[MAX_FOUND];
    CK_ATTRIBUTE template[] = { { CKA_ID, id, sizeof id }, { CKA_CLASS, &cls, sizeof cls } };
    if (m->token->p11->C_GetAttributeValue(m->session, m->key, template, 1) != CKR_OK ||
        !find(m, template, COUNT(template), found))
        return false;
    m->public_key = found[0];
    return true;
}

/* ---- setting up ---- */

static void set_mechanism(struct p11_message *m, const struct p11_row *as, const struct cell *cell,
                          const struct way_state *direct)
{
    m->mechanism = (CK_MECHANISM){ as->type, NULL, 0 };
    if (cell->row->mode == HR_MODE_CBC) {
        memcpy(m->iv, direct->iv, sizeof m->iv);
        m->mechanism = (CK_MECHANISM){ as->type, m->iv, sizeof m->iv };
    } else if (cell->row->mode == HR_MODE_GCM) {
        memcpy(m->iv, direct->iv, IV_LEN);
        m->gcm = (CK_GCM_PARAMS){
            .pIv = m->iv, .ulIvLen = IV_LEN, .ulIvBits = IV_LEN * 8, .ulTagBits = TAG_BITS
        };
        m->mechanism = (CK_MECHANISM){ as->type, &m->gcm, sizeof m->gcm };
    }
}

static int begin(struct p11_message *m)
{
    m->contender.ctx = m;
    m->out = calloc(1, m->room);
    if (!m->out)
        return tool_error("out of memory");
    const CK_RV rv = token_session(m->token, &m->session);
    return rv == CKR_OK ? EXIT_SUCCESS : token_failed(m->token, "C_OpenSession", rv);
}

/* compare tells whether the token computes what the direct call did; signatures are verified. */
static int compare(struct p11_message *m, const struct cell *cell, const struct call *direct)
{
    if (tool_is_public_key(cell->row))
        return verify_once(m);
    if (m->out_len == direct->out_len && !memcmp(m->out, direct->out, m->out_len))
        return EXIT_SUCCESS;
    return tool_error("%s: %s of %zu bytes is not what the direct call computes", m->token->path,
                      cell->row->name, m->len);
}

int p11_message_open(struct p11_message *m, const struct token *token, const struct cell *cell,
                     const struct call *direct)
{
    const struct way_state *state = direct->contender.ctx;
    const struct p11_row *as = p11_row_of(cell->row);
    const bool is_pair = tool_is_public_key(cell->row);
    *m = (struct p11_message){ .token = token, .in = state->in, .len = cell->size };
    if (!token->p11)
        return -1;
    if (is_pair) { /* any text will do */
        m->in = state->bytes;
        m->len = PK_MESSAGE;
    }
    m->room = m->len + MOST_SIGNATURE;
    set_mechanism(m, as, cell, state);
    if (!token_has(token, as->type, as->does)) {
        m->mechanism.mechanism = as->hashed;
        m->len = is_pair ? DIGEST : m->len;
        if (!token_has(token, as->hashed, as->does))
            return -1;
    }
    int code = begin(m);
    m->contender.run = as->does == CKF_ENCRYPT ? encrypt : as->does == CKF_SIGN ? sign : digest;
    if (!code && token->has_its_keys && as->does != CKF_DIGEST) {
        if (!find_key(m, as, cell))
            return -1;
        return is_pair && find_public(m) ? verify_once(m) : EXIT_SUCCESS; /* the key is secret */
    }
    if (!code)
        code = make_key(m, as, cell, state->bytes);
    if (!code)
        code = try_once(m, as->does);
    return code ? code : compare(m, cell, direct);
}

int p11_message_again(struct p11_message *m, const struct p11_message *first)
{
    *m = *first;
    if (m->mechanism.pParameter == first->iv)
        m->mechanism.pParameter = m->iv;
    if (m->mechanism.pParameter == &first->gcm) {
        m->mechanism.pParameter = &m->gcm;
        m->gcm.pIv = m->iv;
    }
    return begin(m);
}

void p11_message_close(struct p11_message *m)
{
    if (m->session)
        m->token->p11->C_CloseSession(m->session);
    free(m->out);
    *m = (struct p11_message){ 0 };
}
