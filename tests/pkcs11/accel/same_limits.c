/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms and attributes that the accelerator's slot lists, and differences from the token. */
#define _GNU_SOURCE
#include "same.h"
#include <unistd.h>

enum {
    MOST = 128 << 10,
    MOST_AAD = 64 << 10,
    MOST_SIGNED = 4096,
    MOST_LIST = 200,
    BIG = MOST + 99
};

static CK_MECHANISM_TYPE offered[MOST_LIST];
static CK_ULONG num_offered;
static bool is_used[MOST_LIST]; /* some key may be used with it */
static uint8_t in[BIG + 64], out[SIDES][BIG + 64], aad[MOST_AAD + 1], iv[65];

/* ---- mechanisms ---- */

static void check_infos(void)
{
    CK_MECHANISM_INFO infos[SIDES];
    num_offered = COUNT_OF(offered);
    is(CKR_OK, p11->C_GetMechanismList(SLOT, offered, &num_offered), "a list");
    for (CK_ULONG i = 0; i < num_offered; i++) {
        is(CKR_OK, p11->C_GetMechanismInfo(SLOT, offered[i], &infos[THERE]), "what it does there");
        is(CKR_OK, p11->C_GetMechanismInfo(0, offered[i], &infos[HERE]), "what it does here");
        if (infos[THERE].flags & ~infos[HERE].flags)
            complain("0x%lx: flags %lx there, %lx here", offered[i], infos[THERE].flags,
                     infos[HERE].flags);
        is_used[i] = infos[THERE].flags & CKF_DIGEST;
    }
}

static CK_RV begin(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key, CK_MECHANISM_TYPE type)
{
    CK_MECHANISM mechanism = { type, NULL, 0 };
    const bool signs = get_bool(session, key, CKA_SIGN) == 1;
    const CK_RV rv = (signs ? p11->C_SignInit : p11->C_DecryptInit)(session, &mechanism, key);
    (void)p11->C_SessionCancel(session, CKF_SIGN | CKF_DECRYPT);
    return rv;
}

static bool has(const CK_MECHANISM_TYPE *list, CK_ULONG num, CK_MECHANISM_TYPE type)
{
    for (CK_ULONG i = 0; i < num; i++)
        if (list[i] == type)
            return true;
    return false;
}

/* check_key compares a key's CKA_ALLOWED_MECHANISMS with what C_...Init takes. */
static void check_key(CK_OBJECT_HANDLE key)
{
    const CK_SESSION_HANDLE session = sides[THERE].session;
    CK_MECHANISM_TYPE allowed[MOST_LIST];
    CK_ATTRIBUTE a = { CKA_ALLOWED_MECHANISMS, allowed, sizeof allowed };
    is(CKR_OK, p11->C_GetAttributeValue(session, key, &a, 1), "allowed mechanisms");
    const CK_ULONG num = a.ulValueLen / sizeof *allowed;
    for (CK_ULONG i = 0; i < num; i++)
        if (!has(offered, num_offered, allowed[i]))
            complain("0x%lx is allowed, and not offered", allowed[i]);
    for (CK_ULONG i = 0; i < num_offered; i++) {
        const bool is_allowed = has(allowed, num, offered[i]);
        const CK_RV rv = begin(session, key, offered[i]);
        if (is_allowed != (rv == CKR_OK || rv == CKR_MECHANISM_PARAM_INVALID))
            complain("0x%lx is %sallowed: %s", offered[i], is_allowed ? "" : "not ", rv_name(rv));
        is_used[i] |= is_allowed;
    }
}

