/* SPDX-License-Identifier: Apache-2.0 */
#include "params.h"
#include <string.h>
#include <strings.h>

static int is_number(const OSSL_PARAM *p)
{
    return p->data_type == OSSL_PARAM_UNSIGNED_INTEGER || p->data_type == OSSL_PARAM_INTEGER;
}

/* byte_at returns the i-th byte of a number, counted from the lowest.  Numbers have the machine's
 * byte order. */
static uint8_t byte_at(const OSSL_PARAM *p, size_t i)
{
    const uint8_t *bytes = p->data;
    return bytes[__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? p->data_size - 1 - i : i];
}

/* get_integer reads an integer of any size whose bytes above the lowest eight only repeat the
 * sign. */
static int get_integer(const OSSL_PARAM *p, uint64_t *value, int *negative)
{
    const size_t size = p->data_size;
    if (!is_number(p) || !p->data)
        return 0;
    *negative = p->data_type == OSSL_PARAM_INTEGER && size && byte_at(p, size - 1) >> 7;
    const uint8_t fill = *negative ? 0xff : 0;
    *value = 0;
    for (size_t i = 0; i < sizeof *value; i++)
        *value |= (uint64_t)(i < size ? byte_at(p, i) : fill) << 8 * i;
    for (size_t i = sizeof *value; i < size; i++)
        if (byte_at(p, i) != fill)
            return 0;
    return 1;
}

/* get_real reads a floating-point number that has an integer value, as OpenSSL does. */
static int get_real(const OSSL_PARAM *p, uint64_t *value, int *negative)
{
    double real;
    if (p->data_type != OSSL_PARAM_REAL || !p->data || p->data_size != sizeof real)
        return 0;
    memcpy(&real, p->data, sizeof real);
    if (!(real > -0x1p63 && real < 0x1p63) || (double)(int64_t)real != real)
        return 0;
    *value = (uint64_t)(int64_t)real;
    *negative = real < 0;
    return 1;
}

int param_get_number(const OSSL_PARAM *p, uint64_t *value)
{
    int negative;
    return (get_integer(p, value, &negative) || get_real(p, value, &negative)) && !negative;
}

int param_get_signed(const OSSL_PARAM *p, int64_t *value)
{
    int negative;
    uint64_t bits;
    if (!get_integer(p, &bits, &negative) && !get_real(p, &bits, &negative))
        return 0;
    *value = (int64_t)bits;
    return (*value < 0) == negative;
}

int param_set_number(OSSL_PARAM *p, uint64_t value)
{
    if (!is_number(p))
        return 0;
    const size_t least = value > INT32_MAX ? sizeof(uint64_t) : sizeof(uint32_t);
    p->return_size = least;
    if (!p->data)
        return 1;
    if (p->data_size < least)
        return 0;
    if (p->data_size == sizeof(uint64_t)) {
        memcpy(p->data, &value, sizeof value);
    } else if (p->data_size == sizeof(uint32_t)) {
        const uint32_t half = (uint32_t)value;
        memcpy(p->data, &half, sizeof half);
    } else {
        return 0;
    }
    p->return_size = p->data_size;
    return 1;
}

static int set_bytes(OSSL_PARAM *p, const void *bytes, size_t len, unsigned string, unsigned ptr)
{
    if (p->data_type != string && p->data_type != ptr)
        return 0;
    p->return_size = len;
    if (!p->data)
        return 1;
    if (p->data_type == ptr) {
        memcpy(p->data, &bytes, sizeof bytes);
        return 1;
    }
    if (p->data_size < len)
        return 0;
    if (len)
        memcpy(p->data, bytes, len);
    return 1;
}

int param_set_octets(OSSL_PARAM *p, const void *bytes, size_t bytes_len)
{
    return set_bytes(p, bytes, bytes_len, OSSL_PARAM_OCTET_STRING, OSSL_PARAM_OCTET_PTR);
}

int param_set_text(OSSL_PARAM *p, const char *text)
{
    const size_t len = strlen(text);
    if (!set_bytes(p, text, len, OSSL_PARAM_UTF8_STRING, OSSL_PARAM_UTF8_PTR))
        return 0;
    if (p->data_type == OSSL_PARAM_UTF8_STRING && p->data && p->data_size > len)
        ((char *)p->data)[len] = '\0';
    return 1;
}

int param_get_octets(const OSSL_PARAM *p, const void **bytes, size_t *bytes_len)
{
    *bytes = p->data;
    *bytes_len = p->data_size;
    return p->data_type == OSSL_PARAM_OCTET_STRING && (p->data || !p->data_size);
}

int param_get_text(const OSSL_PARAM *p, const char **text, size_t *text_len)
{
    *text = p->data;
    if (p->data_type != OSSL_PARAM_UTF8_STRING || !p->data)
        return 0;
    *text_len = p->data_size ? strnlen(*text, p->data_size) : strlen(*text);
    return 1;
}

const OSSL_PARAM *param_find(const OSSL_PARAM params[], const char *key)
{
    for (const OSSL_PARAM *p = params; p && p->key; p++)
        if (!strcmp(p->key, key))
            return p;
    return NULL;
}

int param_key(const OSSL_PARAM *p, const param_name keys[], int num)
{
    for (int i = 0; i < num; i++)
        if (keys[i][0] && keys[i][0] == p->key[0] && !strcmp(keys[i], p->key))
            return i;
    return -1;
}

int params_name_in_list(const char *names, const char *name, size_t name_len)
{
    for (; *names; names += strcspn(names, ":"), names += *names == ':')
        if (strcspn(names, ":") == name_len && !strncasecmp(names, name, name_len))
            return 1;
    return 0;
}

int param_set_numbers(OSSL_PARAM params[], const param_name keys[], const uint64_t values[],
                      int num)
{
    int good = 1;
    for (OSSL_PARAM *p = params; p && p->key; p++) {
        const int key = param_key(p, keys, num);
        if (key >= 0)
            good &= param_set_number(p, values[key]);
    }
    return good;
}
