/* SPDX-License-Identifier: Apache-2.0 */
/* End, Data and FileChunk of libmd(3) for any digest: they return the digest as text in the
 * caller's buffer or an allocated one. */
#ifndef HR_LIBMD_TEXT_H
#define HR_LIBMD_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct md_calls {
    void (*init)(void *ctx);
    void (*update)(void *ctx, const uint8_t *in, size_t len);
    void (*final)(uint8_t *out, void *ctx);
    size_t out_len;
};

/* md_end finishes `ctx` and writes the digest in hexadecimal to `buf`, or to memory from malloc if
 * `buf` is NULL.  It returns the text, or NULL with the context unchanged if there is no memory.
 * md_data does the same for a whole message. */
char *md_end(const struct md_calls *calls, void *ctx, char *buf);
char *md_data(const struct md_calls *calls, const uint8_t *in, size_t len, char *buf);
/* md_file_chunk digests `length` bytes of a file from `offset` on, fewer if the file ends before.
 * A length that is not positive means the size that the file has when it is opened.  It returns
 * NULL with the errno of open, fstat, lseek, read or malloc if that fails. */
char *md_file_chunk(const struct md_calls *calls, const char *name, char *buf, off_t offset,
                    off_t length);

#endif
