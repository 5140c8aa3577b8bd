/* SPDX-License-Identifier: Apache-2.0 */
/* CKA_PUBLIC_KEY_INFO and CKA_UNIQUE_ID of keys.  pk_evp.c has OpenSSL read the types that it
 * knows. */
#include "pk_pairs.h"

enum { MOST = 8192 };

static size_t get(CK_OBJECT_HANDLE key, CK_ATTRIBUTE_TYPE type, uint8_t out[MOST])
{
    CK_ATTRIBUTE a = { type, out, MOST };
    return p11->C_GetAttributeValue(s, key, &a, 1) == CKR_OK ? a.ulValueLen : 0;
}

/* expect_info expects a key to have this SubjectPublicKeyInfo. */
static void expect_info(CK_OBJECT_HANDLE key, const uint8_t *info, size_t len, const char *what)
{
    uint8_t is[MOST];
    if (!len || get(key, CKA_PUBLIC_KEY_INFO, is) != len || memcmp(is, info, len) != 0)
        complain("%s has another CKA_PUBLIC_KEY_INFO", what);
}

/* Types that OpenSSL may not know yet, by the end of their OID (RFC 9881, RFC 9935, RFC 9909). */
static void check_lattices(void)
{
    static const struct {
        const char *name;
        uint8_t oid[2];
    } types[] = {
        { "ML-DSA-44", { 3, 17 } }, { "ML-DSA-65", { 3, 18 } }, { "ML-DSA-87", { 3, 19 } },
        { "ML-KEM-512", { 4, 1 } }, { "ML-KEM-768", { 4, 2 } }, { "ML-KEM-1024", { 4, 3 } },
        { "SLH-DSA", { 3, 21 } },
    };
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        static uint8_t value[MOST], info[MOST];
        const CK_OBJECT_HANDLE key = pair_of(types[i].name)->public_key;
        const size_t len = get(key, CKA_VALUE, value), inner = len + (len < 127 ? 3 : 5),
                     whole = 13 + inner;
        const uint8_t oid[] = { 0x30,           0x0b, 6,    9, 0x60, 0x86,
                                0x48,           1,    0x65, 3, 4,    types[i].oid[0],
                                types[i].oid[1] };
        size_t at = 0;
        info[at++] = 0x30;
        if (whole > 127) {
            info[at++] = 0x82;
            info[at++] = (uint8_t)(whole >> 8);
        }
        info[at++] = (uint8_t)whole;
        memcpy(info + at, oid, sizeof oid);
        at += sizeof oid;
        info[at++] = 3;
        if (len + 1 > 127) {
            info[at++] = 0x82;
            info[at++] = (uint8_t)((len + 1) >> 8);
        }
        info[at++] = (uint8_t)(len + 1);
        info[at++] = 0;
        memcpy(info + at, value, len);
        expect_info(key, info, at + len, types[i].name);
    }
    tap(1, "CKA_PUBLIC_KEY_INFO of ML-DSA, ML-KEM and SLH-DSA is that of their RFCs");
}

/* Both keys of a pair have the same, and so have keys that are made of their attributes. */
static void check_pairs(void)
{
    for (size_t i = 0; i < NUM_KINDS; i++) {
        uint8_t info[MOST];
        const size_t len = get(pairs[i].public_key, CKA_PUBLIC_KEY_INFO, info);
        const CK_OBJECT_HANDLE keys[] = { pairs[i].public_key, pairs[i].private_key };
        for (int k = 0; k < 2; k++) {
            CK_OBJECT_HANDLE made, twin;
            expect_info(keys[k], info, len, kinds[i].name);
            if (EXPECT(CKR_OK, import(keys[k], NO_PART, (struct list){ 0 }, &made))) {
                expect_info(made, info, len, "a created key");
                destroy(s, made);
            }
            REQUIRE(copy(s, keys[k], (struct list){ 0 }, &twin));
            expect_info(twin, info, len, "a copy");
            destroy(s, twin);
        }
    }
    tap(1, "both keys of a pair, and keys made of them, have the same CKA_PUBLIC_KEY_INFO");
}

/* A template's CKA_PUBLIC_KEY_INFO must be of the key. */
static void check_given(void)
{
    const struct pair *pair = pair_of("P-256");
    uint8_t info[MOST], other[MOST];
    const size_t len = get(pair->public_key, CKA_PUBLIC_KEY_INFO, info);
    const CK_OBJECT_HANDLE keys[] = { pair->public_key, pair->private_key };
    for (int k = 0; k < 2; k++) {
        for (int form = 0; form < 6; form++) {
            const CK_RV wanted = form < 2 ? CKR_OK : CKR_ATTRIBUTE_VALUE_INVALID;
            struct list more = { 0 };
            CK_OBJECT_HANDLE made;
            memcpy(other, info, len);
            other[len - 1] ^= form == 2; /* another key */
            other[0] ^= form == 3;       /* no DER */
            other[22] ^= form == 5;      /* another curve */
            put_bytes(&more, CKA_PUBLIC_KEY_INFO, other, form == 0 ? 0 : form == 4 ? len - 1 : len);
            if (EXPECT(wanted, import(keys[k], NO_PART, more, &made)) && wanted == CKR_OK) {
                expect_info(made, info, len, "a key");
                destroy(s, made);
            }
        }
        struct list change = { 0 };
        put_bytes(&change, CKA_PUBLIC_KEY_INFO, info, len);
        EXPECT(CKR_ATTRIBUTE_READ_ONLY, set(s, keys[k], change));
    }
    tap(1, "a CKA_PUBLIC_KEY_INFO of another key is refused");
}

static void check_unique(void)
{
    uint8_t ids[2 * NUM_KINDS][MOST];
    for (size_t i = 0; i < 2 * NUM_KINDS; i++) {
        const struct pair *pair = &pairs[i / 2];
        const size_t len = get(i % 2 ? pair->public_key : pair->private_key, CKA_UNIQUE_ID, ids[i]);
        if (len != 32)
            complain("a CKA_UNIQUE_ID of %zu bytes", len);
        for (size_t k = 0; k < i; k++)
            if (!memcmp(ids[i], ids[k], len))
                complain("two keys have one CKA_UNIQUE_ID");
    }
    tap(1, "each key has a CKA_UNIQUE_ID of its own");
}

void check_infos(void)
{
    check_pairs();
    check_lattices();
    check_given();
    check_unique();
}
