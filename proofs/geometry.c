/* SPDX-License-Identifier: Apache-2.0 */
/* Where things lie in the memories, for every geometry that a policy can give: descriptors,
 * completions and windows of all sub-rings follow each other without a gap, to the end. */
#include "ring.h"
#include <stdio.h>

static int holds(const struct ring_geometry *g)
{
    uint8_t *const base = NULL; /* offsets are what is looked at */
    uint64_t descriptors = RING_PAGE, window = RING_PAGE + ring_descriptors_len(g);
    int good = 1;
    for (uint32_t ring = 0; ring < g->num_rings; ring++) {
        good &= (uint64_t)(uintptr_t)ring_requests(base, ring) == descriptors;
        good &= (uint64_t)(uintptr_t)ring_completions(base, ring) == descriptors;
        good &= (uint64_t)(uintptr_t)ring_window(base, g, ring) == window;
        descriptors += RING_DEPTH * 64;
        window += g->window_len;
    }
    good &= descriptors == (uint64_t)(uintptr_t)ring_window(base, g, 0);
    return good && descriptors == ring_completions_len(g) && window == ring_requests_len(g);
}

int main(void)
{
    struct ring_geometry g;
    int good = 1;
    for (g.num_rings = 1; g.num_rings <= RING_MAX_RINGS; g.num_rings++)
        for (g.window_len = 4096; g.window_len <= 16 << 20; g.window_len += 4096)
            good &= holds(&g);
    printf("%s 1 - nothing overlaps in any of %d geometries\n1..1\n", good ? "ok" : "not ok",
           RING_MAX_RINGS * (16 << 20) / 4096);
    return !good;
}
