/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of the program that the test of probes counts, and how often it calls them.
 */
#ifndef TEST_PROBES_TARGET_H
#define TEST_PROBES_TARGET_H

#include <stddef.h>

typedef void function(void *block, const void *in, size_t num);
function aesni_cbc_encrypt, aesni_ecb_encrypt, leaf_0, leaf_1, leaf_2, leaf_3, leaf_4, leaf_5,
    leaf_6, leaf_7, dispatcher, fast_path, side_path, with_part, part_of_it, loop_at_entry;

enum { EARLY = 5, MESSAGES = 1000, LEN = 48 };

#endif
