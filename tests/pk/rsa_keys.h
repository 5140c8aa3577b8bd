/* SPDX-License-Identifier: Apache-2.0 */
/* Private keys of RSA for tests of many operations: the first of each length in files of lines as
 * rsa.c says. */
#ifndef HR_RSA_KEYS_H
#define HR_RSA_KEYS_H

#include "rsa/rsa.h"
#include "test.h"

enum { MOST_KEYS = 16 };
extern struct hr_rsa_key keys[MOST_KEYS], public_keys[MOST_KEYS];
extern size_t num_keys;

static inline const struct rsa_key *inner(const struct hr_rsa_key *key)
{
    return (const struct rsa_key *)key;
}

/* read_keys reads the files of a list that NULL ends.  Returns the number of keys. */
size_t read_keys(char **names);

#endif
