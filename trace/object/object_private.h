/* SPDX-License-Identifier: Apache-2.0
 *
 * A struct object together with its private data.
 */
#ifndef TRACE_OBJECT_PRIVATE_H
#define TRACE_OBJECT_PRIVATE_H

#include "object.h"
#include "object_image.h"
#include <sys/stat.h>

struct object_private {
    struct object object; /* the public part comes first */
    int fd;               /* our own descriptor; -1: the image came from memory and stays */
    struct stat identity;
    struct segment *segments;
    struct function *functions;
    struct constant_site *sites;
    struct image image;
    char *strings; /* all names and versions */
    size_t strings_len;
    size_t taken;            /* bytes that the budget counts, besides those of the image */
    struct objects *objects; /* the list that has it, or NULL */
};

/* ---- object_cache.c; failures are silent ---- */

enum { CACHE_KEY_LEN = 32 };
/* Makes the key of the cache entry. Returns false for an object without a build-id, which is not
 * cached. */
bool cache_key(char out[CACHE_KEY_LEN + 1], int fd, const struct stat *,
               const struct object_options *);
/* Fills the object, all but path, fd, identity and image. Returns false if the cache has no valid
 * entry. */
bool cache_load(struct object_private *, const char *key);
void cache_store(const struct object_private *, const char *key);
/* Whether two results of fstat are of the same unchanged file. */
bool object_same_file(const struct stat *, const struct stat *);

/* object_decode fills an object from its encoded form, and returns false where that is damaged.
 * object_encode returns malloc'd memory. */
bool object_decode(struct object_private *, const uint8_t *bytes, size_t len);
uint8_t *object_encode(const struct object *, size_t *len);

/* Frees the object's image if it can be read again. Returns the number of bytes freed. */
size_t object_drop_image(struct object *);
/* Drops the images of all objects but one, for which memory is missing. Returns the number of bytes
 * freed. */
size_t objects_drop_images(struct objects *, const struct object *but);

#endif
