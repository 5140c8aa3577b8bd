/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of public key through EVP, on one side of struct sides, as contenders of race.h.
 */
#ifndef PK_H
#define PK_H

#include "ways.h"

enum { PK_MESSAGE = 64, PK_MOST = 50176, PK_MOST_OPERATIONS = 6 };

/* One side's key of a row, and what the operations read and write. */
struct pk_side {
    const struct hr_algorithm *row;
    const struct openssl *ssl;
    OSSL_LIB_CTX *libctx;
    const char *properties, *group, *digest; /* group, digest: NULL where there is none */
    char type[64];
    EVP_PKEY *key;
    OSSL_PARAM *pair, *public; /* the parts of the key that are imported */
    EVP_PKEY_CTX *importer, *deriver, *sealer, *opener;
    EVP_MD_CTX *md;
    uint8_t message[PK_MESSAGE], sig[PK_MOST], secret[PK_MOST];
    size_t sig_len;
    bool failed;
};

/* An operation of a class.  Those whose name begins with "import" import the key each time; those
 * of a class are in an order in which each finds what those before it made. */
struct pk_operation {
    enum hr_class cls;
    const char *name;
    void (*run)(void *side, uint64_t n);
};
enum { NUM_PK_OPERATIONS = 24 };
extern const struct pk_operation pk_operations[NUM_PK_OPERATIONS];

/* The operation of a class with this name, or NULL. */
const struct pk_operation *pk_operation_named(enum hr_class cls, const char *name);

/* Makes a key and contexts for it: of Headrace's provider, or of OpenSSL's.  Returns false if that
 * has no such keys.  pk_close is called in either case. */
bool pk_open(struct pk_side *side, const struct hr_algorithm *row, const struct sides *sides,
             bool ours);
void pk_close(struct pk_side *side);

#endif
