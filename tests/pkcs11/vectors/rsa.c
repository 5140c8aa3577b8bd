/* SPDX-License-Identifier: Apache-2.0 */
/* Published cases of RSA, as lines of tests/pk/rsa.c, through the PKCS#11 module.
 * Usage: rsa MODULE FILE ("-" is stdin) */
#include "../../pk/lines.h"
#include "../p11.h"
#include "skipped.h"

static CK_SESSION_HANDLE s;

/* ---- lines ---- */

enum { NUM_PARTS = 8 };
static const char *const parts_names[NUM_PARTS] = { "n", "e", "d", "p", "q", "dp", "dq", "qinv" };

static const struct hash {
    const char *name;
    CK_MECHANISM_TYPE type, pkcs1, pss;
    CK_ULONG mgf;
    int len;
} hashes[] = {
    { "SHA-1", CKM_SHA_1, CKM_SHA1_RSA_PKCS, CKM_SHA1_RSA_PKCS_PSS, CKG_MGF1_SHA1, 20 },
    { "SHA-224", CKM_SHA224, CKM_SHA224_RSA_PKCS, CKM_SHA224_RSA_PKCS_PSS, CKG_MGF1_SHA224, 28 },
    { "SHA-256", CKM_SHA256, CKM_SHA256_RSA_PKCS, CKM_SHA256_RSA_PKCS_PSS, CKG_MGF1_SHA256, 32 },
    { "SHA-384", CKM_SHA384, CKM_SHA384_RSA_PKCS, CKM_SHA384_RSA_PKCS_PSS, CKG_MGF1_SHA384, 48 },
    { "SHA-512", CKM_SHA512, CKM_SHA512_RSA_PKCS, CKM_SHA512_RSA_PKCS_PSS, CKG_MGF1_SHA512, 64 },
};

struct line {
    struct bytes part[NUM_PARTS], in, msg, out, label, random;
    const struct hash *hash, *mgf;
    char padding[8];
    int salt, fail, strict, other_hash;
};

static const struct hash *hash_of(struct line *l, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(hashes); i++)
        if (!strcmp(hashes[i].name, name))
            return &hashes[i];
    l->other_hash = 1;
    return NULL;
}

static void read_word(void *ctx, const char *name, const char *value)
{
    struct line *const l = ctx;
    const struct {
        const char *name;
        struct bytes *at;
    } fields[] = { { "in", &l->in },
                   { "msg", &l->msg },
                   { "out", &l->out },
                   { "label", &l->label },
                   { "random", &l->random } };
    read_part(l->part, parts_names, NUM_PARTS, name, value);
    for (size_t i = 0; i < COUNT_OF(fields); i++)
        if (!strcmp(name, fields[i].name))
            read_bytes(fields[i].at, value);
    if (!strcmp(name, "pad"))
        snprintf(l->padding, sizeof l->padding, "%s", value);
    if (!strcmp(name, "digest"))
        l->hash = hash_of(l, value);
    if (!strcmp(name, "mgf"))
        l->mgf = hash_of(l, value);
    if (!strcmp(name, "salt"))
        l->salt = atoi(value);
    if (!strcmp(name, "strict"))
        l->strict = 1;
    if (!strcmp(name, "result"))
        l->fail = !strcmp(value, "fail");
}

/* ---- cases ---- */

static CK_OBJECT_HANDLE public_key, private_key;
static size_t modulus_len;
static unsigned cases;

/* import makes an object of the first parts of a key; 0: the module refuses it. */
static CK_OBJECT_HANDLE import(struct line *l, CK_OBJECT_CLASS cls, size_t num, struct list t)
{
    static const CK_ATTRIBUTE_TYPE types[NUM_PARTS] = {
        CKA_MODULUS, CKA_PUBLIC_EXPONENT, CKA_PRIVATE_EXPONENT, CKA_PRIME_1,
        CKA_PRIME_2, CKA_EXPONENT_1,      CKA_EXPONENT_2,       CKA_COEFFICIENT,
    };
    CK_OBJECT_HANDLE key;
    put_number(&t, CKA_CLASS, cls);
    put_number(&t, CKA_KEY_TYPE, CKK_RSA);
    for (size_t i = 0; i < num; i++)
        if (l->part[i].len)
            put_bytes(&t, types[i], l->part[i].p, l->part[i].len);
    return create(s, t, &key) == CKR_OK ? key : 0;
}

static int run_key(struct line *l)
{
    modulus_len = l->part[0].len;
    if (public_key)
        destroy(s, public_key);
    if (private_key)
        destroy(s, private_key);
    public_key = import(l, CKO_PUBLIC_KEY, 2, BOOLS(CKA_VERIFY, CKA_ENCRYPT));
    private_key =
        l->part[2].len ? import(l, CKO_PRIVATE_KEY, NUM_PARTS, BOOLS(CKA_SIGN, CKA_DECRYPT)) : 0;
    if (!public_key && !l->fail && l->part[0].len >= 128)
        complain("a key of %zu bytes is refused", l->part[0].len);
    return 1;
}

