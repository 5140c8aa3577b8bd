/* SPDX-License-Identifier: Apache-2.0 */
/* Published cases of DSA and of Diffie and Hellman, as lines of tests/pk/dsa.c and tests/pk/dh.c,
 * through the PKCS#11 module.
 * Usage: ffc MODULE FILE... ("-" is stdin) */
#include "../../pk/lines.h"
#include "../p11.h"
#include "skipped.h"

enum { P, Q, G, X, Y, PEER, OUT, MSG, NUM_PARTS };
static const char *const names[NUM_PARTS] = { "p", "q", "g", "x", "y", "peer", "out", "msg" };

static const struct hash {
    const char *name;
    CK_MECHANISM_TYPE type;
} hashes[] = {
    { "SHA-1", CKM_DSA_SHA1 },     { "SHA-224", CKM_DSA_SHA224 }, { "SHA-256", CKM_DSA_SHA256 },
    { "SHA-384", CKM_DSA_SHA384 }, { "SHA-512", CKM_DSA_SHA512 },
};

struct line {
    struct bytes part[NUM_PARTS];
    CK_MECHANISM_TYPE type; /* of a signature; 0: the module has none for its digest */
    int fail, der, unpadded;
};

static CK_SESSION_HANDLE s;
static CK_OBJECT_HANDLE public_key, private_key, dh_key; /* the first two are of DSA */
static size_t sub_len;                                   /* of the group's order */
static unsigned cases;

static void read_word(void *ctx, const char *name, const char *value)
{
    struct line *const l = ctx;
    read_part(l->part, names, NUM_PARTS, name, value);
    for (size_t i = 0; i < COUNT_OF(hashes); i++)
        if (!strcmp(name, "digest") && !strcmp(value, hashes[i].name))
            l->type = hashes[i].type;
    if (!strcmp(name, "result"))
        l->fail = !strcmp(value, "fail");
    if (!strcmp(name, "der"))
        l->der = 1;
    if (!strcmp(name, "unpadded"))
        l->unpadded = 1;
}

/* ---- keys: one of each type of a line's numbers, where they are enough ---- */

static CK_OBJECT_HANDLE import(struct line *l, CK_OBJECT_CLASS cls, CK_KEY_TYPE type, int value,
                               struct list t)
{
    CK_OBJECT_HANDLE key;
    put_number(&t, CKA_CLASS, cls);
    put_number(&t, CKA_KEY_TYPE, type);
    put_bytes(&t, CKA_PRIME, l->part[P].p, l->part[P].len);
    if (type == CKK_DSA)
        put_bytes(&t, CKA_SUBPRIME, l->part[Q].p, l->part[Q].len);
    put_bytes(&t, CKA_BASE, l->part[G].p, l->part[G].len);
    put_bytes(&t, CKA_VALUE, l->part[value].p, l->part[value].len);
    return l->part[value].len && create(s, t, &key) == CKR_OK ? key : 0;
}

static int run_key(struct line *l)
{
    const CK_OBJECT_HANDLE before[] = { public_key, private_key, dh_key };
    const struct bytes *const q = &l->part[Q];
    for (size_t i = 0; i < COUNT_OF(before); i++)
        if (before[i])
            destroy(s, before[i]);
    for (sub_len = q->len; sub_len && !q->p[q->len - sub_len];)
        sub_len--;
    public_key = import(l, CKO_PUBLIC_KEY, CKK_DSA, Y, BOOLS(CKA_VERIFY));
    private_key = import(l, CKO_PRIVATE_KEY, CKK_DSA, X, BOOLS(CKA_SIGN));
    dh_key = import(l, CKO_PRIVATE_KEY, CKK_DH, X, BOOLS(CKA_DERIVE));
    if (l->part[Q].len && l->part[Y].len && l->fail != !public_key)
        complain("a key of %zu bytes is %s", l->part[P].len, public_key ? "taken" : "refused");
    return 1;
}

/* ---- cases ---- */

static void judge(const char *call, CK_RV rv, const struct line *l)
{
    if (l->fail ? rv == CKR_OK : rv != CKR_OK)
        complain("case %u: %s: %s", cases, call, rv_name(rv));
}

/* verify verifies a signature; one that is not in DER has no bytes. */
static void verify(const struct line *l, const CK_BYTE *sig, size_t len)
{
    CK_MECHANISM mechanism = { l->type, NULL, 0 };
    CK_BYTE plain[80], *const msg = (CK_BYTE *)(uintptr_t)l->part[MSG].p;
    if (l->der) {
        len = hr_ecdsa_from_der(plain, 2 * sub_len, sig, len) ? 0 : 2 * sub_len;
        sig = plain;
    }
    CK_RV rv = p11->C_VerifyInit(s, &mechanism, public_key);
    if (rv == CKR_OK)
        rv = p11->C_Verify(s, msg, l->part[MSG].len, (CK_BYTE *)(uintptr_t)sig, len);
    judge("C_Verify", rv, l);
}

/* sign makes a signature with a random number, which is verified. */
static void sign(struct line *l)
{
    CK_MECHANISM mechanism = { l->type, NULL, 0 };
    CK_BYTE sig[80];
    CK_ULONG len = sizeof sig;
    CK_RV rv = p11->C_SignInit(s, &mechanism, private_key);
    if (rv == CKR_OK)
        rv = p11->C_Sign(s, l->part[MSG].p, l->part[MSG].len, sig, &len);
    judge("C_Sign", rv, l);
    verify(l, sig, len);
    verify(l, l->part[OUT].p, l->part[OUT].len);
}

static void agree(struct line *l)
{
    static CK_BYTE out[LINE_BYTES];
    CK_MECHANISM mechanism = { CKM_DH_PKCS_DERIVE, l->part[PEER].p, l->part[PEER].len };
    struct list t = BOOLS(NOT(CKA_SENSITIVE), CKA_EXTRACTABLE);
    CK_ULONG len = sizeof out;
    CK_OBJECT_HANDLE made;
    put_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
    CK_RV rv = p11->C_DeriveKey(s, &mechanism, dh_key, pointed(&t), t.num, &made);
    judge("C_DeriveKey", rv, l);
    if (rv != CKR_OK)
        return;
    REQUIRE(get_value(s, made, out, &len));
    if (len != l->part[OUT].len || memcmp(out, l->part[OUT].p, len))
        complain("case %u: C_DeriveKey: other bytes", cases);
    destroy(s, made);
}

static int run_line(const char *op, char *rest)
{
    static struct line l;
    if (!strcmp(op, "skip"))
        return 0;
    memset(&l, 0, sizeof l);
    for_words(rest, read_word, &l);
    if (!strcmp(op, "key"))
        return run_key(&l);
    cases++;
    if (!strcmp(op, "agree")) {
        if (l.unpadded)
            return skip("PKCS#11 has no secret without its leading zeros");
        if (!dh_key)
            return skip("the key is wrong, and was refused");
        agree(&l);
        return 1;
    }
    const int signs = !strcmp(op, "sign");
    if (!public_key || (signs && !private_key))
        return skip("the key is wrong, and was refused");
    if (!l.type)
        return skip("a digest without such a mechanism");
    if (signs)
        sign(&l);
    else
        verify(&l, l.part[OUT].p, l.part[OUT].len);
    return 1;
}

int main(int argc, char **argv)
{
    int bad = 0;
    module_begin(argc > 2 ? argv[1] : "");
    s = session_open();
    for (int i = 2; i < argc; i++)
        bad |= run_file(argv[i], run_line);
    print_skipped();
    session_close(s);
    module_end();
    return tap_done() || bad;
}
