/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a perf map: entries are sorted, do not overlap, and can be found. */
#include "fuzz.h"
#include "object/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct perfmap map;
    CHECK(!perfmap_parse(&map, (const char *)data, size));
    for (size_t i = 0; i < map.num; i++) {
        const struct perfmap_entry *e = &map.at[i];
        CHECK(e->start < e->end && (!i || e->start >= e[-1].end) && strlen(e->name) <= size);
        CHECK(perfmap_find(&map, e->start) == e && perfmap_find(&map, e->end - 1) == e);
        CHECK(!i || e->start == e[-1].end || !perfmap_find(&map, e->start - 1));
    }
    perfmap_free(&map);
    return 0;
}
