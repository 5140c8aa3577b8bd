/* SPDX-License-Identifier: Apache-2.0 */
/* accel MODULE RSA_KEYS HEADRACED [OPTION...]: the accelerator's slot of the PKCS#11 module, with a
 * service of its own: which keys are there, what they show and permit, results, restarts, forks.
 * RSA_KEYS is a file of tests/pk. */
#define _GNU_SOURCE
#include "accel.h"
#include <headrace/algorithms.h>
#include <signal.h>

struct service service;
static const char policy[] = "[unit public-key]\nthreads = 2\n"
                             "[client all]\nattach = yes\nattaches = 0\n";

/* ---- what there is ---- */

static bool is_ours(const struct pair *p)
{
    return p->row->cls == HR_CLASS_RSA || p->row->cls == HR_CLASS_SIGN;
}

static size_t write_all(void)
{
    char name[16];
    size_t num = 0;
    for (size_t i = 0; i < num_pairs; i++) {
        name_of(name, i);
        if (!is_ours(&pairs[i]))
            continue;
        write_key(name, &pairs[i],
                  decrypts(&pairs[i]) ? "use = decrypt\npadding = pkcs1, oaep\ndigest = SHA-1\n"
                                        "uid = 0-70000\n"
                                      : "use = sign\nuid = 0-70000\n");
        num++;
    }
    return num;
}

static void check_list(size_t num_keys)
{
    const CK_SESSION_HANDLE session = open_session();
    CK_ULONG num = 0;
    slots(2);
    find(session, CKO_PRIVATE_KEY, NULL, &num);
    if (num != num_keys)
        complain("%lu private keys instead of %zu", num, num_keys);
    find(session, CKO_PUBLIC_KEY, NULL, &num);
    if (num != num_keys)
        complain("%lu public keys instead of %zu", num, num_keys);
    is(CKR_OK, p11->C_CloseSession(session), "a session's end");
    tap(num_keys > 20, "%zu keys that stay in the service are there", num_keys);
}

static CK_BBOOL bool_of(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key, CK_ATTRIBUTE_TYPE type)
{
    CK_BBOOL value = 2;
    CK_ATTRIBUTE a = { type, &value, sizeof value };
    is(CKR_OK, p11->C_GetAttributeValue(session, key, &a, 1), "an attribute");
    return value;
}

static void check_attributes(void)
{
    static const struct {
        CK_ATTRIBUTE_TYPE type;
        CK_BBOOL value;
    } wanted[] = {
        { CKA_TOKEN, 1 },      { CKA_PRIVATE, 0 },  { CKA_SENSITIVE, 1 },    { CKA_EXTRACTABLE, 0 },
        { CKA_MODIFIABLE, 0 }, { CKA_COPYABLE, 0 }, { CKA_DESTROYABLE, 0 },  { CKA_SIGN, 1 },
        { CKA_DECRYPT, 0 },    { CKA_UNWRAP, 0 },   { CKA_SIGN_RECOVER, 0 }, { CKA_DERIVE, 0 },
    };
    const CK_SESSION_HANDLE session = open_session();
    const CK_OBJECT_HANDLE key = key_named(session, CKO_PRIVATE_KEY, "s");
    for (size_t i = 0; i < COUNT_OF(wanted); i++)
        if (bool_of(session, key, wanted[i].type) != wanted[i].value)
            complain("attribute 0x%lx", wanted[i].type);
    CK_MECHANISM_TYPE allowed[8] = { 0 };
    CK_ATTRIBUTE list = { CKA_ALLOWED_MECHANISMS, allowed, sizeof allowed };
    is(CKR_OK, p11->C_GetAttributeValue(session, key, &list, 1), "allowed mechanisms");
    if (list.ulValueLen != 2 * sizeof *allowed ||
        allowed[0] + allowed[1] != CKM_RSA_PKCS + CKM_SHA256_RSA_PKCS)
        complain("%lu bytes of allowed mechanisms", list.ulValueLen);
    uint8_t secret[512];
    CK_ATTRIBUTE number = { CKA_PRIVATE_EXPONENT, secret, sizeof secret };
    if (p11->C_GetAttributeValue(session, key, &number, 1) == CKR_OK)
        complain("a private exponent is shown");
    CK_OBJECT_HANDLE copy;
    CK_ATTRIBUTE label = { CKA_LABEL, "x", 1 };
    is(CKR_ACTION_PROHIBITED, p11->C_CopyObject(session, key, &label, 1, &copy), "a copy");
    is(CKR_ACTION_PROHIBITED, p11->C_SetAttributeValue(session, key, &label, 1), "a change");
    is(CKR_ACTION_PROHIBITED, p11->C_DestroyObject(session, key), "destruction");
    is(CKR_OK, p11->C_CloseSession(session), "a session's end");
    tap(1, "their attributes, which nobody changes");
}

