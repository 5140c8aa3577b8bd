/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that are collected in memory that grows: AAD, or the message of a MAC.  Memory is wiped
 * before it is freed. */
#define _GNU_SOURCE
#include "stream.h"
#include <stdlib.h>

enum { SIZE_FIRST = 256 };

static int grow(struct stream_bytes *bytes, size_t least)
{
    struct stream_bytes more = { .len = bytes->len, .size = SIZE_FIRST };
    while (more.size < least)
        more.size *= 2;
    more.at = malloc(more.size);
    if (!more.at)
        return HR_ESYSTEM;
    if (bytes->len)
        memcpy(more.at, bytes->at, bytes->len);
    stream_bytes_end(bytes);
    *bytes = more;
    return 0;
}

int stream_bytes_add(struct stream_bytes *bytes, const void *in, size_t in_len, size_t most)
{
    if (in_len > most - bytes->len)
        return HR_ELENGTH;
    if (!in_len)
        return 0;
    const int error = bytes->len + in_len > bytes->size ? grow(bytes, bytes->len + in_len) : 0;
    if (error)
        return error;
    memcpy(bytes->at + bytes->len, in, in_len);
    bytes->len += in_len;
    return 0;
}

int stream_bytes_copy(struct stream_bytes *out, const struct stream_bytes *bytes)
{
    *out = (struct stream_bytes){ 0 };
    return stream_bytes_add(out, bytes->at, bytes->len, bytes->len);
}

void stream_bytes_end(struct stream_bytes *bytes)
{
    if (bytes->at)
        explicit_bzero(bytes->at, bytes->size);
    free(bytes->at);
    *bytes = (struct stream_bytes){ 0 };
}
