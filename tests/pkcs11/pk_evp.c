/* SPDX-License-Identifier: Apache-2.0 */
/* Public key in the PKCS#11 module and in OpenSSL: private keys go from one to the other, wrapped
 * as PKCS#8, and each side verifies, decrypts and agrees on what the other made.
 * Usage: pk_evp MODULE */
#include "p11.h"
#include <openssl/dh.h>
#include <openssl/dsa.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

static CK_SESSION_HANDLE s;
static CK_OBJECT_HANDLE wrapping;
static uint8_t text[200], key_bytes[32];
static CK_BYTE iv[16];
static CK_MECHANISM cbc_pad = { CKM_AES_CBC_PAD, iv, sizeof iv };

#define MUST(condition)                                              \
    do {                                                             \
        if (!(condition)) {                                          \
            printf("Bail out! line %d: %s\n", __LINE__, #condition); \
            exit(1);                                                 \
        }                                                            \
    } while (0)

/* ---- keys from one side to the other ---- */

static size_t crypt(int encrypts, uint8_t *out, const uint8_t *in, size_t len)
{
    int first = 0, last = 0;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    MUST(EVP_CipherInit_ex(ctx, EVP_aes_256_cbc(), NULL, key_bytes, iv, encrypts) == 1);
    MUST(EVP_CipherUpdate(ctx, out, &first, in, (int)len) == 1);
    MUST(EVP_CipherFinal_ex(ctx, out + first, &last) == 1);
    EVP_CIPHER_CTX_free(ctx);
    return (size_t)(first + last);
}

static EVP_PKEY *out_of_module(CK_OBJECT_HANDLE key)
{
    uint8_t wrapped[8192], der[8192];
    const uint8_t *at = der;
    CK_ULONG len = sizeof wrapped;
    REQUIRE(p11->C_WrapKey(s, &cbc_pad, wrapping, key, wrapped, &len));
    EVP_PKEY *out = d2i_AutoPrivateKey(NULL, &at, (long)crypt(0, der, wrapped, len));
    MUST(out);
    return out;
}

static CK_OBJECT_HANDLE into_module(EVP_PKEY *key, CK_KEY_TYPE type)
{
    uint8_t *der = NULL, wrapped[8192];
    PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key);
    const int len = i2d_PKCS8_PRIV_KEY_INFO(info, &der);
    struct list t = BOOLS(CKA_SIGN, CKA_DECRYPT, CKA_DERIVE, CKA_EXTRACTABLE);
    CK_OBJECT_HANDLE out;
    MUST(len > 0);
    put_number(&t, CKA_CLASS, CKO_PRIVATE_KEY);
    put_number(&t, CKA_KEY_TYPE, type);
    REQUIRE(p11->C_UnwrapKey(s, &cbc_pad, wrapping, wrapped, crypt(1, wrapped, der, (size_t)len),
                             pointed(&t), t.num, &out));
    OPENSSL_free(der);
    PKCS8_PRIV_KEY_INFO_free(info);
    return out;
}

/* ---- keys ---- */

