/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of public key on both sides. */
#define _GNU_SOURCE
#include "same.h"
#include <headrace/algorithms.h>
#include <unistd.h>

#define ALL_DIGESTS \
    "SHA-1, SHA-224, SHA-256, SHA-384, SHA-512, SHA3-224, SHA3-256, SHA3-384, SHA3-512"

/* The kinds of pairs, each with one key. */
static struct kind {
    const char *name, *terms;
    hr_alg alg;
    bool decrypts;
    const struct pair *pair;
    CK_OBJECT_HANDLE keys[SIDES], publics[SIDES];
} kinds[] = {
    { "rsa",
      "use = sign\npadding = pkcs1, pss\ndigest = " ALL_DIGESTS,
      HR_RSA2048,
      false,
      NULL,
      { 0 },
      { 0 } },
    { "seal",
      "use = decrypt\npadding = pkcs1, oaep\ndigest = " ALL_DIGESTS,
      HR_RSA2048,
      true,
      NULL,
      { 0 },
      { 0 } },
    { "p256", "use = sign\ndigest = " ALL_DIGESTS, HR_ECDSA_P256, false, NULL, { 0 }, { 0 } },
    { "p384", "use = sign\ndigest = " ALL_DIGESTS, HR_ECDSA_P384, false, NULL, { 0 }, { 0 } },
    { "p521", "use = sign\ndigest = " ALL_DIGESTS, HR_ECDSA_P521, false, NULL, { 0 }, { 0 } },
    { "ed", "use = sign", HR_ED25519, false, NULL, { 0 }, { 0 } },
    { "ml44", "use = sign", HR_MLDSA44, false, NULL, { 0 }, { 0 } },
    { "ml65", "use = sign", HR_MLDSA65, false, NULL, { 0 }, { 0 } },
    { "ml87", "use = sign", HR_MLDSA87, false, NULL, { 0 }, { 0 } },
};

/* ---- keys ---- */

/* find_pair returns a pair of a row, or NULL where a build has no code for it.  The one that
 * decrypts is not the one that signs. */
static const struct pair *find_pair(hr_alg alg, bool decrypts_)
{
    const struct pair *found = NULL;
    for (size_t i = 0; i < num_pairs && (decrypts_ || !found); i++)
        if (pairs[i].row->alg == alg && decrypts(&pairs[i]) == decrypts_)
            found = &pairs[i];
    return found;
}

void pairs_write(void)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        char terms[256];
        kinds[i].pair = find_pair(kinds[i].alg, kinds[i].decrypts);
        snprintf(terms, sizeof terms, "%s\nuid = 0-70000\n", kinds[i].terms);
        if (kinds[i].pair)
            write_key(kinds[i].name, kinds[i].pair, terms);
    }
}

void pairs_remove(void)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        unlink(path_of(kinds[i].name));
}

/* The attributes that a public key shows on both sides. */
static const CK_ATTRIBUTE_TYPE parts[] = { CKA_CLASS,     CKA_KEY_TYPE,     CKA_MODULUS,
                                           CKA_EC_PARAMS, CKA_EC_POINT,     CKA_PUBLIC_EXPONENT,
                                           CKA_VALUE,     CKA_PARAMETER_SET };

/* copy_public makes the public key of an object there an object here. */
static void copy_public(struct kind *k)
{
    static uint8_t room[COUNT_OF(parts)][4096];
    struct list t = { .num = 0 };
    const struct list uses = k->decrypts ? BOOLS(CKA_ENCRYPT) : BOOLS(CKA_VERIFY);
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        CK_ATTRIBUTE a = { parts[i], room[i], sizeof room[i] };
        if (p11->C_GetAttributeValue(sides[THERE].session, k->publics[THERE], &a, 1) == CKR_OK)
            put_bytes(&t, parts[i], room[i], a.ulValueLen);
    }
    put_all(&t, &uses);
    is(CKR_OK, create(sides[HERE].session, t, &k->publics[HERE]), k->name);
}

