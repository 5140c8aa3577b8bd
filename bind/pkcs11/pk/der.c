/* SPDX-License-Identifier: Apache-2.0 */
#include "der.h"
#include <string.h>

/* ---- writing ---- */

void der_put(struct der_writer *w, const void *bytes, size_t len)
{
    if ((size_t)(w->at - w->begin) < len) {
        w->full = true;
        return;
    }
    w->at -= len;
    if (len)
        memcpy(w->at, bytes, len);
}

void der_wrap(struct der_writer *w, uint8_t tag, const uint8_t *end)
{
    const size_t len = (size_t)(end - w->at);
    uint8_t head[1 + 1 + sizeof len] = { tag };
    size_t bytes = 0;
    while (len >> 8 * bytes)
        bytes++;
    if (len < 128) {
        head[1] = (uint8_t)len;
        bytes = 0;
    } else {
        head[1] = (uint8_t)(0x80 | bytes);
        for (size_t i = 0; i < bytes; i++)
            head[2 + i] = (uint8_t)(len >> 8 * (bytes - 1 - i));
    }
    der_put(w, head, 2 + bytes);
}

void der_string(struct der_writer *w, uint8_t tag, const struct hr_number *bytes)
{
    const uint8_t *end = w->at;
    der_put(w, bytes->bytes, bytes->len);
    der_wrap(w, tag, end);
}

void der_integer(struct der_writer *w, const struct hr_number *n)
{
    const uint8_t *end = w->at, *at = n->bytes;
    size_t len = n->len;
    while (len && !*at) {
        at++;
        len--;
    }
    der_put(w, at, len);
    if (!len || *at >= 0x80)
        der_put(w, "", 1); /* a zero */
    der_wrap(w, DER_INTEGER, end);
}

/* ---- reading ---- */

static struct hr_number fail(struct der_reader *r)
{
    r->failed = true;
    return (struct hr_number){ r->end, 0 };
}

/* Reads a length of at most two bytes, in its shortest form. */
static bool take_len(struct der_reader *r, size_t *len)
{
    if (r->at == r->end)
        return false;
    *len = *r->at++;
    if (*len < 128)
        return true;
    const size_t bytes = *len & 0x7f;
    if (!bytes || bytes > 2 || (size_t)(r->end - r->at) < bytes)
        return false;
    *len = 0;
    for (size_t i = 0; i < bytes; i++)
        *len = *len << 8 | *r->at++;
    return *len >= (bytes == 1 ? 128 : 256);
}

struct hr_number der_take(struct der_reader *r, uint8_t tag)
{
    size_t len;
    if (r->failed || r->at == r->end || *r->at++ != tag || !take_len(r, &len) ||
        (size_t)(r->end - r->at) < len)
        return fail(r);
    const struct hr_number contents = { r->at, len };
    r->at += len;
    return contents;
}

struct hr_number der_take_integer(struct der_reader *r)
{
    const struct hr_number n = der_take(r, DER_INTEGER);
    if (r->failed || !n.len || n.bytes[0] >= 0x80 ||
        (n.len > 1 && !n.bytes[0] && n.bytes[1] < 0x80))
        return fail(r);
    return n.bytes[0] || n.len == 1 ? n : (struct hr_number){ n.bytes + 1, n.len - 1 };
}

uint8_t der_peek(const struct der_reader *r)
{
    return r->failed || r->at == r->end ? 0 : *r->at;
}

bool der_ended(const struct der_reader *r)
{
    return !r->failed && r->at == r->end;
}
