/* SPDX-License-Identifier: Apache-2.0
 *
 * The ways of calling an algorithm that are timed beside each other, each as a contender.
 */
#ifndef WAYS_H
#define WAYS_H

#include "openssl.h"
#include "timing.h"
#include "tool.h"
#include <headrace/headrace.h>

/* One libcrypto with two library contexts, so that neither the machine's configuration nor the
 * other side decides who serves a call. */
struct sides {
    const struct openssl *ssl;
    OSSL_LIB_CTX *stock; /* the default provider, and the legacy one where it is installed */
    OSSL_LIB_CTX *ours;  /* Headrace beside it */
    OSSL_PROVIDER *providers[6]; /* those that were loaded */
};

/* `libcrypto` NULL: the system's; `module_dir` NULL: where headrace.so is found (see
 * module.h).  Prints why it failed; returns an exit code. */
int sides_open(struct sides *sides, const char *libcrypto, const char *module_dir);
void sides_close(struct sides *sides);
/* Whether OpenSSL has the row itself: there is none of DES in CTR mode, for instance. */
bool sides_compare(const struct sides *sides, const struct hr_algorithm *row);

enum way {
    WAY_DIRECT,  /* hr_aes_128_cbc_encrypt(), hr_sha256(), hr_hmac_sha256() */
    WAY_OURS,    /* EVP with our provider: fetched object, kept context, a new IV a message */
    WAY_OPENSSL, /* the same with the default provider */
    WAY_NAIVE,   /* OpenSSL as much code calls it: EVP_aes_128_cbc() and a new context, HMAC() */
    NUM_WAYS
};
extern const char *const way_names[NUM_WAYS]; /* for --json */

/* One call of one algorithm and direction, in several ways. */
struct cell {
    const struct hr_algorithm *row;
    enum hr_op op; /* key derivation: which of the digests, for cell_mac() */
    size_t size;   /* a message's bytes, or what else cell_unit() says */
};

enum { NUM_SIZES = 6, MAX_DIRECTIONS = 4 };
/* What a cell's size counts, and in what its figures are told. */
struct cell_unit {
    const char *name;        /* "bytes", "iterations" */
    size_t sizes[NUM_SIZES]; /* that everything is measured at */
    const char *heading;     /* of the column of sizes */
    const char *time, *rate, *ticks;
    double time_ns, rate_per_s; /* the unit of time, in ns; that of rates, in sizes a second */
    const char *json_rate, *json_ticks;
};
/* What the cells of an operation count: a cell's size is not looked at. */
const struct cell_unit *cell_unit(const struct cell *cell);

/* Directions that are measured: 2 for ciphers and AEADs, a digest of each kind for key derivation,
 * else 1. */
static inline unsigned cell_directions(const struct hr_algorithm *row)
{
    static const uint8_t directions[] = { [HR_CLASS_DIGEST] = 1, [HR_CLASS_MAC] = 1,
                                          [HR_CLASS_CIPHER] = 2, [HR_CLASS_KDF] = MAX_DIRECTIONS,
                                          [HR_CLASS_AEAD] = 2,   [HR_CLASS_NMAC] = 1,
                                          [HR_CLASS_XTS] = 2 };
    return directions[row->cls];
}
/* "hash", "mac", "iterate", "encrypt", "decrypt", "lanes"; the digest of a key derivation. */
const char *cell_direction(const struct cell *cell);
/* The HMAC that a key derivation is measured over: one for each compression function. */
hr_alg cell_mac(const struct cell *cell);
/* It has the first so many of enum way: OpenSSL has no checksums, and lacks other rows. */
enum way cell_num_ways(const struct cell *cell, const struct sides *sides);

/* A way set up for a cell. */
struct call {
    struct contender contender;
    uint8_t *out; /* its output, out_len bytes */
    size_t out_len;
};

/* 0, or prints why not and returns an exit code; end with call_close then, too. */
int call_open(struct call *call, const struct cell *cell, enum way way, const struct sides *sides);
/* The i-th kernel of the cell's operation. */
int call_open_kernel(struct call *call, const struct cell *cell, size_t i);
void call_close(struct call *call);

#endif
