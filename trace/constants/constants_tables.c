/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables that are looked for, and the forms in which programs lay them out: one row each.
 */
#include "constants_private.h"
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* A form: elements of `width` bytes; each `group` of elements is written `repeat` times. {4, 4,
 * 2} writes every 16 bytes twice, as in code for 256-bit registers. */
struct shape {
    uint8_t width, group, repeat;
};

struct row {
    uint8_t bit, flags;
    values_fn *values;
    uint16_t variants, num;
    uint16_t tail; /* elements of the table that follow, and are compared by their hash */
    struct shape shapes[5];
};

#define ROW(id, fill, variants, num, tail, flags, ...)                \
    {                                                                 \
        CONSTANT_BIT_##id, flags, fill##_values, variants, num, tail, \
        {                                                             \
            __VA_ARGS__                                               \
        }                                                             \
    }
#define ONE     \
    {           \
        1, 1, 1 \
    }
#define WORD    \
    {           \
        4, 1, 1 \
    }
#define WORD_TWICE \
    {              \
        4, 1, 2    \
    }
#define WORD_4  \
    {           \
        4, 1, 4 \
    }
#define WORD_8  \
    {           \
        4, 1, 8 \
    }
#define WORD_16  \
    {            \
        4, 1, 16 \
    }
#define PAIRED  \
    {           \
        4, 4, 2 \
    }
#define LONG    \
    {           \
        8, 1, 1 \
    }

