/* SPDX-License-Identifier: Apache-2.0 */
/* Published vectors in the neutral line format through the PKCS#11 module.
 * Usage: module_vectors MODULE FILE...: files of lines, folders of them, or "-" for stdin */
#include "module_vectors.h"

CK_SESSION_HANDLE s;

enum vector_end skip(const char *reason)
{
    vectors_skip(reason);
    return VECTOR_SKIPPED;
}

CK_OBJECT_HANDLE import(const struct vector *v, struct list t, const char *what)
{
    CK_OBJECT_HANDLE key;
    const CK_RV rv = create(s, t, &key);
    if (rv != CKR_OK && v->result == MUST_WORK)
        complain("case %u: %s, %s: %s", v->number, v->row->name, what, rv_name(rv));
    return rv == CKR_OK ? key : 0;
}

void judge(const struct vector *v, const char *how, CK_RV rv, const uint8_t *out, size_t len,
           const struct bytes *wanted)
{
    if (v->result == MUST_FAIL && rv == CKR_OK)
        complain("case %u: %s, %s: accepted", v->number, v->row->name, how);
    if (v->result == MUST_WORK && rv != CKR_OK)
        complain("case %u: %s, %s: %s", v->number, v->row->name, how, rv_name(rv));
    if (v->result != MUST_FAIL && rv == CKR_OK && wanted &&
        (len != wanted->len || memcmp(out, wanted->p, len)))
        complain("case %u: %s, %s: other bytes", v->number, v->row->name, how);
}

/* ---- what is run by which mechanism ---- */

#define DIGEST(symbol, type) { symbol, "", "digest", type, 0, run_p11_digest, 0, NULL },
#define HMAC(symbol, type) { symbol, "", "mac", type, CKK_GENERIC_SECRET, run_p11_hmac, 0, NULL },
#define CIPHER(begin, end, type, key)                                  \
    { begin, end, "encrypt", type, key, run_p11_cipher, 0, NULL },     \
        { begin, end, "decrypt", type, key, run_p11_cipher, 0, NULL }, \
        { begin, end, "both", type, key, run_p11_cipher, 0, NULL },
