/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms of public key.  A key's form for an engine is a key of the library, which a maker
 * makes of the attributes of an object, or of the draft of one, which is so checked. */
#ifndef HR_P11_PK_H
#define HR_P11_PK_H

#include "../async.h"
#include "../key.h"
#include "../mechanism.h"
#include "../session.h"
#include <headrace/dh.h>
#include <headrace/dsa.h>
#include <headrace/rsa.h>

enum pk_detail {
    PK_PKCS1 = 16, /* RSA: paddings */
    PK_PSS = 32,
    PK_OAEP = 64,
    PK_RAW = 128,
    PK_DIGEST = 256, /* ML-DSA, SLH-DSA: the message is a digest, which the parameter names */
};

/* Where the numbers of a key come from: one of the two is not NULL. */
struct pk_source {
    const struct object *object; /* under objects_lock */
    const struct draft *draft;
    CK_OBJECT_CLASS cls;
    CK_KEY_TYPE type;
};
/* pk_value returns an attribute; without it, `bytes` is NULL. */
struct hr_number pk_value(const struct pk_source *from, CK_ATTRIBUTE_TYPE type);
static inline struct pk_source pk_of_object(const struct object *object)
{
    return (struct pk_source){ .object = object, .cls = object->cls, .type = object->key_type };
}

/* A maker makes a key in memory of secret_new; *alg becomes its row, or 0. */
typedef CK_RV pk_make_fn(struct module *m, const struct pk_source *from, void **form, hr_alg *alg);
pk_make_fn pk_make_rsa, pk_make_signer, pk_make_agreer, pk_make_kem, pk_make_dsa, pk_make_dh;

/* PK_FORM defines an engine's function `form` by a maker. */
#define PK_FORM(name, maker)                                                                 \
    static RV name(const struct mechanism *mech, struct module *m, const struct object *key, \
                   void **form, hr_alg *alg)                                                 \
    {                                                                                        \
        const struct pk_source from = pk_of_object(key);                                     \
        return maker(m, &from, form, alg);                                                   \
    }

/* pk_finish_make ends a maker by the error of the library. */
RV pk_finish_make(struct module *m, void **form, int error);
/* pk_fit writes a number with exactly `len` bytes; false: it is longer. */
bool pk_fit(uint8_t *out, size_t len, const struct hr_number *number);
/* pk_verdict translates what a verification returned. */
CK_RV pk_verdict(int error, size_t sig_len, size_t right_len);

/* The digests, in the words of the mechanisms that have one as a parameter. */
struct pk_digest {
    CK_MECHANISM_TYPE type;
    hr_alg alg;
    CK_ULONG mgf, kdf;
};
enum pk_digest_member { PK_BY_TYPE, PK_BY_MGF, PK_BY_KDF };
const struct pk_digest *pk_digest(enum pk_digest_member by, CK_ULONG value);
/* pk_digest_of_oaep returns the digest of OAEP, and pk_digest_of_mgf that of its MGF, or of PSS's:
 * pkcs11-provider leaves a 0 for SHA-1, and for the digest that is there already. */
static inline const struct pk_digest *pk_digest_of_oaep(CK_MECHANISM_TYPE type)
{
    return pk_digest(PK_BY_TYPE, type ? type : CKM_SHA_1);
}
static inline const struct pk_digest *pk_digest_of_mgf(const struct pk_digest *digest, CK_ULONG mgf)
{
    return mgf ? pk_digest(PK_BY_MGF, mgf) : digest;
}

/* ---- signatures of a digest ---- */

/* How keys of a type sign a digest, or what takes its place. */
typedef CK_RV pk_sign_fn(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out,
                         size_t *out_len);
extern pk_sign_fn pk_sign_rsa, pk_sign_ecdsa, pk_sign_dsa;
extern engine_verify_fn pk_verify_rsa, pk_verify_ecdsa, pk_verify_dsa;

/* The functions of engines that digest the message (mech->digest), and then sign that. */
CK_RV pk_hashed_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len);
CK_RV pk_hashed_update(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len);
CK_RV pk_hashed_final(struct op *op, CK_BYTE *out, size_t *out_len);
CK_RV pk_hashed_verify(struct op *op, const CK_BYTE *in, size_t len, const CK_BYTE *sig,
                       size_t sig_len);