static void check_keys(CK_OBJECT_CLASS cls)
{
    const CK_SESSION_HANDLE session = sides[THERE].session;
    CK_ATTRIBUTE a = { CKA_CLASS, &cls, sizeof cls };
    CK_OBJECT_HANDLE keys[MOST_LIST];
    CK_ULONG num = 0;
    is(CKR_OK, p11->C_FindObjectsInit(session, &a, 1), "a search");
    is(CKR_OK, p11->C_FindObjects(session, keys, COUNT_OF(keys), &num), "its keys");
    is(CKR_OK, p11->C_FindObjectsFinal(session), "its end");
    for (CK_ULONG i = 0; i < num; i++)
        check_key(keys[i]);
}

void check_mechanisms(void)
{
    check_infos();
    check_keys(CKO_SECRET_KEY);
    check_keys(CKO_PRIVATE_KEY);
    for (CK_ULONG i = 0; i < num_offered; i++)
        if (!is_used[i])
            complain("no key can be used with mechanism 0x%lx", offered[i]);
    tap(num_offered > 80, "%lu mechanisms do what they and the keys say", num_offered);
}

/* ---- attributes ---- */

/* compare_attributes compares what keys of both sides show. */
static void compare_attributes(const char *what, const CK_OBJECT_HANDLE keys[SIDES])
{
    static const CK_ATTRIBUTE_TYPE types[] = {
        CKA_CLASS,
        CKA_KEY_TYPE,
        CKA_MODULUS,
        CKA_MODULUS_BITS,
        CKA_PUBLIC_EXPONENT,
        CKA_EC_PARAMS,
        CKA_EC_POINT,
        CKA_PARAMETER_SET,
        CKA_PUBLIC_KEY_INFO,
        CKA_VALUE_LEN,
        CKA_SIGN,
        CKA_VERIFY,
        CKA_ENCRYPT,
        CKA_DECRYPT,
        CKA_WRAP,
        CKA_UNWRAP,
        CKA_DERIVE,
        CKA_SIGN_RECOVER,
        CKA_LOCAL,
        CKA_PRIVATE,
        CKA_SUBJECT,
        CKA_START_DATE,
        CKA_END_DATE,
        CKA_KEY_GEN_MECHANISM,
        CKA_TRUSTED,
        CKA_VERIFY_RECOVER,
        CKA_PRIVATE_EXPONENT,
        CKA_ALWAYS_AUTHENTICATE,
        CKA_EXTRACTABLE,
        CKA_WRAP_WITH_TRUSTED,
    };
    static uint8_t values[SIDES][4096];
    for (size_t k = 0; k < COUNT_OF(types); k++) {
        CK_ULONG lens[SIDES];
        CK_RV rvs[SIDES];
        for (int i = 0; i < SIDES; i++) {
            CK_ATTRIBUTE a = { types[k], values[i], sizeof values[i] };
            rvs[i] = p11->C_GetAttributeValue(sides[i].session, keys[i], &a, 1);
            lens[i] = a.ulValueLen;
        }
        if (rvs[THERE] != rvs[HERE] || lens[THERE] != lens[HERE] ||
            (rvs[HERE] == CKR_OK && memcmp(values[THERE], values[HERE], lens[HERE]) != 0))
            complain("%s: attribute 0x%lx is another one there", what, types[k]);
    }
}

void check_attributes(void)
{
    static const char *const names[] = { "rsa", "seal", "p256", "ed", "ml44" };
    use_twin("AES-128-CBC");
    const CK_OBJECT_HANDLE secret[] = { sides[THERE].key, sides[HERE].key };
    compare_attributes("AES", secret);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!use_pair(names[i]))
            continue;
        const CK_OBJECT_HANDLE private[] = { sides[THERE].key, sides[HERE].key },
                               public[] = { sides[THERE].public, sides[HERE].public };
        compare_attributes(names[i], private);
        compare_attributes(names[i], public);
    }
    tap(1, "keys show the same attributes");
}

/* ---- what nobody does with these keys ---- */

