/* SPDX-License-Identifier: Apache-2.0 */
/* md5(3EXT): MD5, RFC 1321.  Broken for signatures.  See headrace-libmd(7). */
#ifndef HEADRACE_SOLARIS_MD5_H
#define HEADRACE_SOLARIS_MD5_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MD5_DIGEST_LENGTH 16

typedef struct {
    uint32_t state[4];
    uint64_t count; /* bits */
    uint8_t buf[64];
} MD5_CTX;

void MD5Init(MD5_CTX *context);
void MD5Update(MD5_CTX *context, const void *input, size_t inlen);
/* Writes 16 bytes and zeroes the context. */
void MD5Final(void *output, MD5_CTX *context);
/* The same for one message. */
void md5_calc(void *output, const void *input, size_t inlen);

#ifdef __cplusplus
}
#endif

#endif
