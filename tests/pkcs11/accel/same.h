/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of the test that compares the accelerator's slot with the token of the process. */
#ifndef HR_TEST_PKCS11_SAME_H
#define HR_TEST_PKCS11_SAME_H

#include "accel.h"

enum { SIDES = 2, THERE = 0, HERE = 1, MAX_TEXT = 600 };

/* A side is a slot: that of the service, and that of this process. */
struct side {
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE key, public; /* public: of a pair, or a secret key again */
};
extern struct side sides[SIDES];

/* A secret key of both sides. */
struct twin {
    const struct hr_algorithm *row;
    const struct family *family;
    CK_OBJECT_HANDLE keys[SIDES];
};
/* A family is the rows of one name of PKCS#11, with their mechanisms. */
struct family {
    const char *pkcs11;
    CK_MECHANISM_TYPE types[2]; /* the second one: with padding, or a length; or 0 */
    CK_KEY_TYPE key_type;
    void (*try)(const struct twin *twin);
};
extern const struct family families[];
extern const size_t num_families;

/* A way is how a message is processed, the same on both sides. */
struct way {
    bool is_whole, asks, in_place, is_first, drops_null;
    CK_ULONG room; /* of a first call, which may be too small; CK_UNAVAILABLE_INFORMATION: none */
    CK_ULONG cuts[8]; /* ascending ends of pieces */
    size_t num_cuts;
};
struct way some_way(size_t len);

/* An outcome is what its calls returned and wrote. */
struct outcome {
    CK_RV init, query, small, rv, after;
    CK_ULONG asked, needed, len;
    uint8_t bytes[ROOM];
};
/* same complains of outcomes that differ, and tells whether they are the same success. */
bool same(const char *what, CK_MECHANISM_TYPE type, const struct outcome outcomes[SIDES]);
/* use makes a key of both sides the one that is used, use_twin the secret key of a row.  It returns
 * the key's name there, which is valid until the next call. */
void use(const CK_OBJECT_HANDLE keys[SIDES]);
const char *use_twin(const char *row);
/* one_in tells by chance, one time in n. */
bool one_in(uint32_t n);
/* some_len returns the length of a text. */
size_t some_len(void);

/* ---- same_texts.c ---- */

void try_cipher(const struct twin *twin);
void try_aead(const struct twin *twin);

/* ---- same_messages.c ---- */

void try_messages(const struct twin *twin);

/* ---- same_signatures.c ---- */

void run_sign(struct outcome *o, const struct side *x, CK_MECHANISM mechanism,
              const struct way *way, uint8_t *in, size_t len);
void run_verify(struct outcome *o, const struct side *x, CK_MECHANISM mechanism,
                const struct way *way, uint8_t *in, size_t len, uint8_t *sig, size_t sig_len);
void try_mac(const struct twin *twin);

/* ---- same_pairs.c ---- */

/* pairs_write writes the files of pairs of keys, and pairs_begin finds them. */
void pairs_write(void);
void pairs_begin(void);
void pairs_try(unsigned rounds, const char *how);
/* use_pair makes a pair of both sides the one that is used; false: the build has no such keys. */
bool use_pair(const char *name);
void pairs_remove(void);

/* ---- same_limits.c ---- */

void check_mechanisms(void);
void check_attributes(void);
void check_refusals(void);
void check_limits(void);
void check_between(void);

#endif