static void refuse(CK_OBJECT_HANDLE key)
{
    const CK_SESSION_HANDLE session = sides[THERE].session;
    CK_MECHANISM sha256 = { CKM_SHA256, NULL, 0 }, wrap = { CKM_AES_KEY_WRAP, NULL, 0 },
                 derive = { CKM_HKDF_DERIVE, NULL, 0 }, cbc = { CKM_AES_CBC, iv, 16 };
    uint8_t bytes[64];
    CK_ATTRIBUTE value = { CKA_VALUE, bytes, sizeof bytes }, label = { CKA_LABEL, "x", 1 };
    CK_OBJECT_HANDLE other;
    CK_ULONG len = sizeof bytes;
    is(CKR_OK, p11->C_DigestInit(session, &sha256), "a digest");
    is(CKR_KEY_INDIGESTIBLE, p11->C_DigestKey(session, key), "its digest");
    is(CKR_MECHANISM_INVALID, p11->C_WrapKey(session, &wrap, key, key, bytes, &len), "wrapping");
    is(CKR_MECHANISM_INVALID, p11->C_WrapKey(session, &cbc, key, key, bytes, &len), "by CBC");
    is(CKR_MECHANISM_INVALID, p11->C_UnwrapKey(session, &cbc, key, bytes, 16, NULL, 0, &other),
       "unwrapping");
    is(CKR_MECHANISM_INVALID, p11->C_DeriveKey(session, &derive, key, NULL, 0, &other),
       "derivation");
    is(CKR_ACTION_PROHIBITED, p11->C_CopyObject(session, key, &label, 1, &other), "a copy");
    is(CKR_ACTION_PROHIBITED, p11->C_SetAttributeValue(session, key, &label, 1), "a change");
    is(CKR_ACTION_PROHIBITED, p11->C_DestroyObject(session, key), "its end");
    is(CKR_ATTRIBUTE_SENSITIVE, p11->C_GetAttributeValue(session, key, &value, 1), "its value");
    is(CKR_KEY_HANDLE_INVALID, p11->C_EncryptInit(sides[HERE].session, &cbc, key), "elsewhere");
}

void check_refusals(void)
{
    use_twin("AES-128-CBC");
    refuse(sides[THERE].key);
    if (use_pair("ed"))
        refuse(sides[THERE].key);
    tap(1, "nobody digests, wraps, derives, copies, changes, destroys or sees a key");
}

/* ---- limits ---- */

static CK_GCM_PARAMS gcm = { iv, 64, 0, aad, MOST_AAD, 128 },
                     without_aad = { iv, 12, 0, NULL, 0, 128 };
static CK_AES_CTR_PARAMS ctr = { 128, { 1, 2, 3 } };

static const struct text {
    const char *name;
    CK_MECHANISM mechanism;
    CK_ULONG most, more; /* the longest text, and how many bytes it grows by */
} texts[] = {
    { "AES-128-GCM", { CKM_AES_GCM, &gcm, sizeof gcm }, (127 << 10) - MOST_AAD / 2, 16 },
    { "AES-128-GCM", { CKM_AES_GCM, &without_aad, sizeof gcm }, 127 << 10, 16 },
    { "AES-128-CBC", { CKM_AES_CBC_PAD, iv, 16 }, MOST, 16 },
    { "AES-128-CBC", { CKM_AES_CBC, iv, 16 }, MOST, 0 },
    { "AES-128-CTR", { CKM_AES_CTR, &ctr, sizeof ctr }, MOST, 0 },
    { "AES-128-CFB128", { CKM_AES_CFB128, iv, 16 }, MOST, 0 },
    { "AES-256-XTS", { CKM_AES_XTS, iv, 16 }, MOST, 0 },
};

static CK_RV crypt_one(int i, bool decrypts, CK_MECHANISM mechanism, uint8_t *from, CK_ULONG len,
                       CK_ULONG *out_len)
{
    const struct side *x = &sides[i];
    const CK_RV rv =
        (decrypts ? p11->C_DecryptInit : p11->C_EncryptInit)(x->session, &mechanism, x->key);
    *out_len = sizeof out[i];
    return rv != CKR_OK ? rv
                        : (decrypts ? p11->C_Decrypt : p11->C_Encrypt)(x->session, from, len,
                                                                       out[i], out_len);
}

