/* SPDX-License-Identifier: Apache-2.0
 *
 * A private copy of the parts of a file that matter: its headers, what its segments load, and its
 * tables of symbols and notes. Each byte lies at its offset in the file, but holes and parts that
 * nobody needs take no memory and read as zeros: a sparse file of a gigabyte costs what it has on
 * disk.
 */
#ifndef TRACE_OBJECT_IMAGE_H
#define TRACE_OBJECT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct extent {
    uint64_t start, end; /* offsets in the file */
};

struct image {
    uint8_t *bytes;         /* NULL: there is none */
    size_t len;             /* of the file */
    struct extent *extents; /* what was read, sorted; holes shorter than 64 KiB count as read */
    size_t num_extents;
    size_t taken; /* bytes that the budget counts */
};

enum image_what { IMAGE_ALL, IMAGE_TABLES /* of a file of debug information: no segments */ };

/* Reads a regular file of at most MAX_IMAGE bytes. Returns false with the reason in *why, a static
 * text. */
bool image_read(struct image *, int fd, enum image_what, const char **why);
void image_free(struct image *);

#endif
