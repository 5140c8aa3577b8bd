/* SPDX-License-Identifier: Apache-2.0
 *
 * The ways of calling an algorithm that are compared, each as a contender of race.h.
 */
#ifndef WAYS_H
#define WAYS_H

#include "../cli/openssl.h"
#include "../cli/tool.h"
#include "race.h"
#include <headrace/classes.h>

/* One libcrypto with two library contexts, so that neither the machine's configuration nor the
 * other side determines which provider serves a call. */
struct sides {
    const struct openssl *ssl;
    OSSL_LIB_CTX *stock;         /* the default provider, and the legacy one if it is installed */
    OSSL_LIB_CTX *ours;          /* the default provider and Headrace */
    OSSL_PROVIDER *providers[6]; /* the providers that were loaded */
};

/* Opens both contexts. `libcrypto` NULL: the system's; `module_dir` NULL: where headrace.so is
 * found (see module.h). Returns an exit code; prints an error on failure. */
int sides_open(struct sides *sides, const char *libcrypto, const char *module_dir);
void sides_close(struct sides *sides);
/* Whether OpenSSL has the row itself. For instance, it has no DES in CTR mode. */
bool sides_compare(const struct sides *sides, const struct hr_algorithm *row);

enum way {
    WAY_DIRECT, /* hr_aes_128_cbc_encrypt(), hr_sha256(), hr_hmac_sha256() */
    WAY_OURS,   /* EVP with our provider: fetched object, kept context, a new IV for each message */
    WAY_OPENSSL, /* the same with the default provider */
    WAY_NAIVE,   /* OpenSSL as many programs use it: EVP_aes_128_cbc() and a new context, HMAC() */
    WAY_PEER = WAY_NAIVE, /* instead, of public key in lanes: crypto_mb */
    NUM_WAYS,
    /* measured by p11/ only: messages through our PKCS#11 module, through another one, and under
     * keys of the accelerator's service, by our module */
    WAY_PKCS11 = NUM_WAYS,
    WAY_MODULE,
    WAY_SERVICE,
    ALL_WAYS
};

/* One algorithm, direction and message size, which is measured in several ways. */
struct cell {
    const struct hr_algorithm *row;
    enum hr_op op; /* for key derivation: the number of the digest, see ways_cell_mac(); for
                    * public key: the number of the operation, see ways_pk.c */
    size_t size;   /* bytes of a message, or another unit, see ways_cell_unit() */
    bool lanes;    /* public key: so many operations at once, by one call or one by one */
};

/* The name of a way in the output of --json; `cell` may be NULL, except for WAY_PEER. */
const char *ways_name(const struct cell *cell, enum way way);

enum { NUM_SIZES = 6, MAX_DIRECTIONS = 4 };
/* The unit that a cell's size is counted in, and the units of its results. */
struct ways_cell_unit {
    const char *name;        /* "bytes", "iterations" */
    size_t sizes[NUM_SIZES]; /* sizes that are measured, up to the first 0 */
    const char *heading;     /* heading of the column of sizes */
    const char *time, *rate, *ticks;
    double time_ns, rate_per_s; /* unit of time in ns; unit of rates in sizes per second */
    const char *json_rate, *json_ticks;
};
/* The unit for a cell's operation; the cell's size is not used. */
const struct ways_cell_unit *ways_cell_unit(const struct cell *cell);

/* Whether jobs have a public-key cell's operation, so that several may share lanes. */
bool ways_cell_has_lanes(const struct cell *cell);

/* The number of sizes that are measured for a cell's operation. */
size_t ways_cell_num_sizes(const struct cell *cell);

/* The number of directions that calibration measures: the number of the kernels' operations, 2 for
 * ciphers and AEADs, but 1 for HMAC; for key derivation, the number of digests. */
static inline unsigned cell_directions(const struct hr_algorithm *row)
{
    const unsigned num = (unsigned)hr_num_ops(row->alg);
    return row->digest ? 1 : num ? num : MAX_DIRECTIONS;
}
/* The same, and of public key the number of operations. */
unsigned ways_num_directions(const struct hr_algorithm *row);
/* "hash", "mac", "iterate", "encrypt", "decrypt", "sign" or "lanes"; for key derivation, the name
 * of the digest. */
const char *ways_cell_direction(const struct cell *cell);
/* The HMAC with which a key derivation is measured: one for each compression function. */
hr_alg ways_cell_mac(const struct cell *cell);
/* The number of ways that a cell has, the first ones of enum way. OpenSSL has no checksums, and
 * lacks other rows. */
enum way ways_cell_num_ways(const struct cell *cell, const struct sides *sides);

/* A way that is set up for a cell. */
struct call {
    struct contender contender;
    uint8_t *out; /* the call's output, out_len bytes */
    size_t out_len;
};

/* Sets up a call and runs it once. Returns 0, or prints an error and returns an exit code, or -1
 * for a peer whose results are wrong. ways_call_close must be called in all cases. */
int ways_call_open(struct call *call, const struct cell *cell, enum way way,
                   const struct sides *sides);
/* Sets up the i-th kernel of the cell's operation. */
int ways_call_open_kernel(struct call *call, const struct cell *cell, size_t i);
void ways_call_close(struct call *call);

#endif
