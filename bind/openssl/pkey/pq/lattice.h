/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of ML-KEM and ML-DSA (EVP_PKEY-ML-KEM(7), EVP_PKEY-ML-DSA(7)), and of SLH-DSA
 * (EVP_PKEY-SLH-DSA(7)), which has no lattice, but keys of the same form.  They differ in what the
 * library's key is, and in some of OpenSSL's habits. */
#ifndef HR_PROVIDER_PKEY_LATTICE_H
#define HR_PROVIDER_PKEY_LATTICE_H

#include "../bytes.h"
#include <headrace/algorithms.h>

enum {
    LATTICE_MAX_SEED = 96,      /* SLH-DSA */
    LATTICE_MAX_PRIVATE = 4896, /* ML-DSA-87 */
    LATTICE_MAX_PUBLIC = 2592,
};

/* struct lattice has no part until the library's key was made; that never changes then. */
struct lattice {
    struct pkey base;
    enum row_index index;
    const struct hr_algorithm *row;
    uint8_t has_seed; /* never of SLH-DSA, whose private key contains it */
    void *made;       /* struct hr_kem_key or hr_sign_key, or NULL */
};

/* enum lattice_part is a string of bytes of a key. */
enum lattice_part { PART_SEED, PART_PRIVATE, PART_PUBLIC, NUM_LATTICE_PARTS };

static inline int lattice_is_kem(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_KEM;
}

static inline int lattice_is_slhdsa(const struct hr_algorithm *row)
{
    return row->alg >= HR_SLHDSA_SHA2_128S && row->alg <= HR_SLHDSA_SHAKE_256F;
}

/* ---- lattice.c ---- */

struct lattice *lattice_new(const struct provider *provider, enum row_index index);
size_t lattice_part_len(const struct hr_algorithm *row, enum lattice_part part);
int lattice_has_part(const struct lattice *key, enum lattice_part part);
/* lattice_part writes a part that the key has.  It returns 1 or 0. */
int lattice_part(uint8_t *out, const struct lattice *key, enum lattice_part part);
/* lattice_make makes the library's key of a seed, of a private key or of both, or of a public key.
 * It returns an HR_E... value. */
int lattice_make(struct lattice *key, const uint8_t *bytes, size_t len, int is_public);
/* lattice_reset wipes every part. */
void lattice_reset(struct lattice *key);

/* ---- lattice_import.c, lattice_params.c, lattice_generate.c ---- */

int lattice_import(void *keydata, int selection, const OSSL_PARAM params[]);
/* lattice_is_reduced tells whether the secret vector of ML-KEM's private key is below q, as OpenSSL
 * demands. */
int lattice_is_reduced(const struct hr_algorithm *row, const uint8_t *private);
/* lattice_is_consistent tells whether a private key of ML-KEM opens what its public key closes: its
 * two parts may be of different keys. */
int lattice_is_consistent(const struct provider *provider, const struct hr_kem_key *key);
/* slhdsa_import takes a private key with or without the public one in it. */
int slhdsa_import(void *keydata, int selection, const OSSL_PARAM params[]);
/* slhdsa_is_consistent computes PK.root anew. */
int slhdsa_is_consistent(const struct lattice *key);
int lattice_get_params(void *keydata, OSSL_PARAM params[]);
const OSSL_PARAM *mlkem_gettable(void *provctx);
const OSSL_PARAM *mldsa_gettable(void *provctx);
const OSSL_PARAM *slhdsa_gettable(void *provctx);
int mlkem_set_params(void *keydata, const OSSL_PARAM params[]);
const OSSL_PARAM *mlkem_settable(void *provctx);
void *lattice_gen_init(void *provctx, int selection, const OSSL_PARAM params[],
                       enum row_index index);
any_function *lattice_gen_function(int id);

#endif
