/* SPDX-License-Identifier: Apache-2.0
 *
 * crypto_mb of Intel's Cryptography Primitives Library, as a peer of `headrace speed --lanes`: it
 * computes eight operations of public key at once by IFMA.  It is opened where it is installed,
 * and nothing of it is built in.
 */
#ifndef CRYPTO_MB_H
#define CRYPTO_MB_H

#include "ways_pk.h"
#include <openssl/core.h>

/* Its version if it is installed and fits this CPU, as far as Headrace may use that; else NULL, and
 * *reason says why not. */
const char *crypto_mb_version(const char **reason);

/* Whether it has an operation of a row, by the operation's name in ways_pk.c. */
bool crypto_mb_has(const struct hr_algorithm *row, const char *operation);

/* Prepares an operation that was run before: as many of it at once as num, rounded up to eight.
 * `pair` has the numbers of a key of RSA or DH.  Returns NULL, and prints a line, if its results
 * are not those of `direct`. */
struct crypto_mb *crypto_mb_open(const struct direct *direct, const char *operation,
                                 const OSSL_PARAM *pair, size_t num);
/* Runs them n times.  ctx is a struct crypto_mb. */
void crypto_mb_run(void *ctx, uint64_t n);
bool crypto_mb_failed(const struct crypto_mb *mb);
void crypto_mb_close(struct crypto_mb *mb);

#endif
