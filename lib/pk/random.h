/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_RANDOM_H
#define HR_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* system_random fills a buffer with random bytes of the system.  Returns 0 or HR_ESYSTEM; then the
 * buffer is zero. */
int system_random(void *out, size_t len);

#endif