/* value_of reads an attribute of a key by its label. */
static size_t value_of(CK_SESSION_HANDLE session, CK_OBJECT_CLASS cls, const char *name,
                       CK_ATTRIBUTE_TYPE type, uint8_t out[ROOM])
{
    CK_ATTRIBUTE a = { type, out, ROOM };
    is(CKR_OK, p11->C_GetAttributeValue(session, key_named(session, cls, name), &a, 1), name);
    return a.ulValueLen;
}

/* Each object has an id of its own, which another process sees too; both keys of a pair show the
 * public key, whose digest is their CKA_ID. */
static void check_identity(void)
{
    static const CK_OBJECT_CLASS classes[] = { CKO_PRIVATE_KEY, CKO_PUBLIC_KEY };
    uint8_t info[2][ROOM], ids[2][ROOM], print[32], again[ROOM];
    size_t len[2];
    CK_SESSION_HANDLE session = open_session();
    for (int i = 0; i < 2; i++) {
        len[i] = value_of(session, classes[i], "s", CKA_PUBLIC_KEY_INFO, info[i]);
        if (value_of(session, classes[i], "s", CKA_UNIQUE_ID, ids[i]) != 32)
            complain("no CKA_UNIQUE_ID of 32 bytes");
        if (value_of(session, classes[i], "s", CKA_ID, again) != 20 ||
            hr_digest(print, HR_SHA256, info[i], len[i]) || memcmp(again, print, 20) != 0)
            complain("CKA_ID is not of the public key");
    }
    if (len[0] != len[1] || memcmp(info[0], info[1], len[0]) != 0 || !memcmp(ids[0], ids[1], 32))
        complain("two keys of a pair");
    if (value_of(session, classes[0], "e", CKA_UNIQUE_ID, again) != 32 ||
        !memcmp(again, ids[0], 32))
        complain("another key has the same CKA_UNIQUE_ID");
    is(CKR_OK, p11->C_Finalize(NULL), "C_Finalize");
    is(CKR_OK, p11->C_Initialize(NULL), "C_Initialize");
    session = open_session();
    for (int i = 0; i < 2; i++)
        if (value_of(session, classes[i], "s", CKA_UNIQUE_ID, again) != 32 ||
            memcmp(again, ids[i], 32) != 0)
            complain("CKA_UNIQUE_ID changes");
    is(CKR_OK, p11->C_CloseSession(session), "a session's end");
    tap(1, "CKA_UNIQUE_ID and CKA_PUBLIC_KEY_INFO");
}

static void check_foreign_objects(void)
{
    const CK_SESSION_HANDLE session = open_session();
    CK_OBJECT_CLASS cls = CKO_SECRET_KEY;
    CK_KEY_TYPE type = CKK_AES;
    uint8_t value[16] = { 0 };
    CK_BBOOL no = CK_FALSE;
    CK_ATTRIBUTE template[] = { { CKA_CLASS, &cls, sizeof cls },
                                { CKA_KEY_TYPE, &type, sizeof type },
                                { CKA_TOKEN, &no, sizeof no },
                                { CKA_VALUE, value, sizeof value } };
    CK_OBJECT_HANDLE key;
    is(CKR_TOKEN_WRITE_PROTECTED, p11->C_CreateObject(session, template, 4, &key), "a new object");
    is(CKR_OK, p11->C_CloseAllSessions(SLOT), "the sessions' end");
    tap(1, "nobody makes objects there");
}

/* ---- signatures and decryption ---- */

static CK_RSA_PKCS_PSS_PARAMS pss = { CKM_SHA256, CKG_MGF1_SHA256, 32 };
static CK_EDDSA_PARAMS ed25519ctx = { CK_FALSE, 3, (CK_BYTE *)"ctx" };
static CK_EDDSA_PARAMS ed25519ph = { CK_TRUE, 0, NULL };
static CK_SIGN_ADDITIONAL_CONTEXT ml_dsa = { CKH_DETERMINISTIC_REQUIRED, (CK_BYTE *)"ctx", 3 };

