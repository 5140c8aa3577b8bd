/* SPDX-License-Identifier: Apache-2.0 */
#include "ec_c.h"

/* Two limbs side by side, which the compiler keeps in a vector register. */
typedef uint64_t limb_pair __attribute__((vector_size(16)));

/* out = entry `index`, counted from 1, of a table; zero for index 0.  An odd number of words is
 * rounded up, so that `out` has room for one more; the table's last entry is followed by one. */
BN_INLINE void look_up(uint64_t *out, const uint64_t *table, size_t num_entries, size_t words,
                       uint64_t index)
{
    limb_pair sum[(3 * EC_LIMBS + 1) / 2], entry;
    const size_t num = (words + 1) / 2;
    for (size_t i = 0; i < num; i++)
        sum[i] = (limb_pair){ 0, 0 };
    for (size_t j = 1; j <= num_entries; j++, table += words) {
        const uint64_t is_wanted = bn_word_is_zero(j ^ index);
        const limb_pair mask = { is_wanted, is_wanted };
        for (size_t i = 0; i < num; i++) {
            memcpy(&entry, table + 2 * i, sizeof entry);
            sum[i] |= entry & mask;
        }
    }
    memcpy(out, sum, num * sizeof *sum);
}

void ec_look_up_c(uint64_t *out, const uint64_t *table, size_t num_entries, size_t words,
                  uint64_t index)
{
    switch (words) {
    case 2 * 4:
        look_up(out, table, num_entries, 2 * 4, index);
        break;
    case 2 * 6: /* and 3 * 4 */
        look_up(out, table, num_entries, 2 * 6, index);
        break;
    case 3 * 6: /* and 2 * 9 */
        look_up(out, table, num_entries, 3 * 6, index);
        break;
    default:
        look_up(out, table, num_entries, 3 * 9, index);
    }
}
