/* SPDX-License-Identifier: Apache-2.0 */
/* References to named keys, as PEM text and as DER: any bytes are accepted or refused, what is
 * accepted lies within them, and what is written of it again is the same. */
#include "../bind/openssl/custody/reference_pem.h"
#include "fuzz.h"
#include <string.h>

static void check_inside(const struct reference_bytes *bytes, const uint8_t *der, size_t len)
{
    CHECK(!bytes->len || (bytes->at >= der && bytes->at + bytes->len <= der + len));
}

static void parse(const uint8_t *data, size_t len)
{
    struct reference r;
    uint8_t out[REFERENCE_ROOM];
    if (!reference_parse(&r, data, len))
        return;
    check_inside(&r.spki, data, len);
    check_inside(&r.public, data, len);
    check_inside(&r.exponent, data, len);
    CHECK(memchr(r.name, 0, sizeof r.name) && reference_name_is_fine(r.name, strlen(r.name)));
    CHECK(hr_algorithm(r.alg) && r.public.len);
    CHECK(!r.bits == !r.exponent.len && r.bits <= RSA_MOST_BITS && r.exponent.len <= 8);
    CHECK(reference_write(out, r.name, r.spki.at, r.spki.len) == len && !memcmp(out, data, len));
}

/* parse_text splits at each end of line, and hands lines on without it as well as with it. */
static void parse_text(const uint8_t *data, size_t len)
{
    static struct reference_pem pem;
    enum reference_line what = REFERENCE_OUTSIDE;
    memset(&pem, 0, sizeof pem);
    while (len && (what == REFERENCE_OUTSIDE || what == REFERENCE_INSIDE)) {
        const uint8_t *end = memchr(data, '\n', len);
        const size_t line = end ? (size_t)(end - data) : len;
        what = reference_pem_line(&pem, (const char *)data, line);
        CHECK(pem.len <= sizeof pem.der);
        data += line + (end != NULL);
        len -= line + (end != NULL);
    }
    if (what == REFERENCE_DONE)
        parse(pem.der, pem.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1); /* its exact size, so that a read behind its end is found */
    CHECK(copy != NULL);
    memcpy(copy + 1, data, size);
    parse(copy + 1, size);
    parse_text(copy + 1, size);
    free(copy);
    return 0;
}
