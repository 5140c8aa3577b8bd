/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the beginning of an encrypted file: a header that is accepted is within its bounds,
 * and is encoded again to the same bytes. */
#include "../tools/encrypt/encrypt_header.h"
#include "fuzz.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct header header;
    uint8_t again[HEADER_LEN];
    uint8_t *copy = calloc(1, size ? size : 1); /* a copy of the exact size, so that the
                                                 * sanitizer finds reads behind it */
    CHECK(copy != NULL);
    if (size)
        memcpy(copy, data, size);
    const char *wrong = header_parse(&header, copy, size);
    if (wrong) {
        CHECK(*wrong);
    } else {
        const struct header_costs *costs = &header.costs;
        CHECK(size >= HEADER_LEN);
        CHECK(header.kind == HEADER_KEY_FILE || header.kind == HEADER_PASSPHRASE);
        CHECK(costs->memory <= MAX_MEMORY && costs->passes <= MAX_PASSES);
        CHECK(costs->lanes <= MAX_LANES && costs->memory >= 8 * costs->lanes);
        CHECK((header.kind == HEADER_PASSPHRASE) == (costs->lanes != 0));
        CHECK((header.kind == HEADER_PASSPHRASE) == (costs->passes != 0));
        header_build(again, &header);
        CHECK(!memcmp(again, data, HEADER_LEN));
    }
    free(copy);
    return 0;
}
