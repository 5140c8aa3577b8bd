/* SPDX-License-Identifier: Apache-2.0 */
/* The class AGREE: the code of one row, and the layout of keys.  agree.c checks the arguments, and
 * calls the row's code with what is left of a key behind its head. */
#ifndef HR_AGREE_H
#define HR_AGREE_H

#include "../internal.h"
#include "random.h"

/* An agreement of several. */
struct agree_one {
    struct hr_job *job;
    uint8_t *out; /* may be `peer` */
    const uint8_t *peer;
    size_t peer_len;
    const void *key; /* the row's part */
    int error;       /* out */
};

/* The code of a row whose agreements share lanes. */
struct agree_lanes {
    /* Returns whether this CPU has lanes for jobs with a key (the row's part). */
    int (*exist)(const void *key);
    /* Does what agree_impl's `agree` does, for up to PK_MANY. */
    void (*agree)(struct agree_one *each, size_t num);
};

/* The code of a row.  A function returns 0 or an error; outputs have the row's lengths. */
struct agree_impl {
    uint16_t key_size; /* of the row's part of a key, up to AGREE_KEY_SIZE */
    /* Makes a private key of the row's key_len bytes: HR_EKEY, HR_ECPU.  The key is wiped after an
     * error. */
    int (*init)(void *key, const struct hr_algorithm *row, const uint8_t *bytes);
    /* NULL: the first key_len random bytes are a private key. */
    int (*generate)(void *key, const struct hr_algorithm *row, const uint8_t random[HR_KEY_RANDOM]);
    void (*private_bytes)(uint8_t *out, const void *key);
    int (*public_bytes)(uint8_t *out, const void *key);
    /* `out` may be `peer`, and is not written after an error.  These two take a public key of any
     * length: HR_EKEYLEN, HR_EKEY. */
    int (*agree)(uint8_t *out, const uint8_t *peer, size_t peer_len, const void *key);
    int (*check)(const struct hr_algorithm *row, const uint8_t *peer, size_t peer_len);
    /* The i-th kernel, best first, or NULL. */
    const struct hr_kernel *(*kernel)(size_t i);
    /* Forgets which kernel was chosen, as struct class_calls' does; NULL: the row keeps none. */
    void (*forget)(void);
    const struct agree_lanes *lanes; /* NULL: none */
};

enum { AGREE_KEY_SIZE = 512 - 64 };

/* The layout behind struct hr_agree_key; alg 0 means not initialised. */
struct agree_key {
    uint32_t alg;
    alignas(64) uint8_t part[AGREE_KEY_SIZE]; /* the row's part; its first key_size bytes exist */
};
static_assert(sizeof(struct agree_key) == sizeof(struct hr_agree_key), "public size");

/* agree_impl returns the code of a row, <symbol>_impl, or NULL if `alg` is none of this class. */
const struct agree_impl *agree_impl(hr_alg alg);

/* agree_check returns what is wrong with the arguments of hr_agree, whose key is not NULL. */
int agree_check(const uint8_t *out, size_t out_len, const uint8_t *peer, size_t peer_len,
                const struct agree_key *key);

/* agree_many.c: of struct class_calls. */
unsigned agree_kind(const struct hr_job *job);
void agree_run_many(struct hr_job *const *jobs, size_t num);

#endif
