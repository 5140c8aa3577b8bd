/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that come of keys, attributes, copies and templates, on both modules. */
#include "differ.h"

static const struct bool_name {
    CK_ATTRIBUTE_TYPE type;
    const char *name;
} bools[] = {
    { CKA_TOKEN, "TOKEN" },
    { CKA_PRIVATE, "PRIVATE" },
    { CKA_MODIFIABLE, "MODIFIABLE" },
    { CKA_SENSITIVE, "SENSITIVE" },
    { CKA_EXTRACTABLE, "EXTRACTABLE" },
    { CKA_ENCRYPT, "ENCRYPT" },
    { CKA_DECRYPT, "DECRYPT" },
    { CKA_SIGN, "SIGN" },
    { CKA_VERIFY, "VERIFY" },
    { CKA_WRAP, "WRAP" },
    { CKA_UNWRAP, "UNWRAP" },
    { CKA_DERIVE, "DERIVE" },
    { CKA_LOCAL, "LOCAL" },
    { CKA_ALWAYS_SENSITIVE, "ALWAYS_SENSITIVE" },
    { CKA_NEVER_EXTRACTABLE, "NEVER_EXTRACTABLE" },
    { CKA_WRAP_WITH_TRUSTED, "WRAP_WITH_TRUSTED" },
};
enum { SETTABLE = 12 }; /* those before LOCAL */

static const struct bool_name others[] = {
    { CKA_CLASS, "CLASS" },
    { CKA_KEY_TYPE, "KEY_TYPE" },
    { CKA_LABEL, "LABEL" },
    { CKA_ID, "ID" },
    { CKA_VALUE, "VALUE" },
    { CKA_VALUE_LEN, "VALUE_LEN" },
    { CKA_MODULUS, "MODULUS" },
    { CKA_MODULUS_BITS, "MODULUS_BITS" },
    { CKA_PUBLIC_EXPONENT, "PUBLIC_EXPONENT" },
    { CKA_PRIVATE_EXPONENT, "PRIVATE_EXPONENT" },
    { CKA_PRIME_1, "PRIME_1" },
    { CKA_EC_PARAMS, "EC_PARAMS" },
    { CKA_EC_POINT, "EC_POINT" },
    { CKA_KEY_GEN_MECHANISM, "KEY_GEN_MECHANISM" },
    { CKA_START_DATE, "START_DATE" },
};

/* compare_values looks at the values of keys that were made on both sides, and destroys them. */
static void compare_values(const char *call, const char *method, const CK_OBJECT_HANDLE *made)
{
    ON_BOTH
    {
        answers[x].len = ROOM;
        answers[x].rv = get_value(sides[x].s, made[x], answers[x].bytes, &answers[x].len);
    }
    if (settle("C_GetAttributeValue", "CKA_VALUE"))
        settle_bytes(call, method, answers);
}

/* ---- wrapping ---- */

static const struct wrapping {
    const char *name;
    CK_MECHANISM_TYPE types[NUM_SIDES];
    enum key_set by;
    int varies;
} wrappings[] = {
    { "AES-KEY-WRAP", { CKM_AES_KEY_WRAP, CKM_AES_KEY_WRAP }, KEY_AES, 0 },
    /* The peer has RFC 5649 under a number that has another meaning since 3.0. */
    { "AES-KEY-WRAP-KWP", { CKM_AES_KEY_WRAP_KWP, CKM_AES_KEY_WRAP_PAD }, KEY_AES, 0 },
    { "RSA-PKCS", { CKM_RSA_PKCS, CKM_RSA_PKCS }, KEY_RSA, 1 },
    { "RSA-OAEP", { CKM_RSA_PKCS_OAEP, CKM_RSA_PKCS_OAEP }, KEY_RSA, 1 },
};

static void unwrap(const struct wrapping *w, CK_MECHANISM *mechanisms, const CK_OBJECT_HANDLE *by,
                   struct answer *wrapped, const struct key *key)
{
    CK_OBJECT_HANDLE made[NUM_SIDES];
    struct list t = BOOLS(CKA_EXTRACTABLE, NOT(CKA_SENSITIVE), NOT(CKA_PRIVATE));
    put_secret(&t, one_in(4) ? CKK_GENERIC_SECRET : key->type, NULL, 0);
    if (one_in(5))
        wrapped->bytes[random_below((uint32_t)wrapped->len)] ^= 4;
    if (one_in(10))
        wrapped->len -= random_below((uint32_t)wrapped->len);
    note("C_UnwrapKey, %s, %lu bytes", w->name, wrapped->len);
    ON_BOTH answers[x].rv = p11->C_UnwrapKey(sides[x].s, &mechanisms[x], by[x], wrapped->bytes,
                                             wrapped->len, pointed(&t), t.num, &made[x]);
    if (settle("C_UnwrapKey", w->name) && answers[OURS].rv == CKR_OK)
        compare_values("C_UnwrapKey", w->name, made);
}

