/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of one libmd.so.0, by digest; what the tests of it share. */
#ifndef HR_TEST_LIBMD_H
#define HR_TEST_LIBMD_H

#include "test.h"
#include <sys/types.h>

enum { CTX_SIZE = 208, GUARD = 16, MAX_OUT = 64 };

/* struct digest is what libmd's headers say of a digest: lengths in bytes, and where in the context
 * the count and the waiting bytes are. MD2 has no count and no padding call. */
struct digest {
    const char *name;   /* "SHA512_256" */
    const char *symbol; /* in vector files */
    hr_alg alg;         /* or HR_ALG_NONE */
    size_t out_len, block_len, ctx_len, state_len, count_at, count_len, buf_at;
};
extern const struct digest digests[];
extern const size_t num_digests;

struct calls {
    void (*init)(void *ctx);
    void (*update)(void *ctx, const uint8_t *in, size_t len);
    void (*pad)(void *ctx);
    void (*final)(uint8_t *out, void *ctx);
    void (*transform)(void *state, const uint8_t *block);
    char *(*end)(void *ctx, char *buf);
    char *(*data)(const uint8_t *in, size_t len, char *buf);
    char *(*file)(const char *name, char *buf);
    char *(*file_chunk)(const char *name, char *buf, off_t offset, off_t length);
};
/* find_calls returns 1, or 0 if the library lacks one of the digest's calls. */
int find_calls(struct calls *calls, void *library, const struct digest *d);

/* struct context has room for any digest's context, and bytes behind it that no call may change. */
struct context {
    uint64_t words[(CTX_SIZE + GUARD) / 8];
};
void new_context(struct context *ctx);
/* check_guard complains unless the bytes behind a digest's context are as new_context made them. */
void check_guard(const struct context *ctx, const struct digest *d);

/* run_vectors runs a digest's cases of a vector file, and returns their number. */
unsigned run_vectors(const struct calls *calls, const struct digest *d, const char *file);
void run_text(const struct calls *calls, const struct digest *d);
void run_exchange(const struct calls *ours, const struct calls *theirs, const struct digest *d);

/* whole computes the digest of a message, in one update. */
void whole(const struct calls *calls, uint8_t *out, const uint8_t *in, size_t len);

#endif
