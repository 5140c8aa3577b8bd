/* SPDX-License-Identifier: Apache-2.0 */
/* A memory that the service shares with a client: a memfd of fixed size, mapped here.  Its pages
 * are charged to the control group of the process that touches them first, which a client can make
 * the service do, and they stay while anybody holds the file.  So the service empties the file when
 * the client has gone. */
#ifndef HR_MEMORY_H
#define HR_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct memory {
    void *map;
    size_t len;
    int fd;
};

/* memory_make returns 0, or -1 with errno and leaves nothing behind. */
int memory_make(struct memory *m, const char *name, size_t len);
/* memory_share returns a descriptor for the client, or -1 with errno.  Unless it is `writable`, the
 * client cannot write the memory, nor open it again for writing, unless it is root or the service's
 * own user. */
int memory_share(const struct memory *m, bool writable);
/* memory_empty wipes all pages, also those in swap, and frees them.  It does not use the map. */
void memory_empty(const struct memory *m);
/* memory_free unmaps and closes the memory, and leaves its pages to the client. */
void memory_free(struct memory *m);

#endif
