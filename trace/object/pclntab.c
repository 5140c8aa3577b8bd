/* SPDX-License-Identifier: Apache-2.0
 *
 * The layouts of Go's pclntab. The first is described in "Go 1.2 Runtime Symbol Information" (Russ
 * Cox, golang.org/s/go12symtab); later ones keep its function table and find it by an offset:
 *
 *     magic (4)  0 0  instruction size (1)  pointer size (1)  number of functions (pointer)
 *     1.2:   function table follows
 *     1.16:  number of files; offsets of names, CUs, files, pcs, functions
 *     1.18:  number of files; address of text; the same offsets; pcs are 4-byte offsets from text
 *     1.20:  as 1.18 (the address of text is 0 from 1.26 on)
 *
 * The function table consists of pairs (pc, offset of the function's record), and ends with a pc. A
 * record consists of a pc and of words, of which the first is the offset of the name.
 */
#include "pclntab.h"
#include "../budget.h"
#include <string.h>

enum { MAX_NAME = 4096, FIRST = 8 /* offset of the first word of the header */ };

static const struct layout {
    uint32_t magic;
    bool relative;
    int8_t text, names, table; /* indices of words in the header; -1: there is no such word */
} layouts[] = {
    { 0xfffffffb, false, -1, -1, -1 }, /* 1.2 */
    { 0xfffffffa, false, -1, 2, 6 },   /* 1.16 */
    { 0xfffffff0, true, 2, 3, 7 },     /* 1.18 */
    { 0xfffffff1, true, 2, 3, 7 },     /* 1.20 */
};

static uint64_t word(const struct pclntab *t, size_t at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)t->bytes[at + (t->big_endian ? size - 1 - i : i)] << 8 * i;
    return value;
}

static bool fits(const struct pclntab *t, uint64_t at, uint64_t len)
{
    return at <= t->len && len <= t->len - at;
}

static const struct layout *find_layout(struct pclntab *t)
{
    for (size_t i = 0; i < 2 * (sizeof layouts / sizeof *layouts); i++) {
        t->big_endian = i & 1;
        if (word(t, 0, 4) == layouts[i / 2].magic)
            return &layouts[i / 2];
    }
    return NULL;
}

bool pclntab_open(struct pclntab *t, const uint8_t *bytes, size_t len)
{
    *t = (struct pclntab){ .bytes = bytes, .len = len };
    const struct layout *layout = len >= FIRST ? find_layout(t) : NULL;
    if (!layout || bytes[4] || bytes[5] || (bytes[7] != 4 && bytes[7] != 8) ||
        (bytes[6] != 1 && bytes[6] != 2 && bytes[6] != 4))
        return false;
    t->pointer = bytes[7];
    t->pc_size = layout->relative ? 4 : t->pointer;
    t->relative = layout->relative;
    const size_t num_words = layout->table < 0 ? 1 : (size_t)layout->table + 1;
    if (!fits(t, FIRST, num_words * t->pointer))
        return false;
    uint64_t num = word(t, FIRST, t->pointer), names = 0, table = FIRST + t->pointer;
    if (layout->table >= 0) {
        names = word(t, FIRST + (size_t)layout->names * t->pointer, t->pointer);
        table = word(t, FIRST + (size_t)layout->table * t->pointer, t->pointer);
    }
    if (layout->text >= 0)
        t->text = word(t, FIRST + (size_t)layout->text * t->pointer, t->pointer);
    /* The pairs, and the pc that ends them. */
    if (names > len || table > len || len - table < t->pc_size ||
        num > (len - table - t->pc_size) / (2 * t->pc_size))
        return false;
    t->num = (size_t)num;
    t->names = (size_t)names;
    t->table = (size_t)table;
    return true;
}

bool pclntab_function(const struct pclntab *t, size_t i, uint64_t *start, uint64_t *end,
                      const char **name)
{
    if (i >= t->num)
        return false;
    const size_t pair = t->table + i * 2 * t->pc_size;
    *start = word(t, pair, t->pc_size);
    *end = word(t, pair + 2 * t->pc_size, t->pc_size);
    *name = NULL;
    if (*end <= *start)
        return false;
    /* A record's offset is relative to the function table, in Go 1.2 to the beginning of
     * pclntab. */
    const uint64_t record = word(t, pair + t->pc_size, t->pc_size);
    const uint64_t base = t->names ? t->table : 0;
    if (record > t->len || !fits(t, base + record, t->pc_size + 4))
        return true;
    const uint64_t at = t->names + word(t, (size_t)(base + record) + t->pc_size, 4);
    if (at >= t->len)
        return true;
    const size_t left = t->len - (size_t)at;
    const char *text = (const char *)t->bytes + at;
    if (*text && memchr(text, 0, left < MAX_NAME ? left : MAX_NAME))
        *name = text;
    return true;
}

size_t pclntab_search(const uint8_t *bytes, size_t len, size_t from)
{
    struct pclntab t;
    for (size_t at = (from + 3) & ~(size_t)3; at < len && len - at >= FIRST && !budget_over();
         at += 4)
        if (!bytes[at + 4] && !bytes[at + 5] && (bytes[at] == 0xff || bytes[at + 3] == 0xff) &&
            pclntab_open(&t, bytes + at, len - at) && t.num)
            return at;
    return len;
}