/* clang-format off */
static const struct row rows[] = {
    ROW(AES_SBOX,      aes_sbox,       1, 256, 0, PATTERN_POINTED, ONE, WORD, { 1, 1, 4 }),
    ROW(AES_INV_SBOX,  aes_inverse,    1, 256, 0, PATTERN_POINTED, ONE, WORD, { 1, 1, 4 }),
    ROW(AES_TE,        aes_te,         4, 256, 0, PATTERN_POINTED, WORD, WORD_TWICE),
    ROW(AES_TE,        aes_te4,        2, 1024, 0, PATTERN_POINTED, WORD),
    ROW(AES_TD,        aes_td,         4, 256, 0, PATTERN_POINTED, WORD, WORD_TWICE),
    ROW(AES_TD,        aes_td4,        2, 1024, 0, PATTERN_POINTED, WORD),
    ROW(AES_TD,        aes_mix,        4, 256, 0, PATTERN_POINTED, WORD, WORD_TWICE),
    ROW(AES_VPAES,     aes_vpaes,      2, 16, 0, PATTERN_ROWS, ONE),
    ROW(AES_VPAES,     aes_vpaes_orders, 1, 192, 0, 0, ONE),
    ROW(AES_BITSLICE,  aes_bitslice,   2, 16, 0, PATTERN_ROWS, ONE),
    ROW(GHASH_TABLE,   ghash4,         1, 16, 0, 0, { 2, 1, 1 }, WORD, LONG),
    ROW(GHASH_TABLE,   ghash4_high,    1, 16, 0, 0, LONG),
    ROW(GHASH_TABLE,   ghash4_word,    1, 16, 0, 0, WORD),
    ROW(GHASH_TABLE,   ghash8,         1, 256, 0, PATTERN_POINTED, { 2, 1, 1 }, WORD),
    ROW(SHA1_K,        sha1,           1, 4, 0, 0, WORD, WORD_4, WORD_8, WORD_16),
    ROW(SHA256_K,      sha256,         1, 64, 0, PATTERN_POINTED,
        WORD, PAIRED, WORD_4, WORD_8, WORD_16),
    ROW(SHA512_K,      sha512,         2, 80, 0, PATTERN_POINTED,
        LONG, { 8, 2, 2 }, { 8, 1, 2 }, { 8, 1, 4 }, { 8, 1, 8 }),
    /* Repeated, or as halves, parts of it look like any array of small numbers. */
    ROW(SHA3_RC,       keccak,         2, 24, 0, PATTERN_POINTED, LONG),
    ROW(SHA3_RC,       keccak,         2, 24, 0, 0, { 8, 1, 2 }, { 8, 1, 4 }, { 8, 1, 8 }),
    ROW(SHA3_RC,       keccak_split,   2, 48, 0, 0, WORD),
    ROW(MD5_K,         md5,            1, 64, 0, PATTERN_POINTED, WORD, WORD_4, WORD_8, WORD_16),
    ROW(SM3_K,         sm3,            1, 64, 0, PATTERN_POINTED, WORD),
    ROW(SM4_SBOX,      sm4,            1, 256, 0, PATTERN_POINTED, ONE, WORD),
    ROW(SM4_SBOX,      sm4_table,      4, 256, 0, PATTERN_POINTED, WORD),
    ROW(CHACHA_SIGMA,  chacha,         2, 4, 0, 0, WORD, WORD_4, WORD_8, WORD_16),
    ROW(BLAKE2_SIGMA,  blake2,         3, 160, 0, 0, ONE, { 2, 1, 1 }, WORD, LONG),
    ROW(BLOWFISH_P,    blowfish,       1, 18, 0, 0, WORD),
    ROW(BLOWFISH_P,    blowfish_box,   4, 2, 254, 0, WORD),
    ROW(DES_SP,        des_sp, NUM_DES_SP, 64, 0, PATTERN_POINTED, WORD),
    ROW(DES_SP,        des_sbox,       24, 64, 0, 0, ONE, WORD),
    ROW(CAMELLIA_SBOX, camellia,       4, 256, 0, 0, ONE),
    ROW(CAMELLIA_SBOX, camellia_sp, NUM_CAMELLIA_SP, 256, 0, 0, WORD),
    ROW(CAMELLIA_SBOX, camellia_sp8,   2, 256, 0, 0, LONG),
    ROW(CAMELLIA_SBOX, camellia_two,   1, 512, 0, 0, WORD),
    ROW(KASUMI_S,      kasumi_s7,      1, 128, 0, 0, ONE, { 2, 1, 1 }, WORD),
    ROW(KASUMI_S,      kasumi_s9,      1, 512, 0, 0, { 2, 1, 1 }, WORD),
    ROW(CRC_TABLE,     crc16,  NUM_CRC16, 256, 0, PATTERN_POINTED, { 2, 1, 1 }, WORD),
    ROW(CRC_TABLE,     crc32,  NUM_CRC32, 256, 0, PATTERN_POINTED | PATTERN_CRC, WORD, LONG),
    ROW(CRC_TABLE,     crc64,  NUM_CRC64, 256, 0, PATTERN_POINTED | PATTERN_CRC, LONG),
    ROW(P256_PRIME,    p256,           4, 4, 0, 0, LONG),
};
/* clang-format on */

/* ---- bytes ---- */

static bool grow(struct patterns *p, size_t len)
{
    if (p->pool_room - p->pool_len < len) {
        const size_t room = 2 * p->pool_room + len;
        uint8_t *pool = realloc(p->pool, room);
        if (!pool)
            return false;
        p->pool = pool;
        p->pool_room = room;
    }
    if (p->num == p->room) {
        const size_t room = 2 * p->room + 64;
        struct pattern *at = realloc(p->at, room * sizeof *at);
        if (!at)
            return false;
        p->at = at;
        p->room = room;
    }
    return true;
}

