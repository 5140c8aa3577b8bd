/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that come of keys or passwords, against libcrypto. */
#include "model.h"
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

void try_wrap(void)
{
    uint8_t by[16], secret[100], iv[16], out[160], wanted[160];
    const size_t len = 1 + random_below(sizeof secret);
    CK_MECHANISM mechanism = { CKM_AES_CBC_PAD, iv, sizeof iv };
    CK_ULONG got = sizeof out, seen_len = sizeof secret;
    random_bytes(by, sizeof by);
    random_bytes(secret, sizeof secret);
    random_bytes(iv, sizeof iv);
    const size_t wanted_len = reference_cipher("AES-128-CBC", 1, by, iv, secret, len, wanted);
    const CK_OBJECT_HANDLE wrapping = key_of(s, CKK_AES, by, 16,
                                             BOOLS(CKA_WRAP, CKA_UNWRAP, CKA_EXTRACTABLE)),
                           key = key_of(s, CKK_GENERIC_SECRET, secret, len, BOOLS(CKA_EXTRACTABLE));
    REQUIRE(p11->C_WrapKey(s, &mechanism, wrapping, key, out, &got));
    compare("wrapped", out, got, wanted, wanted_len);
    struct list t = BOOLS(CKA_EXTRACTABLE);
    CK_OBJECT_HANDLE made;
    put_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
    REQUIRE(
        p11->C_UnwrapKey(s, &mechanism, wrapping, wanted, wanted_len, pointed(&t), t.num, &made));
    REQUIRE(get_value(s, made, out, &seen_len));
    compare("unwrapped", out, seen_len, secret, len);
    destroy(s, wrapping);
    destroy(s, key);
    destroy(s, made);
}

void try_hkdf(const char *name, CK_MECHANISM_TYPE digest)
{
    uint8_t secret[80], salt[80], info[40], out[200], wanted[200];
    const size_t secret_len = 1 + random_below(80), salt_len = random_below(81),
                 info_len = random_below(41), len = 1 + random_below(200);
    CK_ULONG got = sizeof out;
    random_bytes(secret, sizeof secret);
    random_bytes(salt, sizeof salt);
    random_bytes(info, sizeof info);
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", "provider=default");
    EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
    const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string("digest", (char *)(uintptr_t)name, 0),
        OSSL_PARAM_octet_string("key", secret, secret_len),
        OSSL_PARAM_octet_string("salt", salt, salt_len),
        OSSL_PARAM_octet_string("info", info, info_len),
        OSSL_PARAM_END,
    };
    if (EVP_KDF_derive(ctx, wanted, len, params) <= 0)
        complain("HKDF: libcrypto");
    EVP_KDF_CTX_free(ctx);
    EVP_KDF_free(kdf);
    CK_HKDF_PARAMS p = { CK_TRUE, CK_TRUE, digest,  CKF_HKDF_SALT_DATA, salt, salt_len,
                         0,       info,    info_len };
    CK_MECHANISM mechanism = { CKM_HKDF_DERIVE, &p, sizeof p };
    struct list t = BOOLS(CKA_EXTRACTABLE);
    CK_OBJECT_HANDLE made;
    put_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
    put_number(&t, CKA_VALUE_LEN, len);
    const CK_OBJECT_HANDLE base = key_of(s, CKK_HKDF, secret, secret_len, BOOLS(CKA_EXTRACTABLE));
    REQUIRE(p11->C_DeriveKey(s, &mechanism, base, pointed(&t), t.num, &made));
    REQUIRE(get_value(s, made, out, &got));
    compare("HKDF", out, got, wanted, len);
    destroy(s, base);
    destroy(s, made);
}

void try_pbkdf2(void)
{
    uint8_t password[40], salt[40], out[100], wanted[100];
    const size_t password_len = random_below(41), salt_len = random_below(41),
                 len = 1 + random_below(100);
    const CK_ULONG iterations = 1 + random_below(20);
    CK_ULONG got = sizeof out;
    random_bytes(password, sizeof password);
    random_bytes(salt, sizeof salt);
    if (!PKCS5_PBKDF2_HMAC((const char *)password, (int)password_len, salt, (int)salt_len,
                           (int)iterations, EVP_sha256(), (int)len, wanted))
        complain("PBKDF2: libcrypto");
    CK_PKCS5_PBKD2_PARAMS2 p = { .saltSource = CKZ_SALT_SPECIFIED,
                                 .pSaltSourceData = salt,
                                 .ulSaltSourceDataLen = salt_len,
                                 .iterations = iterations,
                                 .prf = CKP_PKCS5_PBKD2_HMAC_SHA256,
                                 .pPassword = password,
                                 .ulPasswordLen = password_len };
    CK_MECHANISM mechanism = { CKM_PKCS5_PBKD2, &p, sizeof p };
    struct list t = BOOLS(CKA_EXTRACTABLE);
    CK_OBJECT_HANDLE made;
    put_number(&t, CKA_VALUE_LEN, len);
    REQUIRE(p11->C_GenerateKey(s, &mechanism, pointed(&t), t.num, &made));
    REQUIRE(get_value(s, made, out, &got));
    compare("PBKDF2", out, got, wanted, len);
    destroy(s, made);
}
