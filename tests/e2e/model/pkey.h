/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the model of public keys share. */
#ifndef HR_TEST_MODEL_PKEY_H
#define HR_TEST_MODEL_PKEY_H

#include "model.h"

enum { NUM_KEYS = 3, NUM_SEEDS = 4, MAX_SEED = 64, MAX_KEY = 5000 };
/* Facts: the step imports parts of different keys; a key of ML-KEM was copied; some step has
 * imported parts of different keys. */
enum { ODD_PAIR = 1 << 8, COPIED = 1 << 9, ODD_KEY = 1 << 10 };
enum pkey_use { AGREES, SIGNS, ENCAPSULATES };

/* struct pkey_type is a type of key whose key is a string of bytes. */
struct pkey_type {
    const char *name, *group, *seed; /* seed: its parameter; NULL: the private key is the seed */
    enum pkey_use use;
    size_t seed_len, private_len, public_len;
};

/* struct pair is a key pair that both sides import: `private` of private_len bytes. */
struct pair {
    unsigned char seed[MAX_SEED], private[MAX_KEY], public[MAX_KEY];
};

/* struct kit is a side's context: some keys. */
struct kit {
    EVP_PKEY *keys[NUM_KEYS];
};

/* ---- pkey.c ---- */

/* pkey_set_up gives both sides the same random numbers. */
void pkey_set_up(const struct loaded *both);
void *pkey_make(const struct subject *s, int side);
void pkey_unmake(void *made);

const struct pkey_type *pkey_type(const struct run *r);
const struct pair *pkey_pair(const struct run *r, size_t index);
OSSL_LIB_CTX *pkey_libctx(void);
const char *pkey_properties(const struct run *r);
struct kit *pkey_kit(const struct run *r);
/* pkey_release returns OpenSSL's release as a number: 305 for 3.5. */
unsigned pkey_release(void);
/* pkey_pick draws one of the keys, which may be NULL. */
EVP_PKEY **pkey_pick(struct run *r);
/* pkey_bit is the fact that a key was decoded: it is one of the default provider's on both sides.
 */
unsigned pkey_bit(const struct run *r, EVP_PKEY *const *place);
/* pkey_keep puts a key in place of another one. */
void pkey_keep(struct run *r, EVP_PKEY **place, EVP_PKEY *made, int decoded);
/* pkey_restart makes the random generator of both sides begin anew. */
void pkey_restart(const struct run *r);
/* pkey_say adds bytes to the answer, long ones as a sum of them. */
void pkey_say(struct result *out, const void *bytes, size_t len);
/* pkey_said adds what a call returned, and a provider's last reason if it failed. */
void pkey_said(struct result *out, int returned);

void do_equal(struct run *r, struct result *out);
void do_check(struct run *r, struct result *out);

/* ---- pkey_ops.c ---- */

void do_derive(struct run *r, struct result *out);
void do_begin(struct run *r, struct result *out);
void do_sign(struct run *r, struct result *out);
void do_message(struct run *r, struct result *out);
void do_kem(struct run *r, struct result *out);

/* ---- pkey_code.c: encoders and decoders ---- */

void do_code(struct run *r, struct result *out);
void do_facts(struct run *r, struct result *out);
void do_raw_get(struct run *r, struct result *out);
void do_lists(struct run *r, struct result *out);

#endif