/* How OpenSSL makes a key of a type. */
static EVP_PKEY *make_dsa(void)
{
    EVP_PKEY *params = NULL, *key = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DSA", NULL);
    MUST(EVP_PKEY_paramgen_init(ctx) > 0 && EVP_PKEY_CTX_set_dsa_paramgen_bits(ctx, 1024) > 0);
    MUST(EVP_PKEY_paramgen(ctx, &params) > 0);
    EVP_PKEY_CTX_free(ctx);
    ctx = EVP_PKEY_CTX_new_from_pkey(NULL, params, NULL);
    MUST(EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_keygen(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(params);
    return key;
}

static EVP_PKEY *make_dh(void)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DH", NULL);
    MUST(EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_ctrl_str(ctx, "group", "ffdhe2048") > 0 &&
         EVP_PKEY_keygen(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static EVP_PKEY *make(const char *name)
{
    EVP_PKEY *key = !strcmp(name, "RSA")      ? EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048)
                    : !strcmp(name, "DSA")    ? make_dsa()
                    : !strcmp(name, "DH")     ? make_dh()
                    : !strncmp(name, "P-", 2) ? EVP_PKEY_Q_keygen(NULL, NULL, "EC", name)
                                              : EVP_PKEY_Q_keygen(NULL, NULL, name);
    MUST(key);
    return key;
}

/* ---- signatures ---- */

static const struct way {
    const char *key, *digest;
    CK_KEY_TYPE key_type;
    CK_MECHANISM_TYPE type, hash, mgf;
    int salt; /* of PSS */
} ways[] = {
    { "RSA", "SHA1", CKK_RSA, CKM_SHA1_RSA_PKCS, 0, 0, 0 },
    { "RSA", "SHA224", CKK_RSA, CKM_SHA224_RSA_PKCS, 0, 0, 0 },
    { "RSA", "SHA256", CKK_RSA, CKM_SHA256_RSA_PKCS, 0, 0, 0 },
    { "RSA", "SHA384", CKK_RSA, CKM_SHA384_RSA_PKCS, 0, 0, 0 },
    { "RSA", "SHA512", CKK_RSA, CKM_SHA512_RSA_PKCS, 0, 0, 0 },
    { "RSA", "SHA3-256", CKK_RSA, CKM_SHA3_256_RSA_PKCS, 0, 0, 0 },
    { "RSA", "SHA256", CKK_RSA, CKM_SHA256_RSA_PKCS_PSS, CKM_SHA256, CKG_MGF1_SHA256, 32 },
    { "RSA", "SHA512", CKK_RSA, CKM_SHA512_RSA_PKCS_PSS, CKM_SHA512, CKG_MGF1_SHA1, 10 },
    { "P-256", "SHA256", CKK_EC, CKM_ECDSA_SHA256, 0, 0, 0 },
    { "P-256", "SHA512", CKK_EC, CKM_ECDSA_SHA512, 0, 0, 0 },
    { "P-384", "SHA3-384", CKK_EC, CKM_ECDSA_SHA3_384, 0, 0, 0 },
    { "P-521", "SHA1", CKK_EC, CKM_ECDSA_SHA1, 0, 0, 0 },
    { "ED25519", NULL, CKK_EC_EDWARDS, CKM_EDDSA, 0, 0, 0 },
    { "DSA", "SHA256", CKK_DSA, CKM_DSA_SHA256, 0, 0, 0 },
    { "DSA", "SHA1", CKK_DSA, CKM_DSA_SHA1, 0, 0, 0 },
};

static const char *mgf_name(CK_ULONG mgf)
{
    return mgf == CKG_MGF1_SHA1 ? "SHA1" : "SHA256";
}

static void set_padding(EVP_PKEY_CTX *ctx, const struct way *way)
{
    if (!way->hash)
        return;
    MUST(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, way->salt) > 0 &&
         EVP_PKEY_CTX_set_rsa_mgf1_md_name(ctx, mgf_name(way->mgf), NULL) > 0);
}

static int has_two_numbers(const struct way *way)
{
    return way->key_type == CKK_EC || way->key_type == CKK_DSA;
}

static void their_verification(const struct way *way, EVP_PKEY *key, const uint8_t *sig, size_t len)
{
    uint8_t der[256];
    size_t der_len = sizeof der;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *inner;
    if (has_two_numbers(way)) {
        MUST(!hr_ecdsa_to_der(der, &der_len, sig, len));
        sig = der;
        len = der_len;
    }
    MUST(EVP_DigestVerifyInit_ex(ctx, &inner, way->digest, NULL, NULL, key, NULL) == 1);
    set_padding(inner, way);
    if (EVP_DigestVerify(ctx, sig, len, text, sizeof text) != 1)
        complain("OpenSSL refuses the module's signature: %s, 0x%lx", way->key, way->type);
    EVP_MD_CTX_free(ctx);
}

static size_t their_signature(const struct way *way, EVP_PKEY *key, uint8_t sig[512], size_t size)
{
    uint8_t der[512];
    size_t len = sizeof der;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *inner;
    MUST(EVP_DigestSignInit_ex(ctx, &inner, way->digest, NULL, NULL, key, NULL) == 1);
    set_padding(inner, way);
    MUST(EVP_DigestSign(ctx, der, &len, text, sizeof text) == 1);
    EVP_MD_CTX_free(ctx);
    if (has_two_numbers(way)) {
        MUST(!hr_ecdsa_from_der(sig, size, der, len));
        return size;
    }
    memcpy(sig, der, len);
    return len;
}

/* import_public makes the public key's object of OpenSSL's numbers. */
static CK_OBJECT_HANDLE import_public(EVP_PKEY *key, CK_KEY_TYPE type)
{
    static const struct {
        CK_ATTRIBUTE_TYPE type;
        const char *name;
    } numbers[] = {
        { CKA_MODULUS, "n" }, { CKA_PUBLIC_EXPONENT, "e" },
        { CKA_PRIME, "p" },   { CKA_SUBPRIME, "q" },
        { CKA_BASE, "g" },
    };
    static uint8_t room[8][1024];
    struct list t = BOOLS(CKA_VERIFY, CKA_ENCRYPT);
    CK_OBJECT_HANDLE out;
    size_t len, used = 0;
    put_number(&t, CKA_CLASS, CKO_PUBLIC_KEY);
    put_number(&t, CKA_KEY_TYPE, type);
    for (size_t i = 0; i < COUNT_OF(numbers) && type != CKK_EC; i++) {
        BIGNUM *n = NULL;
        if (EVP_PKEY_get_bn_param(key, numbers[i].name, &n) == 1) {
            len = (size_t)BN_bn2bin(n, room[used]);
            put_bytes(&t, numbers[i].type, room[used++], len);
        }
        BN_free(n);
    }
    if (type == CKK_DSA) {
        BIGNUM *y = NULL;
        MUST(EVP_PKEY_get_bn_param(key, "pub", &y) == 1);
        put_bytes(&t, CKA_VALUE, room[used], (size_t)BN_bn2bin(y, room[used]));
        BN_free(y);
    } else if (type != CKK_RSA) {
        static const uint8_t curves[][10] = { { 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7 },
                                              { 6, 5, 0x2b, 0x81, 4, 0, 0x22 },
                                              { 6, 5, 0x2b, 0x81, 4, 0, 0x23 },
                                              { 6, 3, 0x2b, 0x65, 0x70 } };
        MUST(EVP_PKEY_get_octet_string_param(key, "pub", room[0], sizeof room[0], &len) == 1);
        const size_t curve = len == 65 ? 0 : len == 97 ? 1 : len == 133 ? 2 : 3;
        put_bytes(&t, CKA_EC_POINT, room[0], len);
        put_bytes(&t, CKA_EC_PARAMS, curves[curve], curves[curve][1] + 2u);
    }
    REQUIRE(create(s, t, &out));
    return out;
}

/* expect_info has OpenSSL read the CKA_PUBLIC_KEY_INFO of a key, and write it again; the length of
 * private numbers, which OpenSSL adds to groups of DH, makes that longer. */
static void expect_info(CK_OBJECT_HANDLE ours, EVP_PKEY *theirs)
{
    uint8_t info[2048], *again = NULL;
    const uint8_t *at = info;
    CK_ATTRIBUTE a = { CKA_PUBLIC_KEY_INFO, info, sizeof info };
    REQUIRE(p11->C_GetAttributeValue(s, ours, &a, 1));
    EVP_PKEY *read = d2i_PUBKEY(NULL, &at, (long)a.ulValueLen);
    const int len = read ? i2d_PUBKEY(read, &again) : 0;
    if (!read || at != info + a.ulValueLen || EVP_PKEY_eq(read, theirs) != 1)
        complain("OpenSSL reads no CKA_PUBLIC_KEY_INFO, or another key");
    else if (!EVP_PKEY_is_a(read, "DH") &&
             ((CK_ULONG)len != a.ulValueLen || memcmp(again, info, a.ulValueLen) != 0))
        complain("OpenSSL writes the CKA_PUBLIC_KEY_INFO otherwise");
    OPENSSL_free(again);
    EVP_PKEY_free(read);
}

static void check_way(const struct way *way)
{
    CK_RSA_PKCS_PSS_PARAMS pss = { way->hash, way->mgf, (CK_ULONG)way->salt };
    CK_MECHANISM mechanism = { way->type, way->hash ? &pss : NULL, way->hash ? sizeof pss : 0 };
    uint8_t sig[512];
    CK_ULONG len = sizeof sig;
    EVP_PKEY *theirs = make(way->key);
    const CK_OBJECT_HANDLE ours = into_module(theirs, way->key_type);
    EXPECT(CKR_OK, p11->C_SignInit(s, &mechanism, ours));
    EXPECT(CKR_OK, p11->C_Sign(s, text, sizeof text, sig, &len));
    their_verification(way, theirs, sig, len);
    EVP_PKEY *back = out_of_module(ours);
    if (EVP_PKEY_eq(theirs, back) != 1)
        complain("%s: another key comes back", way->key);
    const CK_OBJECT_HANDLE public_key = import_public(theirs, way->key_type);
    expect_info(ours, theirs);
    expect_info(public_key, theirs);
    const size_t their_len = their_signature(way, back, sig, len);
    EXPECT(CKR_OK, p11->C_VerifyInit(s, &mechanism, public_key));
    EXPECT(CKR_OK, p11->C_Verify(s, text, sizeof text, sig, their_len));
    tap(1, "%s, 0x%lx: OpenSSL and the module take each other's keys and signatures", way->key,
        way->type);
    EVP_PKEY_free(back);
    EVP_PKEY_free(theirs);
}

/* ---- encryption ---- */

static void check_decryption(int padding, CK_MECHANISM mechanism, const char *digest)
{
    EVP_PKEY *theirs = make("RSA");
    const CK_OBJECT_HANDLE ours = into_module(theirs, CKK_RSA),
                           public_key = import_public(theirs, CKK_RSA);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, theirs, NULL);
    uint8_t ct[256], out[256];
    size_t ct_len = sizeof ct;
    CK_ULONG len = sizeof out;
    MUST(EVP_PKEY_encrypt_init(ctx) > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, padding) > 0);
    if (digest)
        MUST(EVP_PKEY_CTX_set_rsa_oaep_md_name(ctx, digest, NULL) > 0 &&
             EVP_PKEY_CTX_set_rsa_mgf1_md_name(ctx, digest, NULL) > 0 &&
             EVP_PKEY_CTX_set0_rsa_oaep_label(ctx, OPENSSL_memdup("label", 5), 5) > 0);
    MUST(EVP_PKEY_encrypt(ctx, ct, &ct_len, text, 50) > 0);
    EXPECT(CKR_OK, p11->C_DecryptInit(s, &mechanism, ours));
    EXPECT(CKR_OK, p11->C_Decrypt(s, ct, ct_len, out, &len));
    if (len != 50 || memcmp(out, text, 50))
        complain("the module decrypts something else");
    len = sizeof ct;
    EXPECT(CKR_OK, p11->C_EncryptInit(s, &mechanism, public_key));
    EXPECT(CKR_OK, p11->C_Encrypt(s, text, 60, ct, &len));
    MUST(EVP_PKEY_decrypt_init(ctx) > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, padding) > 0);
    if (digest)
        MUST(EVP_PKEY_CTX_set_rsa_oaep_md_name(ctx, digest, NULL) > 0 &&
             EVP_PKEY_CTX_set_rsa_mgf1_md_name(ctx, digest, NULL) > 0 &&
             EVP_PKEY_CTX_set0_rsa_oaep_label(ctx, OPENSSL_memdup("label", 5), 5) > 0);
    ct_len = sizeof out;
    if (EVP_PKEY_decrypt(ctx, out, &ct_len, ct, len) <= 0 || ct_len != 60 || memcmp(out, text, 60))
        complain("OpenSSL decrypts something else");
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(theirs);
    tap(1, "RSA, 0x%lx: OpenSSL and the module decrypt what the other encrypted",
        mechanism.mechanism);
}

