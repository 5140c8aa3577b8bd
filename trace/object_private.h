/* SPDX-License-Identifier: Apache-2.0
 *
 * An object with what its owner keeps for itself.
 */
#ifndef TRACE_OBJECT_PRIVATE_H
#define TRACE_OBJECT_PRIVATE_H

#include "object.h"
#include <sys/stat.h>

struct object_private {
    struct object object; /* first: the public part */
    int fd;               /* our own; -1: the image came from memory and stays */
    struct stat identity;
    struct segment *segments;
    struct function *functions;
    struct constant_site *sites;
    uint8_t *image;
    char *strings; /* all names and versions */
};

/* ---- object_cache.c: silent where it cannot ---- */

enum { CACHE_KEY_LEN = 32 };
/* false: it has no build-id, and is not cached. */
bool cache_key(char out[CACHE_KEY_LEN + 1], int fd, const struct stat *,
               const struct object_options *);
/* Fills all but path, fd and image. */
bool cache_load(struct object_private *, const char *key);
void cache_store(const struct object_private *, const char *key);
/* Whether a file is still the one that fstat told of. */
bool same_file(const struct stat *, const struct stat *);

/* The object of an encoded form; false: it is damaged.  encode: malloc'd. */
bool object_decode(struct object_private *, const uint8_t *bytes, size_t len);
uint8_t *object_encode(const struct object *, size_t *len);

/* Lets go of the image, where it can be read again; how many bytes that were. */
size_t object_drop_image(struct object *);

#endif
