/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA: the code of one row with one backend, and the head of its keys. */
#ifndef HR_MLDSA_H
#define HR_MLDSA_H

#include "../internal.h"

enum { MLDSA_SEED_LEN = 32, MLDSA_TR_LEN = 64, MLDSA_MU_LEN = 64, MLDSA_RANDOM_LEN = 32 };

/* The head of a row's part of a key.  The code's own part follows at MLDSA_KEY_BODY: the bytes of
 * the public key, then those of the private one, then what they decode to. */
struct mldsa_key {
    const struct mldsa_code *code;
    uint32_t seeded; /* `seed` is what the private key came from */
    uint8_t seed[MLDSA_SEED_LEN];
    uint8_t tr[MLDSA_TR_LEN]; /* H(pk, 64) */
};
enum { MLDSA_KEY_BODY = 128, MLDSA_MAX_SIGNATURE = 4627 };
/* Sizes of keys, with their heads. */
enum { MLDSA44_KEY_SIZE = 36800, MLDSA65_KEY_SIZE = 60416, MLDSA87_KEY_SIZE = 96768 };
static_assert(sizeof(struct mldsa_key) <= MLDSA_KEY_BODY, "the head of a key");

struct mldsa_code {
    uint32_t private_at; /* where the private bytes are in a key */
    uint16_t private_len, public_len, signature_len;
    void (*generate)(struct mldsa_key *key, const uint8_t *seed);
    /* They copy the bytes, check them, and make what the operations need.  HR_EKEY. */
    int (*load_public)(struct mldsa_key *key, const uint8_t *bytes);
    int (*load_private)(struct mldsa_key *key, const uint8_t *bytes);
    /* Signs and verifies mu.  HR_EMAC. */
    int (*sign)(uint8_t *sig, const uint8_t *mu, const uint8_t *random,
                const struct mldsa_key *key);
    int (*verify)(const uint8_t *sig, const uint8_t *mu, const struct mldsa_key *key);
};

/* The kernels of one row, best first; `chosen` is a cache.  The last one has no code: it stands for
 * a build without proven code. */
struct mldsa_kernel {
    struct hr_kernel info;
    const struct mldsa_code *code;
};
struct mldsa_op {
    const struct mldsa_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct mldsa_kernel *) *chosen;
};
const struct mldsa_op *mldsa_op(hr_alg alg);

extern const struct mldsa_code mldsa44_c, mldsa65_c, mldsa87_c;
extern const struct mldsa_code mldsa44_avx2, mldsa65_avx2, mldsa87_avx2;
extern const struct mldsa_code mldsa44_neon, mldsa65_neon, mldsa87_neon;

#endif
