/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers at every address modulo 8 before a page that traps and behind one. */
#ifndef HR_PLACES_H
#define HR_PLACES_H

#include "test.h"

enum { NUM_PLACES = 16, CANARY = 0xa5 };

/* For input, output, IV, and what is written besides. */
extern struct guarded in_page, out_page, iv_page, next_page;

/* Makes the pages, for input and output of up to `most` bytes. */
void pages_new(size_t most);
/* Makes every byte of the pages CANARY. */
void fill(void);
/* Places 0 to 7: `len` bytes whose last one is in the last doubleword before the guard page; 8 to
 * 15: the first one in the first doubleword behind one. */
uint8_t *place(struct guarded page, size_t len, unsigned i);
/* All bytes of the page but [p, p + len) are what they were. */
int spilled(struct guarded page, const uint8_t *p, size_t len);

/* Whole messages of up to so many bytes, of a row of AEADs, MACs with a nonce or XTS, on its i-th
 * kernel. */
enum { LONGEST_MESSAGE = 1100 };
void check_messages(const struct hr_algorithm *row, enum hr_op op, size_t i);

#endif
