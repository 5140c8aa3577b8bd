/* SPDX-License-Identifier: Apache-2.0 */
/* The class SIGN: the code of one row, and the layout of keys.  sign.c checks the arguments, and
 * calls the row's code with what is left of a key behind its head. */
#ifndef HR_SIGN_H
#define HR_SIGN_H

#include "../internal.h"
#include "copy_out.h"
#include "random.h"

enum sign_takes { SIGN_TAKES_CONTEXT = 1, SIGN_TAKES_DIGEST = 2, SIGN_TAKES_RANDOM = 4 };

/* A message and the options of its signature, which are never NULL. */
struct sign_input {
    const uint8_t *in;
    size_t len;
    const struct hr_sign_options *options;
};

/* A signature of several. */
struct sign_one {
    struct hr_job *job;
    struct sign_input message;
    uint8_t *sig;
    const void *key; /* the row's part */
    int error;       /* out */
};

/* The code of a row whose signatures share lanes. */
struct sign_lanes {
    /* Returns whether this CPU has lanes for jobs with a key (the row's part). */
    int (*exist)(const void *key, int verifies);
    /* Do what sign_impl's `sign` and `verify` do, for up to PK_MANY. */
    void (*sign)(struct sign_one *each, size_t num);
    void (*verify)(struct sign_one *each, size_t num);
};

/* The code of a row.  A function returns 0 or an error. */
struct sign_impl {
    uint32_t key_size; /* of the row's part of a key, up to SIGN_KEY_SIZE */
    uint8_t flags;     /* the flags that the row knows, of enum hr_sign_flags */
    uint8_t takes;     /* the other options that it knows, of enum sign_takes */
    /* Makes a key of bytes of any length: HR_EKEYLEN, HR_EKEY, HR_ECPU.  The key is wiped after an
     * error. */
    int (*init_private)(void *key, const struct hr_algorithm *row, const uint8_t *bytes,
                        size_t len);
    int (*init_public)(void *key, const struct hr_algorithm *row, const uint8_t *bytes, size_t len);
    /* Makes a private key whose public key is known; NULL: the latter is computed, and compared. */
    int (*init_pair)(void *key, const struct hr_algorithm *row, const uint8_t *bytes, size_t len,
                     const uint8_t *public_bytes, size_t public_len);
    /* NULL: the first key_len random bytes are a private key. */
    int (*generate)(void *key, const struct hr_algorithm *row, const uint8_t random[HR_KEY_RANDOM]);
    /* These end with copy_out(). */
    int (*private_bytes)(uint8_t *out, size_t *out_len, const void *key);
    int (*public_bytes)(uint8_t *out, size_t *out_len, const void *key);
    /* NULL: the private key is what it was made of. */
    int (*seed_bytes)(uint8_t *out, size_t *out_len, const void *key);
    /* Writes the row's out_len bytes; writes nothing if it returns an error. */
    int (*sign)(uint8_t *sig, const struct sign_input *message, const void *key);
    /* Returns HR_EMAC if the out_len bytes of `sig` are no signature. */
    int (*verify)(const uint8_t *sig, const struct sign_input *message, const void *key);
    /* The i-th kernel, best first, or NULL. */
    const struct hr_kernel *(*kernel)(size_t i);
    /* Forgets which kernel was chosen, as struct class_calls' does; NULL: the row keeps none. */
    void (*forget)(void);
    const struct sign_lanes *lanes; /* NULL: none */
};

enum { SIGN_KEY_SIZE = 102400 - 64, SIGN_MAX_PUBLIC = 2592 /* of ML-DSA-87 */ };

/* The layout behind struct hr_sign_key; alg 0 means not initialised. */
struct sign_key {
    uint32_t alg;
    uint32_t is_private;
    alignas(64) uint8_t part[SIGN_KEY_SIZE]; /* the row's part; its first key_size bytes exist */
};
static_assert(sizeof(struct sign_key) == sizeof(struct hr_sign_key), "public size");

/* sign_impl returns the code of a row, <symbol>_impl, or NULL if `alg` is none of this class. */
const struct sign_impl *sign_impl(hr_alg alg);

/* sign_prefix writes what ML-DSA and SLH-DSA sign before a message, by its options: HR_EINVAL (only
 * one of HR_SIGN_PREHASH and a digest is given), HR_EALG, HR_ELENGTH. */
enum { SIGN_MAX_PREFIX = 2 + 255 + 11 };
int sign_prefix(uint8_t out[SIGN_MAX_PREFIX], size_t *len, const struct sign_input *message);

/* sign_check and sign_check_verify return what is wrong with the arguments of hr_sign and
 * hr_verify, whose key is not NULL; HR_EMAC: the signature has another length. */
int sign_check(const uint8_t *sig, size_t sig_len, const struct sign_input *message,
               const struct sign_key *key);
int sign_check_verify(const uint8_t *sig, size_t sig_len, const struct sign_input *message,
                      const struct sign_key *key);

extern const struct hr_sign_options sign_no_options;

/* sign_many.c: of struct class_calls. */
unsigned sign_kind(const struct hr_job *job);
void sign_run_many(struct hr_job *const *jobs, size_t num);

#endif
