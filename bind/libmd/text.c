/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"
#include "../common.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_OUT = 64, FILE_PIECE = 16384 };

/* Has room for any context of the BSD form. */
union any_ctx {
    uint64_t words[26];
};

char *md_end(const struct md_calls *calls, void *ctx, char *buf)
{
    static const char digits[16] = "0123456789abcdef";
    uint8_t out[MAX_OUT];
    if (!buf)
        buf = malloc(2 * calls->out_len + 1);
    if (!buf)
        return NULL;
    calls->final(out, ctx);
    for (size_t i = 0; i < calls->out_len; i++) {
        buf[2 * i] = digits[out[i] >> 4];
        buf[2 * i + 1] = digits[out[i] & 15];
    }
    buf[2 * calls->out_len] = '\0';
    return buf;
}

char *md_data(const struct md_calls *calls, const uint8_t *in, size_t len, char *buf)
{
    union any_ctx ctx;
    calls->init(&ctx);
    calls->update(&ctx, in, len);
    char *text = md_end(calls, &ctx, buf);
    WIPE(&ctx);
    return text;
}

/* 0, or -1 with errno. */
static int absorb(const struct md_calls *calls, void *ctx, int fd, off_t offset, off_t length)
{
    uint8_t piece[FILE_PIECE];
    struct stat st;
    if (length <= 0) {
        if (fstat(fd, &st))
            return -1;
        length = st.st_size;
    }
    if (offset > 0 && lseek(fd, offset, SEEK_SET) < 0)
        return -1;
    for (;;) { /* a read of nothing too: it tells a directory from an empty file */
        const size_t want = length < FILE_PIECE ? (size_t)length : FILE_PIECE;
        const ssize_t got = read(fd, piece, want);
        if (got <= 0)
            return (int)got;
        calls->update(ctx, piece, (size_t)got);
        length -= got;
        if (!length)
            return 0;
    }
}

char *md_file_chunk(const struct md_calls *calls, const char *name, char *buf, off_t offset,
                    off_t length)
{
    union any_ctx ctx;
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    calls->init(&ctx);
    const int failed = absorb(calls, &ctx, fd, offset, length), error = errno;
    close(fd);
    errno = error;
    char *text = failed ? NULL : md_end(calls, &ctx, buf);
    WIPE(&ctx);
    return text;
}
