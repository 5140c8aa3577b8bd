/* SPDX-License-Identifier: Apache-2.0 */
/* DES by lookups in eight tables of 64 words, 4 KiB. The time of a lookup depends on what is in the
 * cache, and so on keys and texts (Bernstein, "Cache-timing attacks on AES", 2005).  So these
 * kernels run only for callers that ask for them: see hr_cipher_key_init_vartime.
 *
 * An entry is what a box adds to the inputs of all boxes in the next round, one byte each.  So
 * between two rounds there are the extraction of a byte (1 to 2 cycles), the load (5) and three
 * XORs: 10 or 11 cycles, and 46 such steps in a block of triple DES. Tables for two boxes at once
 * would have 4096 entries, which is more than the first-level cache holds. */
#include "des_boxes_table.h"
#include "des_word.h"

#include <stddef.h>

#define DES_ISA vartime
enum { DES_WIDE = 2 };

static inline uint64_t look_up_vartime(unsigned box, uint64_t x)
{
    return des_table[box][x >> 8 * box & 0xff];
}

static inline des_half des_f(des_half acc, des_half x)
{
    const uint64_t low = (look_up_vartime(0, x) ^ look_up_vartime(1, x)) ^
                         (look_up_vartime(2, x) ^ look_up_vartime(3, x));
    const uint64_t high = (look_up_vartime(4, x) ^ look_up_vartime(5, x)) ^
                          (look_up_vartime(6, x) ^ look_up_vartime(7, x));
    return acc ^ low ^ high;
}

#include "des_modes.h"
