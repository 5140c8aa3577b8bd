/* SPDX-License-Identifier: Apache-2.0 */
#include "pkcs11_arguments.h"

enum { MAX_OWNED = 128, MAX_LEN = 1100 };

static void *owned[MAX_OWNED];
static size_t num_owned;
CK_OBJECT_HANDLE salt_key;

static void *own(size_t len)
{
    CHECK(num_owned < MAX_OWNED);
    void *p = malloc(len);
    CHECK(p);
    owned[num_owned++] = p;
    return p;
}

void arguments_free(void)
{
    while (num_owned)
        free(owned[--num_owned]);
}

/* ---- bytes ---- */

/* take_len returns a length: short, whole blocks, or one byte off. */
static CK_ULONG take_len(struct input *in)
{
    const uint8_t b = take_byte(in);
    if (b < 80)
        return b;
    if (b < 240)
        return (CK_ULONG)(b - 80) / 3 * 16 + (CK_ULONG)(b % 3) - (b >= 83);
    return MAX_LEN - b;
}

CK_BYTE *own_copy(const void *bytes, size_t len)
{
    CK_BYTE *p = own(len);
    if (len)
        memcpy(p, bytes, len);
    return p;
}

CK_BYTE *own_bytes(struct input *in, CK_ULONG *len)
{
    static const CK_ULONG without[] = { 0, 1, 16, 0xffffffff, 0x100000000, SIZE_MAX / 4, SIZE_MAX };
    const uint8_t b = take_byte(in);
    if (b >= 248) {
        *len = without[b % COUNT(without)];
        return NULL;
    }
    *len = take_len(in);
    CK_BYTE *p = own(*len);
    take_many(in, p, *len);
    return p;
}

CK_BYTE *own_room(struct input *in, CK_ULONG *len)
{
    const uint8_t b = take_byte(in);
    *len = b & 1 ? MAX_LEN + 64 : take_len(in);
    if (b >= 240)
        return NULL;
    CK_BYTE *p = own(*len);
    memset(p, 0xee, *len);
    return p;
}

/* ---- mechanisms ---- */

static void gcm(struct input *in, CK_MECHANISM *m)
{
    CK_GCM_PARAMS p = { .ulTagBits = take_byte(in) & 1 ? 128 : take_byte(in) };
    p.pIv = own_bytes(in, &p.ulIvLen);
    p.pAAD = own_bytes(in, &p.ulAADLen);
    p.ulIvBits = p.ulIvLen * 8;
    m->pParameter = own_copy(&p, m->ulParameterLen = sizeof p);
}

static void ccm(struct input *in, CK_MECHANISM *m)
{
    CK_CCM_PARAMS p = { .ulMACLen = take_byte(in) % 20 };
    p.ulDataLen = take_byte(in) & 1 ? take_len(in) : SIZE_MAX;
    p.pNonce = own_bytes(in, &p.ulNonceLen);
    p.pAAD = own_bytes(in, &p.ulAADLen);
    m->pParameter = own_copy(&p, m->ulParameterLen = sizeof p);
}

static void counter(struct input *in, CK_MECHANISM *m)
{
    CK_AES_CTR_PARAMS p = { .ulCounterBits = take_byte(in) };
    take_many(in, p.cb, sizeof p.cb);
    m->pParameter = own_copy(&p, m->ulParameterLen = sizeof p);
}

static void hkdf(struct input *in, CK_MECHANISM *m)
{
    static const CK_MECHANISM_TYPE digests[] = { CKM_SHA256, CKM_SHA512, CKM_SHA_1, CKM_MD5,
                                                 CKM_AES_ECB };
    CK_HKDF_PARAMS p = { .bExtract = take_byte(in) & 1,
                         .bExpand = take_byte(in) & 1,
                         .prfHashMechanism = digests[take_byte(in) % COUNT(digests)],
                         .ulSaltType = take_byte(in) % 6,
                         .hSaltKey = salt_key };
    p.pSalt = own_bytes(in, &p.ulSaltLen);
    p.pInfo = own_bytes(in, &p.ulInfoLen);
    m->pParameter = own_copy(&p, m->ulParameterLen = sizeof p);
}

static void pbkdf2(struct input *in, CK_MECHANISM *m)
{
    CK_PKCS5_PBKD2_PARAMS2 p = { .saltSource = take_byte(in) % 3,
                                 .iterations = take_byte(in) % 4,
                                 .prf = take_byte(in) % 12 };
    p.pSaltSourceData = own_bytes(in, &p.ulSaltSourceDataLen);
    p.pPassword = own_bytes(in, &p.ulPasswordLen);
    m->pParameter = own_copy(&p, m->ulParameterLen = sizeof p);
}

static void length(struct input *in, CK_MECHANISM *m)
{
    CK_ULONG p = take_byte(in) % 80;
    m->pParameter = own_copy(&p, m->ulParameterLen = sizeof p);
}

