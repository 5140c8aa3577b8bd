/* SPDX-License-Identifier: Apache-2.0 */
/* The Internet checksum in portable C: words are summed in the machine's byte order (RFC 1071
 * section 2 (B)), four words at a time.  The halves of a 64-bit word are added to separate sums, so
 * that no carry is lost (section 2 (1), Deferred Carries). */
#include "checksum.h"

/* Defines ipsum_value_c() and ipsum_blocks_c(), which add the 16-bit words at `in` to a sum modulo
 * 2^16 - 1; `in` may have any alignment. */
IPSUM_KERNEL(, c, ipsum_short)
