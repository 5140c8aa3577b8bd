/* SPDX-License-Identifier: Apache-2.0 */
/* What the test of direct calls shares: a battery of calls, which says all that a caller can see of
 * each.  The same program runs with and without the preloaded library: what it says must be the
 * same, to the byte. */
#ifndef HR_TEST_DIRECT_H
#define HR_TEST_DIRECT_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Where this thread says it, and its source of bytes. */
extern __thread FILE *out;
extern __thread uint64_t seed;

/* A program that finds nothing to test has failed. */
#define MUST(condition)                                                     \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(2);                                                        \
        }                                                                   \
    } while (0)

uint64_t random_number(void);
void random_bytes(void *bytes, size_t len);
/* A hash of what a call wrote, or did not. */
uint64_t seen(const void *bytes, size_t len);
/* Says and empties the error queue. */
void say_errors(void);

void digest_calls(void);
void mac_calls(void);
void kdf_calls(void);
void aes_calls(void);
/* All of them, under this seed. */
void battery(uint64_t with);
/* Other threads run batteries too: OpenSSL has one place for all that give none. */
extern int threads_run;

/* EVP_MDs to be called with: OpenSSL's own and fetched ones, of this context and another. */
enum { MAX_TYPES = 40 };
struct type {
    const EVP_MD *md;
    const char *name;
};
extern struct type types[MAX_TYPES];
extern size_t num_types;
void types_init(void);

#endif