/* crypt_pieces does the same in two pieces. */
static CK_RV crypt_pieces(bool decrypts, CK_MECHANISM mechanism, uint8_t *from, CK_ULONG len,
                          CK_ULONG *out_len)
{
    const struct side *x = &sides[THERE];
    CK_ULONG part = sizeof out[THERE];
    CK_RV rv = (decrypts ? p11->C_DecryptInit : p11->C_EncryptInit)(x->session, &mechanism, x->key);
    for (CK_ULONG at = 0; at < 2 && rv == CKR_OK; at++)
        rv = (decrypts ? p11->C_DecryptUpdate : p11->C_EncryptUpdate)(
            x->session, from + at, at ? len - 1 : 1, out[THERE], &part);
    *out_len = sizeof out[THERE];
    return rv != CKR_OK ? rv
                        : (decrypts ? p11->C_DecryptFinal
                                    : p11->C_EncryptFinal)(x->session, out[THERE], out_len);
}

/* check_text takes the longest text to the service and back, and then a longer one. */
static void check_text(const struct text *t)
{
    static uint8_t sealed[sizeof out[0]];
    const CK_ULONG most = t->most, len = most + t->more;
    CK_ULONG lens[SIDES];
    use_twin(t->name);
    is(CKR_OK, crypt_one(THERE, false, t->mechanism, in, most, &lens[THERE]), t->name);
    is(CKR_OK, crypt_one(HERE, false, t->mechanism, in, most, &lens[HERE]), t->name);
    if (lens[THERE] != len || lens[HERE] != len || memcmp(out[THERE], out[HERE], len) != 0)
        complain("%s: another ciphertext", t->name);
    memcpy(sealed, out[HERE], sizeof sealed);
    is(CKR_OK, crypt_one(THERE, true, t->mechanism, sealed, len, &lens[THERE]), "back");
    if (lens[THERE] != most || memcmp(out[THERE], in, most) != 0)
        complain("%s: another text", t->name);
    if (t->mechanism.mechanism == CKM_AES_XTS)
        return;
    is(CKR_OK, crypt_pieces(true, t->mechanism, sealed, len, &lens[THERE]), "back in pieces");
    if (lens[THERE] != most || memcmp(out[THERE], in, most) != 0)
        complain("%s: another text in pieces", t->name);
    is(CKR_DATA_LEN_RANGE, crypt_one(THERE, false, t->mechanism, in, most + 16, &lens[THERE]),
       t->name);
    is(CKR_DATA_LEN_RANGE, crypt_pieces(false, t->mechanism, in, most + 16, &lens[THERE]), t->name);
    is(CKR_ENCRYPTED_DATA_LEN_RANGE,
       crypt_one(THERE, true, t->mechanism, sealed, len + 16, &lens[THERE]), t->name);
    is(CKR_ENCRYPTED_DATA_LEN_RANGE,
       crypt_pieces(true, t->mechanism, sealed, len + 16, &lens[THERE]), t->name);
}

/* check_overlap encrypts to where a part of the text is. */
static void check_overlap(void)
{
    const CK_MECHANISM cbc = { CKM_AES_CBC, iv, 16 };
    static uint8_t room[BIG];
    CK_MECHANISM again = cbc;
    CK_ULONG len;
    use_twin("AES-128-CBC");
    memcpy(room, in, 96);
    is(CKR_OK, crypt_one(HERE, false, cbc, in, 96, &len), "here");
    is(CKR_OK, p11->C_EncryptInit(sides[THERE].session, &again, sides[THERE].key), "there");
    is(CKR_OK, p11->C_Encrypt(sides[THERE].session, room, 96, room + 8, &len), "there");
    if (len != 96 || memcmp(room + 8, out[HERE], 96) != 0)
        complain("an output over a part of the input");
}