static void import(struct kind *k)
{
    static const CK_ATTRIBUTE_TYPE numbers[] = { CKA_MODULUS,          CKA_PUBLIC_EXPONENT,
                                                 CKA_PRIVATE_EXPONENT, CKA_PRIME_1,
                                                 CKA_PRIME_2,          CKA_EXPONENT_1,
                                                 CKA_EXPONENT_2,       CKA_COEFFICIENT };
    struct list t = k->decrypts ? BOOLS(CKA_DECRYPT) : BOOLS(CKA_SIGN);
    uint8_t value[16], type[8];
    CK_ATTRIBUTE a = { k->pair->row->alg >= HR_MLDSA44 ? CKA_PARAMETER_SET : CKA_EC_PARAMS, value,
                       sizeof value },
                 b = { CKA_KEY_TYPE, type, sizeof type };
    (void)p11->C_GetAttributeValue(sides[THERE].session, k->publics[THERE], &b, 1);
    put_number(&t, CKA_CLASS, CKO_PRIVATE_KEY);
    put_bytes(&t, CKA_KEY_TYPE, type, sizeof type);
    if (k->pair->row->cls == HR_CLASS_RSA) {
        for (size_t i = 0; i < COUNT_OF(numbers); i++) {
            const struct hr_number *n = &(&k->pair->parts.n)[i];
            put_bytes(&t, numbers[i], n->bytes, n->len);
        }
    } else {
        if (p11->C_GetAttributeValue(sides[THERE].session, k->publics[THERE], &a, 1) != CKR_OK) {
            a = (CK_ATTRIBUTE){ CKA_PARAMETER_SET, value, sizeof value };
            is(CKR_OK, p11->C_GetAttributeValue(sides[THERE].session, k->publics[THERE], &a, 1),
               "a set");
        }
        put_bytes(&t, a.type, value, a.ulValueLen);
        put_bytes(&t, CKA_VALUE, k->pair->bytes, k->pair->bytes_len);
    }
    is(CKR_OK, create(sides[HERE].session, t, &k->keys[HERE]), k->name);
}

void pairs_begin(void)
{
    size_t num = 0;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct kind *k = &kinds[i];
        if (!k->pair)
            continue;
        k->keys[THERE] = key_named(sides[THERE].session, CKO_PRIVATE_KEY, k->name);
        k->publics[THERE] = key_named(sides[THERE].session, CKO_PUBLIC_KEY, k->name);
        copy_public(k);
        import(k);
        num++;
    }
    tap(num > 5, "%zu pairs of keys are on both sides", num);
}

/* ---- mechanisms ---- */

#define HASHED(of, with)                                                                    \
    CKM_SHA1##with, CKM_SHA224##with, CKM_SHA256##with, CKM_SHA384##with, CKM_SHA512##with, \
        CKM_SHA3_224##with, CKM_SHA3_256##with, CKM_SHA3_384##with, CKM_SHA3_512##with
static const CK_MECHANISM_TYPE rsa_types[] = { CKM_RSA_PKCS_PSS, CKM_RSA_PKCS, HASHED(, _RSA_PKCS),
                                               HASHED(, _RSA_PKCS_PSS) };
static const CK_MECHANISM_TYPE ecdsa_types[] = {
    CKM_ECDSA,        CKM_ECDSA_SHA1,     CKM_ECDSA_SHA224,   CKM_ECDSA_SHA256,   CKM_ECDSA_SHA384,
    CKM_ECDSA_SHA512, CKM_ECDSA_SHA3_224, CKM_ECDSA_SHA3_256, CKM_ECDSA_SHA3_384, CKM_ECDSA_SHA3_512
};
static const CK_MECHANISM_TYPE ml_dsa_types[] = { CKM_ML_DSA,
                                                  CKM_HASH_ML_DSA,
                                                  CKM_HASH_ML_DSA_SHA224,
                                                  CKM_HASH_ML_DSA_SHA256,
                                                  CKM_HASH_ML_DSA_SHA384,
                                                  CKM_HASH_ML_DSA_SHA512,
                                                  CKM_HASH_ML_DSA_SHA3_224,
                                                  CKM_HASH_ML_DSA_SHA3_256,
                                                  CKM_HASH_ML_DSA_SHA3_384,
                                                  CKM_HASH_ML_DSA_SHA3_512,
                                                  CKM_HASH_ML_DSA_SHAKE128,
                                                  CKM_HASH_ML_DSA_SHAKE256 };
