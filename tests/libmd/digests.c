/* SPDX-License-Identifier: Apache-2.0 */
#include "digests.h"
#include <dlfcn.h>
#include <headrace/algorithms.h>

#define MD(alg, len, count_at) alg, len, 64, count_at + 72, len, count_at, 8, count_at + 8
#define SHA2_32(alg, len) alg, len, 64, 208, 32, 64, 8, 80
#define SHA2_64(alg, len) alg, len, 128, 208, 64, 64, 16, 80

const struct digest digests[] = {
    { "MD2", "md2", HR_ALG_NONE, 16, 16, 68, 0, 0, 0, 0 },
    { "MD4", "md4", MD(HR_ALG_NONE, 16, 16) },
    { "MD5", "md5", MD(HR_MD5, 16, 16) },
    { "RMD160", "rmd160", MD(HR_ALG_NONE, 20, 24) },
    { "SHA1", "sha1", MD(HR_SHA1, 20, 24) },
    { "SHA224", "sha224", SHA2_32(HR_SHA224, 28) },
    { "SHA256", "sha256", SHA2_32(HR_SHA256, 32) },
    { "SHA384", "sha384", SHA2_64(HR_SHA384, 48) },
    { "SHA512", "sha512", SHA2_64(HR_SHA512, 64) },
    { "SHA512_256", "sha512_256", SHA2_64(HR_SHA512_256, 32) },
};
const size_t num_digests = COUNT_OF(digests);

int find_calls(struct calls *calls, void *library, const struct digest *d)
{
    static const struct {
        const char *suffix;
        size_t at;
    } names[] = {
        { "Init", offsetof(struct calls, init) },
        { "Update", offsetof(struct calls, update) },
        { "Pad", offsetof(struct calls, pad) },
        { "Final", offsetof(struct calls, final) },
        { "Transform", offsetof(struct calls, transform) },
        { "End", offsetof(struct calls, end) },
        { "Data", offsetof(struct calls, data) },
        { "File", offsetof(struct calls, file) },
        { "FileChunk", offsetof(struct calls, file_chunk) },
    };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char text[32];
        snprintf(text, sizeof text, "%s%s", d->name, names[i].suffix);
        void *address = dlsym(library, text);
        if (!address && (d->count_len || i != 2))
            return 0;
        memcpy((char *)calls + names[i].at, &address, sizeof address);
    }
    return 1;
}

void new_context(struct context *ctx)
{
    memset(ctx, 0xa5, sizeof *ctx);
}

void check_guard(const struct context *ctx, const struct digest *d)
{
    const uint8_t *bytes = (const uint8_t *)ctx;
    for (size_t i = d->ctx_len; i < sizeof *ctx; i++)
        if (bytes[i] != 0xa5) {
            complain("byte %zu behind the context changed", i - d->ctx_len);
            return;
        }
}

void whole(const struct calls *calls, uint8_t *out, const uint8_t *in, size_t len)
{
    struct context ctx;
    calls->init(&ctx);
    calls->update(&ctx, in, len);
    calls->final(out, &ctx);
}