/* ---- agreement ---- */

static void check_agreement(const char *name, CK_KEY_TYPE type)
{
    EVP_PKEY *a = make(name), *b = make(name);
    const CK_OBJECT_HANDLE ours = into_module(a, type);
    uint8_t peer[512], secret[512], value[512];
    size_t peer_len, secret_len = sizeof secret;
    CK_ULONG len = sizeof value;
    CK_OBJECT_HANDLE key;
    struct list t = BOOLS(NOT(CKA_SENSITIVE), CKA_EXTRACTABLE);
    MUST(EVP_PKEY_get_octet_string_param(b, "encoded-pub-key", peer, sizeof peer, &peer_len) == 1);
    CK_ECDH1_DERIVE_PARAMS p = { CKD_NULL, 0, NULL, peer_len, peer };
    CK_MECHANISM mechanism = type == CKK_DH ? (CK_MECHANISM){ CKM_DH_PKCS_DERIVE, peer, peer_len }
                                            : (CK_MECHANISM){ CKM_ECDH1_DERIVE, &p, sizeof p };
    expect_info(ours, a);
    put_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
    EXPECT(CKR_OK, p11->C_DeriveKey(s, &mechanism, ours, pointed(&t), t.num, &key));
    EXPECT(CKR_OK, get_value(s, key, value, &len));
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, a, NULL);
    MUST(EVP_PKEY_derive_init(ctx) > 0);
    if (type == CKK_DH)
        MUST(EVP_PKEY_CTX_set_dh_pad(ctx, 1) > 0);
    MUST(EVP_PKEY_derive_set_peer(ctx, b) > 0 && EVP_PKEY_derive(ctx, secret, &secret_len) > 0);
    if (len != secret_len || memcmp(secret, value, len))
        complain("%s: other secrets", name);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(a);
    EVP_PKEY_free(b);
    tap(1, "%s: OpenSSL and the module agree", name);
}