static const struct scheme {
    hr_alg alg; /* 0: RSA */
    CK_MECHANISM mechanism;
    hr_alg hash; /* of what is signed instead of the message */
    struct hr_sign_options options;
} schemes[] = {
    { .alg = 0, .mechanism = { CKM_SHA256_RSA_PKCS, NULL, 0 } },
    { .alg = 0, .mechanism = { CKM_SHA512_RSA_PKCS, NULL, 0 } },
    { .alg = 0, .mechanism = { CKM_SHA256_RSA_PKCS_PSS, &pss, sizeof pss } },
    { .alg = HR_ECDSA_P256, .mechanism = { CKM_ECDSA_SHA256, NULL, 0 } },
    { .alg = HR_ECDSA_P384, .mechanism = { CKM_ECDSA_SHA384, NULL, 0 } },
    { .alg = HR_ECDSA_P521, .mechanism = { CKM_ECDSA_SHA512, NULL, 0 } },
    { .alg = HR_ED25519, .mechanism = { CKM_EDDSA, NULL, 0 } },
    { .alg = HR_ED25519, .mechanism = { CKM_EDDSA, &ed25519ctx, sizeof ed25519ctx } },
    { HR_ED25519,
      { CKM_EDDSA, &ed25519ph, sizeof ed25519ph },
      HR_SHA512,
      { .flags = HR_SIGN_PREHASH } },
    { .alg = HR_MLDSA44, .mechanism = { CKM_ML_DSA, NULL, 0 } },
    { HR_MLDSA44,
      { CKM_HASH_ML_DSA_SHA256, NULL, 0 },
      HR_SHA256,
      { .flags = HR_SIGN_PREHASH, .digest = HR_SHA256 } },
    { HR_MLDSA65,
      { CKM_HASH_ML_DSA_SHAKE128, &ml_dsa, sizeof ml_dsa },
      HR_SHAKE128,
      { HR_SIGN_PREHASH, HR_SHAKE128, (const uint8_t *)"ctx", 3, NULL } },
    { HR_MLDSA87,
      { CKM_HASH_ML_DSA_SHA3_512, NULL, 0 },
      HR_SHA3_512,
      { .flags = HR_SIGN_PREHASH, .digest = HR_SHA3_512 } },
    { .alg = HR_MLDSA65, .mechanism = { CKM_ML_DSA, &ml_dsa, sizeof ml_dsa } },
    { .alg = HR_MLDSA87, .mechanism = { CKM_ML_DSA, NULL, 0 } },
};

/* in_pieces signs in pieces, and verifies by a signature that comes first. */
static void in_pieces(CK_SESSION_HANDLE session, const struct scheme *s, CK_OBJECT_HANDLE private,
                      CK_OBJECT_HANDLE public, uint8_t *in, size_t len)
{
    uint8_t sig[ROOM];
    CK_ULONG sig_len = sizeof sig;
    CK_MECHANISM mechanism = s->mechanism;
    is(CKR_OK, p11->C_SignInit(session, &mechanism, private), "C_SignInit");
    is(CKR_OK, p11->C_SignUpdate(session, in, len / 3), "a piece");
    is(CKR_OK, p11->C_SignUpdate(session, in + len / 3, len - len / 3), "another piece");
    is(CKR_OK,
       completed(session, p11->C_SignFinal(session, sig, &sig_len), "C_SignFinal", &sig_len),
       "C_SignFinal");
    is(CKR_OK, p11->C_VerifySignatureInit(session, &mechanism, public, sig, sig_len), "first");
    is(CKR_OK, p11->C_VerifySignatureUpdate(session, in, 1), "a piece");
    is(CKR_OK, p11->C_VerifySignatureUpdate(session, in + 1, len - 1), "another piece");
    is(CKR_OK, p11->C_VerifySignatureFinal(session), "a signature that came first");
}

/* by_the_library compares a signature of a digest with what the standard says it is one of. */
static void by_the_library(const struct scheme *s, const struct pair *p, const uint8_t *in,
                           size_t len, const uint8_t *sig, size_t sig_len)
{
    uint8_t digest[64];
    const bool is_xof = s->hash == HR_SHAKE128;
    const size_t digest_len = is_xof ? 32 : hr_algorithm(s->hash)->out_len;
    if (is_xof ? hr_xof(digest, digest_len, s->hash, in, len) : hr_digest(digest, s->hash, in, len))
        complain("no digest");
    if (hr_verify(sig, sig_len, digest, digest_len, &p->key.sign, &s->options))
        complain("%s: no signature of the digest", p->row->name);
}

