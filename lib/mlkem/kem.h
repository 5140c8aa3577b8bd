/* SPDX-License-Identifier: Apache-2.0 */
/* Key encapsulation: what kem.c knows of a row, and the head of every key. */
#ifndef HR_KEM_IMPL_H
#define HR_KEM_IMPL_H

#include "../internal.h"
#include <headrace/kem.h>

/* The head of a key; the code's own part follows at KEM_KEY_BODY.  alg 0: not initialised. */
struct kem_key {
    const struct kem_code *code;
    uint32_t alg;
    uint8_t private, seeded; /* it has a decapsulation key; it has the seed that this came from */
    uint8_t seed[HR_KEM_SEED_LEN];
};
enum { KEM_KEY_BODY = 128 };
static_assert(sizeof(struct kem_key) <= KEM_KEY_BODY, "the head of a key");

/* The code of one row with one backend.  The lengths of arguments are the row's.  The code's own
 * part of a key begins with the bytes of the decapsulation key, which contain those of the
 * encapsulation key; of a public key only these are set. */
struct kem_code {
    uint32_t key_size, public_at; /* of a key with its head; where the public bytes are in it */
    void (*generate)(struct kem_key *key, const uint8_t *seed);
    /* They copy the bytes, check them, and make what the operations need.  HR_EKEY. */
    int (*load_public)(struct kem_key *key, const uint8_t *bytes);
    int (*load_private)(struct kem_key *key, const uint8_t *bytes);
    void (*encapsulate)(uint8_t *ct, uint8_t *secret, const struct kem_key *key,
                        const uint8_t *random);
    void (*decapsulate)(uint8_t *secret, const uint8_t *ct, const struct kem_key *key);
};
struct kem_kernel {
    struct hr_kernel info;
    const struct kem_code *code;
};

/* The kernels of one row, best first; `chosen` caches the one that kem.c found.  The last one has
 * no code: it stands for a build without proven code. */
struct kem_op {
    const struct kem_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct kem_kernel *) *chosen;
    size_t ciphertext_len;
};
const struct kem_op *kem_op(hr_alg alg); /* NULL: no row of the class */

#endif
