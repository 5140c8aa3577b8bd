/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for keys and for values made of them.  It is never swapped, and is in no core dump and in
 * no forked child. */
#ifndef HR_SECRETS_H
#define HR_SECRETS_H

#include <stddef.h>

/* secrets_alloc returns whole pages of zeros, or NULL with errno, which is ENOMEM or EPERM also if
 * RLIMIT_MEMLOCK is reached. */
void *secrets_alloc(size_t len);
/* secrets_free wipes the memory and unmaps it.  NULL is allowed. */
void secrets_free(void *memory, size_t len);

#endif
