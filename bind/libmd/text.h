/* SPDX-License-Identifier: Apache-2.0 */
/* End, Data and FileChunk of libmd(3), over any digest: text in a caller's or an allocated buffer.
 */
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

/* The digest in hexadecimal; `buf` NULL: from malloc, and NULL with the context unchanged where
 * there is no memory. */
char *md_end(const struct md_calls *calls, void *ctx, char *buf);
char *md_data(const struct md_calls *calls, const uint8_t *in, size_t len, char *buf);
/* `length` bytes from `offset`, less where the file ends; up to the size that the file has at first
 * where it is not positive.  NULL with errno of open, fstat, lseek, read or malloc. */
char *md_file_chunk(const struct md_calls *calls, const char *name, char *buf, off_t offset,
                    off_t length);

#endif
