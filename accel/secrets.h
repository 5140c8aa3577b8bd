/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for keys and what is made of them: never swapped, in no core dump, in no child. */
#ifndef HR_SECRETS_H
#define HR_SECRETS_H

#include <stddef.h>

/* Whole zero pages.  NULL: errno says why; ENOMEM or EPERM also where RLIMIT_MEMLOCK is reached. */
void *secrets_alloc(size_t len);
/* Wipes, and gives the pages back.  NULL is allowed. */
void secrets_free(void *memory, size_t len);

#endif