static void agreement(struct input *in, CK_MECHANISM *m)
{
    CK_ECDH1_DERIVE_PARAMS p = { .kdf = take_byte(in) % 4 };
    p.pSharedData = own_bytes(in, &p.ulSharedDataLen);
    p.pPublicData = own_bytes(in, &p.ulPublicDataLen);
    m->pParameter = own_copy(&p, m->ulParameterLen = sizeof p);
}

static void oaep(struct input *in, CK_MECHANISM *m)
{
    CK_RSA_PKCS_OAEP_PARAMS p = { CKM_SHA256, CKG_MGF1_SHA256, take_byte(in) % 2, NULL, 0 };
    p.pSourceData = own_bytes(in, &p.ulSourceDataLen);
    m->pParameter = own_copy(&p, m->ulParameterLen = sizeof p);
}

static void pss(struct input *in, CK_MECHANISM *m)
{
    CK_RSA_PKCS_PSS_PARAMS p = { CKM_SHA256, take_byte(in) % 12, take_len(in) };
    m->pParameter = own_copy(&p, m->ulParameterLen = sizeof p);
}

/* fitting gives the parameters that mechanisms want; others want an IV, or none. */
static void fitting(struct input *in, CK_MECHANISM *m)
{
    static const struct {
        CK_MECHANISM_TYPE type;
        void (*make)(struct input *, CK_MECHANISM *);
    } makers[] = {
        { CKM_AES_GCM, gcm },
        { CKM_AES_CCM, ccm },
        { CKM_AES_CTR, counter },
        { CKM_CAMELLIA_CTR, counter },
        { CKM_HKDF_DERIVE, hkdf },
        { CKM_PKCS5_PBKD2, pbkdf2 },
        { CKM_AES_CMAC_GENERAL, length },
        { CKM_DES3_CMAC_GENERAL, length },
        { CKM_SHA256_HMAC_GENERAL, length },
        { CKM_SHA_1_HMAC_GENERAL, length },
        { CKM_SHA512_HMAC_GENERAL, length },
        { CKM_ECDH1_DERIVE, agreement },
        { CKM_ECDH1_COFACTOR_DERIVE, agreement },
        { CKM_RSA_PKCS_OAEP, oaep },
        { CKM_RSA_PKCS_PSS, pss },
        { CKM_SHA256_RSA_PKCS_PSS, pss },
    };
    for (size_t i = 0; i < COUNT(makers); i++)
        if (makers[i].type == m->mechanism) {
            makers[i].make(in, m);
            return;
        }
    const uint8_t b = take_byte(in);
    m->ulParameterLen = b & 1 ? 16 : b & 2 ? 8 : 0;
    if (m->ulParameterLen)
        m->pParameter = own(m->ulParameterLen);
    if (m->ulParameterLen)
        take_many(in, m->pParameter, m->ulParameterLen);
}

CK_MECHANISM *own_mechanism(struct input *in)
{
    static const CK_MECHANISM_TYPE types[] = {
        CKM_AES_CBC,
        CKM_AES_CBC_PAD,
        CKM_AES_GCM,
        CKM_AES_CCM,
        CKM_AES_CTR,
        CKM_AES_ECB,
        CKM_AES_CFB128,
        CKM_AES_XTS,
        CKM_AES_CMAC,
        CKM_AES_GMAC,
        CKM_SHA256,
        CKM_SHA3_384,
        CKM_MD5,
        CKM_SHA256_HMAC,
        CKM_SHA512_HMAC,
        CKM_HKDF_DERIVE,
        CKM_DES3_CBC_PAD,
        CKM_DES_CFB64,
        CKM_CAMELLIA_CTR,
        CKM_CHACHA20_POLY1305,
        CKM_PKCS5_PBKD2,
        CKM_AES_KEY_GEN,
        CKM_DES3_KEY_GEN,
        CKM_GENERIC_SECRET_KEY_GEN,
        CKM_ECDSA,
        CKM_ECDSA_SHA256,
        CKM_EDDSA,
        CKM_ECDH1_DERIVE,
        CKM_ECDH1_COFACTOR_DERIVE,
        CKM_RSA_PKCS,
        CKM_RSA_PKCS_PSS,
        CKM_RSA_PKCS_OAEP,
        CKM_RSA_X_509,
        CKM_AES_KEY_WRAP,
        CKM_AES_KEY_WRAP_KWP,
        CKM_ML_KEM,
        CKM_ML_DSA,
        CKM_HASH_ML_DSA_SHA256,
        CKM_AES_CMAC_GENERAL,
        CKM_SHA256_HMAC_GENERAL,
        CKM_EC_KEY_PAIR_GEN,
        CKM_EC_EDWARDS_KEY_PAIR_GEN,
    };
    const uint8_t b = take_byte(in);
    if (b == 255)
        return NULL;
    CK_MECHANISM *m = own(sizeof *m);
    *m = (CK_MECHANISM){ b < 240 ? types[b % COUNT(types)] : (CK_MECHANISM_TYPE)take_byte(in) << 4,
                         NULL, 0 };
    if (take_byte(in) < 230)
        fitting(in, m);
    else
        m->pParameter = own_bytes(in, &m->ulParameterLen);
    return m;
}

