/* SPDX-License-Identifier: Apache-2.0 */
/* No copy, no change, no derivation and no unwrapping makes a key weaker: every template with the
 * attributes that hide a key, for every key with these.  What is expected is worked out here from
 * the sentences of SECURITY.md, for calls that succeed too. */
#include "token.h"

/* An attribute of `hiding` hides more if it is true, or, with `is_lowered`, if it is false. */
static const struct limit {
    CK_ATTRIBUTE_TYPE type;
    int is_lowered, changes; /* changes: C_SetAttributeValue may */
} hiding[] = {
    { CKA_SENSITIVE, 0, 1 }, { CKA_EXTRACTABLE, 1, 1 }, { CKA_WRAP_WITH_TRUSTED, 0, 1 },
    { CKA_COPYABLE, 1, 1 },  { CKA_PRIVATE, 0, 0 },     { CKA_ALWAYS_AUTHENTICATE, 0, 0 },
};
enum { SENSITIVE, EXTRACTABLE, MARKED, COPYABLE, PRIVATE, ASKS, NUM_HIDING };
_Static_assert(COUNT_OF(hiding) == NUM_HIDING, "names of all");

/* A template says of each attribute that it is false or true, or nothing. */
enum { NO, YES, SILENT };

static unsigned power(unsigned base, unsigned n)
{
    return n ? base * power(base, n - 1) : 1;
}

/* digits writes a number to some base. */
static void digits(int *out, unsigned number, unsigned base, unsigned num)
{
    for (unsigned i = 0; i < num; i++, number /= base)
        out[i] = (int)(number % base);
}

static struct list template_of(const int *says, unsigned num)
{
    struct list t = NOTHING;
    for (unsigned i = 0; i < num; i++)
        if (says[i] != SILENT)
            put_bool(&t, hiding[i].type, says[i]);
    return t;
}

/* after returns the attributes of a key whose template says something: *is_weaker tells whether one
 * of them hides less than before. */
static void after(int *out, const int *before, const int *says, unsigned num, int *is_weaker)
{
    *is_weaker = 0;
    for (unsigned i = 0; i < num; i++) {
        out[i] = says[i] == SILENT ? before[i] : says[i];
        *is_weaker |= out[i] != before[i] && out[i] == hiding[i].is_lowered;
    }
}

static void expect_bits(CK_OBJECT_HANDLE key, const int *bits, unsigned num, const char *what)
{
    for (unsigned i = 0; i < num; i++)
        if (get_bool(s, key, hiding[i].type) != bits[i])
            complain("%s: attribute 0x%lx is not %d", what, hiding[i].type, bits[i]);
}

/* generated makes a key with all attributes of `hiding`, or returns 0 where there is none. */
static CK_OBJECT_HANDLE generated(const int *bits)
{
    CK_OBJECT_HANDLE key;
    struct list t = template_of(bits, NUM_HIDING);
    const CK_RV wanted = bits[ASKS] && !bits[PRIVATE] ? CKR_TEMPLATE_INCONSISTENT : CKR_OK;
    return EXPECT(wanted, generate(s, CKM_AES_KEY_GEN, 16, t, &key)) && wanted == CKR_OK ? key : 0;
}

/* ---- copies ---- */

static void check_copy(CK_OBJECT_HANDLE key, const int *before, const int *says)
{
    int now[NUM_HIDING], is_weaker;
    CK_OBJECT_HANDLE twin;
    after(now, before, says, NUM_HIDING, &is_weaker);
    const CK_RV wanted = !before[COPYABLE]            ? CKR_ACTION_PROHIBITED
                         : is_weaker                  ? CKR_TEMPLATE_INCONSISTENT
                         : now[ASKS] && !now[PRIVATE] ? CKR_TEMPLATE_INCONSISTENT
                                                      : CKR_OK;
    if (!EXPECT(wanted, copy(s, key, template_of(says, NUM_HIDING), &twin)) || wanted != CKR_OK)
        return;
    expect_bits(twin, now, NUM_HIDING, "a copy");
    if (get_bool(s, twin, CKA_ALWAYS_SENSITIVE) != before[SENSITIVE] ||
        get_bool(s, twin, CKA_NEVER_EXTRACTABLE) != !before[EXTRACTABLE])
        complain("a copy has another history");
    destroy(s, twin);
}

static void test_copies(void)
{
    int before[NUM_HIDING], says[NUM_HIDING];
    for (unsigned i = 0; i < power(2, NUM_HIDING); i++) {
        digits(before, i, 2, NUM_HIDING);
        const CK_OBJECT_HANDLE key = generated(before);
        for (unsigned k = 0; key && k < power(3, NUM_HIDING) && !complaints_suffice(); k++) {
            digits(says, k, 3, NUM_HIDING);
            check_copy(key, before, says);
        }
        if (key)
            destroy(s, key);
    }
    tap(1, "no copy hides less than the original, by any template");
}

