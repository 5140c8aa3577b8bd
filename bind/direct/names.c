/* SPDX-License-Identifier: Apache-2.0 */
/* Digests by name: a hash table, because a short digest takes less time than a search of the
 * registry. */
#include "direct.h"

enum { PLACES = 256 };

/* table is a hash table with open addressing, written once before the first call. */
static struct {
    const char *name;
    size_t len;
    enum row_index index;
} table[PLACES];

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static size_t place_of(const char *name, size_t len)
{
    size_t place = len;
    for (size_t i = 0; i < len; i++)
        place = place * 31 + (unsigned char)lower(name[i]);
    return place % PLACES;
}

static int same(const char *a, const char *b, size_t len)
{
    size_t i = 0;
    while (i < len && lower(a[i]) == lower(b[i]))
        i++;
    return i == len;
}

static void add(const char *name, size_t len, enum row_index index)
{
    size_t place = place_of(name, len);
    while (table[place].name)
        place = (place + 1) % PLACES;
    table[place].name = name;
    table[place].len = len;
    table[place].index = index;
}

void names_init(void)
{
    for (size_t i = 0; i < NUM_ROWS; i++) {
        const struct hr_algorithm *row = hr_algorithm_at(i);
        const char *name = row->openssl_names;
        if (row->cls != HR_CLASS_DIGEST)
            continue;
        for (size_t len; *name; name += len + (name[len] == ':')) {
            len = strcspn(name, ":");
            add(name, len, (enum row_index)i);
        }
    }
}

enum row_index digest_by_name(const char *name)
{
    const size_t len = strlen(name);
    for (size_t place = place_of(name, len); table[place].name; place = (place + 1) % PLACES)
        if (table[place].len == len && same(table[place].name, name, len))
            return table[place].index;
    return NUM_ROWS;
}