#define MODES(begin, NAME, key)                  \
    CIPHER(begin, "_ecb", CKM_##NAME##_ECB, key) \
    CIPHER(begin, "_cbc", CKM_##NAME##_CBC, key)
#define CMAC(begin, type, key)                                   \
    { begin, "_cmac", "mac", type, key, run_p11_cmac, 0, NULL }, \
        { begin, "_cmac", "verify", type, key, run_p11_cmac, 0, NULL },
#define CURVE(begin, op, type, key, run, curve) { begin, "", op, type, key, run, curve, NULL },
#define SIGNATURES(begin, type, key, set)                      \
    { begin, "", "sign", type, key, run_p11_sign, set, NULL }, \
        { begin, "", "verify", type, key, run_p11_verify, set, NULL },
#define ECDSA(begin, curve)                                                          \
    { begin, "", "sign_der", CKM_ECDSA, CKK_EC, run_p11_sign, curve, NULL },         \
        { begin, "", "verify_der", CKM_ECDSA, CKK_EC, run_p11_verify, curve, NULL }, \
        SIGNATURES(begin, CKM_ECDSA, CKK_EC, curve)
#define KEM(symbol, set) \
    { symbol, "", "decapsulate", CKM_ML_KEM, CKK_ML_KEM, run_p11_decapsulate, set, NULL },
#define NONE(begin, op, why) { begin, "", op, 0, 0, NULL, 0, why },

static const struct way ways[] = {
    /* clang-format off */
    NONE("", "monte", "Monte Carlo tests are loops of calls that other cases make")
    NONE("", "monte_encrypt", "Monte Carlo tests are loops of calls that other cases make")
    NONE("", "monte_decrypt", "Monte Carlo tests are loops of calls that other cases make")
    NONE("", "repeat", "Monte Carlo tests are loops of calls that other cases make")
    NONE("", "ladder", "Monte Carlo tests are loops of calls that other cases make")
    NONE("", "public", "no call makes a public key of a private one")
    NONE("", "encapsulate", "C_EncapsulateKey takes no random bytes")
    NONE("crc32", "digest", "PKCS#11 has no checksums")
    NONE("ipsum", "digest", "PKCS#11 has no checksums")
    NONE("shake", "xof", "PKCS#11 has no SHAKE as a digest")
    NONE("kmac", "", "PKCS#11 has no KMAC")
    NONE("kasumi", "", "the module has no KASUMI")
    NONE("poly1305", "nmac", "the module has no Poly1305 alone")
    NONE("camellia", "aead", "PKCS#11 has no AEAD with Camellia")
    NONE("hkdf", "", "the test pkcs11_model compares HKDF and PBKDF2 with libcrypto")
    NONE("pbkdf2", "", "the test pkcs11_model compares HKDF and PBKDF2 with libcrypto")
    NONE("rsa", "", "RSA, DSA and DH have lines of their own")
    NONE("dsa", "", "RSA, DSA and DH have lines of their own")
    NONE("dh", "", "RSA, DSA and DH have lines of their own")
    NONE("des_mac", "", "CKM_DES_MAC has four bytes of it")
    NONE("retail_mac", "", "PKCS#11 has no retail MAC")
    DIGEST("md5", CKM_MD5) DIGEST("sha1", CKM_SHA_1) DIGEST("sha224", CKM_SHA224)
    DIGEST("sha256", CKM_SHA256) DIGEST("sha384", CKM_SHA384) DIGEST("sha512_224", CKM_SHA512_224)
    DIGEST("sha512_256", CKM_SHA512_256) DIGEST("sha512", CKM_SHA512)
    DIGEST("sha3_224", CKM_SHA3_224) DIGEST("sha3_256", CKM_SHA3_256)
    DIGEST("sha3_384", CKM_SHA3_384) DIGEST("sha3_512", CKM_SHA3_512)
    HMAC("hmac_md5", CKM_MD5_HMAC_GENERAL) HMAC("hmac_sha1", CKM_SHA_1_HMAC_GENERAL)
    HMAC("hmac_sha224", CKM_SHA224_HMAC_GENERAL) HMAC("hmac_sha256", CKM_SHA256_HMAC_GENERAL)
    HMAC("hmac_sha384", CKM_SHA384_HMAC_GENERAL)
    HMAC("hmac_sha512_224", CKM_SHA512_224_HMAC_GENERAL)
    HMAC("hmac_sha512_256", CKM_SHA512_256_HMAC_GENERAL)
    HMAC("hmac_sha512", CKM_SHA512_HMAC_GENERAL)
    MODES("aes_", AES, CKK_AES)
    CIPHER("aes_", "_ctr", CKM_AES_CTR, CKK_AES)
    CIPHER("aes_", "_cfb128", CKM_AES_CFB128, CKK_AES)
    CIPHER("aes_", "_xts", CKM_AES_XTS, CKK_AES_XTS)
    MODES("des_ede3", DES3, CKK_DES3) MODES("des_ede2", DES3, CKK_DES2)
    NONE("des_ede", "encrypt", "PKCS#11 has no such mode of triple DES")
    NONE("des_ede", "decrypt", "PKCS#11 has no such mode of triple DES")
    NONE("des_ede", "both", "PKCS#11 has no such mode of triple DES")
    MODES("des_", DES, CKK_DES)
    CIPHER("des_", "_cfb64", CKM_DES_CFB64, CKK_DES) CIPHER("des_", "_ofb", CKM_DES_OFB64, CKK_DES)
    NONE("des_ctr", "", "PKCS#11 has no DES-CTR")
    MODES("camellia_", CAMELLIA, CKK_CAMELLIA)
    CIPHER("camellia_", "_ctr", CKM_CAMELLIA_CTR, CKK_CAMELLIA)
    NONE("camellia", "both", "PKCS#11 has no Camellia-CFB")
    NONE("camellia", "encrypt", "PKCS#11 has no Camellia-CFB")
    NONE("camellia", "decrypt", "PKCS#11 has no Camellia-CFB")
    { "aes_", "_gcm", "aead", CKM_AES_GCM, CKK_AES, run_p11_aead, 0, NULL },
    { "aes_", "_ccm", "aead", CKM_AES_CCM, CKK_AES, run_p11_aead, 0, NULL },
    { "chacha20_poly1305", "", "aead", CKM_CHACHA20_POLY1305, CKK_CHACHA20, run_p11_aead, 0, NULL },
    { "aes_", "_gmac", "nmac", CKM_AES_GMAC, CKK_AES, run_p11_gmac, 0, NULL },
    CMAC("aes_", CKM_AES_CMAC_GENERAL, CKK_AES)
    CMAC("des_ede3", CKM_DES3_CMAC_GENERAL, CKK_DES3)
    CMAC("des_ede2", CKM_DES3_CMAC_GENERAL, CKK_DES2)
    { "aes_", "_kw", "wrap", CKM_AES_KEY_WRAP, CKK_AES, run_p11_wrap, 0, NULL },
    { "aes_", "_kwp", "wrap", CKM_AES_KEY_WRAP_KWP, CKK_AES, run_p11_wrap, 0, NULL },
    CURVE("ecdh_p256", "agree", CKM_ECDH1_DERIVE, CKK_EC, run_p11_agree, 0)
    CURVE("ecdh_p384", "agree", CKM_ECDH1_DERIVE, CKK_EC, run_p11_agree, 1)
    CURVE("ecdh_p521", "agree", CKM_ECDH1_DERIVE, CKK_EC, run_p11_agree, 2)
    CURVE("x25519", "agree", CKM_ECDH1_DERIVE, CKK_EC_MONTGOMERY, run_p11_agree, 4)
    ECDSA("ecdsa_p256", 0) ECDSA("ecdsa_p384", 1) ECDSA("ecdsa_p521", 2)
    SIGNATURES("ed25519", CKM_EDDSA, CKK_EC_EDWARDS, 3)
    SIGNATURES("mldsa44", CKM_ML_DSA, CKK_ML_DSA, CKP_ML_DSA_44)
    SIGNATURES("mldsa65", CKM_ML_DSA, CKK_ML_DSA, CKP_ML_DSA_65)
    SIGNATURES("mldsa87", CKM_ML_DSA, CKK_ML_DSA, CKP_ML_DSA_87)
    SIGNATURES("slhdsa_sha2_128s", CKM_SLH_DSA, CKK_SLH_DSA, CKP_SLH_DSA_SHA2_128S)
    SIGNATURES("slhdsa_shake_128s", CKM_SLH_DSA, CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_128S)
    SIGNATURES("slhdsa_sha2_128f", CKM_SLH_DSA, CKK_SLH_DSA, CKP_SLH_DSA_SHA2_128F)
    SIGNATURES("slhdsa_shake_128f", CKM_SLH_DSA, CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_128F)
    SIGNATURES("slhdsa_sha2_192s", CKM_SLH_DSA, CKK_SLH_DSA, CKP_SLH_DSA_SHA2_192S)
    SIGNATURES("slhdsa_shake_192s", CKM_SLH_DSA, CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_192S)
    SIGNATURES("slhdsa_sha2_192f", CKM_SLH_DSA, CKK_SLH_DSA, CKP_SLH_DSA_SHA2_192F)
    SIGNATURES("slhdsa_shake_192f", CKM_SLH_DSA, CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_192F)
    SIGNATURES("slhdsa_sha2_256s", CKM_SLH_DSA, CKK_SLH_DSA, CKP_SLH_DSA_SHA2_256S)
    SIGNATURES("slhdsa_shake_256s", CKM_SLH_DSA, CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_256S)
    SIGNATURES("slhdsa_sha2_256f", CKM_SLH_DSA, CKK_SLH_DSA, CKP_SLH_DSA_SHA2_256F)
    SIGNATURES("slhdsa_shake_256f", CKM_SLH_DSA, CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_256F)
    KEM("mlkem512", CKP_ML_KEM_512)
    KEM("mlkem768", CKP_ML_KEM_768)
    KEM("mlkem1024", CKP_ML_KEM_1024)
    /* clang-format on */
};

static int matches(const struct way *way, const char *symbol, const char *op)
{
    const size_t len = strlen(symbol), end_len = strlen(way->end);
    return !strncmp(symbol, way->begin, strlen(way->begin)) && len >= end_len &&
           !strcmp(symbol + len - end_len, way->end) && (!*way->op || !strcmp(way->op, op));
}

static enum vector_end run_case(struct vector *v, const char *op)
{
    for (size_t i = 0; i < COUNT_OF(ways); i++)
        if (matches(&ways[i], v->row->symbol, op))
            return ways[i].no ? skip(ways[i].no) : ways[i].run(v, &ways[i]);
    char reason[100];
    snprintf(reason, sizeof reason, "%s %s: no calls for it here", v->row->symbol, op);
    return skip(reason);
}

int main(int argc, char **argv)
{
    int good = 1;
    module_begin(argc > 2 ? argv[1] : "");
    s = session_open();
    for (int i = 2; i < argc; i++)
        good &= vectors_read(argv[i], run_case);
    vectors_print_total();
    session_close(s);
    module_end();
    return tap_done() || !good;
}