static void check_parameters(void)
{
    CK_GCM_PARAMS longer = gcm;
    CK_MECHANISM mechanism = { CKM_AES_GCM, &longer, sizeof longer };
    use_twin("AES-128-GCM");
    longer.ulIvLen++;
    is(CKR_MECHANISM_PARAM_INVALID,
       p11->C_EncryptInit(sides[THERE].session, &mechanism, sides[THERE].key), "a longer IV");
    longer = gcm;
    longer.ulAADLen++;
    is(CKR_MECHANISM_PARAM_INVALID,
       p11->C_DecryptInit(sides[THERE].session, &mechanism, sides[THERE].key), "longer AAD");
    CK_RSA_PKCS_OAEP_PARAMS oaep = { CKM_SHA_1, CKG_MGF1_SHA1, CKZ_DATA_SPECIFIED, in, 1025 };
    mechanism = (CK_MECHANISM){ CKM_RSA_PKCS_OAEP, &oaep, sizeof oaep };
    (void)use_pair("seal");
    is(CKR_MECHANISM_PARAM_INVALID,
       p11->C_DecryptInit(sides[THERE].session, &mechanism, sides[THERE].key), "a longer label");
}

/* check_macs makes MACs of the longest message and of a longer one. */
static void check_macs(void)
{
    static struct outcome o[SIDES];
    const struct way whole = { .is_whole = true, .room = CK_UNAVAILABLE_INFORMATION }, halves = {
        .room = CK_UNAVAILABLE_INFORMATION, .cuts = { MOST / 2, MOST }, .num_cuts = 2
    };
    const CK_MECHANISM cmac = { CKM_AES_CMAC, NULL, 0 };
    struct outcome *const there = &o[THERE];
    use_twin("AES-128-CMAC");
    for (int i = 0; i < SIDES; i++)
        run_sign(&o[i], &sides[i], cmac, &whole, in, MOST);
    (void)same("the longest message", cmac.mechanism, o);
    for (int i = 0; i < SIDES; i++)
        run_sign(&o[i], &sides[i], cmac, &halves, in, MOST);
    (void)same("its halves", cmac.mechanism, o);
    run_sign(there, &sides[THERE], cmac, &whole, in, MOST + 1);
    is(CKR_DATA_LEN_RANGE, there->rv, "a longer message");
    run_verify(there, &sides[THERE], cmac, &whole, in, MOST + 1, out[0], 16);
    is(CKR_DATA_LEN_RANGE, there->rv, "a longer message");
}

/* check_signed signs as much as the service takes; verification takes what the token takes. */
static void check_signed(const char *name, CK_MECHANISM_TYPE type)
{
    static struct outcome o[SIDES];
    const CK_MECHANISM mechanism = { type, NULL, 0 };
    const CK_ULONG len = 3 * MOST_SIGNED;
    struct way way = { .is_whole = true, .room = CK_UNAVAILABLE_INFORMATION };
    if (!use_pair(name))
        return;
    run_sign(&o[THERE], &sides[THERE], mechanism, &way, in, MOST_SIGNED);
    is(CKR_OK, o[THERE].rv, "the longest message");
    run_sign(&o[THERE], &sides[THERE], mechanism, &way, in, MOST_SIGNED + 1);
    is(CKR_DATA_LEN_RANGE, o[THERE].rv, "a longer message");
    way = (struct way){ .room = CK_UNAVAILABLE_INFORMATION,
                        .cuts = { MOST_SIGNED / 2, MOST_SIGNED, len },
                        .num_cuts = 3 };
    run_sign(&o[THERE], &sides[THERE], mechanism, &way, in, len);
    is(CKR_DATA_LEN_RANGE, o[THERE].rv, "a longer message in pieces");
    run_sign(&o[HERE], &sides[HERE], mechanism, &way, in, len);
    uint8_t *const sig = o[HERE].bytes;
    const size_t sig_len = o[HERE].len;
    for (int k = 0; k < 4; k++) {
        struct outcome verified;
        way.is_whole = k % 2;
        way.is_first = k / 2;
        run_verify(&verified, &sides[THERE], mechanism, &way, in, len, sig, sig_len);
        is(CKR_OK, verified.rv, way.is_whole ? "a whole message" : "a message in pieces");
    }
}

