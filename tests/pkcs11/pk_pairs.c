/* SPDX-License-Identifier: Apache-2.0 */
#include "pk_pairs.h"

CK_SESSION_HANDLE s;
uint8_t text[300];

/* ---- pairs ---- */

static const uint8_t p256[] = { 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7 };
static const uint8_t p384[] = { 6, 5, 0x2b, 0x81, 4, 0, 0x22 };
static const uint8_t p521[] = { 6, 5, 0x2b, 0x81, 4, 0, 0x23 };
static const uint8_t ed25519[] = { 6, 3, 0x2b, 0x65, 0x70 };
static const uint8_t ed25519_name[] = { 19,  12,  'e', 'd', 'w', 'a', 'r',
                                        'd', 's', '2', '5', '5', '1', '9' };
static const uint8_t x25519[] = { 6, 3, 0x2b, 0x65, 0x6e };

const struct kind kinds[NUM_KINDS] = {
    { "RSA 1024", CKM_RSA_PKCS_KEY_PAIR_GEN, CKA_MODULUS_BITS, 1024, NULL, 0 },
    { "RSA 2048", CKM_RSA_PKCS_KEY_PAIR_GEN, CKA_MODULUS_BITS, 2048, NULL, 0 },
    { "P-256", CKM_EC_KEY_PAIR_GEN, CKA_EC_PARAMS, 0, p256, sizeof p256 },
    { "P-384", CKM_EC_KEY_PAIR_GEN, CKA_EC_PARAMS, 0, p384, sizeof p384 },
    { "P-521", CKM_EC_KEY_PAIR_GEN, CKA_EC_PARAMS, 0, p521, sizeof p521 },
    { "Ed25519", CKM_EC_EDWARDS_KEY_PAIR_GEN, CKA_EC_PARAMS, 0, ed25519, sizeof ed25519 },
    { "edwards25519", CKM_EC_EDWARDS_KEY_PAIR_GEN, CKA_EC_PARAMS, 0, ed25519_name,
      sizeof ed25519_name },
    { "X25519", CKM_EC_MONTGOMERY_KEY_PAIR_GEN, CKA_EC_PARAMS, 0, x25519, sizeof x25519 },
    { "ML-DSA-44", CKM_ML_DSA_KEY_PAIR_GEN, CKA_PARAMETER_SET, CKP_ML_DSA_44, NULL, 0 },
    { "ML-DSA-65", CKM_ML_DSA_KEY_PAIR_GEN, CKA_PARAMETER_SET, CKP_ML_DSA_65, NULL, 0 },
    { "ML-DSA-87", CKM_ML_DSA_KEY_PAIR_GEN, CKA_PARAMETER_SET, CKP_ML_DSA_87, NULL, 0 },
    { "SLH-DSA", CKM_SLH_DSA_KEY_PAIR_GEN, CKA_PARAMETER_SET, CKP_SLH_DSA_SHA2_128F, NULL, 0 },
    { "ML-KEM-512", CKM_ML_KEM_KEY_PAIR_GEN, CKA_PARAMETER_SET, CKP_ML_KEM_512, NULL, 0 },
    { "ML-KEM-768", CKM_ML_KEM_KEY_PAIR_GEN, CKA_PARAMETER_SET, CKP_ML_KEM_768, NULL, 0 },
    { "ML-KEM-1024", CKM_ML_KEM_KEY_PAIR_GEN, CKA_PARAMETER_SET, CKP_ML_KEM_1024, NULL, 0 },
};
struct pair pairs[NUM_KINDS];

struct list template_of(const struct kind *kind)
{
    struct list t = { 0 };
    if (kind->bytes)
        put_bytes(&t, kind->type, kind->bytes, kind->len);
    else
        put_number(&t, kind->type, kind->number);
    return t;
}

CK_RV generate_pair(CK_MECHANISM_TYPE type, struct list public, struct list private,
                    struct pair *pair)
{
    CK_MECHANISM mechanism = { type, NULL, 0 };
    return p11->C_GenerateKeyPair(s, &mechanism, pointed(&public), public.num, pointed(&private),
                                  private.num, &pair->public_key, &pair->private_key);
}

/* Keys of these types may do all that the type can, and show what they are. */
void make_pairs(void)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct list public = template_of(&kinds[i]), private = BOOLS(CKA_EXTRACTABLE);
        const struct list more =
            BOOLS(CKA_VERIFY, CKA_ENCRYPT, CKA_ENCAPSULATE, CKA_VERIFY_RECOVER);
        const struct list uses = BOOLS(NOT(CKA_SENSITIVE), CKA_SIGN, CKA_DECRYPT, CKA_DERIVE,
                                       CKA_DECAPSULATE, CKA_SIGN_RECOVER);
        put_all(&public, &more);
        put_all(&private, &uses);
        REQUIRE(generate_pair(kinds[i].generate, public, private, &pairs[i]));
    }
    tap(1, "pairs of %zu types", COUNT_OF(kinds));
}

const struct pair *pair_of(const char *name)
{
    size_t i = 0;
    while (strcmp(kinds[i].name, name))
        i++;
    return &pairs[i];
}

/* ---- copies by attributes ---- */

const CK_ATTRIBUTE_TYPE parts[NUM_PARTS] = {
    CKA_MODULUS,       CKA_PUBLIC_EXPONENT, CKA_PRIVATE_EXPONENT, CKA_PRIME_1,   CKA_PRIME_2,
    CKA_EXPONENT_1,    CKA_EXPONENT_2,      CKA_COEFFICIENT,      CKA_EC_PARAMS, CKA_EC_POINT,
    CKA_PARAMETER_SET, CKA_VALUE,           CKA_KEY_TYPE,         CKA_CLASS,
};

struct list read_parts(CK_OBJECT_HANDLE key, CK_ATTRIBUTE_TYPE without)
{
    static uint8_t room[COUNT_OF(parts)][8192];
    struct list t = { 0 };
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        CK_ATTRIBUTE a = { parts[i], room[i], sizeof room[i] };
        if (parts[i] != without && p11->C_GetAttributeValue(s, key, &a, 1) == CKR_OK)
            put_bytes(&t, parts[i], room[i], a.ulValueLen);
    }
    return t;
}

CK_RV import(CK_OBJECT_HANDLE key, CK_ATTRIBUTE_TYPE without, struct list more,
             CK_OBJECT_HANDLE *out)
{
    struct list t = read_parts(key, without);
    put_all(&t, &more);
    return create(s, t, out);
}
