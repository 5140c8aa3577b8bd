/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that both modules have: random secret keys, and pairs that ours makes. */
#include "differ.h"

struct key keys[MAX_KEYS];
size_t num_keys;

static const uint8_t p256[] = { 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7 };
static const uint8_t p384[] = { 6, 5, 0x2b, 0x81, 4, 0, 0x22 };
static const uint8_t p521[] = { 6, 5, 0x2b, 0x81, 4, 0, 0x23 };
static const uint8_t ed25519[] = { 6, 3, 0x2b, 0x65, 0x70 };

static struct key *add(enum key_set set, const char *name, CK_KEY_TYPE type, size_t len)
{
    keys[num_keys] = (struct key){ .set = set, .name = name, .type = type, .len = len };
    return &keys[num_keys++];
}

static void add_secret(enum key_set set, const char *name, CK_KEY_TYPE type, size_t len)
{
    struct key *key = add(set, name, type, len);
    uint8_t value[128];
    random_bytes(value, len);
    ON_BOTH
    {
        key->secret[x] = key->public[x] =
            key_of(sides[x].keeper, type, value, len,
                   BOOLS(NOT(CKA_PRIVATE), NOT(CKA_SENSITIVE), CKA_EXTRACTABLE, CKA_ENCRYPT,
                         CKA_DECRYPT, CKA_SIGN, CKA_VERIFY, NOT(CKA_WRAP), NOT(CKA_UNWRAP)));
        key->wrapping[x] =
            key_of(sides[x].keeper, type, value, len,
                   BOOLS(NOT(CKA_PRIVATE), NOT(CKA_SENSITIVE), CKA_EXTRACTABLE, CKA_WRAP,
                         CKA_UNWRAP, NOT(CKA_ENCRYPT), NOT(CKA_DECRYPT), NOT(CKA_SIGN)));
    }
}

/* take_parts reads the attributes of a key of ours; what it returns is valid until the next call.
 */
static struct list take_parts(CK_OBJECT_HANDLE key)
{
    static const CK_ATTRIBUTE_TYPE parts[] = {
        CKA_CLASS,     CKA_KEY_TYPE, CKA_MODULUS,    CKA_PUBLIC_EXPONENT, CKA_PRIVATE_EXPONENT,
        CKA_PRIME_1,   CKA_PRIME_2,  CKA_EXPONENT_1, CKA_EXPONENT_2,      CKA_COEFFICIENT,
        CKA_EC_PARAMS, CKA_EC_POINT, CKA_VALUE,
    };
    static uint8_t room[COUNT_OF(parts)][600];
    struct list t = { 0 };
    use(OURS);
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        CK_ATTRIBUTE a = { parts[i], room[i], sizeof room[i] };
        if (p11->C_GetAttributeValue(sides[OURS].keeper, key, &a, 1) == CKR_OK)
            put_bytes(&t, parts[i], room[i], a.ulValueLen);
    }
    return t;
}

/* give makes an object of these parts on both sides. */
static void give(CK_OBJECT_HANDLE made, CK_OBJECT_HANDLE out[NUM_SIDES], struct list more)
{
    struct list t = take_parts(made);
    put_all(&t, &more);
    ON_BOTH REQUIRE(create(sides[x].keeper, t, &out[x]));
}

static void add_pair(enum key_set set, const char *name, CK_KEY_TYPE type,
                     CK_MECHANISM_TYPE generate_by, struct list public)
{
    struct key *key = add(set, name, type, 0);
    CK_MECHANISM mechanism = { generate_by, NULL, 0 };
    CK_OBJECT_HANDLE made[2];
    struct list private = BOOLS(CKA_EXTRACTABLE, NOT(CKA_SENSITIVE), NOT(CKA_PRIVATE));
    const int is_rsa = set == KEY_RSA;
    use(OURS);
    REQUIRE(p11->C_GenerateKeyPair(sides[OURS].keeper, &mechanism, pointed(&public), public.num,
                                   pointed(&private), private.num, &made[0], &made[1]));
    give(made[0], key->public,
         is_rsa ? BOOLS(NOT(CKA_PRIVATE), CKA_VERIFY, CKA_ENCRYPT, CKA_WRAP)
                : BOOLS(NOT(CKA_PRIVATE), CKA_VERIFY));
    give(made[1], key->secret,
         is_rsa
             ? BOOLS(NOT(CKA_PRIVATE), NOT(CKA_SENSITIVE), CKA_EXTRACTABLE, CKA_SIGN, CKA_DECRYPT,
                     CKA_UNWRAP)
             : BOOLS(NOT(CKA_PRIVATE), NOT(CKA_SENSITIVE), CKA_EXTRACTABLE, CKA_SIGN, CKA_DERIVE));
}

static struct list curve(const uint8_t *bytes, size_t len)
{
    struct list t = { 0 };
    put_bytes(&t, CKA_EC_PARAMS, bytes, len);
    return t;
}

void keys_make(void)
{
    struct list bits = { 0 };
    add_secret(KEY_AES, "AES-128", CKK_AES, 16);
    add_secret(KEY_AES, "AES-192", CKK_AES, 24);
    add_secret(KEY_AES, "AES-256", CKK_AES, 32);
    add_secret(KEY_DES3, "3DES", CKK_DES3, 24);
    add_secret(KEY_SECRET, "64 bytes", CKK_GENERIC_SECRET, 64);
    add_secret(KEY_SECRET, "100 bytes", CKK_GENERIC_SECRET, 100);
    put_number(&bits, CKA_MODULUS_BITS, 2048);
    add_pair(KEY_RSA, "RSA-2048", CKK_RSA, CKM_RSA_PKCS_KEY_PAIR_GEN, bits);
    add_pair(KEY_EC, "P-256", CKK_EC, CKM_EC_KEY_PAIR_GEN, curve(p256, sizeof p256));
    add_pair(KEY_EC, "P-384", CKK_EC, CKM_EC_KEY_PAIR_GEN, curve(p384, sizeof p384));
    add_pair(KEY_EC, "P-521", CKK_EC, CKM_EC_KEY_PAIR_GEN, curve(p521, sizeof p521));
    add_pair(KEY_ED, "Ed25519", CKK_EC_EDWARDS, CKM_EC_EDWARDS_KEY_PAIR_GEN,
             curve(ed25519, sizeof ed25519));
    tap(1, "%zu keys that both have", num_keys);
}

const struct key *key_in(enum key_set set)
{
    const struct key *found = NULL;
    uint32_t seen = 0;
    for (size_t i = 0; i < num_keys; i++)
        if (keys[i].set == set && one_in(++seen))
            found = &keys[i];
    return found;
}
