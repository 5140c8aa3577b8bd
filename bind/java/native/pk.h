/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of public key for Java, beside the objects of object.h: their flat functions, by the same
 * conventions.  A key is never changed after it was made, and any number of threads use it. */
#ifndef HR_JAVA_PK_H
#define HR_JAVA_PK_H

#include "object.h"
#include <headrace/rsa.h>
#include <headrace/sign.h>

/* The options of a call, of RSA struct hr_rsa_options, else struct hr_sign_options with `padding`
 * for its flags and `label` for its context. */
struct pk_options {
    int32_t padding, digest, mgf_digest, salt_len;
    const uint8_t *label;
    size_t label_len;
};

enum pk_op {
    PK_SIGN,
    PK_VERIFY,   /* `out` is the signature, and only read */
    PK_SIGN_DER, /* ECDSA's SEQUENCE { r, s } */
    PK_VERIFY_DER,
    PK_ENCRYPT,
    PK_DECRYPT,
    PK_DERIVE,      /* `in` is the peer's public key */
    PK_ENCAPSULATE, /* `out` gets the ciphertext and then the secret; `in` may be random bytes, and
                     * of key agreement is the receiver's public key: dhkem.h */
    PK_DECAPSULATE,
    PK_RECOVER, /* of RSA: what a signature says was signed */
    PK_PRIVATE, /* of ML-*: the private key, also of one that was made of its seed */
    PK_MAC,     /* under a secret key that stays in the service */
    PK_PUBLIC,
    NUM_PK_OPS
};

struct pk {
    const struct pk_class *cls; /* NULL: a secret key that stays in the service */
    uint64_t handle;            /* of a key that stays in the service */
    hr_alg alg;
    uint16_t index; /* enum row_index */
    bool is_named;  /* it stays in the service */
    uint32_t out_len;
};
_Static_assert(sizeof(struct pk) <= OBJECT_KEY_AT, "the key follows the header");

static inline void *pk_key(const struct pk *pk)
{
    return (uint8_t *)pk + OBJECT_KEY_AT;
}

/* A key is made of these parts, and a new key gives them: RSA n, e, d, p, q, dp, dq, qinv, or n and
 * e; DSA p, q, g and x or y; DH p, g, x; others the private key, and of signatures perhaps the
 * public one after it; or the public key.
 */
enum { PK_MAX_PARTS = 8, MAX_ECDSA_SIGNATURE = 132 };

/* The functions of a class; those of operations are NULL where it has none, write *len bytes at
 * most, and set *len. */
typedef int pk_call(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                    size_t *len, const uint8_t *in, size_t in_len);
struct pk_class {
    enum hr_class cls;
    size_t (*key_size)(hr_alg alg);
    int (*init)(struct pk *pk, const struct hr_number *parts, size_t num, bool is_private);
    void (*wipe)(void *key);
    pk_call *calls[NUM_PK_OPS];
};
/* pk_class_of returns the functions for the class of a row, or NULL. */
const struct pk_class *pk_class_of(hr_alg alg);

/* pk_new_memory makes a key that is not initialised. */
struct pk *pk_new_memory(hr_alg alg);

/* pk_read_parts finds the parts in len bytes, and returns their number, or -1 if the bytes are
 * something else. */
int pk_read_parts(struct hr_number parts[PK_MAX_PARTS], const uint8_t *at, size_t len);
/* pk_write_parts writes the parts of a new key as Java reads them, and returns their length. */
int32_t pk_write_parts(uint8_t *out, size_t room, const struct hr_number *parts, size_t num);

/* pk_count counts a call. */
void pk_count(enum row_index index, size_t bytes);

/* pk_rsa_options and pk_sign_options translate; decryption by PKCS#1 tells bad padding, as Java's
 * providers do. */
struct hr_rsa_options pk_rsa_options(const struct pk_options *o);
struct hr_sign_options pk_sign_options(const struct pk_options *o);

/* accel_call lets the service sign or decrypt with a key that stays there. */
int accel_call(const struct pk *pk, enum pk_op op, const struct pk_options *options, uint8_t *out,
               size_t *len, const uint8_t *in, size_t in_len);
void accel_close(struct pk *pk);

/* ---- what Java calls ---- */

/* hrj_pk_new makes a key of the parts above, each a length of two bytes, the most significant
 * first, and so many bytes.  It returns its address or an error. */
JAVA_API int64_t hrj_pk_new(int32_t alg, int32_t is_private, const uint8_t *parts, int32_t len);
JAVA_API void hrj_pk_free(struct pk *pk);
/* hrj_pk_out_len returns the length of the key's signatures, secrets or encrypted texts. */
JAVA_API int32_t hrj_pk_out_len(const struct pk *pk);
/* hrj_pk_run does what enum pk_op says; `room` is the length of `out`. */
JAVA_API int32_t hrj_pk_run(const struct pk *pk, int32_t op, int32_t padding, int32_t digest,
                            int32_t mgf_digest, int32_t salt_len, const uint8_t *label,
                            int32_t label_len, uint8_t *out, int32_t room, const uint8_t *in,
                            int32_t len);
/* hrj_pk_generate makes a new key, of RSA with that many bits and the public exponent e, and writes
 * its parts: of rows of sign.h and kem.h the private key, the public key and, of ML-*, the seed. */
JAVA_API int32_t hrj_pk_generate(int32_t alg, int32_t bits, int64_t e, uint8_t *out, int32_t room);
/* hrj_pk_ephemeral makes a new private key of key agreement, which never leaves this memory.  It
 * returns what hrj_pk_new does. */
JAVA_API int64_t hrj_pk_ephemeral(int32_t alg);
/* hrj_pk_generate_in makes a new key of a group, whose parts are p, q and g of DSA, or p and g of
 * DH, for a private number of at most so many bits, and writes the private and the public number.
 */
JAVA_API int32_t hrj_pk_generate_in(int32_t alg, int32_t bits, const uint8_t *group, int32_t len,
                                    uint8_t *out, int32_t room);

/* hrj_accel_list writes a line for each key of the service that this process may use: name, row,
 * uses, paddings, and the numbers of its digests.  hrj_accel_public writes a key's
 * SubjectPublicKeyInfo. hrj_accel_open makes a key that stays there, as hrj_pk_new does. */
JAVA_API int32_t hrj_accel_list(uint8_t *out, int32_t room);
JAVA_API int32_t hrj_accel_public(const uint8_t *name, int32_t name_len, uint8_t *out,
                                  int32_t room);
JAVA_API int64_t hrj_accel_open(const uint8_t *name, int32_t name_len, int32_t alg,
                                int32_t out_len);
/* hrj_accel_object makes an object of object.h for such a key of a cipher, an AEAD or XTS, or
 * returns NULL.  It has the key's handle, so that the key must outlive it and its copies.  An AEAD
 * and XTS take whole messages, by hrj_once. */
JAVA_API struct object *hrj_accel_object(const struct pk *pk);

#endif
