/* SPDX-License-Identifier: Apache-2.0 */
/* The Internet checksum in portable C: words are summed in the machine's byte order (RFC 1071
 * section 2 (B)), four in each 64-bit word, whose halves are added apart so that no carry is lost
 * (deferred carries, section 2 (A)). */
#include "checksum.h"

/* value = value + words, modulo 2^16 - 1; nothing need be aligned. */
IPSUM_KERNEL(, c, ipsum_short)
