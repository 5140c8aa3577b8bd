/* SPDX-License-Identifier: Apache-2.0 */
/* libmd.so.0, the BSD form: the calls of md2(3), md4(3), md5(3), rmd160(3), sha1(3) and sha2(3). */
#include "initial.h"
#include "md2.h"
#include "merkle.h"
#include "text.h"

/* ---- contexts: a public layout, the same in every libmd.so.0 ---- */

struct ctx_128 { /* MD4_CTX, MD5_CTX */
    uint32_t state[4];
    uint64_t count;
    uint8_t buf[64];
};
struct ctx_160 { /* RMD160_CTX, SHA1_CTX */
    uint32_t state[5];
    uint64_t count;
    uint8_t buf[64];
};
struct ctx_sha2 { /* SHA2_CTX; SHA-224 and SHA-256 use the first half of state and count */
    uint64_t state[8];
    uint64_t count[2];
    uint8_t buf[128];
};
static_assert(sizeof(struct ctx_128) == 88 && sizeof(struct ctx_160) == 96, "public size");
static_assert(sizeof(struct ctx_sha2) == 208 && sizeof(struct md2_ctx) == 68, "public size");

/* ---- kinds ---- */

enum {
    MD2_OUT = 16,
    MD4_OUT = 16,
    MD5_OUT = 16,
    RMD160_OUT = 20,
    SHA1_OUT = 20,
    SHA224_OUT = 28,
    SHA256_OUT = 32,
    SHA384_OUT = 48,
    SHA512_OUT = 64,
    SHA512_256_OUT = 32,
};

#define LAYOUT(ctx)                                                      \
    .size = sizeof(struct ctx), .state_at = offsetof(struct ctx, state), \
    .count_at = offsetof(struct ctx, count), .buf_at = offsetof(struct ctx, buf)
#define MD(ctx, len)                                                                   \
    LAYOUT(ctx), .state_len = (len), .out_len = (len), .block_len = 64, .word_len = 4, \
                 .count_len = 8, .pad_is_data = 1, .init = initial_md
#define SHA2_32(len, sym)                                                                \
    LAYOUT(ctx_sha2), .state_len = 32, .out_len = (len), .block_len = 64, .word_len = 4, \
                      .count_len = 8, .init = initial_##sym, .blocks = sha256_blocks
#define SHA2_64(len, sym)                                                                 \
    LAYOUT(ctx_sha2), .state_len = 64, .out_len = (len), .block_len = 128, .word_len = 8, \
                      .count_len = 16, .init = initial_##sym, .blocks = sha512_blocks

/* clang-format off */
static const struct md_kind
    MD4_kind = { MD(ctx_128, MD4_OUT), .little = 1, .blocks = md4_blocks, .counted = NOT_COUNTED },
    MD5_kind = { MD(ctx_128, MD5_OUT), .little = 1, .blocks = md5_blocks, .counted = COUNT_MD5 },
    RMD160_kind = { MD(ctx_160, RMD160_OUT), .little = 1, .blocks = rmd160_blocks,
                    .counted = NOT_COUNTED },
    SHA1_kind = { MD(ctx_160, SHA1_OUT), .blocks = sha1_blocks, .counted = COUNT_SHA1 },
    SHA224_kind = { SHA2_32(SHA224_OUT, sha224), .counted = COUNT_SHA224 },
    SHA256_kind = { SHA2_32(SHA256_OUT, sha256), .counted = COUNT_SHA256 },
    SHA384_kind = { SHA2_64(SHA384_OUT, sha384), .counted = COUNT_SHA384,
                    .always_wiped = 1 }, /* only this one, in Debian's libmd */
    SHA512_kind = { SHA2_64(SHA512_OUT, sha512), .counted = COUNT_SHA512 },
    SHA512_256_kind = { SHA2_64(SHA512_256_OUT, sha512_256), .counted = COUNT_SHA512_256 };
/* clang-format on */

/* ---- calls ---- */

#define API __attribute__((visibility("default")))