void check_limits(void)
{
    random_bytes(in, sizeof in);
    random_bytes(aad, sizeof aad);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        check_text(&texts[i]);
    check_overlap();
    check_parameters();
    check_macs();
    check_signed("ed", CKM_EDDSA);
    check_signed("ml44", CKM_ML_DSA);
    tap(1, "the longest messages and parameters, and longer ones");
}

/* ---- between two pieces ---- */

/* between encrypts in pieces, between which something happens. */
static CK_RV between(void (*happens)(const char *name), const char *name, CK_ULONG *len)
{
    const struct side *x = &sides[THERE];
    CK_MECHANISM cbc = { CKM_AES_CBC, iv, 16 };
    CK_ULONG part = sizeof out[0];
    is(CKR_OK, p11->C_EncryptInit(x->session, &cbc, x->key), "init");
    is(CKR_OK, p11->C_EncryptUpdate(x->session, in, 30, out[THERE], &part), "a piece");
    happens(name);
    is(CKR_OK, p11->C_EncryptUpdate(x->session, in + 30, 66, out[THERE], &part), "another piece");
    *len = sizeof out[0];
    const CK_RV rv = p11->C_EncryptFinal(x->session, out[THERE], len);
    is(CKR_OPERATION_NOT_INITIALIZED, p11->C_EncryptFinal(x->session, out[THERE], &part), "again");
    return rv;
}

static void restart(const char *name)
{
    service_kill(&service);
    service_again(&service);
}

static void take_away(const char *name)
{
    unlink(path_of(name));
    if (reload())
        complain("not reloaded");
}

/* rotate gives the name of a secret key another value. */
static void rotate(const char *name)
{
    write_text(name, "algorithm = AES-128-CBC\nuid = 0-70000\n"
                     "key = 00000000000000000000000000000000\n");
    if (reload())
        complain("not reloaded");
}

/* check_rotated finds the key that a message has whose key changes between two pieces: which secret
 * key a name is nobody can tell, so that an operation goes on with the new one, but with that
 * alone.
 */
static void check_rotated(const char *name)
{
    const CK_MECHANISM cbc = { CKM_AES_CBC, iv, 16 };
    static const uint8_t value[16];
    CK_ULONG len, here_len;
    is(CKR_OK, between(rotate, name, &len), "a key that changes");
    sides[HERE].key =
        key_of(sides[HERE].session, CKK_AES, value, sizeof value, BOOLS(CKA_ENCRYPT, CKA_DECRYPT));
    is(CKR_OK, crypt_one(HERE, false, cbc, in, 96, &here_len), "here");
    if (len != 96 || memcmp(out[THERE], out[HERE], 96) != 0)
        complain("another ciphertext than that of the new key");
}

void check_between(void)
{
    const CK_MECHANISM cbc = { CKM_AES_CBC, iv, 16 };
    CK_ULONG len, here_len;
    const char *name = use_twin("AES-128-CBC");
    is(CKR_OK, crypt_one(HERE, false, cbc, in, 96, &here_len), "here");
    is(CKR_OK, between(restart, name, &len), "over a restart");
    if (len != 96 || memcmp(out[THERE], out[HERE], 96) != 0)
        complain("another ciphertext over a restart");
    check_rotated(name);
    is(CKR_KEY_HANDLE_INVALID, between(take_away, name, &len), "a key that is taken away");
    tap(1, "between two pieces the service restarts, and a key changes and goes");
}