static const struct hash {
    CK_MECHANISM_TYPE type, pss;
    CK_RSA_PKCS_MGF_TYPE mgf;
    hr_alg alg;
} hashes[] = {
    { CKM_SHA_1, CKM_SHA1_RSA_PKCS_PSS, CKG_MGF1_SHA1, HR_SHA1 },
    { CKM_SHA224, CKM_SHA224_RSA_PKCS_PSS, CKG_MGF1_SHA224, HR_SHA224 },
    { CKM_SHA256, CKM_SHA256_RSA_PKCS_PSS, CKG_MGF1_SHA256, HR_SHA256 },
    { CKM_SHA384, CKM_SHA384_RSA_PKCS_PSS, CKG_MGF1_SHA384, HR_SHA384 },
    { CKM_SHA512, CKM_SHA512_RSA_PKCS_PSS, CKG_MGF1_SHA512, HR_SHA512 },
    { CKM_SHA3_224, CKM_SHA3_224_RSA_PKCS_PSS, CKG_MGF1_SHA3_224, HR_SHA3_224 },
    { CKM_SHA3_256, CKM_SHA3_256_RSA_PKCS_PSS, CKG_MGF1_SHA3_256, HR_SHA3_256 },
    { CKM_SHA3_384, CKM_SHA3_384_RSA_PKCS_PSS, CKG_MGF1_SHA3_384, HR_SHA3_384 },
    { CKM_SHA3_512, CKM_SHA3_512_RSA_PKCS_PSS, CKG_MGF1_SHA3_512, HR_SHA3_512 },
};

/* A scheme is a mechanism with what it points to. */
struct scheme {
    CK_MECHANISM mechanism;
    bool is_fixed;    /* the signature has nothing random */
    CK_ULONG raw_len; /* of a digest, which is signed instead of a message; 0: a message */
    uint8_t context[2100];
    union {
        CK_RSA_PKCS_PSS_PARAMS pss;
        CK_RSA_PKCS_OAEP_PARAMS oaep;
        CK_EDDSA_PARAMS eddsa;
        CK_SIGN_ADDITIONAL_CONTEXT additional;
        CK_HASH_SIGN_ADDITIONAL_CONTEXT of_digest;
    } u;
};

static const struct hash *some_hash(void)
{
    return &hashes[random_below(COUNT_OF(hashes))];
}

static void choose_pss(struct scheme *s, size_t size)
{
    const struct hash *hash = some_hash();
    for (size_t i = 0; i < COUNT_OF(hashes); i++)
        if (hashes[i].pss == s->mechanism.mechanism && !one_in(10))
            hash = &hashes[i];
    const size_t hash_len = hr_algorithm(hash->alg)->out_len;
    s->u.pss = (CK_RSA_PKCS_PSS_PARAMS){ hash->type, hash->mgf, hash_len };
    if (one_in(3)) /* around the longest that fits */
        s->u.pss.sLen = one_in(2) ? random_below(300) : size - hash_len - 1 - random_below(3);
    if (one_in(20))
        s->u.pss.sLen = ~0ul - random_below(3);
    if (one_in(6))
        s->u.pss.mgf = one_in(2) ? 0 : some_hash()->mgf;
    if (one_in(20))
        s->u.pss.hashAlg = CKM_MD5;
    s->mechanism.pParameter = &s->u;
    s->mechanism.ulParameterLen = sizeof s->u.pss;
    if (s->mechanism.mechanism == CKM_RSA_PKCS_PSS)
        s->raw_len = one_in(10) ? random_below(70) : hash_len;
}

static void choose_rsa(struct scheme *s, size_t size)
{
    s->mechanism.mechanism = rsa_types[random_below(COUNT_OF(rsa_types))];
    s->is_fixed = true;
    for (size_t i = 0; i < COUNT_OF(hashes); i++)
        if (s->mechanism.mechanism == hashes[i].pss)
            s->is_fixed = false;
    if (s->mechanism.mechanism == CKM_RSA_PKCS)
        s->raw_len = 51; /* try_signature makes a DigestInfo of it */
    if (s->mechanism.mechanism == CKM_RSA_PKCS_PSS)
        s->is_fixed = false;
    if (!s->is_fixed)
        choose_pss(s, size);
}

static void choose_ecdsa(struct scheme *s)
{
    s->mechanism.mechanism = ecdsa_types[random_below(COUNT_OF(ecdsa_types))];
    if (s->mechanism.mechanism == CKM_ECDSA)
        s->raw_len = hr_algorithm(some_hash()->alg)->out_len;
}

static CK_ULONG some_context_len(void)
{
    return one_in(10) ? 250 + random_below(10) : one_in(3) ? 0 : random_below(40);
}

