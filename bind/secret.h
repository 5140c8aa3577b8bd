/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for secrets: locked as far as the user's limit goes, in no core dump, and not in the child
 * of a fork, where the system can do that. */
#ifndef HR_BIND_SECRET_H
#define HR_BIND_SECRET_H

#include "common.h"
#include <pthread.h>
#include <stdbool.h>

enum { SECRET_SHIFTS = 10 };

/* A pool is zero at first, and its lock initialised. */
struct secret_pool {
    pthread_mutex_t lock;
    struct secret_chunk *chunks;
    size_t num_used; /* blocks that are not free */
    void *free_blocks[SECRET_SHIFTS];
};

/* secret_pool_new returns zeroed memory at a multiple of 64, or NULL; secret_pool_free wipes it,
 * and takes NULL too. */
void *secret_pool_new(struct secret_pool *pool, size_t len);
void secret_pool_free(struct secret_pool *pool, void *p);
/* secret_pool_end wipes and unmaps all that the pool has. */
void secret_pool_end(struct secret_pool *pool);
/* secret_map maps pages of this kind; *wiped: they are zero in a child. */
void *secret_map(size_t len, bool *wiped);

#endif
