/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

enum { ROOM = 64 };

struct guarded in_page, out_page, iv_page, next_page;

void pages_new(size_t most)
{
    in_page = guarded_new(most + ROOM);
    out_page = guarded_new(most + ROOM);
    iv_page = guarded_new(ROOM);
    next_page = guarded_new(ROOM);
}

void fill(void)
{
    const struct guarded pages[] = { in_page, out_page, iv_page, next_page };
    for (size_t i = 0; i < COUNT_OF(pages); i++)
        memset(pages[i].start, CANARY, (size_t)(pages[i].end - pages[i].start));
}

uint8_t *place(struct guarded page, size_t len, unsigned i)
{
    return i < 8 ? page.end - len - i : page.start + i - 8;
}

int spilled(struct guarded page, const uint8_t *p, size_t len)
{
    for (const uint8_t *at = page.start; at < page.end; at++)
        if ((at < p || at >= p + len) && *at != CANARY)
            return complain("writes %td of %zu bytes", at - p, len);
    return 0;
}