static void test_uses_of_copies(void)
{
    static const CK_ATTRIBUTE_TYPE uses[] = { CKA_ENCRYPT, CKA_DECRYPT, CKA_SIGN,  CKA_VERIFY,
                                              CKA_WRAP,    CKA_UNWRAP,  CKA_DERIVE };
    for (size_t i = 0; i < COUNT_OF(uses); i++) {
        const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, bools_of(&uses[i], 1));
        for (size_t k = 0; k < COUNT_OF(uses); k++) {
            CK_OBJECT_HANDLE twin;
            EXPECT(i == k ? CKR_OK : CKR_TEMPLATE_INCONSISTENT,
                   copy(s, key, bools_of(&uses[k], 1), &twin));
            if (EXPECT(CKR_OK, copy(s, key, BOOLS(NOT(uses[k])), &twin)) &&
                get_bool(s, twin, uses[i]) != (i != k))
                complain("a copy has a use that it must not have, or lacks one");
        }
    }
    tap(1, "no copy has a use that the original lacks");
}

/* ---- changes ---- */

static void check_change(const int *before, const int *says)
{
    int now[NUM_HIDING], is_weaker, is_fixed = 0;
    after(now, before, says, NUM_HIDING, &is_weaker);
    for (int i = 0; i < NUM_HIDING; i++)
        is_fixed |= !hiding[i].changes && now[i] != before[i];
    const CK_RV wanted = is_weaker || is_fixed ? CKR_ATTRIBUTE_READ_ONLY : CKR_OK;
    const CK_OBJECT_HANDLE key = generated(before);
    if (!key)
        return;
    EXPECT(wanted, set(s, key, template_of(says, NUM_HIDING)));
    expect_bits(key, wanted == CKR_OK ? now : before, NUM_HIDING, "a changed key");
    if (get_bool(s, key, CKA_ALWAYS_SENSITIVE) != before[SENSITIVE] ||
        get_bool(s, key, CKA_NEVER_EXTRACTABLE) != !before[EXTRACTABLE])
        complain("a change has changed the history");
    destroy(s, key);
}

static void test_changes(void)
{
    int before[NUM_HIDING], says[NUM_HIDING];
    for (unsigned i = 0; i < power(2, NUM_HIDING); i++)
        for (unsigned k = 0; k < power(3, NUM_HIDING) && !complaints_suffice(); k++) {
            digits(before, i, 2, NUM_HIDING);
            digits(says, k, 3, NUM_HIDING);
            if (!before[ASKS] || before[PRIVATE])
                check_change(before, says);
        }
    tap(1, "no change makes a key hide less, by any template, nor changes a part of it");
}

/* ---- what comes of a key ---- */

static CK_RV derive(CK_OBJECT_HANDLE base, struct list t, CK_OBJECT_HANDLE *key)
{
    CK_HKDF_PARAMS hkdf = { CK_TRUE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_NULL, NULL, 0, 0, NULL, 0 };
    CK_MECHANISM mechanism = { CKM_HKDF_DERIVE, &hkdf, sizeof hkdf };
    put_secret(&t, CKK_AES, NULL, 0);
    put_number(&t, CKA_VALUE_LEN, 16);
    return p11->C_DeriveKey(s, &mechanism, base, pointed(&t), t.num, key);
}

enum { NUM_COMING = MARKED + 1 }; /* SENSITIVE, EXTRACTABLE, MARKED */

/* expect_made compares a key that was made by a template with the least that it must hide. */
static void expect_made(CK_RV rv, CK_OBJECT_HANDLE key, const int *least, const int *says,
                        const char *what)
{
    static const int silent[] = { NO, NO, NO }; /* what a session's key is by default */
    int now[NUM_COMING], is_weaker = 0;
    for (int i = 0; i < NUM_COMING; i++) {
        const int most = hiding[i].is_lowered;
        is_weaker |= least[i] != most && says[i] == most;
        now[i] = least[i] != most ? !most : says[i] == SILENT ? silent[i] : says[i];
    }
    if (!expect_rv(is_weaker ? CKR_TEMPLATE_INCONSISTENT : CKR_OK, rv, what, __LINE__) || is_weaker)
        return;
    expect_bits(key, now, NUM_COMING, what);
    if (get_bool(s, key, CKA_LOCAL) != 0)
        complain("%s is a local key", what);
    destroy(s, key);
}