static void check_kdf(const char *name, CK_ULONG kdf, const EVP_MD *md, size_t len)
{
    EVP_PKEY *a = make(name), *b = make(name);
    const CK_OBJECT_HANDLE ours = into_module(a, CKK_EC);
    uint8_t peer[256], secret[256], value[256];
    size_t peer_len, secret_len = len;
    CK_ULONG value_len = sizeof value;
    CK_OBJECT_HANDLE key;
    struct list t = BOOLS(NOT(CKA_SENSITIVE), CKA_EXTRACTABLE);
    MUST(EVP_PKEY_get_octet_string_param(b, "encoded-pub-key", peer, sizeof peer, &peer_len) == 1);
    CK_ECDH1_DERIVE_PARAMS p = { kdf, 7, text, peer_len, peer };
    CK_MECHANISM mechanism = { CKM_ECDH1_DERIVE, &p, sizeof p };
    put_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
    put_number(&t, CKA_VALUE_LEN, len);
    EXPECT(CKR_OK, p11->C_DeriveKey(s, &mechanism, ours, pointed(&t), t.num, &key));
    EXPECT(CKR_OK, get_value(s, key, value, &value_len));
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, a, NULL);
    MUST(EVP_PKEY_derive_init(ctx) > 0 &&
         EVP_PKEY_CTX_set_ecdh_kdf_type(ctx, EVP_PKEY_ECDH_KDF_X9_63) > 0 &&
         EVP_PKEY_CTX_set_ecdh_kdf_md(ctx, md) > 0 &&
         EVP_PKEY_CTX_set_ecdh_kdf_outlen(ctx, (int)len) > 0 &&
         EVP_PKEY_CTX_set0_ecdh_kdf_ukm(ctx, OPENSSL_memdup(text, 7), 7) > 0);
    MUST(EVP_PKEY_derive_set_peer(ctx, b) > 0 && EVP_PKEY_derive(ctx, secret, &secret_len) > 0);
    if (value_len != len || memcmp(secret, value, len))
        complain("%s: other derived secrets", name);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(a);
    EVP_PKEY_free(b);
    tap(1, "%s: OpenSSL and the module derive %zu bytes by 0x%lx", name, len, kdf);
}

