/* SPDX-License-Identifier: Apache-2.0 */
/* sha2(3EXT): SHA-2, FIPS 180-4.  See headrace-libmd(7). */
#ifndef HEADRACE_SOLARIS_SHA2_H
#define HEADRACE_SOLARIS_SHA2_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHA224_DIGEST_LENGTH 28
#define SHA256_DIGEST_LENGTH 32
#define SHA384_DIGEST_LENGTH 48
#define SHA512_DIGEST_LENGTH 64
#define SHA512_224_DIGEST_LENGTH 28
#define SHA512_256_DIGEST_LENGTH 32

/* Values of SHA2Init's mech, and of algotype then; 0, as of a context that has ended, is none. */
#define SHA224 1
#define SHA256 2
#define SHA384 3
#define SHA512 4
#define SHA512_224 5
#define SHA512_256 6

typedef struct {
    uint32_t algotype;
    union {
        uint32_t s32[8]; /* SHA-224, SHA-256 */
        uint64_t s64[8];
    } state;
    uint64_t count[2]; /* bits, the lower half first */
    uint8_t buf[128];
} SHA2_CTX;

typedef SHA2_CTX SHA224_CTX;
typedef SHA2_CTX SHA256_CTX;
typedef SHA2_CTX SHA384_CTX;
typedef SHA2_CTX SHA512_CTX;

/* Any of them; with another mech the context takes no input and gives no output. */
void SHA2Init(uint64_t mech, SHA2_CTX *context);
void SHA2Update(SHA2_CTX *context, const void *input, size_t inlen);
/* Writes the digest, as long as mech says, and zeroes the context. */
void SHA2Final(void *output, SHA2_CTX *context);

void SHA224Init(SHA224_CTX *context);
void SHA224Update(SHA224_CTX *context, const void *input, size_t inlen);
void SHA224Final(void *output, SHA224_CTX *context);

void SHA256Init(SHA256_CTX *context);
void SHA256Update(SHA256_CTX *context, const void *input, size_t inlen);
void SHA256Final(void *output, SHA256_CTX *context);

void SHA384Init(SHA384_CTX *context);
void SHA384Update(SHA384_CTX *context, const void *input, size_t inlen);
void SHA384Final(void *output, SHA384_CTX *context);

void SHA512Init(SHA512_CTX *context);
void SHA512Update(SHA512_CTX *context, const void *input, size_t inlen);
void SHA512Final(void *output, SHA512_CTX *context);

#ifdef __cplusplus
}
#endif

#endif
