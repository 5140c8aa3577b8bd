/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of elliptic curves (EVP_PKEY-EC(7)).  The library computes on three NIST curves.  A key of
 * another curve, of explicit parameters, or of values that are odd in another way, is held as a key
 * of another provider in the same library context, and every call is passed on to it: a program
 * that asks for an EC key gets ours for all curves.  Such a key is called foreign here. */
#ifndef HR_PROVIDER_PKEY_EC_H
#define HR_PROVIDER_PKEY_EC_H

#include "other.h"
#include <headrace/agree.h>
#include <headrace/sign.h>

enum { EC_MAX_BYTES = 66, EC_MAX_POINT = 1 + 2 * EC_MAX_BYTES, NUM_EC_CURVES = 3 };

struct ec_curve {
    char name[12], nist[6]; /* OpenSSL's names */
    hr_alg sign, agree;
    uint8_t sign_row, agree_row; /* enum row_index */
    uint8_t bytes;               /* of a coordinate and of a scalar */
    uint8_t signature_max;       /* in DER */
    uint16_t bits, security;
    uint8_t order[EC_MAX_BYTES];
};

/* enum ec_form is the first byte of an encoded point, without the bit of Y (SEC 1 section 2.3.3).
 */
enum ec_form { EC_COMPRESSED = 2, EC_UNCOMPRESSED = 4, EC_HYBRID = 6 };
enum ec_encoding { EC_EXPLICIT, EC_NAMED };
/* enum ec_check has the values of the parameter "group-check", of which no curve here notices. */
enum ec_check { EC_CHECK_DEFAULT, EC_CHECK_NAMED, EC_CHECK_NIST };

/* struct ec_how is what a key says of how it is written. */
struct ec_how {
    uint8_t form, encoding, check, without_public;
};

struct ec_key {
    struct pkey head;
    const struct ec_curve *curve; /* NULL if there are no parameters yet, or the key is foreign */
    EVP_PKEY *foreign;
    struct ec_how how;
    /* The library's keys, made when they are first used: struct hr_sign_key and hr_agree_key. */
    _Atomic(void *) signer, verifier, agreer;
    uint8_t secret[EC_MAX_BYTES]; /* big endian, curve->bytes long */
    uint8_t point[EC_MAX_POINT];  /* uncompressed */
};

/* ---- ec_curve.c ---- */

/* ec_curve_named returns the curve of this name if it is served, or NULL. */
const struct ec_curve *ec_curve_named(const struct provider *provider, const char *name);
/* ec_curve_has_scalar tells whether a scalar lies between 1 and the order less 1, in a time that
 * does not depend on it. */
int ec_curve_has_scalar(const struct ec_curve *curve, const uint8_t *scalar);
static inline size_t ec_point_len(const struct ec_curve *curve)
{
    return 1 + 2 * (size_t)curve->bytes;
}

/* ---- ec_key.c ---- */

struct ec_key *ec_key_new(void *provctx);
/* ec_key_ready makes a library's key if there is none yet.  It returns NULL with an error raised if
 * it cannot. */
struct hr_sign_key *ec_key_signer(struct ec_key *key);
struct hr_sign_key *ec_key_verifier(struct ec_key *key);
struct hr_agree_key *ec_key_agreer(struct ec_key *key);
/* ec_key_compute_point writes the public key of a private one.  It returns 1, or 0 with an error
 * raised. */
int ec_key_compute_point(uint8_t out[EC_MAX_POINT], struct ec_key *key);
/* ec_key_forget wipes what was derived from the key's values. */
void ec_key_forget(struct ec_key *key);
/* ec_key_same_group tells whether two keys have the same curve, of whatever provider. */
int ec_key_same_group(struct ec_key *a, struct ec_key *b);
/* ec_key_size returns the largest length of a signature in DER. */
size_t ec_key_size(const struct ec_key *key);

/* ---- ec_import.c ---- */

int ec_import(void *keydata, int selection, const OSSL_PARAM params[]);
/* ec_set_point sets the public key, from any encoding of a point.  It returns 1, or 0 without an
 * error raised. */
int ec_set_point(struct ec_key *key, const uint8_t *bytes, size_t len);
/* ec_take_how takes the parameters that say how a key is written.  It returns 1, or 0 if a value is
 * unknown. */
int ec_take_how(struct ec_how *how, const OSSL_PARAM params[]);

/* ---- ec_export.c ---- */

int ec_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg);
/* ec_foreign returns the key as another provider's, with a reference that the caller gives back; or
 * NULL with an error raised. */
EVP_PKEY *ec_foreign(struct ec_key *key);
/* ec_write_point writes the public key in the key's own form, and returns its length. */
size_t ec_write_point(const struct ec_key *key, uint8_t out[EC_MAX_POINT]);
const char *ec_name_of_form(const struct ec_how *how);
const char *ec_name_of_encoding(const struct ec_how *how);
const char *ec_name_of_check(const struct ec_how *how);

/* ---- ec_params.c, ec_validate.c, ec_generate.c: functions of the key management ---- */

const OSSL_PARAM *ec_gettable(void *provctx);
int ec_get_params(void *keydata, OSSL_PARAM params[]);
const OSSL_PARAM *ec_settable(void *provctx);
int ec_set_params(void *keydata, const OSSL_PARAM params[]);
int ec_validate(const void *keydata, int selection, int type);
void *ec_generate_init(void *provctx, int selection, const OSSL_PARAM params[]);
int ec_generate_set_template(void *genctx, void *keydata);
int ec_generate_set_params(void *genctx, const OSSL_PARAM params[]);
const OSSL_PARAM *ec_generate_settable(void *genctx, void *provctx);
void *ec_generate(void *genctx, OSSL_CALLBACK *callback, void *arg);
void ec_generate_cleanup(void *genctx);

#endif
