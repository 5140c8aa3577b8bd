/* SPDX-License-Identifier: Apache-2.0 */
/* Random parameters: mostly of their usual type and value, sometimes of any. */
#include "model.h"

enum { RARELY = 24 };

static const int any_values[] = { 0,  1,  2,  3,  7,  8,  12,  13,  15, 16, 17,
                                  20, 24, 32, 48, 64, 65, 127, 128, -2, -1 };

static int pick_value(struct run *r, const struct kind *k)
{
    size_t num = 0;
    const int *values = k->values;
    if (!k->bounded && !below(r, RARELY))
        values = any_values;
    while (values[num] != -1)
        num++;
    return values[below(r, num)];
}

static OSSL_PARAM number(struct run *r, const struct kind *k, unsigned type, uint64_t *place)
{
    static const uint8_t sizes[] = { 4, 8, 8, 4, 2, 1 };
    const size_t size = sizes[below(r, below(r, RARELY) ? 2 : sizeof sizes)];
    const size_t lowest = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof *place - size : 0;
    *place = (uint64_t)(int64_t)pick_value(r, k);
    note(r, " %s=%lld/%zu%s", k->key, (long long)*place, size,
         type == OSSL_PARAM_INTEGER ? "i" : "u");
    return (OSSL_PARAM){ k->key, type, (char *)place + lowest, size, OSSL_PARAM_UNMODIFIED };
}

static OSSL_PARAM octets(struct run *r, const struct kind *k, unsigned type, unsigned char *place,
                         size_t most)
{
    const int want = pick_value(r, k);
    const size_t len = want < 0 || (size_t)want > most ? most : (size_t)want;
    random_bytes(&r->random, place, len);
    note(r, " %s=%zu octets", k->key, len);
    return (OSSL_PARAM){ k->key, type, place, len, OSSL_PARAM_UNMODIFIED };
}

static OSSL_PARAM text(struct run *r, const struct kind *k)
{
    size_t num = 0;
    while (k->texts[num])
        num++;
    const char *chosen = k->texts[below(r, num)];
    note(r, " %s=\"%s\"", k->key, chosen);
    return OSSL_PARAM_construct_utf8_string(k->key, (char *)chosen, 0);
}

static unsigned pick_type(struct run *r, unsigned usual)
{
    static const unsigned types[] = { OSSL_PARAM_INTEGER, OSSL_PARAM_UNSIGNED_INTEGER,
                                      OSSL_PARAM_OCTET_STRING };
    return below(r, RARELY) ? usual : types[below(r, sizeof types / sizeof *types)];
}

/* is_new: of a key that is twice in a list, releases of OpenSSL take the first or the last. */
static int is_new(const OSSL_PARAM list[], size_t num, const char *key)
{
    for (size_t i = 0; i < num; i++)
        if (!strcmp(list[i].key, key))
            return 0;
    return 1;
}

const OSSL_PARAM *pick_params(struct run *r, struct random_params *out, const struct kind kinds[])
{
    size_t num_kinds = 0, num = 1 + below(r, 4) / 3 + below(r, 8) / 7;
    while (kinds[num_kinds].key)
        num_kinds++;
    for (size_t i = 0; i < num; i++) {
        const struct kind *k = &kinds[below(r, num_kinds)];
        while (!is_new(out->list, i, k->key))
            k = &kinds[below(r, num_kinds)];
        const unsigned type = pick_type(r, k->type);
        if (type == OSSL_PARAM_OCTET_STRING)
            out->list[i] = octets(r, k, type, out->octets[i], sizeof out->octets[i]);
        else if (type == OSSL_PARAM_UTF8_STRING)
            out->list[i] = text(r, k);
        else
            out->list[i] = number(r, k, type, &out->numbers[i]);
    }
    out->list[num] = OSSL_PARAM_construct_end();
    return out->list;
}
