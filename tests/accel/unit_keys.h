/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of every row of public key that can be lent, with jobs whose results are known. */
#ifndef HR_UNIT_KEYS_H
#define HR_UNIT_KEYS_H

#include "../test.h"
#include <headrace/accel.h>
#include <headrace/rsa.h>
#include <stdbool.h>

enum { PAIR_MOST = 8192, MOST_PAIRS = 48 };

/* A key, a job under it, and the job that undoes that one, if there is one. */
struct pair {
    const struct hr_algorithm *row;
    union {
        struct hr_rsa_key rsa;
        struct hr_sign_key sign;
        struct hr_agree_key agree;
        struct hr_kem_key kem;
    } key;
    struct hr_rsa_parts parts; /* of RSA; else the private key, and its length */
    uint8_t room[8][512], bytes[5000];
    size_t bytes_len;
    union {
        struct hr_rsa_options rsa;
        struct hr_sign_options sign;
    } options;
    uint64_t handle;
    struct hr_job job, back; /* back.key is NULL: there is none */
    bool is_random;          /* the result differs each time, and only `back` tells whether it is
                              * right */
    uint8_t in[PAIR_MOST], tag[PAIR_MOST], out[PAIR_MOST]; /* of job; `back` reads these */
    uint8_t want[PAIR_MOST], back_tag[PAIR_MOST], want_back[PAIR_MOST];
    size_t want_len, want_back_len;
};

extern struct pair *pairs;
extern size_t num_pairs;

/* pairs_make makes keys: of RSA from a file of tests/pk, of others from numbers.  A build without
 * code for a row leaves it out. */
void pairs_make(const char *rsa_keys);
/* pairs_lend lends all keys to the service. */
void pairs_lend(void);
/* pair_check runs a pair's jobs by `run`, and complains of wrong results. */
void pair_check(struct pair *p, int (*run)(struct hr_job *job));

#endif
