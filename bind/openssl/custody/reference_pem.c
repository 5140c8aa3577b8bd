/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_pem.h"
#include "../../common.h"

#define BEGIN "-----BEGIN "
#define LABEL "HEADRACE KEY REFERENCE-----"
#define END "-----END " LABEL

static int begins(const char *line, size_t len, const char *with)
{
    return len >= strlen(with) && !memcmp(line, with, strlen(with));
}

static int is(const char *line, size_t len, const char *text)
{
    return len == strlen(text) && begins(line, len, text);
}

/* digit returns the value of a digit of base64, or -1. */
static int digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* end_group writes the bytes of four digits, of which the last may be padding.  The bits that are
 * left over are zero in the only form that is accepted. */
static int end_group(struct reference_pem *pem)
{
    const int num = 3 - pem->padding;
    if (pem->len + (size_t)num > sizeof pem->der || pem->bits & ((1u << 8 * pem->padding) - 1))
        return 0;
    for (int i = 0; i < num; i++)
        pem->der[pem->len++] = (uint8_t)(pem->bits >> (16 - 8 * i));
    pem->bits = 0;
    pem->digits = 0;
    return 1;
}

static int take_char(struct reference_pem *pem, char c)
{
    const int value = c == '=' ? 0 : digit(c);
    const int is_padding = c == '=';
    if (value < 0 || (pem->padding && (!is_padding || !pem->digits)) ||
        (is_padding && pem->digits < 2))
        return 0;
    pem->padding += is_padding;
    pem->bits = pem->bits << 6 | (uint32_t)value;
    return ++pem->digits < 4 || end_group(pem);
}

static enum reference_line take_inside(struct reference_pem *pem, const char *line, size_t len)
{
    if (is(line, len, END))
        return pem->digits ? REFERENCE_BAD : REFERENCE_DONE;
    for (size_t i = 0; i < len; i++)
        if (!take_char(pem, line[i]))
            return REFERENCE_BAD;
    return REFERENCE_INSIDE;
}

enum reference_line reference_pem_line(struct reference_pem *pem, const char *line, size_t len)
{
    while (len && (line[len - 1] == '\n' || line[len - 1] == '\r' || line[len - 1] == ' ' ||
                   line[len - 1] == '\t'))
        len--;
    if (pem->inside)
        return take_inside(pem, line, len);
    pem->inside = is(line, len, BEGIN LABEL);
    return pem->inside                ? REFERENCE_INSIDE
           : begins(line, len, BEGIN) ? REFERENCE_OTHER
                                      : REFERENCE_OUTSIDE;
}