static void choose_eddsa(struct scheme *s)
{
    s->mechanism.mechanism = CKM_EDDSA;
    s->is_fixed = true;
    if (one_in(3))
        return;
    s->u.eddsa = (CK_EDDSA_PARAMS){ (CK_BBOOL)random_below(3), some_context_len(), s->context };
    if (one_in(10))
        s->u.eddsa.pContextData = NULL;
    s->mechanism.pParameter = &s->u;
    s->mechanism.ulParameterLen = sizeof s->u.eddsa;
}

static void choose_ml_dsa(struct scheme *s)
{
    const CK_HEDGE_TYPE hedge = one_in(2) ? CKH_DETERMINISTIC_REQUIRED : random_below(4);
    const CK_ULONG len = some_context_len();
    CK_BYTE *context = one_in(10) ? NULL : s->context;
    const struct hash *hash = some_hash();
    s->mechanism.mechanism = ml_dsa_types[random_below(COUNT_OF(ml_dsa_types))];
    if (s->mechanism.mechanism == CKM_HASH_ML_DSA) {
        s->u.of_digest = (CK_HASH_SIGN_ADDITIONAL_CONTEXT){ hedge, context, len, hash->type };
        s->raw_len = one_in(6) ? 1 + random_below(70) : hr_algorithm(hash->alg)->out_len;
        s->mechanism.ulParameterLen = sizeof s->u.of_digest;
    } else {
        s->u.additional = (CK_SIGN_ADDITIONAL_CONTEXT){ hedge, context, len };
        s->mechanism.ulParameterLen = sizeof s->u.additional;
    }
    s->mechanism.pParameter = &s->u;
    s->is_fixed = hedge == CKH_DETERMINISTIC_REQUIRED;
    if (one_in(5)) {
        s->mechanism.pParameter = NULL;
        s->mechanism.ulParameterLen = 0;
        s->is_fixed = false;
    }
}

static void choose(struct scheme *s, const struct kind *k)
{
    memset(s, 0, sizeof *s);
    random_bytes(s->context, sizeof s->context);
    if (k->pair->row->cls == HR_CLASS_RSA)
        choose_rsa(s, k->pair->parts.n.len);
    else if (!strcmp(k->pair->row->pkcs11, "CKM_ECDSA"))
        choose_ecdsa(s);
    else if (k->alg == HR_ED25519)
        choose_eddsa(s);
    else
        choose_ml_dsa(s);
    if (one_in(30)) {
        s->mechanism.ulParameterLen = random_below(8);
        s->is_fixed = s->is_fixed && s->mechanism.ulParameterLen;
    }
}

/* ---- tries ---- */

static void verify_one(const struct kind *k, const struct scheme *s, uint8_t *text, size_t len,
                       uint8_t *sig, size_t sig_len)
{
    static struct outcome o[SIDES];
    const struct way way = some_way(len);
    for (int i = 0; i < SIDES; i++)
        run_verify(&o[i], &sides[i], s->mechanism, &way, text, len, sig, sig_len);
    (void)same(k->name, s->mechanism.mechanism, o);
}

static void try_signature(const struct kind *k)
{
    static const uint8_t info[] = { 0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                    0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20 };
    static struct outcome o[SIDES], kept;
    static struct scheme s;
    uint8_t text[MAX_TEXT], sig[ROOM];
    choose(&s, k);
    random_bytes(text, sizeof text);
    if (s.mechanism.mechanism == CKM_RSA_PKCS)
        memcpy(text, info, sizeof info);
    const size_t len = s.raw_len ? s.raw_len : some_len();
    const struct way way = some_way(len);
    for (int i = 0; i < SIDES; i++)
        run_sign(&o[i], &sides[i], s.mechanism, &way, text, len);
    kept = o[HERE];
    if (!s.is_fixed && o[HERE].len == o[THERE].len)
        memcpy(o[HERE].bytes, o[THERE].bytes, o[THERE].len);
    size_t sig_len = random_below(300);
    memset(sig, 0, sizeof sig);
    if (same(k->name, s.mechanism.mechanism, o)) {
        sig_len = kept.len;
        memcpy(sig, one_in(2) ? kept.bytes : o[THERE].bytes, sig_len);
    }
    verify_one(k, &s, text, len, sig, sig_len);
    if (sig_len)
        sig[random_below((uint32_t)sig_len)] ^= 1;
    if (one_in(4))
        sig_len = random_below((uint32_t)sig_len + 9);
    verify_one(k, &s, text, len, sig, sig_len);
}

