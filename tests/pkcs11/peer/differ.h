/* SPDX-License-Identifier: Apache-2.0 */
/* The same random calls to two modules of PKCS#11, whose answers must be the same. */
#ifndef HR_TEST_P11_DIFFER_H
#define HR_TEST_P11_DIFFER_H

#include "../p11.h"

/* ---- two modules ---- */

enum { OURS, THEIRS, NUM_SIDES, ROOM = 2048 };
struct side {
    const functions *f;
    CK_SLOT_ID slot;
    CK_SESSION_HANDLE keeper, s; /* the keeper's objects stay when the calls' session ends */
};
extern struct side sides[NUM_SIDES];

struct answer {
    CK_RV rv;
    CK_ULONG len;
    uint8_t bytes[ROOM];
};
extern struct answer answers[NUM_SIDES];

/* ON_BOTH makes a statement for each side x, whose functions p11 has. */
#define ON_BOTH for (int x = 0; x < NUM_SIDES && use(x); x++)
int use(int x);
/* note writes a line about the next call, which a complaint shows. */
void note(const char *format, ...) PRINTF(1, 2);
/* settle compares what both sides returned for a call of a mechanism ("" for none). It returns 0
 * if they differ, which is a complaint unless the table of differences has it: then sessions are
 * not in the same state, and renew makes new ones. */
int settle(const char *call, const char *method);
/* settle_bytes compares what both sides gave out, after settle. */
void settle_bytes(const char *call, const char *method, const struct answer *both);
/* complain_with_notes complains of something else, and shows the calls before. */
void complain_with_notes(const char *format, ...) PRINTF(1, 2);
void renew(void);
int one_in(uint32_t n);

/* ---- keys that both sides have ---- */

enum key_set { NO_KEY, KEY_AES, KEY_DES3, KEY_SECRET, KEY_RSA, KEY_EC, KEY_ED };
struct key {
    enum key_set set;
    const char *name;
    CK_KEY_TYPE type;
    size_t len;                           /* of a secret key */
    CK_OBJECT_HANDLE secret[NUM_SIDES];   /* or the private key */
    CK_OBJECT_HANDLE public[NUM_SIDES];   /* or the secret key once more */
    CK_OBJECT_HANDLE wrapping[NUM_SIDES]; /* a secret key for wrapping only */
};
enum { MAX_KEYS = 16 };
extern struct key keys[MAX_KEYS];
extern size_t num_keys;
void keys_make(void);
/* key_in returns a random key of a set. */
const struct key *key_in(enum key_set set);

/* ---- random sequences ---- */

void try_text(void);     /* text.c: encryption and decryption, digests, signatures */
void try_wrapping(void); /* objects.c */
void try_derivation(void);
void try_attributes(void);
void try_creation(void);

#endif
