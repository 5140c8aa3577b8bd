/* SPDX-License-Identifier: Apache-2.0 */
/* md4(3EXT): MD4, RFC 1320.  Broken: for old formats only.  See headrace-libmd(7). */
#ifndef HEADRACE_SOLARIS_MD4_H
#define HEADRACE_SOLARIS_MD4_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MD4_DIGEST_LENGTH 16

typedef struct {
    uint32_t state[4];
    uint64_t count; /* bits */
    uint8_t buf[64];
} MD4_CTX;

void MD4Init(MD4_CTX *context);
void MD4Update(MD4_CTX *context, const void *input, size_t inlen);
/* Writes 16 bytes and zeroes the context. */
void MD4Final(void *output, MD4_CTX *context);

#ifdef __cplusplus
}
#endif

#endif