/* DEFINE_TEXT defines NAMEEnd, NAMEData, NAMEFile and NAMEFileChunk over the functions init, update
 * and final in the arguments. */
#define DEFINE_TEXT(NAME, out_len, ...)                                                 \
    static const struct md_calls NAME##_calls = { __VA_ARGS__, out_len };               \
    API char *NAME##End(void *ctx, char *buf);                                          \
    API char *NAME##Data(const uint8_t *in, size_t len, char *buf);                     \
    API char *NAME##File(const char *name, char *buf);                                  \
    API char *NAME##FileChunk(const char *name, char *buf, off_t offset, off_t length); \
    char *NAME##End(void *ctx, char *buf)                                               \
    {                                                                                   \
        return md_end(&NAME##_calls, ctx, buf);                                         \
    }                                                                                   \
    char *NAME##Data(const uint8_t *in, size_t len, char *buf)                          \
    {                                                                                   \
        return md_data(&NAME##_calls, in, len, buf);                                    \
    }                                                                                   \
    char *NAME##File(const char *name, char *buf)                                       \
    {                                                                                   \
        return md_file_chunk(&NAME##_calls, name, buf, 0, 0);                           \
    }                                                                                   \
    char *NAME##FileChunk(const char *name, char *buf, off_t offset, off_t length)      \
    {                                                                                   \
        return md_file_chunk(&NAME##_calls, name, buf, offset, length);                 \
    }

#define DEFINE_CALLS(NAME)                                           \
    API void NAME##Init(void *ctx);                                  \
    API void NAME##Update(void *ctx, const uint8_t *in, size_t len); \
    API void NAME##Pad(void *ctx);                                   \
    API void NAME##Final(uint8_t *out, void *ctx);                   \
    API void NAME##Transform(void *state, const uint8_t *block);     \
    void NAME##Init(void *ctx)                                       \
    {                                                                \
        md_init(&NAME##_kind, ctx);                                  \
    }                                                                \
    void NAME##Update(void *ctx, const uint8_t *in, size_t len)      \
    {                                                                \
        md_update(&NAME##_kind, ctx, in, len);                       \
    }                                                                \
    void NAME##Pad(void *ctx)                                        \
    {                                                                \
        md_pad(&NAME##_kind, ctx);                                   \
    }                                                                \
    void NAME##Final(uint8_t *out, void *ctx)                        \
    {                                                                \
        md_final(&NAME##_kind, out, ctx);                            \
    }                                                                \
    void NAME##Transform(void *state, const uint8_t *block)          \
    {                                                                \
        md_transform(&NAME##_kind, state, block);                    \
    }                                                                \
    DEFINE_TEXT(NAME, NAME##_OUT, NAME##Init, NAME##Update, NAME##Final)

DEFINE_CALLS(MD4)
DEFINE_CALLS(MD5)
DEFINE_CALLS(RMD160)
DEFINE_CALLS(SHA1)
DEFINE_CALLS(SHA224)
DEFINE_CALLS(SHA256)
DEFINE_CALLS(SHA384)
DEFINE_CALLS(SHA512)
DEFINE_CALLS(SHA512_256)

/* MD2 has no Pad, its Update takes a length of 32 bits, and its Transform takes the context. */
API void MD2Init(void *ctx);
API void MD2Update(void *ctx, const uint8_t *in, unsigned len);
API void MD2Final(uint8_t *out, void *ctx);
API void MD2Transform(void *ctx);

void MD2Init(void *ctx)
{
    md2_init(ctx);
}

void MD2Update(void *ctx, const uint8_t *in, unsigned len)
{
    md2_update_vartime(ctx, in, len);
}

void MD2Final(uint8_t *out, void *ctx)
{
    md2_final_vartime(out, ctx);
}

void MD2Transform(void *ctx)
{
    md2_transform_vartime(ctx);
}

DEFINE_TEXT(MD2, MD2_OUT, md2_init, md2_update_vartime, md2_final_vartime)