static void check_scheme(CK_SESSION_HANDLE session, const struct scheme *s, const struct pair *p,
                         const char *name)
{
    static uint8_t in[3000];
    uint8_t sig[ROOM];
    CK_ULONG sig_len;
    const CK_OBJECT_HANDLE private = key_named(session, CKO_PRIVATE_KEY, name),
                           public = key_named(session, CKO_PUBLIC_KEY, name);
    random_bytes(in, sizeof in);
    is(CKR_OK, sign(session, private, s->mechanism, in, sizeof in, sig, &sig_len), p->row->name);
    is(CKR_OK, verify(session, public, s->mechanism, in, sizeof in, sig, sig_len), p->row->name);
    if (s->hash)
        by_the_library(s, p, in, sizeof in, sig, sig_len);
    in_pieces(session, s, private, public, in, sizeof in);
    in[7]++;
    is(CKR_SIGNATURE_INVALID, verify(session, public, s->mechanism, in, sizeof in, sig, sig_len),
       "another message");
    is(CKR_KEY_FUNCTION_NOT_PERMITTED,
       sign(session, public, s->mechanism, in, sizeof in, sig, &sig_len), "by a public key");
}

static void check_signatures(CK_FLAGS flags, const char *how)
{
    const CK_SESSION_HANDLE session = open_with(flags);
    char name[16];
    size_t num = 0;
    for (size_t i = 0; i < num_pairs; i++)
        for (size_t k = 0; k < COUNT_OF(schemes); k++) {
            const struct pair *p = &pairs[i];
            const hr_alg alg = p->row->cls == HR_CLASS_RSA ? HR_ALG_NONE : p->row->alg;
            if (!is_ours(p) || decrypts(p) || schemes[k].alg != alg)
                continue;
            name_of(name, i);
            check_scheme(session, &schemes[k], p, name);
            num++;
        }
    is(CKR_OK, p11->C_CloseSession(session), "a session's end");
    tap(num > 20, "they sign by %zu mechanisms and keys, whole and in pieces%s", num, how);
}

static void check_decryption(void)
{
    static CK_RSA_PKCS_OAEP_PARAMS oaep = { CKM_SHA_1, CKG_MGF1_SHA1, CKZ_DATA_SPECIFIED, "label",
                                            5 };
    CK_MECHANISM mechanisms[] = { { CKM_RSA_PKCS, NULL, 0 },
                                  { CKM_RSA_PKCS_OAEP, &oaep, sizeof oaep } };
    static const char text[] = "a text that is encrypted for a key";
    const CK_SESSION_HANDLE session = open_session();
    const CK_OBJECT_HANDLE private = key_named(session, CKO_PRIVATE_KEY, "d"),
                           public = key_named(session, CKO_PUBLIC_KEY, "d");
    for (size_t i = 0; i < COUNT_OF(mechanisms); i++) {
        uint8_t sealed[512], opened[512];
        CK_ULONG len = sizeof sealed, opened_len = 3;
        is(CKR_OK, p11->C_EncryptInit(session, &mechanisms[i], public), "C_EncryptInit");
        is(CKR_OK, p11->C_Encrypt(session, (CK_BYTE *)text, sizeof text, sealed, &len),
           "encryption");
        is(CKR_OK, p11->C_DecryptInit(session, &mechanisms[i], private), "C_DecryptInit");
        is(CKR_BUFFER_TOO_SMALL, p11->C_Decrypt(session, sealed, len, opened, &opened_len),
           "little room");
        is(CKR_OK, p11->C_Decrypt(session, sealed, len, opened, &opened_len), "decryption");
        if (opened_len != sizeof text || memcmp(opened, text, sizeof text))
            complain("another text");
        sealed[len - 1]++; /* PKCS#1: another text, and no error */
        is(CKR_OK, p11->C_DecryptInit(session, &mechanisms[i], private), "C_DecryptInit");
        opened_len = sizeof opened;
        is(i ? CKR_ENCRYPTED_DATA_INVALID : CKR_OK,
           p11->C_Decrypt(session, sealed, len, opened, &opened_len), "another ciphertext");
    }
    is(CKR_OK, p11->C_CloseSession(session), "a session's end");
    tap(1, "they decrypt, by PKCS#1 with implicit rejection");
}

/* ---- the terms ---- */

