/* SPDX-License-Identifier: Apache-2.0 */
/* The library's keys, made of what the other provider exports. */
#include "shadow.h"
#include <stdlib.h>

/* ---- rows ---- */

/* What a row serves.  Keys that are longer than the largest row were measured by nobody. */
enum served_sizes { NONE_SERVED, UP_TO_ROW, LONGER_TOO };

/* mark marks the rows of a class that are in the win map.  If none is, a program has asked for this
 * provider in spite of the map, and gets all; but keys that may be lent have the provider anyway.
 */
static void mark(uint8_t served[NUM_ROWS], enum hr_class cls, const char *wins, int lends)
{
    const uint8_t wanted = win_of_provider("all", wins) ? LONGER_TOO : UP_TO_ROW;
    const struct hr_algorithm *row;
    uint8_t any = 0;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == cls && win_of_provider(row->symbol, wins))
            any = served[i] = wanted;
    for (size_t i = 0; !any && !lends && (row = hr_algorithm_at(i)); i++)
        if (row->cls == cls)
            served[i] = LONGER_TOO;
}

static void *find_served(const struct provider *provider)
{
    static const uint8_t classes[] = { HR_CLASS_RSA, HR_CLASS_DSA, HR_CLASS_DH };
    uint8_t *served = calloc(1, NUM_ROWS);
    for (size_t i = 0; served && i < COUNT(classes); i++)
        mark(served, classes[i], pkey_win_list(provider),
             provider->lends && classes[i] == HR_CLASS_RSA);
    return served;
}

/* row_of returns the class's row of the least size that a modulus does not exceed; the largest has
 * all that do. */
static unsigned row_of(enum hr_class cls, size_t modulus_len)
{
    const struct hr_algorithm *row;
    unsigned found = 0;
    for (unsigned i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == cls) {
            found = i;
            if (modulus_len <= row->public_len)
                break;
        }
    return found;
}

int shadow_is_served(struct shadow_ready *ready, const struct shadow_key *key,
                     const uint8_t *modulus, size_t modulus_len)
{
    const uint8_t *served = part_of(key->head.provider, PART_SIZES, find_served);
    for (; modulus_len && !*modulus; modulus_len--)
        modulus++;
    ready->row = row_of((enum hr_class)key->kind->cls, modulus_len);
    const int is_longer = modulus_len > hr_algorithm_at(ready->row)->public_len;
    return served && served[ready->row] >= (is_longer ? LONGER_TOO : UP_TO_ROW);
}

/* ---- making keys ---- */

int shadow_take(const OSSL_PARAM params[], const char *key, uint8_t *out, size_t out_len)
{
    const OSSL_PARAM *p = param_find(params, key);
    return p && pkey_get_number(p, out, out_len);
}

struct shadow_ready *shadow_ready_make(const struct shadow_key *key, const struct shadow_recipe *r)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(key->head.provider);
    struct shadow_ready *ready = pkey_aligned(r->size);
    void *numbers = calloc(1, r->numbers_size);
    if (ready && numbers) {
        memset(ready, 0, r->size);
        ready->size = r->size;
        ready->is_usable = ssl->EVP_PKEY_export(key->other, r->selection, r->take, numbers) > 0 &&
                           r->make(ready, numbers, key);
    } else {
        free(ready);
        ready = NULL;
    }
    if (numbers)
        wipe_bytes(numbers, r->numbers_size);
    free(numbers);
    return ready;
}

void shadow_drop(void *ready)
{
    struct shadow_ready *r = ready;
    if (r)
        wipe_bytes(r, r->size);
    free(r);
}

/* ---- the library's keys ---- */

static const struct shadow_ready *usable(const struct shadow_ready *ready)
{
    return ready && ready->is_usable ? ready : NULL;
}

const struct shadow_ready *shadow_private(struct shadow_key *key)
{
    void *there = atomic_load_explicit(&key->private, memory_order_acquire);
    if (UNLIKELY(!there) && key->head.has_private)
        there = pkey_keep(&key->private, key->maker(key, 1), shadow_drop);
    return usable(there);
}

/* shadow_public prefers a private key that is there already: it has all that a public one has. */
const struct shadow_ready *shadow_public(struct shadow_key *key)
{
    const struct shadow_ready *private =
        usable(atomic_load_explicit(&key->private, memory_order_acquire));
    void *there = atomic_load_explicit(&key->public, memory_order_acquire);
    if (private)
        return private;
    if (UNLIKELY(!there) && key->other)
        there = pkey_keep(&key->public, key->maker(key, 0), shadow_drop);
    return usable(there);
}