/* ---- pairs in OpenSSL's groups ---- */

static void put_group(struct list *t, EVP_PKEY *key, CK_ATTRIBUTE_TYPE type, const char *name,
                      uint8_t room[512])
{
    BIGNUM *n = NULL;
    MUST(EVP_PKEY_get_bn_param(key, name, &n) == 1);
    put_bytes(t, type, room, (size_t)BN_bn2bin(n, room));
    BN_free(n);
}

static void check_group(const char *name, CK_MECHANISM_TYPE type)
{
    uint8_t p[512], q[512], g[512];
    struct list public = { 0 }, private = BOOLS(CKA_EXTRACTABLE);
    EVP_PKEY *theirs = make(name);
    CK_MECHANISM mechanism = { type, NULL, 0 };
    CK_OBJECT_HANDLE public_key, private_key;
    put_group(&public, theirs, CKA_PRIME, "p", p);
    put_group(&public, theirs, CKA_BASE, "g", g);
    if (type == CKM_DSA_KEY_PAIR_GEN)
        put_group(&public, theirs, CKA_SUBPRIME, "q", q);
    REQUIRE(p11->C_GenerateKeyPair(s, &mechanism, pointed(&public), public.num, pointed(&private),
                                   private.num, &public_key, &private_key));
    EVP_PKEY *ours = out_of_module(private_key);
    expect_info(private_key, ours);
    expect_info(public_key, ours);
    BIGNUM *y = NULL;
    uint8_t computed[512], value[512];
    CK_ULONG len = sizeof value;
    MUST(EVP_PKEY_get_bn_param(ours, "pub", &y) == 1);
    EXPECT(CKR_OK, get_value(s, public_key, value, &len));
    if (len > sizeof computed || BN_bn2binpad(y, computed, (int)len) < 0 ||
        memcmp(computed, value, len))
        complain("%s: the public key is another one", name);
    if (EVP_PKEY_parameters_eq(ours, theirs) != 1)
        complain("%s: another group", name);
    BN_free(y);
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
    tap(1, "%s: a pair in a group of OpenSSL", name);
}