static void check_terms(void)
{
    static const uint8_t info[51] = { 0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                      0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20 };
    const CK_SESSION_HANDLE session = open_session();
    const CK_OBJECT_HANDLE s = key_named(session, CKO_PRIVATE_KEY, "s"),
                           d = key_named(session, CKO_PRIVATE_KEY, "d");
    const CK_MECHANISM pkcs1 = { CKM_RSA_PKCS, NULL, 0 };
    CK_MECHANISM none = { CKM_RSA_X_509, NULL, 0 }, decrypt = pkcs1, single = pkcs1,
                 wrap = { CKM_RSA_PKCS_OAEP, NULL, 0 };
    uint8_t sig[ROOM];
    CK_ULONG len;
    is(CKR_OK, sign(session, s, pkcs1, info, sizeof info, sig, &len), "DigestInfo");
    is(CKR_KEY_FUNCTION_NOT_PERMITTED, sign(session, s, pkcs1, info, 32, sig, &len),
       "no DigestInfo");
    is(CKR_MECHANISM_INVALID,
       sign(session, s, (CK_MECHANISM){ CKM_SHA384_RSA_PKCS, NULL, 0 }, info, 3, sig, &len),
       "another digest");
    is(CKR_MECHANISM_INVALID,
       sign(session, s, (CK_MECHANISM){ CKM_SHA256_RSA_PKCS_PSS, &pss, sizeof pss }, info, 3, sig,
            &len),
       "another padding");
    is(CKR_OK, p11->C_SignInit(session, &single, s), "C_SignInit");
    is(CKR_FUNCTION_NOT_SUPPORTED, p11->C_SignFinal(session, sig, &len), "the end of no pieces");
    is(CKR_MECHANISM_INVALID, p11->C_SignInit(session, &none, s), "raw RSA");
    is(CKR_MECHANISM_INVALID, p11->C_DecryptInit(session, &none, d), "raw decryption");
    is(CKR_MECHANISM_INVALID, p11->C_SignRecoverInit(session, &decrypt, s), "recovery");
    is(CKR_KEY_FUNCTION_NOT_PERMITTED, p11->C_DecryptInit(session, &decrypt, s), "another purpose");
    is(CKR_KEY_FUNCTION_NOT_PERMITTED, sign(session, d, pkcs1, info, 3, sig, &len), "and back");
    CK_OBJECT_HANDLE key;
    if (p11->C_UnwrapKey(session, &wrap, d, sig, 256, NULL, 0, &key) == CKR_OK)
        complain("a key is unwrapped");
    is(CKR_OK, p11->C_CloseSession(session), "a session's end");
    tap(1, "a key's purpose, paddings and digests; neither raw RSA nor recovery");
}

static void write_others(void)
{
    const struct pair *decrypt = pair_of(HR_RSA2048, HR_RSA_OAEP, true);
    write_key("s", pair_of(HR_RSA2048, HR_RSA_PKCS1, false),
              "use = sign\npadding = pkcs1\ndigest = SHA-256\nuid = 0-70000\n");
    write_key("d", decrypt,
              "use = decrypt\npadding = pkcs1, oaep\ndigest = SHA-1\nuid = 0-70000\n");
    write_text("e", FIRST);
    write_text("theirs", "algorithm = AES-128-CBC\nuid = 70000\n"
                         "key = 000102030405060708090a0b0c0d0e0f\n");
}

int main(int argc, char **argv)
{
    char *arguments[16] = { 0 };
    if (argc < 4 || argc > 12)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    slot_begin(argv[1]);
    check_without_service();
    keys_begin();
    for (int i = 3; i < argc; i++)
        arguments[i - 3] = argv[i];
    arguments[argc - 3] = "--keys";
    arguments[argc - 2] = keys_folder;
    pairs_make(argv[2]);
    const size_t num = write_all() + 3; /* s, d and e */
    write_others();
    service_begin(&service, arguments, policy);
    setenv("HEADRACE_ACCEL", service.socket, 1);
    hr_accel_patience(LONG);
    is(CKR_OK, p11->C_Initialize(NULL), "C_Initialize");
    check_list(num);
    check_attributes();
    check_identity();
    check_foreign_objects();
    check_signatures(0, "");
    check_signatures(CKF_ASYNC_SESSION, ", in asynchronous sessions");
    check_pending();
    check_decryption();
    check_terms();
    check_secret_keys();
    check_modes();
    check_messages();
    check_taken_away();
    check_rotation();
    check_restarts();
    check_fork();
    check_end();
    keys_end();
    return tap_done();
}
