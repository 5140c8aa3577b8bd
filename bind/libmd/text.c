/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"
#include "../common.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_OUT = 64, FILE_PIECE = 16384 };

/* union any_ctx has room for any context of the BSD form. */
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

/* place seeks to `offset`, and replaces a length that is not positive by the file's size.  It
 * returns 0, or -1 with errno. */
static int place(int fd, off_t offset, off_t *length)
{
    struct stat st;
    if (*length <= 0) {
        if (fstat(fd, &st))
            return -1;
        *length = st.st_size;
    }
    return offset > 0 && lseek(fd, offset, SEEK_SET) < 0 ? -1 : 0;
}

/* absorb digests `length` bytes of the file.  It reads even if the length is 0, since the error of
 * read tells a directory from an empty file.  It returns 0, or -1 with errno. */
static int absorb(const struct md_calls *calls, void *ctx, int fd, off_t length)
{
    uint8_t piece[FILE_PIECE];
    ssize_t got;
    do {
        got = read(fd, piece, length < FILE_PIECE ? (size_t)length : FILE_PIECE);
        if (got > 0)
            calls->update(ctx, piece, (size_t)got);
        length -= got;
    } while (got > 0 && length);
    WIPE(&piece);
    return got < 0 ? -1 : 0;
}

char *md_file_chunk(const struct md_calls *calls, const char *name, char *buf, off_t offset,
                    off_t length)
{
    union any_ctx ctx;
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    calls->init(&ctx);
    const int failed = place(fd, offset, &length) || absorb(calls, &ctx, fd, length);
    const int error = errno;
    close(fd);
    errno = error;
    char *text = failed ? NULL : md_end(calls, &ctx, buf);
    WIPE(&ctx);
    return text;
}
