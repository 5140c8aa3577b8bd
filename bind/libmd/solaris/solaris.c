/* SPDX-License-Identifier: Apache-2.0 */
/* libmd.so.1, the Solaris form: md4(3EXT), md5(3EXT), sha1(3EXT) and sha2(3EXT). */
#include "../initial.h"
#include "../merkle.h"
#include <solaris/md4.h>
#include <solaris/md5.h>
#include <solaris/sha1.h>
#include <solaris/sha2.h>

#define API __attribute__((visibility("default")))

#define LAYOUT(ctx)                                                                          \
    .size = sizeof(ctx), .state_at = offsetof(ctx, state), .count_at = offsetof(ctx, count), \
    .buf_at = offsetof(ctx, buf)
#define MD(ctx, len)                                                                   \
    LAYOUT(ctx), .state_len = (len), .out_len = (len), .block_len = 64, .word_len = 4, \
                 .count_len = 8, .init = initial_md
#define SHA2_32(len, sym)                                                                \
    LAYOUT(SHA2_CTX), .state_len = 32, .out_len = (len), .block_len = 64, .word_len = 4, \
                      .count_len = 8, .init = initial_##sym, .blocks = sha256_blocks
#define SHA2_64(len, sym)                                                                 \
    LAYOUT(SHA2_CTX), .state_len = 64, .out_len = (len), .block_len = 128, .word_len = 8, \
                      .count_len = 16, .init = initial_##sym, .blocks = sha512_blocks

/* clang-format off */
static const struct md_kind
    MD4_kind = { MD(MD4_CTX, 16), .little = 1, .blocks = md4_blocks, .counted = NOT_COUNTED },
    MD5_kind = { MD(MD5_CTX, 16), .little = 1, .blocks = md5_blocks, .counted = COUNT_MD5 },
    SHA1_kind = { MD(SHA1_CTX, 20), .blocks = sha1_blocks, .counted = COUNT_SHA1 };

/* sha2_kinds is indexed by algotype; 0 is no algorithm. */
static const struct md_kind sha2_kinds[] = {
    [SHA224] = { SHA2_32(28, sha224), .counted = COUNT_SHA224 },
    [SHA256] = { SHA2_32(32, sha256), .counted = COUNT_SHA256 },
    [SHA384] = { SHA2_64(48, sha384), .counted = COUNT_SHA384 },
    [SHA512] = { SHA2_64(64, sha512), .counted = COUNT_SHA512 },
    [SHA512_224] = { SHA2_64(28, sha512_224), .counted = COUNT_SHA512_224 },
    [SHA512_256] = { SHA2_64(32, sha512_256), .counted = COUNT_SHA512_256 },
};
/* clang-format on */

#define DEFINE_CALLS(NAME, kind, ...)                                           \
    API void NAME##Init(NAME##_CTX *context)                                    \
    {                                                                           \
        md_init(kind, (uint8_t *)context);                                      \
        __VA_ARGS__;                                                            \
    }                                                                           \
    API void NAME##Update(NAME##_CTX *context, const void *input, size_t inlen) \
    {                                                                           \
        md_update(kind, (uint8_t *)context, input, inlen);                      \
    }                                                                           \
    API void NAME##Final(void *output, NAME##_CTX *context)                     \
    {                                                                           \
        md_final(kind, output, (uint8_t *)context);                             \
    }

DEFINE_CALLS(MD4, &MD4_kind)
DEFINE_CALLS(MD5, &MD5_kind)
DEFINE_CALLS(SHA1, &SHA1_kind)
DEFINE_CALLS(SHA224, &sha2_kinds[SHA224], context->algotype = SHA224)
DEFINE_CALLS(SHA256, &sha2_kinds[SHA256], context->algotype = SHA256)
DEFINE_CALLS(SHA384, &sha2_kinds[SHA384], context->algotype = SHA384)
DEFINE_CALLS(SHA512, &sha2_kinds[SHA512], context->algotype = SHA512)

API void md5_calc(void *output, const void *input, size_t inlen)
{
    MD5_CTX context;
    MD5Init(&context);
    MD5Update(&context, input, inlen);
    MD5Final(output, &context);
}

/* ---- any SHA-2 ---- */

static const struct md_kind *kind_of(uint64_t mech)
{
    return mech && mech < COUNT(sha2_kinds) ? &sha2_kinds[mech] : NULL;
}

API void SHA2Init(uint64_t mech, SHA2_CTX *context)
{
    const struct md_kind *kind = kind_of(mech);
    context->algotype = kind ? (uint32_t)mech : 0;
    if (kind)
        md_init(kind, (uint8_t *)context);
}

API void SHA2Update(SHA2_CTX *context, const void *input, size_t inlen)
{
    const struct md_kind *kind = kind_of(context->algotype);
    if (kind)
        md_update(kind, (uint8_t *)context, input, inlen);
}

API void SHA2Final(void *output, SHA2_CTX *context)
{
    const struct md_kind *kind = kind_of(context->algotype);
    if (kind)
        md_final(kind, output, (uint8_t *)context);
}
