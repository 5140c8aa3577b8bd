/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA signatures in DER (RFC 3279 section 2.2.3): SEQUENCE { r INTEGER, s INTEGER }.  Signatures
 * are public. */
#include "ec.h"
#include <headrace/sign.h>

enum { INTEGER = 0x02, SEQUENCE = 0x30, SHORT = 0x80, LONG_1 = 0x81 };

/* The bytes of a number as an INTEGER's contents: no zero bytes in front, but one where the number
 * would be negative, or is 0. */
struct contents {
    const uint8_t *bytes;
    size_t len;
    size_t zero; /* 1: a zero byte goes before them */
};

static struct contents contents_of(const uint8_t *number, size_t len)
{
    while (len && !*number) {
        number++;
        len--;
    }
    return (struct contents){ number, len, !len || (*number & 0x80) };
}

static uint8_t *put_header(uint8_t *out, uint8_t tag, size_t len)
{
    *out++ = tag;
    if (len >= SHORT)
        *out++ = LONG_1;
    *out++ = (uint8_t)len;
    return out;
}

int hr_ecdsa_to_der(uint8_t *out, size_t *out_len, const uint8_t *sig, size_t sig_len)
{
    struct contents numbers[2];
    size_t len = 0;
    if (!out || !out_len || !sig)
        return HR_EINVAL;
    if (!sig_len || sig_len % 2 || sig_len > 2 * EC_BYTES)
        return HR_ELENGTH;
    if (touch(out, *out_len, sig, sig_len))
        return HR_EOVERLAP;
    for (size_t i = 0; i < 2; i++) {
        numbers[i] = contents_of(sig + i * sig_len / 2, sig_len / 2);
        len += 2 + numbers[i].zero + numbers[i].len;
    }
    const size_t whole = 2 + (size_t)(len >= SHORT) + len;
    if (*out_len < whole)
        return HR_EBUFFER;
    out = put_header(out, SEQUENCE, len);
    for (size_t i = 0; i < 2; i++) {
        out = put_header(out, INTEGER, numbers[i].zero + numbers[i].len);
        if (numbers[i].zero)
            *out++ = 0;
        memcpy(out, numbers[i].bytes, numbers[i].len);
        out += numbers[i].len;
    }
    *out_len = whole;
    return 0;
}

/* Reads a header with this tag: *in moves behind it, and *contents_len bytes follow.  The shortest
 * form is the only one. */
static int get_header(const uint8_t **in, const uint8_t *end, uint8_t tag, size_t *contents_len)
{
    const uint8_t *at = *in;
    if (end - at < 2 || *at++ != tag)
        return HR_EFORMAT;
    size_t len = *at++;
    if (len >= SHORT) {
        if (len != LONG_1 || at == end || *at < SHORT)
            return HR_EFORMAT;
        len = *at++;
    }
    if ((size_t)(end - at) < len)
        return HR_EFORMAT;
    *in = at;
    *contents_len = len;
    return 0;
}

/* Reads an INTEGER that is not negative and fits out_len bytes. */
static int get_integer(uint8_t *out, size_t out_len, const uint8_t **in, const uint8_t *end)
{
    size_t len;
    if (get_header(in, end, INTEGER, &len) || !len)
        return HR_EFORMAT;
    const uint8_t *bytes = *in;
    *in += len;
    if (bytes[0] & 0x80 || (len > 1 && !bytes[0] && !(bytes[1] & 0x80)))
        return HR_EFORMAT;
    if (!bytes[0]) {
        bytes++;
        len--;
    }
    if (len > out_len)
        return HR_EFORMAT;
    memset(out, 0, out_len - len);
    memcpy(out + out_len - len, bytes, len);
    return 0;
}

int hr_ecdsa_from_der(uint8_t *sig, size_t sig_len, const uint8_t *der, size_t der_len)
{
    uint8_t numbers[2 * EC_BYTES];
    const uint8_t *at = der;
    size_t len;
    if (!sig || !der)
        return HR_EINVAL;
    if (!sig_len || sig_len % 2 || sig_len > sizeof numbers)
        return HR_ELENGTH;
    if (get_header(&at, der + der_len, SEQUENCE, &len) || (size_t)(der + der_len - at) != len)
        return HR_EFORMAT;
    for (size_t i = 0; i < 2; i++)
        if (get_integer(numbers + i * sig_len / 2, sig_len / 2, &at, der + der_len))
            return HR_EFORMAT;
    if (at != der + der_len)
        return HR_EFORMAT;
    memcpy(sig, numbers, sig_len);
    return 0;
}