void try_wrapping(void)
{
    const struct wrapping *w = &wrappings[random_below(COUNT_OF(wrappings))];
    static const enum key_set sets[] = { KEY_AES, KEY_DES3, KEY_SECRET };
    const struct key *key = key_in(sets[random_below(COUNT_OF(sets))]), *by = key_in(w->by);
    CK_RSA_PKCS_OAEP_PARAMS oaep = { CKM_SHA_1, CKG_MGF1_SHA1, CKZ_DATA_SPECIFIED, NULL, 0 };
    CK_MECHANISM mechanisms[NUM_SIDES];
    static struct answer wrapped[NUM_SIDES];
    const int has_room = !one_in(4), asks = one_in(4);
    const CK_OBJECT_HANDLE *wraps = w->varies ? by->public : by->wrapping;
    note("C_WrapKey, %s, key %s, by %s", w->name, key->name, by->name);
    ON_BOTH
    {
        mechanisms[x] = (CK_MECHANISM){ w->types[x], NULL, 0 };
        if (w->types[x] == CKM_RSA_PKCS_OAEP)
            mechanisms[x] = (CK_MECHANISM){ w->types[x], &oaep, sizeof oaep };
        answers[x].len = has_room ? ROOM : 5;
        answers[x].rv = p11->C_WrapKey(sides[x].s, &mechanisms[x], wraps[x], key->secret[x],
                                       asks ? NULL : answers[x].bytes, &answers[x].len);
    }
    if (settle("C_WrapKey", w->name) && answers[OURS].rv == CKR_OK && !asks) {
        if (!w->varies)
            settle_bytes("C_WrapKey", w->name, answers);
        memcpy(wrapped, answers, sizeof wrapped);
        unwrap(w, mechanisms, w->varies ? by->secret : by->wrapping,
               &wrapped[random_below(NUM_SIDES)], key);
    }
    renew();
}

/* ---- agreement ---- */

void try_derivation(void)
{
    const struct key *own = key_in(KEY_EC), *peer = key_in(KEY_EC);
    uint8_t point[200];
    CK_OBJECT_HANDLE made[NUM_SIDES];
    CK_ATTRIBUTE a = { CKA_EC_POINT, point, sizeof point };
    while (!one_in(5) && peer != own)
        peer = key_in(KEY_EC);
    use(OURS);
    REQUIRE(p11->C_GetAttributeValue(sides[OURS].keeper, peer->public[OURS], &a, 1));
    if (one_in(6))
        point[random_below((uint32_t)a.ulValueLen)] ^= 1;
    if (one_in(8))
        a.ulValueLen -= 1;
    CK_ECDH1_DERIVE_PARAMS p = { CKD_NULL, 0, NULL, a.ulValueLen, point };
    CK_MECHANISM mechanism = { CKM_ECDH1_DERIVE, &p, sizeof p };
    struct list t = BOOLS(CKA_EXTRACTABLE, NOT(CKA_SENSITIVE), NOT(CKA_PRIVATE));
    const int is_aes = one_in(2);
    put_secret(&t, is_aes ? CKK_AES : CKK_GENERIC_SECRET, NULL, 0);
    put_number(&t, CKA_VALUE_LEN, is_aes ? 32 : 1 + random_below(32));
    note("C_DeriveKey, %s and %s", own->name, peer->name);
    ON_BOTH answers[x].rv =
        p11->C_DeriveKey(sides[x].s, &mechanism, own->secret[x], pointed(&t), t.num, &made[x]);
    if (settle("C_DeriveKey", "ECDH") && answers[OURS].rv == CKR_OK)
        compare_values("C_DeriveKey", "ECDH", made);
    renew();
}

/* ---- attributes ---- */

static void get(const struct bool_name *name, const CK_OBJECT_HANDLE *object, CK_ULONG room)
{
    note("C_GetAttributeValue, %s, room %lu", name->name, room);
    ON_BOTH
    {
        CK_ATTRIBUTE a = { name->type, room ? answers[x].bytes : NULL, room };
        answers[x].rv = p11->C_GetAttributeValue(sides[x].s, object[x], &a, 1);
        answers[x].len = a.ulValueLen;
    }
    if (!room)
        ON_BOTH memset(answers[x].bytes, 0, sizeof answers[x].bytes);
    if (settle("C_GetAttributeValue", name->name) && answers[OURS].rv == CKR_OK)
        settle_bytes("C_GetAttributeValue", name->name, answers);
}

static struct list random_bools(char *names, size_t size, unsigned num)
{
    struct list t = { 0 };
    *names = 0;
    for (unsigned i = 0; i < num; i++) {
        const struct bool_name *b = &bools[2 + random_below(SETTABLE - 2)];
        const int value = one_in(2);
        put_bool(&t, b->type, value);
        snprintf(names + strlen(names), size - strlen(names), " %s%s", value ? "" : "no ", b->name);
    }
    return t;
}

