/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as Go's table of functions: all results lie within it. */
#include "fuzz.h"
#include "object/pclntab.h"

static void look(const uint8_t *data, size_t size)
{
    struct pclntab t;
    uint64_t start, end;
    const char *name;
    if (!pclntab_open(&t, data, size))
        return;
    for (size_t i = 0; i < t.num; i++)
        if (pclntab_function(&t, i, &start, &end, &name)) {
            CHECK(start < end);
            CHECK(!name || ((const uint8_t *)name >= data &&
                            (const uint8_t *)name + strlen(name) < data + size));
        }
    CHECK(!pclntab_function(&t, t.num, &start, &end, &name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    look(data, size);
    const size_t at = pclntab_search(data, size, 0);
    CHECK(at <= size);
    if (at < size)
        look(data + at, size - at);
    return 0;
}
