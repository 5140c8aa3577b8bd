/* SPDX-License-Identifier: Apache-2.0 */
/* sha1(3EXT): SHA-1, FIPS 180-4.  Broken for signatures.  See headrace-libmd(7). */
#ifndef HEADRACE_SOLARIS_SHA1_H
#define HEADRACE_SOLARIS_SHA1_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHA1_DIGEST_LENGTH 20

typedef struct {
    uint32_t state[5];
    uint64_t count; /* bits */
    uint8_t buf[64];
} SHA1_CTX;

void SHA1Init(SHA1_CTX *context);
void SHA1Update(SHA1_CTX *context, const void *input, size_t inlen);
/* Writes 20 bytes and zeroes the context. */
void SHA1Final(void *output, SHA1_CTX *context);

#ifdef __cplusplus
}
#endif

#endif