CK_RV pk_hashed_verify_final(struct op *op, const CK_BYTE *sig, size_t sig_len);
#define PK_HASHED                                                                   \
    .whole = pk_hashed_whole, .update = pk_hashed_update, .final = pk_hashed_final, \
    .verify = pk_hashed_verify, .verify_final = pk_hashed_verify_final,             \
    .prepare = pk_prepare_hashed

/* pk_prepare writes the job of a signature by op->form, without options; pk_prepare_rsa that of
 * RSA; pk_prepare_hashed, for any scheme, that of a digest of the message. */
RV pk_prepare(struct op *op, const CK_BYTE *in, size_t len, struct prepared *to);
RV pk_prepare_rsa(struct op *op, const CK_BYTE *in, size_t len, struct prepared *to);
CK_RV pk_prepare_hashed(struct op *op, const CK_BYTE *in, size_t len, struct prepared *to);

/* ---- signatures of a message as a whole, and of its digest (prehash.c) ---- */

struct pk_message {
    uint32_t flags; /* HR_SIGN_... */
    hr_alg digest;  /* of HashML-DSA and HashSLH-DSA */
    hr_alg hash;    /* by which this process digests the message, or HR_ALG_NONE */
    uint32_t context_len;
};
enum { PK_HASH_MOST = 64 };
/* pk_read_message reads the parameter of EdDSA, ML-DSA or SLH-DSA; op->u.message has the context
 * then. */
RV pk_read_message(struct pk_message *out, struct op *op, const CK_MECHANISM *mechanism);
/* pk_hash_update digests a piece, in op->u.message.  pk_take points to what is signed: the message,
 * or its digest if `hash` is one.  With *in NULL it came in pieces, which were digested, or kept.
 */
RV pk_hash_update(struct op *op, hr_alg hash, const CK_BYTE *in, size_t len);
RV pk_take(struct op *op, hr_alg hash, uint8_t digest[PK_HASH_MOST], const CK_BYTE **in,
           size_t *len);

extern const struct engine engine_rsa, engine_rsa_hashed, engine_ecdsa, engine_ecdsa_hashed,
    engine_dsa, engine_dsa_hashed, engine_message, engine_ecdh, engine_dh, engine_kem;

/* ---- rows by what keys say of them ---- */

/* pk_row_of_size returns the row of a class by the bytes of a modulus: the statistics count the
 * next longer row for one that is between two. */
hr_alg pk_row_of_size(enum hr_class cls, size_t len);

struct pk_curve {
    CK_KEY_TYPE type;
    hr_alg signs, agrees;
    size_t len; /* of a private number */
    const char *name;
    uint8_t oid[12], oid_len; /* in DER */
};
/* pk_curve_of finds the curve of a key by its CKA_EC_PARAMS, or NULL. */
const struct pk_curve *pk_curve_of(const struct pk_source *from);
const struct pk_curve *pk_curve_of_oid(const struct hr_number *oid); /* without its tag */
/* pk_point_of takes a point out of its encodings: as it is, or in a string of DER. */
struct hr_number pk_point_of(const struct pk_curve *curve, struct hr_number point);
/* pk_show_point makes the CKA_EC_POINT of a draft what keys show. */
RV pk_show_point(struct module *m, struct draft *draft, const struct pk_source *from);
/* pk_set_of returns the row of a key's CKA_PARAMETER_SET, or 0. */
hr_alg pk_set_of(const struct pk_source *from);
/* The OIDs of parameter sets, without their tag. */
enum { PK_SET_OID_LEN = 9 };
void pk_set_oid(uint8_t oid[PK_SET_OID_LEN], hr_alg alg);
bool pk_set_of_oid(const struct hr_number *oid, CK_KEY_TYPE *type, CK_ULONG *set);

/* ---- keys in DER ---- */

struct der_writer;
/* pk_write_algorithm writes the AlgorithmIdentifier of a key. */
void pk_write_algorithm(struct der_writer *w, const struct pk_source *from);
/* pk_add_info gives a draft its CKA_PUBLIC_KEY_INFO; `key` is what the maker made of it. */
RV pk_add_info(struct module *m, struct draft *draft, const struct pk_source *from,
               const void *key);

#endif
