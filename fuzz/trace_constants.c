/* SPDX-License-Identifier: Apache-2.0 */
/* The tracer's search for constants, with any bytes as those of a file, as code, and as memory
 * behind a pointer. */
#include "constants/constants.h"
#include "fuzz.h"

static void check_reference(void *ctx, uint64_t at, const struct constant_site *site)
{
    const uint64_t *range = ctx;
    CHECK(at - range[0] < range[1] && site->bit < NUM_CONSTANTS);
}

/* The last eight bytes of the input are also the address of its first byte: any one, so that sums
 * of addresses may wrap around. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct constant_site *sites = NULL;
    size_t num = 0;
    uint64_t range[2] = { 0x1000, size };
    if (size >= 8)
        memcpy(range, data + size - 8, 8);
    const int found = constants_find(&sites, &num, data, size, range[0]);
    CHECK(found >= 0 && (size_t)found == num);
    for (size_t i = 0; i < num; i++) {
        const uint64_t from = sites[i].address - range[0];
        CHECK(from < size && sites[i].len && sites[i].len <= size - from);
        CHECK(*constant_info((enum constant_bit)sites[i].bit)->text);
    }
    constants_references(sites, num, data, size, range[0], check_reference, range);
    free(sites);

    CHECK(constants_in_code(data, size, false) >> NUM_CONSTANTS == 0);
    CHECK(constants_in_code(data, size, true) >> NUM_CONSTANTS == 0);
    enum constant_bit bit = NUM_CONSTANTS;
    for (size_t at = 0; at <= size; at += 1 + size / 16)
        CHECK(!constants_at(&bit, data, size, at) || bit < NUM_CONSTANTS);
    return 0;
}
