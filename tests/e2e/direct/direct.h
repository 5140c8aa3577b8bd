/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the parts of the test of one-shot calls share: a battery of calls that prints
 * everything which a caller can see of each call. The same program runs with and without the
 * preloaded library, and must print the same, to the byte. */
#ifndef HR_TEST_DIRECT_H
#define HR_TEST_DIRECT_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/core_dispatch.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Where this thread prints, and the state of its random numbers. */
extern __thread FILE *out;
extern __thread uint64_t seed;

/* MUST ends the program with status 2 if the condition is false. */
#define MUST(condition)                                                     \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(2);                                                        \
        }                                                                   \
    } while (0)

uint64_t random_number(void);
void random_bytes(void *bytes, size_t len);
/* seen returns a hash of a buffer that a call may have written to. */
uint64_t seen(const void *bytes, size_t len);
/* say_errors prints and empties OpenSSL's error queue. */
void say_errors(void);

void digest_calls(void);
void mac_calls(void);
void kdf_calls(void);
void aes_calls(void);
/* hmac_calls calls HMAC_CTX's functions, after hmac_init; some with the engine named_engine. */
void hmac_init(void);
void hmac_calls(void);
void iterated_hmac(void);
extern ENGINE *named_engine;
/* battery makes all of these calls, with this seed for the random numbers. */
void battery(uint64_t with);
/* Set while several threads run batteries: then the shared buffer that OpenSSL returns to callers
 * without one is not looked at. */
extern int threads_run;

/* The EVP_MDs that calls are made with: OpenSSL's constant ones, and ones fetched from this library
 * context and from another. */
enum { MAX_TYPES = 40 };
struct type {
    const EVP_MD *md;
    const char *name;
};
extern struct type types[MAX_TYPES];
extern size_t num_types;
void types_init(void);

/* A provider whose SHA-256 is its own, and an engine. */
int odd_provider(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                 const OSSL_DISPATCH **functions, void **ctx);
ENGINE *own_engine(void);

/* random_states is the scene in which the states of OpenSSL are random. */
void random_states(void);

#endif
