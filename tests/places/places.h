/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers that place buffers at every address modulo 8 directly before a page that traps and
 * directly behind one. */
#ifndef HR_PLACES_H
#define HR_PLACES_H

#include "../test.h"

enum { NUM_PLACES = 16, CANARY = 0xa5 };

/* The pages of the input, the output, the IV, and a further output. */
extern struct guarded in_page, out_page, iv_page, next_page;

/* pages_new makes the pages, for input and output of up to `most` bytes. */
void pages_new(size_t most);
/* fill sets every byte of the pages to CANARY. */
void fill(void);
/* place returns the i-th place of `len` bytes in a page. Of places 0 to 7 the last byte is in the
 * last doubleword before the guard page; of 8 to 15 the first byte is in the first doubleword
 * behind the other guard page. */
uint8_t *place(struct guarded page, size_t len, unsigned i);
/* spilled complains and returns 1 if a byte of the page outside [p, p + len) is no longer CANARY,
 * else returns 0. */
int spilled(struct guarded page, const uint8_t *p, size_t len);

/* check_messages makes direct calls for whole messages of a row of AEADs, MACs with a nonce or XTS
 * on its i-th kernel, at all places. LONGEST_MESSAGE is more than their length. */
enum { LONGEST_MESSAGE = 1100 };
void check_messages(const struct hr_algorithm *row, enum hr_op op, size_t i);
/* If set, check_messages tries fewer pairs of places, and messages of up to 272 bytes. */
extern int messages_quick;

#endif
