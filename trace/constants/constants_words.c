/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds algorithms by words that compilers and JITs put into instructions. One such word may occur
 * by chance, but not many different words of one algorithm.
 */
#include "../budget.h"
#include "constants_private.h"
#include <pthread.h>
#include <string.h>

struct row {
    uint8_t bit;
    values_fn *values;
    uint8_t num, wide; /* wide: the words have 64 bits */
    uint8_t enough;
    uint64_t needs; /* words that must be among them, because no other algorithm has them */
};

/* RIPEMD-160 shares three words with SHA-1, and MD4 two, but not the last one, which is in `needs`.
 * Keccak has no row. */
static const struct row rows[] = {
    { CONSTANT_BIT_MD5_WORDS, md5_values, 64, false, 12, 0 },
    { CONSTANT_BIT_SHA1_WORDS, sha1_values, 4, false, 3, 8 },
    { CONSTANT_BIT_SHA256_WORDS, sha256_values, 64, false, 8, 0 },
    { CONSTANT_BIT_SHA512_WORDS, sha512_values, 80, true, 8, 0 },
    { CONSTANT_BIT_SM3_WORDS, sm3_values, 64, false, 12, 0 },
    { CONSTANT_BIT_RIPEMD_WORDS, ripemd_values, 5, false, 4, 0 },
    { CONSTANT_BIT_CHACHA_WORDS, chacha_values, 4, false, 4, 0 },
};
enum { NUM_ROWS = sizeof rows / sizeof *rows, SLOT_BITS = 10, FILTER_BITS = 16, BLOCK = 4096 };

static struct word {
    uint64_t value;
    uint8_t row, index;
    bool used;
} words[1 << SLOT_BITS];
static uint64_t filter[(1 << FILTER_BITS) / 64];

static uint32_t mix(uint32_t x)
{
    return x * 0x9e3779b1u;
}

/* Adds a word to the table, by its lower 32 bits, so that one lookup finds words of both widths. */
static void add(uint64_t value, unsigned row, unsigned index)
{
    const uint32_t hash = mix((uint32_t)value);
    size_t i = hash >> (32 - SLOT_BITS);
    filter[hash >> (32 - FILTER_BITS) >> 6] |= (uint64_t)1 << (hash >> (32 - FILTER_BITS) & 63);
    while (words[i].used)
        i = (i + 1) % (1 << SLOT_BITS);
    words[i] = (struct word){ value, (uint8_t)row, (uint8_t)index, true };
}

static void make_words(void)
{
    uint64_t values[MAX_VALUES];
    for (unsigned r = 0; r < NUM_ROWS; r++) {
        rows[r].values(values, 0);
        for (unsigned i = 0; i < rows[r].num; i++)
            add(values[i], r, i);
    }
}

static uint32_t read4(const uint8_t *p, bool big_endian)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? x : __builtin_bswap32(x);
}

static uint64_t read8(const uint8_t *p, bool big_endian)
{
    const uint64_t first = read4(p, big_endian), second = read4(p + 4, big_endian);
    return big_endian ? first << 32 | second : second << 32 | first;
}

struct seen {
    uint64_t set[NUM_ROWS][2];
    size_t wide_end; /* end of the last 64-bit word, whose upper half is also a word of SHA-256 */
};

static void note(struct seen *seen, const uint8_t *p, size_t at, size_t len, bool big_endian)
{
    const uint32_t low = read4(p + at, big_endian);
    for (size_t i = mix(low) >> (32 - SLOT_BITS); words[i].used; i = (i + 1) % (1 << SLOT_BITS)) {
        const struct word *w = &words[i];
        if ((uint32_t)w->value != low)
            continue;
        if (rows[w->row].wide) {
            const size_t first = big_endian ? at - 4 : at;
            if (first > len || len - first < 8 || read8(p + first, big_endian) != w->value)
                continue;
            seen->wide_end = at + 8;
        } else if (at + 4 == seen->wide_end) {
            continue;
        }
        seen->set[w->row][w->index / 64] |= (uint64_t)1 << w->index % 64;
    }
}

constant_set constants_in_code(const uint8_t *bytes, size_t len, bool big_endian)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct seen seen = { .wide_end = 0 };
    constant_set out = 0;
    pthread_once(&once, make_words);
    const size_t places = len >= 4 ? len - 3 : 0;
    for (size_t i = 0; i < places && !budget_over();) {
        const size_t end = places - i < BLOCK ? places : i + BLOCK;
        for (; i < end; i++) {
            const uint32_t hash = mix(read4(bytes + i, big_endian)) >> (32 - FILTER_BITS);
            if (filter[hash >> 6] >> (hash & 63) & 1)
                note(&seen, bytes, i, len, big_endian);
        }
    }
    for (unsigned r = 0; r < NUM_ROWS; r++) {
        const uint64_t *set = seen.set[r];
        if (__builtin_popcountll(set[0]) + __builtin_popcountll(set[1]) >= rows[r].enough &&
            (set[0] & rows[r].needs) == rows[r].needs)
            out |= (constant_set)1 << rows[r].bit;
    }
    return out;
}
