/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds tables in bytes. Every pattern has a seed, its most distinctive eight bytes. A small
 * bitmap, which stays in the first-level cache, rules out seeds at nearly every place; the
 * remaining places are looked up in a hash table and compared as a whole.
 */
#include "../budget.h"
#include "constants_private.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#undef CONSTANT
static const struct constant_info infos[NUM_CONSTANTS] = {
#define CONSTANT(id, family, kind, text) [CONSTANT_BIT_##id] = { FAMILY_##family, text },
#include "constants.def"
#undef CONSTANT
};

const struct constant_info *constant_info(enum constant_bit bit)
{
    static const struct constant_info none = { FAMILY_NONE, "" };
    return (unsigned)bit < NUM_CONSTANTS ? &infos[bit] : &none;
}

/* ---- a hash table of places in the pool of patterns, by the eight bytes there ---- */

enum { FILTER_BITS = 18, SEED_BITS = 14, PART_BITS = 18 };

struct index {
    uint32_t *slots; /* offset in the pool + 1; 0: empty */
    unsigned bits;
};

static struct patterns patterns;
static struct index seeds, parts; /* of seeds; of every eighth byte of POINTED patterns */
static uint64_t filter[(1 << FILTER_BITS) / 64];

static uint64_t read8(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static uint64_t mix(uint64_t x)
{
    return x * 0x9e3779b97f4a7c15;
}

static bool index_new(struct index *index, unsigned bits)
{
    index->bits = bits;
    index->slots = calloc((size_t)1 << bits, sizeof *index->slots);
    return index->slots != NULL;
}

/* Adds a place; equal keys get successive slots. A table that is three quarters full takes no
 * more. */
static void index_add(struct index *index, size_t *num, uint32_t at)
{
    const size_t mask = ((size_t)1 << index->bits) - 1;
    size_t i = mix(read8(patterns.pool + at)) >> (64 - index->bits);
    if (*num > mask / 4 * 3)
        return;
    while (index->slots[i])
        i = (i + 1) & mask;
    index->slots[i] = at + 1;
    ++*num;
}

/* The next place with these eight bytes, or UINT32_MAX. *step 0 starts the search. */
static uint32_t index_next(const struct index *index, uint64_t key, size_t *step)
{
    const size_t mask = ((size_t)1 << index->bits) - 1;
    const size_t first = mix(key) >> (64 - index->bits);
    for (;;) {
        const uint32_t slot = index->slots[(first + (*step)++) & mask];
        if (!slot)
            return UINT32_MAX;
        if (read8(patterns.pool + slot - 1) == key)
            return slot - 1;
    }
}

/* Whether eight bytes are distinctive: not all the same, as is frequent in memory. */
static bool telling(uint64_t x)
{
    return x != (x & 255) * 0x0101010101010101;
}

static void make_index(void)
{
    size_t num_seeds = 0, num_parts = 0;
    if (!tables_patterns_make(&patterns) || !index_new(&seeds, SEED_BITS) ||
        !index_new(&parts, PART_BITS)) {
        tables_patterns_free(&patterns);
        return;
    }
    for (size_t i = 0; i < patterns.num; i++) {
        const struct pattern *p = &patterns.at[i];
        const uint32_t seed = p->at + p->seed;
        const uint64_t hash = mix(read8(patterns.pool + seed)) >> (64 - FILTER_BITS);
        filter[hash / 64] |= (uint64_t)1 << hash % 64;
        index_add(&seeds, &num_seeds, seed);
        for (uint32_t k = 0; (p->flags & PATTERN_POINTED) && k + 8 <= p->len; k += 8)
            if (telling(read8(patterns.pool + p->at + k)))
                index_add(&parts, &num_parts, p->at + k);
    }
}

static bool ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_index);
    return patterns.num != 0;
}

static const struct pattern *pattern_of(uint32_t place)
{
    size_t low = 0, high = patterns.num;
    while (high - low > 1) {
        const size_t mid = low + (high - low) / 2;
        if (patterns.at[mid].at <= place)
            low = mid;
        else
            high = mid;
    }
    return &patterns.at[low];
}

/* ---- the surroundings of a table that was found ---- */

struct found {
    const uint8_t *bytes;
    size_t len, start, end; /* limits of the table */
};

static uint64_t element(const uint8_t *p, unsigned width, bool swapped)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < width; i++)
        x |= (uint64_t)p[swapped ? width - 1 - i : i] << 8 * i;
    return x;
}

/* Whether 256 elements are a linear function of their index, as CRC tables for each byte of a
 * word are. */
