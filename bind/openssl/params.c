/* SPDX-License-Identifier: Apache-2.0 */
#include "params.h"
#include <string.h>

static int is_number(const OSSL_PARAM *p)
{
    return p->data_type == OSSL_PARAM_UNSIGNED_INTEGER || p->data_type == OSSL_PARAM_INTEGER;
}

int param_get_number(const OSSL_PARAM *p, uint64_t *value)
{
    if (!is_number(p) || !p->data)
        return 0;
    if (p->data_size == sizeof(uint64_t)) {
        memcpy(value, p->data, sizeof *value);
    } else if (p->data_size == sizeof(uint32_t)) {
        uint32_t half;
        memcpy(&half, p->data, sizeof half);
        *value = half;
    } else {
        return 0;
    }
    const unsigned top = (unsigned)(8 * p->data_size - 1);
    return p->data_type == OSSL_PARAM_UNSIGNED_INTEGER || !(*value >> top);
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

int param_key(const OSSL_PARAM *p, const char *const keys[], int num)
{
    for (int i = 0; i < num; i++)
        if (keys[i][0] == p->key[0] && !strcmp(keys[i], p->key))
            return i;
    return -1;
}

int param_set_numbers(OSSL_PARAM params[], const char *const keys[], const uint64_t values[],
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
