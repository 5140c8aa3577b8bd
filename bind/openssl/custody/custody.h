/* SPDX-License-Identifier: Apache-2.0 */
/* Named keys of the accelerator's service, with which programs sign and decrypt but which they
 * never have.  To OpenSSL such a key is one of the usual types, RSA, EC, ED25519 and ML-DSA, of
 * this provider: its key data is that of a public key, and `custody` of its struct pkey says where
 * the private part is.  It is exported only as a public key.
 *
 * A program names the key by a PEM reference (reference.h), or by the URI headrace:NAME. */
#ifndef HR_PROVIDER_CUSTODY_H
#define HR_PROVIDER_CUSTODY_H

#include "../pkey/pkey.h"
#include "reference.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>
#include <headrace/rsa.h>

struct custody {
    atomic_uint refs;
    const struct provider *provider;
    _Atomic uint64_t handle; /* 0: this process has not opened the key yet */
    hr_alg alg;
    unsigned row;  /* enum row_index */
    unsigned bits; /* RSA: of the modulus */
    char name[REFERENCE_NAME];
    size_t spki_len;
    uint8_t spki[]; /* the public key that the reference says */
};

/* custody_new returns NULL if there is no memory. */
struct custody *custody_new(const struct provider *provider, const struct reference *reference);
struct custody *custody_hold(struct custody *custody); /* NULL is allowed */
void custody_release(struct custody *custody);         /* NULL is allowed */

/* custody_sign makes a signature of at most *sig_len bytes.  It returns 1, or 0 with an error
 * raised that names the key.  The key is opened when it is first used, and its public key is then
 * compared with the reference's. */
int custody_sign(struct custody *custody, uint8_t *sig, size_t *sig_len, const uint8_t *in,
                 size_t in_len, const void *options);
/* custody_decrypt decrypts by RSA.  It returns 0, or an HR_E... value, with an error raised in the
 * same way unless it is HR_EPADDING. */
int custody_decrypt(struct custody *custody, uint8_t *out, size_t *out_len, const uint8_t *in,
                    size_t in_len, const struct hr_rsa_options *options);
/* custody_refuse raises an error that names the key, and returns 0. */
int custody_refuse(const struct custody *custody, const char *why);
/* custody_public asks the service for a key's public key.  It returns 1, or 0 with an error raised.
 */
int custody_public(const struct provider *provider, const char *name, uint8_t *spki, size_t *len);

/* ---- decoder.c, pem.c, key.c, store.c ---- */

#define REFERENCE_LABEL "HEADRACE KEY REFERENCE"
#define REFERENCE_STRUCTURE "HeadraceKeyReference" /* in OpenSSL's words for DER */

struct custody_decoder {
    const struct provider *provider;
};

/* custody_decoder returns the functions that all decoders share, with struct custody_decoder. */
any_function *custody_decoder(int id);
/* custody_has_one_decoder tells whether one decoder has all types. */
int custody_has_one_decoder(const struct provider *provider);
/* custody_pass_on gives OpenSSL a reference in DER, to a key of this algorithm. */
int custody_pass_on(const struct provider *provider, hr_alg alg, const uint8_t *der, size_t len,
                    OSSL_CALLBACK *callback, void *arg);
any_function *custody_pem_decoder(int id);
any_function *custody_any_decoder(int id); /* of any type */
any_function *custody_store(int id);
/* CUSTODY_DECODERS has a decoder for each type of keys: its name, the type's key management, and an
 * algorithm of the type. */
#define CUSTODY_DECODERS(X)                 \
    X(rsa, rsa_keymgmt, HR_RSA2048)         \
    X(ec, ec_keymgmt, HR_ECDSA_P256)        \
    X(ed25519, ed25519_keymgmt, HR_ED25519) \
    X(mldsa44, mldsa44_keymgmt, HR_MLDSA44) \
    X(mldsa65, mldsa65_keymgmt, HR_MLDSA65) \
    X(mldsa87, mldsa87_keymgmt, HR_MLDSA87)
#define X(name, ...) any_function *custody_##name##_decoder(int id);
CUSTODY_DECODERS(X)
#undef X
/* custody_type returns OpenSSL's name for the type of an algorithm's keys. */
const char *custody_type(hr_alg alg);

/* custody_algorithms_of makes the algorithms of an operation, as algorithms_of. */
const OSSL_ALGORITHM *custody_algorithms_of(const struct provider *provider, int operation);

#endif
