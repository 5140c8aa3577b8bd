/* SPDX-License-Identifier: Apache-2.0 */
#include "der.h"
#include <headrace/headrace.h>
#include <string.h>

struct der der_begin(uint8_t *out, size_t len)
{
    return (struct der){ .begin = out, .at = out + len, .end = out + len };
}

void der_put(struct der *d, const void *bytes, size_t len)
{
    d->full |= len > (size_t)(d->at - d->begin);
    if (d->full)
        return;
    d->at -= len;
    if (len)
        memcpy(d->at, bytes, len);
}

void der_byte(struct der *d, size_t byte)
{
    const uint8_t one = (uint8_t)byte;
    der_put(d, &one, 1);
}

void der_wrap(struct der *d, uint8_t tag, const uint8_t *end)
{
    const size_t len = (size_t)(end - d->at);
    unsigned more = 0;
    for (size_t left = len; len >= 0x80 && left; left >>= 8, more++)
        der_byte(d, left & 0xff);
    der_byte(d, more ? 0x80 | more : len);
    der_byte(d, tag);
}

void der_integer(struct der *d, const struct hr_number *n)
{
    const uint8_t *end = d->at;
    size_t zeros = 0;
    while (zeros < n->len && !n->bytes[zeros])
        zeros++;
    der_put(d, n->bytes + zeros, n->len - zeros);
    if (zeros == n->len || n->bytes[zeros] & 0x80)
        der_byte(d, 0);
    der_wrap(d, DER_INTEGER, end);
}

void der_string(struct der *d, uint8_t tag, const void *bytes, size_t len)
{
    const uint8_t *end = d->at;
    der_put(d, bytes, len);
    der_wrap(d, tag, end);
}

int der_finish(struct der *d, uint8_t *out, size_t *out_len)
{
    const size_t len = (size_t)(d->end - d->at);
    if (d->full)
        return HR_EBUFFER;
    memmove(out, d->at, len);
    *out_len = len;
    return 0;
}
