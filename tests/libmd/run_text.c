/* SPDX-License-Identifier: Apache-2.0 */
/* The calls End, Data, File and FileChunk: where their text goes, which bytes they digest, how they
 * fail. */
#include "digests.h"
#include <errno.h>
#include <limits.h>
#include <unistd.h>

enum { FILE_LEN = 40000 };

static const uint8_t *message(void)
{
    static uint8_t bytes[FILE_LEN];
    if (!bytes[0])
        random_bytes(bytes, sizeof bytes);
    bytes[0] |= 1;
    return bytes;
}

static void expect(const struct calls *calls, const struct digest *d, const char *text,
                   const uint8_t *in, size_t len, const char *what)
{
    uint8_t out[MAX_OUT];
    char want[2 * MAX_OUT + 1];
    whole(calls, out, in, len);
    for (size_t i = 0; i < d->out_len; i++)
        snprintf(want + 2 * i, 3, "%02x", out[i]);
    if (!text || strcmp(text, want))
        complain("%s: %s, not %s", what, text ? text : "NULL", want);
}

/* end_and_data checks End and Data with a buffer that is just long enough, and with memory from
 * malloc. */
static void end_and_data(const struct calls *calls, const struct digest *d)
{
    char buf[2 * MAX_OUT + 2];
    struct context ctx;
    for (int own = 0; own < 2; own++) {
        memset(buf, 'Z', sizeof buf);
        new_context(&ctx);
        calls->init(&ctx);
        calls->update(&ctx, message(), 100);
        char *text = calls->end(&ctx, own ? buf : NULL);
        expect(calls, d, text, message(), 100, "End");
        if (own ? text != buf || buf[2 * d->out_len + 1] != 'Z' : !text)
            complain("End: not in the buffer, or past it");
        check_guard(&ctx, d);
        if (!own)
            free(text);
        text = calls->data(message(), 100, own ? buf : NULL);
        expect(calls, d, text, message(), 100, "Data");
        if (own ? text != buf : !text)
            complain("Data: not in the buffer");
        if (!own)
            free(text);
    }
    expect(calls, d, calls->data(NULL, 0, buf), message(), 0, "Data of nothing");
}

/* Arguments of FileChunk, offset and length, and the part of the file that they mean: a length of 0
 * is the rest of the file, and negative numbers count as 0. */
static const struct {
    off_t offset, length;
    size_t from, len;
} chunks[] = {
    { 0, 0, 0, FILE_LEN },
    { 100, 0, 100, FILE_LEN - 100 },
    { 100, 50, 100, 50 },
    { -5, 50, 0, 50 },
    { -5, 0, 0, FILE_LEN },
    { 7, -3, 7, FILE_LEN - 7 },
    { FILE_LEN - 9, LONG_MAX, FILE_LEN - 9, 9 },
    { FILE_LEN, 0, FILE_LEN, 0 },
    { FILE_LEN + 9, 9, FILE_LEN, 0 },
};

static void file_chunks(const struct calls *calls, const struct digest *d, const char *name)
{
    char buf[2 * MAX_OUT + 1], what[64];
    for (size_t i = 0; i < COUNT_OF(chunks); i++) {
        snprintf(what, sizeof what, "FileChunk %ld %ld", (long)chunks[i].offset,
                 (long)chunks[i].length);
        errno = 77;
        char *text = calls->file_chunk(name, buf, chunks[i].offset, chunks[i].length);
        expect(calls, d, text, message() + chunks[i].from, chunks[i].len, what);
        if (errno != 77)
            complain("%s: errno changed to %d", what, errno);
    }
    expect(calls, d, calls->file(name, buf), message(), FILE_LEN, "File");
    char *text = calls->file(name, NULL);
    expect(calls, d, text, message(), FILE_LEN, "File, from malloc");
    free(text);
}

static void failures(const struct calls *calls)
{
    static const struct {
        const char *name;
        off_t offset;
        int error;
    } rows[] = {
        { "/nonexistent", 0, ENOENT },
        { "/", 0, EISDIR },
        { "/proc", 0, EISDIR },
        { NULL, 0, EFAULT },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char buf[2 * MAX_OUT + 1] = "untouched";
        errno = 0;
        if (calls->file_chunk(rows[i].name, buf, rows[i].offset, 0) || errno != rows[i].error ||
            strcmp(buf, "untouched"))
            complain("%s: errno %d instead of %d, or text", rows[i].name ? rows[i].name : "NULL",
                     errno, rows[i].error);
    }
}

void run_text(const struct calls *calls, const struct digest *d)
{
    char name[] = "/tmp/headrace-libmd-XXXXXX";
    const int fd = mkstemp(name);
    if (fd < 0 || write(fd, message(), FILE_LEN) != FILE_LEN)
        complain("no temporary file: %s", strerror(errno));
    end_and_data(calls, d);
    file_chunks(calls, d, name);
    failures(calls);
    close(fd);
    unlink(name);
    tap(1, "%s: End, Data, File and FileChunk: %zu chunks, errno, buffers", d->name,
        COUNT_OF(chunks));
}
