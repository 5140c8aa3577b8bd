/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_RANDOM_H
#define HR_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* system_random fills a buffer with random bytes of the system.  Returns 0 or HR_ESYSTEM; then the
 * buffer is zero. */
int system_random(void *out, size_t len);

/* random_below writes a random number below m of num limbs, whose length is public; HR_ESYSTEM. */
int system_random_below(uint64_t *z, const uint64_t *m, size_t num);

#endif