static bool is_linear(const uint8_t *p, const struct pattern *pattern)
{
    uint64_t basis[8], any = 0;
    for (unsigned i = 0; i < 256; i++) {
        const uint64_t x = element(p + i * pattern->width, pattern->width, pattern->swapped);
        if ((i & (i - 1)) == 0 && i)
            any |= basis[__builtin_ctz(i)] = x;
        uint64_t sum = 0;
        for (unsigned k = 0; k < 8; k++)
            if (i >> k & 1)
                sum ^= basis[k];
        if (sum != x)
            return false;
    }
    return any != 0;
}

static void extend_crc(struct found *f, const struct pattern *pattern)
{
    enum { MOST = 31 };
    const size_t len = 256 * (size_t)pattern->width;
    for (unsigned i = 0; i < MOST && f->len - f->end >= len; i++, f->end += len)
        if (!is_linear(f->bytes + f->end, pattern))
            break;
    for (unsigned i = 0; i < MOST && f->start >= len; i++, f->start -= len)
        if (!is_linear(f->bytes + f->start - len, pattern))
            break;
}

/* Whether a folding constant has another one beside it: they come in pairs, one for each half of
 * a register. */
static bool has_partner(const struct found *f, const struct pattern *pattern)
{
    const size_t beside[2] = { f->start + 8, f->start - 8 };
    for (unsigned i = 0; i < 2; i++) {
        if (beside[i] > f->len - 8 || (i && f->start < 8))
            continue;
        const uint64_t key = read8(f->bytes + beside[i]);
        uint32_t place;
        for (size_t step = 0; (place = index_next(&seeds, key, &step)) != UINT32_MAX;) {
            const struct pattern *other = pattern_of(place);
            if ((other->flags & PATTERN_PAIR) && other->group == pattern->group &&
                key != read8(f->bytes + f->start))
                return true;
        }
    }
    return false;
}

/* Whether the elements behind the compared ones have the hash of the table's tail. */
static bool has_tail(const struct found *f, const struct pattern *pattern)
{
    enum { MOST = 256 };
    uint8_t words[4 * MOST];
    const size_t len = (size_t)pattern->tail * pattern->width;
    if (!pattern->tail)
        return true;
    if (pattern->width != 4 || pattern->tail > MOST || f->len - f->end < len)
        return false;
    for (size_t i = 0; i < len; i++)
        words[i] = f->bytes[f->end + (pattern->swapped ? i ^ 3 : i)];
    return XXH3_64bits(words, len) == digests_tail_hash(pattern->variant);
}

/* ---- search ---- */

enum { BLOCK = 4096 }; /* bytes between two questions whether the time is over */

struct search {
    struct constant_site **sites;
    size_t *num, first, room;
    const uint8_t *bytes;
    size_t len;
    uint64_t address;
    size_t rows_end; /* append_rows() has looked at the rows before this offset */
    bool failed;
};

/* Joins tables of one kind that touch into one site. Returns whether it did. */
static bool joined(struct search *s, const struct constant_site *site)
{
    if (*s->num == s->first)
        return false;
    struct constant_site *last = &(*s->sites)[*s->num - 1];
    if (last->bit != site->bit || site->address < last->address ||
        site->address - last->address > last->len)
        return false;
    const uint64_t end = site->address - last->address + site->len;
    if (end > last->len)
        last->len = end;
    return true;
}

static void append(struct search *s, const struct found *f, const struct pattern *pattern)
{
    const struct constant_site site = { s->address + f->start, f->end - f->start, pattern->bit };
    if (joined(s, &site))
        return;
    if (*s->num == s->room) {
        const size_t room = 2 * s->room + 16;
        struct constant_site *sites = budget_take((room - s->room) * sizeof *sites)
                                          ? realloc(*s->sites, room * sizeof *sites)
                                          : NULL;
        s->failed |= !sites;
        if (!sites)
            return;
        *s->sites = sites;
        s->room = room;
    }
    (*s->sites)[(*s->num)++] = site;
}

/* Whether the last site already contains this table. */
static bool is_inside(const struct search *s, size_t start, const struct pattern *p)
{
    if (*s->num == s->first)
        return false;
    const struct constant_site *last = &(*s->sites)[*s->num - 1];
    const uint64_t from = s->address + start - last->address;
    return last->bit == p->bit && from < last->len && p->len <= last->len - from;
}

