/* SPDX-License-Identifier: Apache-2.0
 *
 * A private key that this program makes and may lend to the accelerator's service.
 */
#ifndef MEASURE_LENT_KEY_H
#define MEASURE_LENT_KEY_H

#include "../bench.h"
#include "../pk.h"
#include "../speed_numbers.h"
#include <headrace/headrace.h>
#include <headrace/queue.h>

/* LENT_TAG: bytes of the longest result of the unit */
enum { LENT_DIGEST = 32, LENT_TAG = 5120 };

struct lent_key {
    const struct hr_algorithm *row;
    union {
        struct hr_rsa_key rsa;
        struct hr_sign_key sign;
        struct hr_agree_key agree;
    } key;
    struct speed_rsa numbers; /* RSA */
    struct pk_side *openssl;  /* the same key of OpenSSL; NULL: it is none of RSA */
    uint8_t bytes[8192];      /* the private key, if it is none of RSA */
    uint8_t in[256];          /* a digest, or of agreement a public key */
    size_t len, in_len;
};

/* Makes a key of RSA, signatures or agreement, of OpenSSL's numbers if it is one of RSA. Returns
 * NULL on failure, or if the row is of another class. */
struct lent_key *lent_key_make(const struct hr_algorithm *row, const struct bench_sides *sides);
/* Lends it for as long as the process has a queue that is connected. Returns 0 or HR_E.... */
int lent_key_lend(uint64_t *handle, const struct lent_key *key);
/* Returns a job of the row's first operation, whose result goes to `tag`, of LENT_TAG bytes. */
struct hr_job lent_key_job(const struct lent_key *key, uint64_t handle, uint8_t *tag);
void lent_key_close(struct lent_key *key); /* NULL is allowed */

#endif