int main(int argc, char **argv)
{
    CK_RSA_PKCS_OAEP_PARAMS oaep = { CKM_SHA256, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED, "label", 5 };
    module_begin(argv[argc - 1]);
    s = session_open();
    random_bytes(text, sizeof text);
    random_bytes(key_bytes, sizeof key_bytes);
    wrapping = key_of(s, CKK_AES, key_bytes, sizeof key_bytes, BOOLS(CKA_WRAP, CKA_UNWRAP));
    for (size_t i = 0; i < COUNT_OF(ways); i++)
        check_way(&ways[i]);
    check_decryption(RSA_PKCS1_PADDING, (CK_MECHANISM){ CKM_RSA_PKCS, NULL, 0 }, NULL);
    check_decryption(RSA_PKCS1_OAEP_PADDING,
                     (CK_MECHANISM){ CKM_RSA_PKCS_OAEP, &oaep, sizeof oaep }, "SHA256");
    check_agreement("P-256", CKK_EC);
    check_agreement("P-384", CKK_EC);
    check_agreement("P-521", CKK_EC);
    check_agreement("X25519", CKK_EC_MONTGOMERY);
    check_agreement("DH", CKK_DH);
    check_kdf("P-256", CKD_SHA1_KDF, EVP_sha1(), 16);
    check_kdf("P-256", CKD_SHA256_KDF, EVP_sha256(), 100);
    check_kdf("P-384", CKD_SHA384_KDF, EVP_sha384(), 48);
    check_kdf("P-521", CKD_SHA512_KDF, EVP_sha512(), 129);
    check_group("DSA", CKM_DSA_KEY_PAIR_GEN);
    check_group("DH", CKM_DH_PKCS_KEY_PAIR_GEN);
    session_close(s);
    module_end();
    return tap_done();
}
