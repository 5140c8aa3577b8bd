/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_PLACES_H
#define HR_PLACES_H

#include "test.h"

enum { NUM_PLACES = 16, CANARY = 0xa5, LONGEST = 1100 };

extern struct guarded in_page, out_page, iv_page, next_page;

/* Makes every byte of the pages CANARY. */
void fill(void);
/* Places 0 to 7: `len` bytes whose last one is in the last doubleword before the guard page; 8 to
 * 15: the first one in the first doubleword behind one. */
uint8_t *place(struct guarded page, size_t len, unsigned i);
/* All bytes of the page but [p, p + len) are what they were. */
int spilled(struct guarded page, const uint8_t *p, size_t len);

/* A row of AEADs, MACs with a nonce or XTS, on each kernel or the one of this name: whole messages
 * of many lengths, at all pairs of places where `complete`; other rows are passed over. */
void check_mode(const struct hr_algorithm *row, const char *only, int complete);

#endif