/* ---- templates ---- */

static void put(CK_ATTRIBUTE *list, CK_ULONG *num, CK_ATTRIBUTE_TYPE type, const void *value,
                size_t len)
{
    list[(*num)++] = (CK_ATTRIBUTE){ type, own_copy(value, len), len };
}

/* put_any adds an attribute with a value that may have the right form. */
static void put_any(struct input *in, CK_ATTRIBUTE *list, CK_ULONG *num)
{
    static const CK_ATTRIBUTE_TYPE bools[] = {
        CKA_SENSITIVE,   CKA_EXTRACTABLE,
        CKA_ENCRYPT,     CKA_DECRYPT,
        CKA_SIGN,        CKA_VERIFY,
        CKA_WRAP,        CKA_UNWRAP,
        CKA_DERIVE,      CKA_PRIVATE,
        CKA_TOKEN,       CKA_MODIFIABLE,
        CKA_TRUSTED,     CKA_WRAP_WITH_TRUSTED,
        CKA_COPYABLE,    CKA_LOCAL,
        CKA_DESTROYABLE,
    };
    static const CK_ATTRIBUTE_TYPE others[] = {
        CKA_LABEL,           CKA_ID,        CKA_VALUE,      CKA_EC_PARAMS,
        CKA_EC_POINT,        CKA_MODULUS,   CKA_PRIME_1,    CKA_SUBJECT,
        CKA_PUBLIC_EXPONENT, CKA_UNIQUE_ID, CKA_START_DATE, CKA_CHECK_VALUE,
        CKA_OBJECT_ID,       CKA_SEED,
    };
    static const CK_ATTRIBUTE_TYPE numbers[] = { CKA_CLASS,         CKA_KEY_TYPE,
                                                 CKA_VALUE_LEN,     CKA_MODULUS_BITS,
                                                 CKA_PARAMETER_SET, CKA_CERTIFICATE_TYPE };
    const uint8_t b = take_byte(in);
    const CK_BBOOL value = take_byte(in) & 1;
    CK_ULONG number = take_byte(in);
    if (b < 130) {
        put(list, num, bools[b % COUNT(bools)], &value, sizeof value);
    } else if (b < 170) {
        put(list, num, numbers[b % COUNT(numbers)], &number, sizeof number);
    } else if (b < 180) {
        const CK_MECHANISM_TYPE allowed[] = { CKM_AES_CBC, CKM_AES_GCM, CKM_HKDF_DERIVE };
        put(list, num, CKA_ALLOWED_MECHANISMS, allowed, sizeof allowed[0] * (b % 4));
    } else {
        CK_ATTRIBUTE *a = &list[(*num)++];
        a->type = b < 245 ? others[b % COUNT(others)] : number << 1;
        a->pValue = own_bytes(in, &a->ulValueLen);
    }
}

static void put_number(CK_ATTRIBUTE *list, CK_ULONG *num, CK_ATTRIBUTE_TYPE type, CK_ULONG number)
{
    put(list, num, type, &number, sizeof number);
}

/* put_key adds what a key needs, with a value if it is to be created. */
static void put_key(struct input *in, CK_ATTRIBUTE *list, CK_ULONG *num)
{
    static const struct {
        CK_KEY_TYPE type;
        uint8_t len;
    } keys[] = {
        { CKK_AES, 16 },      { CKK_AES, 32 },           { CKK_AES_XTS, 64 },
        { CKK_DES3, 24 },     { CKK_GENERIC_SECRET, 7 }, { CKK_HKDF, 32 },
        { CKK_DES, 8 },       { CKK_CAMELLIA, 24 },      { CKK_GENERIC_SECRET, 70 },
        { CKK_CHACHA20, 32 }, { CKK_DES2, 16 },
    };
    uint8_t value[80];
    const uint8_t b = take_byte(in), how = take_byte(in);
    const size_t len = keys[b % COUNT(keys)].len;
    take_many(in, value, len);
    put_number(list, num, CKA_CLASS, how < 240 ? CKO_SECRET_KEY : how % 6);
    put_number(list, num, CKA_KEY_TYPE, keys[b % COUNT(keys)].type);
    if (how & 1)
        put(list, num, CKA_VALUE, value, len);
    else if (how & 2)
        put_number(list, num, CKA_VALUE_LEN, len);
}

CK_ATTRIBUTE *own_template(struct input *in, CK_ULONG *num)
{
    const uint8_t b = take_byte(in);
    *num = 0;
    if (b == 255) {
        *num = take_byte(in);
        return NULL;
    }
    CK_ATTRIBUTE list[32];
    if (b < 200)
        put_key(in, list, num);
    for (uint8_t i = 0; i < b % 12; i++)
        put_any(in, list, num);
    CK_ATTRIBUTE *own_list = (CK_ATTRIBUTE *)own_copy(list, *num * sizeof *list);
    return own_list;
}
