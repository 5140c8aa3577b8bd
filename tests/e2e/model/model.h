/* SPDX-License-Identifier: Apache-2.0 */
/* Random models: OpenSSL's provider (side 0) and ours (side 1) get the same random calls, with
 * parameters of any kind in any state, and must answer alike.  A model has steps, and a list of
 * differences that stay, each with its reason. */
#ifndef HR_TEST_MODEL_H
#define HR_TEST_MODEL_H

#include "../evp.h"
#include <openssl/core_names.h>
#include <openssl/params.h>

enum { THEIR_SIDE, OUR_SIDE, MAX_OUT = 1024, MAX_TEXT = 8192, MAX_PARAMS = 5 };

/* struct result is one side's answer: what the call returned, the last reason that a provider gave,
 * and the output. */
struct result {
    int ok;
    unsigned long reason;
    size_t len;
    unsigned char out[MAX_OUT];
};

/* struct run is a sequence of steps on a context of either side. */
struct run {
    const struct model *model;
    const struct subject *subject;
    void *ctx[2];
    int side;
    uint64_t random; /* of the step: the same on both sides */
    unsigned facts;  /* of the model; a new sequence begins with none */
    unsigned before; /* the facts before the step */
    unsigned char key[64], iv[128];
    int enc;
    size_t waiting; /* bytes that a block mode holds back */
    size_t text_len;
    char text[MAX_TEXT]; /* the calls so far, with their arguments */
};

/* struct subject is an algorithm of both sides. */
struct subject {
    char name[64];
    const struct hr_algorithm *row; /* NULL: several */
    void *alg[2];
    uint64_t seed;
};

/* A step makes one call, or a few, on the side r->side.  It may draw from r->random, but on both
 * sides the same: nothing may depend on an answer. */
struct step {
    const char *name;
    void (*run)(struct run *r, struct result *out);
    int weight;
};

/* struct difference is one that stays.  The sequence ends there, since the states differ. */
struct difference {
    const char *why;
    int (*holds)(const struct run *r, const struct step *step, const struct result res[2]);
    unsigned long count;
};

struct model {
    const char *name;
    size_t (*subjects)(const struct loaded *both, struct subject out[], size_t most);
    void *(*make)(const struct subject *s, int side);
    void (*unmake)(void *ctx);
    const struct step *steps;
    const struct difference *differences; /* both end with an entry of zeroes */
    int is_slow;                          /* a quarter of the sequences is run */
};
extern const struct model cipher_model, digest_model, mac_model, kdf_model, pkey_model, rsa_model,
    ffc_model;
enum { MAX_SUBJECTS = 80, MAX_DIFFERENCES = 40 };

/* ---- model.c: what steps use ---- */

size_t below(struct run *r, size_t limit);
/* note adds to the text of the calls. */
void note(struct run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- params.c ---- */

/* struct random_params is a list of random parameters with its memory. */
struct random_params {
    OSSL_PARAM list[MAX_PARAMS + 1];
    uint64_t numbers[MAX_PARAMS];
    unsigned char octets[MAX_PARAMS][160];
};

/* struct kind is a parameter that a model sets: its usual type, and its usual values, which end
 * with -1.  For octets they are lengths. */
struct kind {
    const char *key;
    unsigned type;
    const int *values;
    const char *const *texts; /* of a string, ending with NULL */
    int bounded;              /* no other values: they would take years */
};

/* pick_params draws one to three parameters of a table that ends with an entry of zeroes. */
const OSSL_PARAM *pick_params(struct run *r, struct random_params *out, const struct kind kinds[]);

#endif