static void judge(const char *call, CK_RV rv, const uint8_t *out, size_t len, const struct line *l)
{
    if (l->fail ? rv == CKR_OK : rv != CKR_OK)
        complain("case %u: %s: %s", cases, call, rv_name(rv));
    else if (!l->fail && out && (len != l->out.len || memcmp(out, l->out.p, len)))
        complain("case %u: %s: other bytes", cases, call);
}

/* The mechanism of a signature, with its parameter; 0: the module has none for it. */
static int signs_by(CK_MECHANISM *mechanism, CK_RSA_PKCS_PSS_PARAMS *pss, const struct line *l)
{
    const struct hash *hash = l->hash ? l->hash : &hashes[0], *mgf = l->mgf ? l->mgf : hash;
    if (l->other_hash)
        return skip("a digest without such a mechanism");
    *mechanism = (CK_MECHANISM){ hash->pkcs1, NULL, 0 };
    if (!strcmp(l->padding, "none")) {
        mechanism->mechanism = CKM_RSA_X_509;
    } else if (!strcmp(l->padding, "pss")) {
        if (l->salt < -1)
            return skip("PKCS#11 has no salt of any length");
        *pss = (CK_RSA_PKCS_PSS_PARAMS){ hash->type, mgf->mgf,
                                         (CK_ULONG)(l->salt < 0 ? hash->len : l->salt) };
        *mechanism =
            (CK_MECHANISM){ l->msg.given ? hash->pss : CKM_RSA_PKCS_PSS, pss, sizeof *pss };
    } else if (!l->msg.given) {
        return skip("a digest alone, which the mechanism wants in DER");
    }
    return 1;
}

static int run_signature(const char *op, struct line *l)
{
    CK_MECHANISM mechanism;
    CK_RSA_PKCS_PSS_PARAMS pss;
    struct bytes *in = l->msg.given ? &l->msg : &l->in;
    uint8_t sig[2048];
    CK_ULONG len = sizeof sig;
    if (!signs_by(&mechanism, &pss, l))
        return 0;
    if (!strcmp(op, "verify")) {
        CK_RV rv = p11->C_VerifyInit(s, &mechanism, public_key);
        if (rv == CKR_OK)
            rv = p11->C_Verify(s, in->p, in->len, l->out.p, l->out.len);
        judge("C_Verify", rv, NULL, 0, l);
        return 1;
    }
    if (!strcmp(l->padding, "none") && in->len < modulus_len)
        return skip("CKM_RSA_X_509 fills up what is shorter than the modulus");
    if (l->random.given)
        return skip("C_Sign takes no random bytes");
    CK_RV rv = p11->C_SignInit(s, &mechanism, private_key);
    if (rv == CKR_OK)
        rv = p11->C_Sign(s, in->p, in->len, sig, &len);
    judge("C_Sign", rv, sig, len, l);
    return 1;
}

static int run_decryption(struct line *l)
{
    const struct hash *hash = l->hash ? l->hash : &hashes[0], *mgf = l->mgf ? l->mgf : hash;
    CK_RSA_PKCS_OAEP_PARAMS oaep = { hash->type, mgf->mgf, CKZ_DATA_SPECIFIED,
                                     l->label.len ? l->label.p : NULL, l->label.len };
    CK_MECHANISM mechanism = { !strcmp(l->padding, "none") ? CKM_RSA_X_509 : CKM_RSA_PKCS, NULL,
                               0 };
    uint8_t out[2048];
    CK_ULONG len = sizeof out;
    if (!strcmp(l->padding, "oaep"))
        mechanism = (CK_MECHANISM){ CKM_RSA_PKCS_OAEP, &oaep, sizeof oaep };
    if (l->other_hash)
        return skip("a digest without such a mechanism");
    if (!l->fail && l->in.len != modulus_len)
        return skip("a ciphertext that is not as long as the modulus");
    if (l->strict)
        return skip("wrong padding is rejected implicitly");
    CK_RV rv = p11->C_DecryptInit(s, &mechanism, private_key);
    if (rv == CKR_OK)
        rv = p11->C_Decrypt(s, l->in.p, l->in.len, out, &len);
    judge("C_Decrypt", rv, out, len, l);
    return 1;
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
    if (!public_key)
        return skip("a key that the module does not take");
    if (!strcmp(op, "encrypt"))
        return skip("C_Encrypt takes no random bytes");
    if (!strcmp(op, "recover"))
        return skip("C_VerifyRecover gives a digest in DER");
    if (!strcmp(op, "verify"))
        return run_signature(op, &l);
    if (!private_key)
        return skip("a private key that the module does not take");
    return !strcmp(op, "sign") ? run_signature(op, &l) : run_decryption(&l);
}

int main(int argc, char **argv)
{
    module_begin(argc > 2 ? argv[1] : "");
    s = session_open();
    const int bad = run_file(argv[argc - 1], run_line);
    print_skipped();
    session_close(s);
    module_end();
    return tap_done() || bad;
}