static void write_element(uint8_t *out, uint64_t value, unsigned width, bool swapped)
{
    for (unsigned i = 0; i < width; i++)
        out[swapped ? width - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static size_t write_shape(uint8_t *out, const uint64_t *values, size_t num,
                          const struct shape *shape, bool swapped)
{
    uint8_t *p = out;
    for (size_t first = 0; first < num; first += shape->group)
        for (unsigned r = 0; r < shape->repeat; r++)
            for (unsigned i = 0; i < shape->group; i++, p += shape->width)
                write_element(p, values[first + i], shape->width, swapped);
    return (size_t)(p - out);
}

/* ---- the most distinctive eight bytes: most different values, fewest 00 and ff ---- */

static unsigned tell(const uint8_t *p)
{
    unsigned different = 0;
    for (unsigned i = 0; i < 8; i++) {
        bool seen = p[i] == 0 || p[i] == 0xff;
        for (unsigned k = 0; k < i; k++)
            seen |= p[k] == p[i];
        different += !seen;
    }
    return different;
}

static uint32_t best_seed(const uint8_t *p, size_t len)
{
    enum { ENOUGH = 128 };
    uint32_t best = 0;
    for (size_t i = 0; i + 8 <= len && i < ENOUGH; i++)
        if (tell(p + i) > tell(p + best))
            best = (uint32_t)i;
    return best;
}

/* Whether the same bytes already have the same meaning: a form may equal another one (single
 * bytes have no byte order). */
static bool is_known(const struct patterns *p, const struct pattern *new)
{
    for (size_t i = p->num; i-- > 0 && p->at[i].bit == new->bit;)
        if (p->at[i].len == new->len && p->at[i].flags == new->flags &&
            !memcmp(p->pool + p->at[i].at, p->pool + new->at, new->len))
            return true;
    return false;
}

static void add(struct patterns *p, const struct row *row, unsigned variant,
                const struct shape *shape, const uint64_t *values, bool swapped)
{
    const size_t len = (size_t)row->num * shape->width * shape->repeat;
    if (p->failed || !grow(p, len)) {
        p->failed = true;
        return;
    }
    uint8_t *bytes = p->pool + p->pool_len;
    struct pattern new = {
        .at = (uint32_t)p->pool_len,
        .len = (uint32_t)write_shape(bytes, values, row->num, shape, swapped),
        .tail = row->tail,
        .variant = (uint16_t)variant,
        .bit = row->bit,
        .flags = row->flags,
        .width = shape->width,
        .swapped = swapped,
    };
    new.seed = best_seed(bytes, new.len);
    if (!(new.flags &PATTERN_PAIR) && is_known(p, &new))
        return;
    p->at[p->num++] = new;
    p->pool_len += new.len;
}

static void add_row(struct patterns *p, const struct row *row)
{
    uint64_t values[MAX_VALUES];
    for (unsigned variant = 0; variant < row->variants; variant++) {
        row->values(values, variant);
        for (size_t s = 0; s < COUNT(row->shapes) && row->shapes[s].width; s++)
            for (unsigned swapped = 0; swapped < 2; swapped++)
                add(p, row, variant, &row->shapes[s], values, swapped);
    }
}

static void add_folds(struct patterns *p, unsigned polynomial)
{
    static const struct row row = { .bit = CONSTANT_BIT_CRC_FOLD, .flags = PATTERN_PAIR, .num = 1 };
    static const struct shape shape = LONG;
    uint64_t values[MAX_FOLDS];
    const size_t num = crc_fold_values(values, polynomial);
    for (size_t i = 0; i < num; i++) {
        const size_t before = p->num;
        add(p, &row, 0, &shape, &values[i], false);
        if (p->num > before)
            p->at[before].group = (uint8_t)polynomial;
    }
}

bool tables_patterns_make(struct patterns *p)
{
    *p = (struct patterns){ .pool = NULL };
    for (size_t i = 0; i < COUNT(rows); i++)
        add_row(p, &rows[i]);
    for (unsigned i = 0; i < NUM_FOLDED; i++)
        add_folds(p, i);
    if (p->failed)
        tables_patterns_free(p);
    return p->at != NULL;
}

void tables_patterns_free(struct patterns *p)
{
    free(p->pool);
    free(p->at);
    *p = (struct patterns){ .failed = true };
}
