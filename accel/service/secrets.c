/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "secrets.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

void *secrets_alloc(size_t len)
{
    void *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (!mlock(memory, len) && !madvise(memory, len, MADV_DONTDUMP) &&
        !madvise(memory, len, MADV_DONTFORK))
        return memory;
    const int error = errno;
    munmap(memory, len);
    errno = error;
    return NULL;
}

void secrets_free(void *memory, size_t len)
{
    if (!memory)
        return;
    explicit_bzero(memory, len);
    munmap(memory, len);
}