void try_attributes(void)
{
    const struct key *key = &keys[random_below((uint32_t)num_keys)];
    const CK_OBJECT_HANDLE *object = one_in(2) ? key->secret : key->public;
    CK_OBJECT_HANDLE copies[NUM_SIDES];
    char names[100];
    struct list t = random_bools(names, sizeof names, random_below(2));
    note("C_CopyObject, %s, with%s", key->name, names);
    ON_BOTH answers[x].rv = copy(sides[x].s, object[x], t, &copies[x]);
    const int is_copy = settle("C_CopyObject", names) && answers[OURS].rv == CKR_OK;
    for (int i = 0; i < 6; i++) {
        const int is_bool = one_in(2);
        const struct bool_name *name = is_bool ? &bools[random_below(COUNT_OF(bools))]
                                               : &others[random_below(COUNT_OF(others))];
        get(name, is_copy ? copies : object, one_in(8) ? 0 : one_in(8) ? 3 : ROOM);
        if (answers[OURS].rv != answers[THEIRS].rv || !is_copy)
            break; /* the copies are gone */
        t = random_bools(names, sizeof names, 1);
        note("C_SetAttributeValue%s", names);
        ON_BOTH answers[x].rv = set(sides[x].s, copies[x], t);
        if (!settle("C_SetAttributeValue", names))
            break;
    }
    renew();
}

/* ---- templates ---- */

/* A secret key's template, in which something may be wrong. */
static struct list some_template(char *names, size_t size, const uint8_t *value)
{
    static const CK_KEY_TYPE types[] = { CKK_AES, CKK_DES3, CKK_GENERIC_SECRET };
    static const CK_ULONG lens[] = { 16, 24, 64 };
    const unsigned pick = random_below(COUNT_OF(types)), flaw = random_below(12);
    const CK_ULONG len = flaw == 1 ? random_below(40) : lens[pick];
    struct list t = { 0 }, more = random_bools(names, size, random_below(2));
    put_all(&t, &more);
    put_bool(&t, CKA_PRIVATE, 0);
    if (flaw != 2)
        put_number(&t, CKA_CLASS, flaw == 3 ? 0x77 : CKO_SECRET_KEY);
    if (flaw != 4)
        put_number(&t, CKA_KEY_TYPE, flaw == 5 ? 0x7777 : types[pick]);
    if (flaw != 6)
        put_bytes(&t, CKA_VALUE, value, len);
    if (flaw == 7)
        put_bytes(&t, CKA_MODULUS, value, len);
    if (flaw == 8)
        put_bool(&t, CKA_LOCAL, 1);
    if (flaw == 9)
        put_number(&t, CKA_VALUE_LEN, len);
    note("%lu bytes,%s", len, names);
    snprintf(names, size, "flaw %u of a key of type 0x%lx", flaw, types[pick]);
    return t;
}

static void try_generation(void)
{
    static const CK_MECHANISM_TYPE types[] = { CKM_AES_KEY_GEN, CKM_DES3_KEY_GEN,
                                               CKM_GENERIC_SECRET_KEY_GEN };
    const CK_MECHANISM_TYPE type = types[random_below(COUNT_OF(types))];
    const size_t len = one_in(4) ? random_below(50) : type == CKM_DES3_KEY_GEN ? 0 : 32;
    CK_OBJECT_HANDLE made[NUM_SIDES];
    char names[120];
    struct list t = random_bools(names, sizeof names, random_below(2));
    put_bool(&t, CKA_PRIVATE, 0);
    note("C_GenerateKey by 0x%lx, %zu bytes,%s", type, len, names);
    ON_BOTH answers[x].rv = generate(sides[x].s, type, len, t, &made[x]);
    snprintf(names, sizeof names, "0x%lx", type);
    if (!settle("C_GenerateKey", names) || answers[OURS].rv != CKR_OK)
        return;
    for (int i = 0; i < 4; i++)
        get(&bools[random_below(COUNT_OF(bools))], made, ROOM);
}

void try_creation(void)
{
    uint8_t value[64];
    CK_OBJECT_HANDLE made[NUM_SIDES];
    char names[100];
    random_bytes(value, sizeof value);
    if (one_in(3)) {
        try_generation();
    } else {
        const struct list t = some_template(names, sizeof names, value);
        note("C_CreateObject, %s", names);
        ON_BOTH answers[x].rv = create(sides[x].s, t, &made[x]);
        if (settle("C_CreateObject", names) && answers[OURS].rv == CKR_OK)
            for (int i = 0; i < 4; i++)
                get(one_in(2) ? &bools[random_below(COUNT_OF(bools))]
                              : &others[random_below(COUNT_OF(others))],
                    made, ROOM);
    }
    renew();
}