static void test_derived(void)
{
    int before[NUM_COMING], says[NUM_COMING];
    for (unsigned i = 0; i < power(2, NUM_COMING); i++) {
        digits(before, i, 2, NUM_COMING);
        const CK_OBJECT_HANDLE base =
            key_of(s, CKK_HKDF, value, 32, template_of(before, NUM_COMING));
        for (unsigned k = 0; k < power(3, NUM_COMING); k++) {
            CK_OBJECT_HANDLE key = 0;
            digits(says, k, 3, NUM_COMING);
            const CK_RV rv = derive(base, template_of(says, NUM_COMING), &key);
            expect_made(rv, key, before, says, "a derived key");
        }
        destroy(s, base);
    }
    tap(1, "no derived key hides less than its base key, by any template");
}

/* material wraps a secret and a private key by a key with this value. */
struct material {
    CK_BYTE bytes[2][256];
    CK_ULONG len[2];
};

static CK_OBJECT_HANDLE private_key(void)
{
    static const uint8_t p256[] = { 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7 };
    struct list public = NOTHING, private = BOOLS(CKA_SIGN, CKA_EXTRACTABLE);
    CK_MECHANISM mechanism = { CKM_EC_KEY_PAIR_GEN, NULL, 0 };
    CK_OBJECT_HANDLE other, key;
    put_bytes(&public, CKA_EC_PARAMS, p256, sizeof p256);
    REQUIRE(p11->C_GenerateKeyPair(s, &mechanism, pointed(&public), public.num, pointed(&private),
                                   private.num, &other, &key));
    destroy(s, other);
    return key;
}

static void wrap_both(struct material *m, CK_MECHANISM *mechanism)
{
    const CK_OBJECT_HANDLE by = key_of(s, CKK_AES, value, 32, BOOLS(CKA_WRAP)),
                           keys[] = { key_of(s, CKK_AES, value, 32, BOOLS(CKA_EXTRACTABLE)),
                                      private_key() };
    for (int i = 0; i < 2; i++) {
        m->len[i] = sizeof m->bytes[i];
        REQUIRE(p11->C_WrapKey(s, mechanism, by, keys[i], m->bytes[i], &m->len[i]));
        destroy(s, keys[i]);
    }
    destroy(s, by);
}

/* unwrap_each unwraps by a key that hides something, and whose trust marks what it unwraps. */
static void unwrap_each(const struct material *m, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE by,
                        const int *before, int is_private)
{
    const int is_hidden = before[SENSITIVE] || !before[EXTRACTABLE],
              least[NUM_COMING] = { is_hidden, YES, before[MARKED] };
    int says[NUM_COMING];
    for (unsigned k = 0; k < power(3, NUM_COMING); k++) {
        digits(says, k, 3, NUM_COMING);
        if (is_private && says[SENSITIVE] == SILENT)
            continue; /* private keys are sensitive by default */
        struct list t = template_of(says, NUM_COMING);
        CK_OBJECT_HANDLE key = 0;
        put_number(&t, CKA_CLASS, is_private ? CKO_PRIVATE_KEY : CKO_SECRET_KEY);
        put_number(&t, CKA_KEY_TYPE, is_private ? CKK_EC : CKK_AES);
        const CK_RV rv =
            p11->C_UnwrapKey(s, mechanism, by, (CK_BYTE *)(uintptr_t)m->bytes[is_private],
                             m->len[is_private], pointed(&t), t.num, &key);
        expect_made(rv, key, least, says, "an unwrapped key");
    }
}

static void test_unwrapped(void)
{
    CK_GCM_PARAMS gcm = { iv, 12, 96, NULL, 0, 128 };
    CK_MECHANISM mechanisms[] = { cbc_pad,
                                  { CKM_AES_KEY_WRAP_KWP, NULL, 0 },
                                  { CKM_AES_GCM, &gcm, sizeof gcm } };
    static struct material wrapped;
    for (size_t k = 0; k < COUNT_OF(mechanisms); k++) {
        wrap_both(&wrapped, &mechanisms[k]);
        for (unsigned i = 0; i < power(2, NUM_COMING); i++) {
            int before[NUM_COMING];
            digits(before, i, 2, NUM_COMING); /* the last one: whether it is trusted */
            struct list t = template_of(before, MARKED);
            put_bool(&t, CKA_UNWRAP, 1);
            const CK_OBJECT_HANDLE by = before[MARKED] ? trusted_key(CKK_AES, value, 32, t)
                                                       : key_of(s, CKK_AES, value, 32, t);
            unwrap_each(&wrapped, &mechanisms[k], by, before, 0);
            unwrap_each(&wrapped, &mechanisms[k], by, before, 1);
            destroy(s, by);
        }
    }
    tap(1, "no unwrapped key hides less than its wrapping key makes it, by any template");
}

void test_weaker(void)
{
    test_copies();
    test_uses_of_copies();
    test_changes();
    test_derived();
    test_unwrapped();
}
