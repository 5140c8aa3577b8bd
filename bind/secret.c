/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for keys and for the state of operations.  Blocks have a power of two of bytes, from 128
 * up, the first 64 of which say how many; larger ones than a chunk's are mapped alone. */
#define _GNU_SOURCE
#include "secret.h"
#include <sys/mman.h>
#include <unistd.h>

/* AddressSanitizer is told which bytes of a chunk are no block's, as it is of malloc's. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, len) ((void)(p), (void)(len))
#define ASAN_UNPOISON_MEMORY_REGION(p, len) ((void)(p), (void)(len))
#endif

enum { CHUNK = 256 * 1024, LEAST_SHIFT = 7, NUM_SHIFTS = SECRET_SHIFTS, HEADER = 64 };

struct secret_chunk {
    struct secret_chunk *next;
    size_t len, used; /* bytes; the first HEADER are this struct */
};
struct block {
    size_t shift; /* of its size; or 0 */
    void *next;   /* in the list of free ones */
};
_Static_assert(sizeof(struct secret_chunk) <= HEADER && sizeof(struct block) <= HEADER, "headers");

void *secret_map(size_t len, bool *wiped)
{
    void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    *wiped = !madvise(p, len, MADV_WIPEONFORK);
    (void)madvise(p, len, MADV_DONTDUMP);
    (void)mlock2(p, len, MLOCK_ONFAULT); /* as far as RLIMIT_MEMLOCK lets it */
    return p;
}

/* chunk_new maps a chunk and makes it the first of the list, or the second, so that the rest of the
 * first one stays in use. */
static struct secret_chunk *chunk_new(struct secret_pool *pool, size_t len, bool is_alone)
{
    bool wiped;
    struct secret_chunk *chunk = secret_map(len, &wiped);
    if (!chunk)
        return NULL;
    struct secret_chunk **at = is_alone && pool->chunks ? &pool->chunks->next : &pool->chunks;
    *chunk = (struct secret_chunk){ *at, len, is_alone ? len : HEADER };
    *at = chunk;
    return chunk;
}

/* shift_of returns the shift of the smallest block for so many bytes, or 0 if it has none. */
static size_t shift_of(size_t len)
{
    for (size_t shift = LEAST_SHIFT; shift < LEAST_SHIFT + NUM_SHIFTS; shift++)
        if (len + HEADER <= (size_t)1 << shift)
            return shift;
    return 0;
}

static struct block *block_new(struct secret_pool *pool, size_t len)
{
    const size_t shift = shift_of(len);
    void **list = shift ? &pool->free_blocks[shift - LEAST_SHIFT] : NULL;
    struct block *block = list ? *list : NULL;
    if (block) {
        *list = block->next;
        return block;
    }
    const size_t size = shift ? (size_t)1 << shift : (len + HEADER + 63) / 64 * 64;
    struct secret_chunk *chunk = pool->chunks;
    if (!shift)
        chunk = chunk_new(pool, (size + HEADER + 4095) / 4096 * 4096, true);
    else if (!chunk || chunk->len - chunk->used < size)
        chunk = chunk_new(pool, CHUNK, false);
    if (!chunk)
        return NULL;
    block = (struct block *)((char *)chunk + (shift ? chunk->used : HEADER));
    chunk->used += shift ? size : 0;
    block->shift = shift ? shift : size;
    return block;
}

static bool is_large(const struct block *block)
{
    return block->shift >= LEAST_SHIFT + NUM_SHIFTS;
}

/* room_of returns how many bytes a block has behind its header. */
static size_t room_of(const struct block *block)
{
    return (is_large(block) ? block->shift : (size_t)1 << block->shift) - HEADER;
}

void *secret_pool_new(struct secret_pool *pool, size_t len)
{
    if (len > SIZE_MAX / 2)
        return NULL;
    pthread_mutex_lock(&pool->lock);
    struct block *block = block_new(pool, len);
    pool->num_used += block != NULL;
    pthread_mutex_unlock(&pool->lock);
    if (!block)
        return NULL;
    char *const p = (char *)block + HEADER;
    ASAN_POISON_MEMORY_REGION(p, room_of(block));
    ASAN_UNPOISON_MEMORY_REGION(p, len);
    return p;
}

/* unmap_large returns a block that was mapped alone. */
static void unmap_large(struct secret_pool *pool, struct block *block)
{
    struct secret_chunk *chunk = (struct secret_chunk *)((char *)block - HEADER);
    for (struct secret_chunk **at = &pool->chunks; *at; at = &(*at)->next)
        if (*at == chunk) {
            *at = chunk->next;
            break;
        }
    ASAN_UNPOISON_MEMORY_REGION(chunk, chunk->len);
    munmap(chunk, chunk->len);
}

void secret_pool_free(struct secret_pool *pool, void *p)
{
    if (!p)
        return;
    struct block *block = (struct block *)((char *)p - HEADER);
    const size_t room = room_of(block);
    ASAN_UNPOISON_MEMORY_REGION(p, room);
    wipe_bytes(p, room);
    ASAN_POISON_MEMORY_REGION(p, room);
    pthread_mutex_lock(&pool->lock);
    pool->num_used--;
    if (is_large(block)) {
        unmap_large(pool, block);
    } else {
        block->next = pool->free_blocks[block->shift - LEAST_SHIFT];
        pool->free_blocks[block->shift - LEAST_SHIFT] = block;
    }
    pthread_mutex_unlock(&pool->lock);
}

void secret_pool_end(struct secret_pool *pool)
{
    while (pool->chunks) {
        struct secret_chunk *chunk = pool->chunks;
        const size_t len = chunk->len;
        pool->chunks = chunk->next;
        ASAN_UNPOISON_MEMORY_REGION(chunk, len);
        wipe_bytes(chunk, chunk->used);
        munmap(chunk, len);
    }
}