static void choose_cipher(struct scheme *s)
{
    static const CK_ULONG lens[] = { 0, 5, 40, 1000 };
    const struct hash *hash = some_hash();
    memset(s, 0, sizeof *s);
    random_bytes(s->context, sizeof s->context);
    s->mechanism.mechanism = one_in(3) ? CKM_RSA_PKCS : CKM_RSA_PKCS_OAEP;
    if (s->mechanism.mechanism == CKM_RSA_PKCS)
        return;
    s->u.oaep = (CK_RSA_PKCS_OAEP_PARAMS){ hash->type, hash->mgf, CKZ_DATA_SPECIFIED, s->context,
                                           lens[random_below(COUNT_OF(lens))] };
    if (one_in(4))
        s->u.oaep.source = random_below(3);
    if (one_in(10))
        s->u.oaep.pSourceData = NULL;
    if (one_in(6))
        s->u.oaep.mgf = one_in(2) ? 0 : some_hash()->mgf;
    if (one_in(10))
        s->u.oaep.hashAlg = one_in(2) ? 0 : CKM_MD5;
    s->mechanism.pParameter = &s->u;
    s->mechanism.ulParameterLen = one_in(20) ? random_below(48) : sizeof s->u.oaep;
}

/* crypt runs one call on one side, and then asks whether the operation has ended. */
static void crypt_one(struct outcome *o, const struct side *x, bool decrypts,
                      const struct scheme *s, CK_ULONG room, uint8_t *in, size_t len)
{
    CK_MECHANISM mechanism = s->mechanism;
    CK_ULONG none = 0;
    memset(o, 0, sizeof *o);
    o->init = decrypts ? p11->C_DecryptInit(x->session, &mechanism, x->key)
                       : p11->C_EncryptInit(x->session, &mechanism, x->public);
    o->len = room;
    o->rv = (decrypts ? p11->C_Decrypt : p11->C_Encrypt)(x->session, in, len, o->bytes, &o->len);
    o->needed = o->rv == CKR_BUFFER_TOO_SMALL ? o->len : 0;
    o->after = (decrypts ? p11->C_DecryptFinal : p11->C_EncryptFinal)(x->session, NULL, &none);
    (void)p11->C_SessionCancel(x->session, decrypts ? CKF_DECRYPT : CKF_ENCRYPT);
}

static void try_crypt(const struct kind *k)
{
    static struct outcome o[SIDES];
    static struct scheme s;
    uint8_t text[300], sealed[300];
    size_t len = random_below(one_in(4) ? 260 : 60);
    CK_ULONG room = one_in(6) ? random_below(257) : ROOM;
    choose_cipher(&s);
    random_bytes(text, sizeof text);
    random_bytes(sealed, sizeof sealed);
    for (int i = 0; i < SIDES; i++)
        crypt_one(&o[i], &sides[i], false, &s, room, text, len);
    const int by = (int)random_below(SIDES);
    if (o[by].rv == CKR_OK)
        memcpy(sealed, o[by].bytes, o[by].len);
    memcpy(o[HERE].bytes, o[THERE].bytes, sizeof o[HERE].bytes); /* it is random */
    (void)same(k->name, s.mechanism.mechanism, o);
    len = one_in(10) ? random_below(300) : k->pair->parts.n.len;
    if (one_in(4))
        sealed[random_below(255)] ^= 1;
    room = one_in(6) ? random_below(60) : ROOM;
    for (int i = 0; i < SIDES; i++)
        crypt_one(&o[i], &sides[i], true, &s, room, sealed, len);
    (void)same(k->name, s.mechanism.mechanism, o);
}

bool use_pair(const char *name)
{
    size_t i = 0;
    while (i + 1 < COUNT_OF(kinds) && strcmp(kinds[i].name, name) != 0)
        i++;
    use(kinds[i].keys);
    for (int side = 0; side < SIDES; side++)
        sides[side].public = kinds[i].publics[side];
    return kinds[i].pair != NULL;
}

void pairs_try(unsigned rounds, const char *how)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const struct kind *k = &kinds[i];
        if (!k->pair)
            continue;
        (void)use_pair(k->name);
        for (unsigned n = 0; n < 3 * rounds && !complaints_suffice(); n++)
            (k->decrypts ? try_crypt : try_signature)(k);
        tap(1, "%u random messages of %s are the same on both sides%s", 3 * rounds, k->name, how);
    }
}