/* Appends the rows of 16 bytes around a table that belong to the same code. */
static void append_rows(struct search *s, const struct found *table, const struct pattern *p)
{
    enum { ROW = 16, AROUND = 1024 };
    const size_t before = table->start < AROUND ? table->start / ROW * ROW : AROUND;
    size_t i = table->start - before;
    while (i < s->rows_end) /* each place is looked at once, whatever the file repeats */
        i += ROW;
    for (; i < table->end + AROUND && i <= s->len - ROW; i += ROW) {
        const struct found row = { s->bytes, s->len, i, i + ROW };
        s->rows_end = i + ROW;
        if (rows_have(p->bit, s->bytes + i))
            append(s, &row, p);
    }
}

static void consider(struct search *s, size_t at, uint32_t place)
{
    const struct pattern *p = pattern_of(place);
    struct found f = { s->bytes, s->len, at - p->seed, 0 };
    if (at < p->seed || s->len - f.start < p->len || is_inside(s, f.start, p) ||
        memcmp(s->bytes + f.start, patterns.pool + p->at, p->len) != 0)
        return;
    f.end = f.start + p->len;
    if ((p->flags & PATTERN_PAIR) && !has_partner(&f, p))
        return;
    if (p->flags & PATTERN_CRC)
        extend_crc(&f, p);
    if (!has_tail(&f, p))
        return;
    f.end += (size_t)p->tail * p->width;
    append(s, &f, p);
    if (p->flags & PATTERN_ROWS)
        append_rows(s, &f, p);
}

static bool passes(uint64_t key)
{
    const uint64_t hash = mix(key) >> (64 - FILTER_BITS);
    return filter[hash / 64] >> hash % 64 & 1;
}

/* Compares all patterns with a seed at this place. Crafted bytes may repeat one seed everywhere,
 * but no table begins twice within eight bytes, and each comparison ends at the first
 * difference. */
static void look_at(struct search *s, size_t at)
{
    const uint64_t key = read8(s->bytes + at);
    uint32_t place;
    for (size_t step = 0; (place = index_next(&seeds, key, &step)) != UINT32_MAX;)
        consider(s, at, place);
}

int constants_find(struct constant_site **sites, size_t *num_sites, const uint8_t *bytes,
                   size_t len, uint64_t address)
{
    struct search s = { .sites = sites,
                        .num = num_sites,
                        .first = *num_sites,
                        .room = *num_sites,
                        .bytes = bytes,
                        .len = len,
                        .address = address };
    if (!ready())
        return -1;
    const size_t places = len >= 8 ? len - 7 : 0;
    for (size_t i = 0; i < places && !s.failed && !budget_over();) {
        const size_t end = places - i < BLOCK ? places : i + BLOCK;
        for (; i < end; i++)
            if (passes(read8(bytes + i)))
                look_at(&s, i);
    }
    return s.failed ? -1 : (int)(*num_sites - s.first);
}

/* ---- memory behind a pointer ---- */

/* How many bytes around one place of the window and of the pattern are equal: they begin at
 * *from, and the result is where they end. */
static size_t equal_around(size_t *from, const uint8_t *window, size_t len, size_t at,
                           const struct pattern *p, size_t in_pattern)
{
    const uint8_t *bytes = patterns.pool + p->at;
    size_t before = 0, behind = 0;
    while (before < at && before < in_pattern &&
           window[at - before - 1] == bytes[in_pattern - before - 1])
        before++;
    while (at + behind < len && in_pattern + behind < p->len &&
           window[at + behind] == bytes[in_pattern + behind])
        behind++;
    *from = at - before;
    return at + behind;
}

static bool part_at(enum constant_bit *out, const uint8_t *window, size_t len, size_t at,
                    size_t place_at)
{
    enum { ENOUGH = 32 };
    const uint64_t key = read8(window + place_at);
    uint32_t place;
    for (size_t step = 0; (place = index_next(&parts, key, &step)) != UINT32_MAX;) {
        const struct pattern *p = pattern_of(place);
        size_t from, to = equal_around(&from, window, len, place_at, p, place - p->at);
        if (to - from >= ENOUGH && at >= from && at < to) {
            *out = (enum constant_bit)p->bit;
            return true;
        }
    }
    return false;
}

bool constants_at(enum constant_bit *out, const uint8_t *window, size_t len, size_t at)
{
    enum { AROUND = 16 };
    if (at >= len || !ready())
        return false;
    const size_t first = at > AROUND ? at - AROUND : 0;
    for (size_t i = first; i + 8 <= len && i <= at + AROUND; i++)
        if (part_at(out, window, len, at, i))
            return true;
    return false;
}
