/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of constants: they have the published values; each form of them is found in a file, and no
 * other bytes are. */
#include "constants/constants_private.h"
#include "test.h"

/* ---- values as their standards print them ---- */

static const struct {
    const char *name;
    values_fn *values;
    unsigned variant, index;
    uint64_t value;
} published[] = {
    { "FIPS 197 S-box", aes_sbox_values, 0, 0x53, 0xed },
    { "FIPS 197 S-box", aes_sbox_values, 0, 0xff, 0x16 },
    { "FIPS 197 inverse S-box", aes_inverse_values, 0, 0x00, 0x52 },
    { "FIPS 197 inverse S-box", aes_inverse_values, 0, 0xff, 0x7d },
    { "Rijndael T0", aes_te_values, 0, 0, 0xc66363a5 },
    { "Rijndael T1", aes_te_values, 3, 0, 0xa5c66363 },
    { "Rijndael inverse T0", aes_td_values, 0, 0, 0x51f4a750 },
    { "FIPS 180-4 SHA-1 K", sha1_values, 0, 0, 0x5a827999 },
    { "FIPS 180-4 SHA-1 K", sha1_values, 0, 3, 0xca62c1d6 },
    { "FIPS 180-4 K256", sha256_values, 0, 0, 0x428a2f98 },
    { "FIPS 180-4 K256", sha256_values, 0, 63, 0xc67178f2 },
    { "FIPS 180-4 K512", sha512_values, 0, 0, 0x428a2f98d728ae22 },
    { "FIPS 180-4 K512", sha512_values, 0, 79, 0x6c44198c4a475817 },
    { "RFC 1321 T", md5_values, 0, 0, 0xd76aa478 },
    { "RFC 1321 T", md5_values, 0, 63, 0xeb86d391 },
    { "FIPS 202 RC", keccak_values, 0, 2, 0x800000000000808a },
    { "FIPS 202 RC", keccak_values, 0, 23, 0x8000000080008008 },
    { "SM3 T", sm3_values, 0, 1, 0xf3988a32 },
    { "SM4 S-box", sm4_values, 0, 0, 0xd6 },
    { "SM4 S-box", sm4_values, 0, 255, 0x48 },
    { "RFC 8439 constants", chacha_values, 0, 0, 0x61707865 },
    { "Blowfish P", blowfish_values, 0, 0, 0x243f6a88 },
    { "Blowfish P", blowfish_values, 0, 15, 0xb5470917 },
    { "Blowfish S", blowfish_box_values, 0, 0, 0xd1310ba6 },
    { "DES SP1", des_sp_values, 1, 0, 0x01010400 },
    { "DES SP1", des_sp_values, 1, 63, 0x01010004 },
    { "DES SP2", des_sp_values, 128 + 1, 0, 0x80108020 },
    { "DES SP8", des_sp_values, 7 * 128 + 1, 0, 0x10001040 },
    { "DES S8", des_sbox_values, 7, 63, 11 },
    { "Camellia s1", camellia_values, 0, 255, 158 },
    { "Camellia s2", camellia_values, 1, 0, 224 },
    { "Camellia s3", camellia_values, 2, 0, 56 },
    { "Camellia s4", camellia_values, 3, 1, 44 },
    { "KASUMI S7", kasumi_s7_values, 0, 127, 3 },
    { "KASUMI S9", kasumi_s9_values, 0, 511, 461 },
    { "BLAKE2 sigma 9", blake2_values, 0, 159, 0 },
    { "GHASH by 4 bits", ghash4_values, 0, 1, 0x1c20 },
    { "GHASH by 8 bits", ghash8_values, 0, 1, 0x01c2 },
    { "CRC-32", crc32_values, 0, 1, 0x77073096 },
    { "CRC-32", crc32_values, 0, 255, 0x2d02ef8d },
    { "CRC-32C", crc32_values, 1, 1, 0xf26b8303 },
    { "CRC-64/XZ", crc64_values, 0, 1, 0xb32e4cbe03a75f6f },
    { "CRC-16 X-25", crc16_values, 1, 1, 0x1189 },
    { "P-256 p", p256_values, 0, 3, 0xffffffff00000001 },
    { "P-256 2^512 mod p", p256_values, 1, 0, 0x0000000000000003 },
    { "P-256 2^512 mod p", p256_values, 1, 3, 0x00000004fffffffd },
};

static void test_values(void)
{
    uint64_t values[MAX_VALUES];
    for (size_t i = 0; i < COUNT_OF(published); i++) {
        published[i].values(values, published[i].variant);
        tap(values[published[i].index] == published[i].value, "%s[%u]", published[i].name,
            published[i].index);
    }
}

/* test_folds looks for the folding constants of CRC-32, reflected, that Gopal and others print
 * (Intel 2009). */
static void test_folds(void)
{
    static const uint64_t paper[] = { 0x154442bd4, 0x1c6e41596, 0x1751997d0, 0x0ccaa009e,
                                      0x163cd6124, 0x1db710641, 0x1f7011641 };
    uint64_t values[MAX_FOLDS];
    const size_t num = crc_fold_values(values, 0);
    for (size_t i = 0; i < COUNT_OF(paper); i++) {
        size_t k = 0;
        while (k < num && values[k] != paper[i])
            k++;
        if (k == num)
            complain("%llx", (unsigned long long)paper[i]);
    }
    tap(!complaints_so_far(), "folding constants of Intel's paper");
}

/* ---- search ---- */

static int num_sites(const uint8_t *bytes, size_t len, unsigned bit, size_t start, size_t end)
{
    struct constant_site *sites = NULL;
    size_t num = 0;
    int hits = 0;
    if (constants_find(&sites, &num, bytes, len, 0x1000) < 0)
        complain("no memory");
    for (size_t i = 0; i < num; i++)
        hits += sites[i].bit == bit && sites[i].address <= 0x1000 + start &&
                sites[i].address + sites[i].len >= 0x1000 + end;
    free(sites);
    return hits;
}

/* noise returns random bytes in memory of exactly this length, so that a sanitizer sees reads
 * behind them. */
static uint8_t *noise(size_t len)
{
    uint8_t *p = malloc(len);
    random_bytes(p, len);
    return p;
}

/* check_pattern puts one form of a table between random bytes: it is found whole, but not with a
 * byte changed, nor cut. */
static void check_pattern(const struct patterns *all, const struct pattern *p)
{
    const size_t before = 1 + random_below(100), len = before + p->len + random_below(100);
    uint8_t *bytes = noise(len);
    memset(bytes + before + p->len, 0xaa, len - before - p->len < 8 ? len - before - p->len : 8);
    memcpy(bytes + before, all->pool + p->at, p->len);
    if (num_sites(bytes, len, p->bit, before, before + p->len) != 1)
        complain("%s, %u bytes: not found", constant_info((enum constant_bit)p->bit)->text, p->len);
    if (len > before + p->len && num_sites(bytes, len, p->bit, before, before + p->len + 1))
        complain("%s: reaches behind its end", constant_info((enum constant_bit)p->bit)->text);
    bytes[before + random_below(p->len)] ^= (uint8_t)(1 + random_below(255));
    if (num_sites(bytes, len, p->bit, before, before + p->len))
        complain("%s: found when changed", constant_info((enum constant_bit)p->bit)->text);
    free(bytes);
    bytes = noise(before + p->len - 1);
    bytes[before - 1] = 0xaa; /* with a zero here, small numbers would be found in the other byte
                               * order */
    memcpy(bytes + before, all->pool + p->at, p->len - 1);
    if (num_sites(bytes, before + p->len - 1, p->bit, before, before + p->len - 1))
        complain("%s: found when cut", constant_info((enum constant_bit)p->bit)->text);
    free(bytes);
}

static void test_patterns(void)
{
    struct patterns all;
    size_t num = 0;
    tap(tables_patterns_make(&all), "patterns are made");
    for (size_t i = 0; i < all.num; i++)
        if (!(all.at[i].flags & PATTERN_PAIR) && !all.at[i].tail) {
            check_pattern(&all, &all.at[i]);
            num++;
        }
    tap(!complaints_so_far(), "%zu forms of tables: found whole, not changed, not cut", num);
    tables_patterns_free(&all);
}

/* ---- Blowfish's S-boxes, whose ends are compared by a hash ---- */

enum { P_WORDS = 18, BOX = 256, PI = 1 + P_WORDS + 4 * BOX + 2 };

static void divide(uint32_t x[PI], uint32_t by)
{
    uint64_t rest = 0;
    for (unsigned i = 0; i < PI; i++) {
        rest = rest << 32 | x[i];
        x[i] = (uint32_t)(rest / by);
        rest %= by;
    }
}

static bool add_to(uint32_t sum[PI], const uint32_t x[PI], bool minus)
{
    uint64_t carry = minus;
    uint32_t any = 0;
    for (unsigned i = PI; i-- > 0;) {
        carry += (uint64_t)sum[i] + (minus ? ~x[i] : x[i]);
        sum[i] = (uint32_t)carry;
        carry >>= 32;
        any |= x[i];
    }
    return any;
}

/* Adds by * arctan(1/x): the series of Gregory. */
static void add_arctangent(uint32_t sum[PI], uint32_t by, uint32_t x, bool minus)
{
    uint32_t power[PI] = { by }, term[PI];
    divide(power, x);
    for (uint32_t n = 1;; n += 2, minus = !minus) {
        memcpy(term, power, sizeof term);
        divide(term, n);
        if (!add_to(sum, term, minus))
            return;
        divide(power, x * x);
    }
}

static void test_blowfish(void)
{
    static uint32_t pi[PI];
    enum { AT = 5, LEN = 4 * BOX };
    uint8_t *bytes = noise(AT + LEN + 3);
    add_arctangent(pi, 16, 5, false);
    add_arctangent(pi, 4, 239, true);
    for (unsigned box = 0; box < 4; box++)
        for (unsigned swapped = 0; swapped < 2; swapped++) {
            for (unsigned i = 0; i < LEN; i++)
                bytes[AT + i] = (uint8_t)(pi[1 + P_WORDS + BOX * box + i / 4] >>
                                          8 * (swapped ? 3 - i % 4 : i % 4));
            if (num_sites(bytes, AT + LEN + 3, CONSTANT_BIT_BLOWFISH_P, AT, AT + LEN) != 1)
                complain("box %u is not found", box + 1);
            bytes[AT + 8 + random_below(LEN - 8)] ^= 1;
            if (num_sites(bytes, AT + LEN + 3, CONSTANT_BIT_BLOWFISH_P, AT, AT + 8))
                complain("box %u is found when changed", box + 1);
            if (num_sites(bytes, AT + LEN - 1, CONSTANT_BIT_BLOWFISH_P, AT, AT + 8))
                complain("box %u is found when cut", box + 1);
        }
    tap(!complaints_so_far(), "each S-box of Blowfish, computed from pi");
    free(bytes);
}

static void test_noise(void)
{
    enum { LEN = 1 << 22 };
    uint8_t *bytes = noise(LEN);
    struct constant_site *sites = NULL;
    size_t num = 0;
    tap(constants_find(&sites, &num, bytes, LEN, 0) == 0 && num == 0, "none in 4 MiB of noise");
    memset(bytes, 0, LEN);
    tap(constants_find(&sites, &num, bytes, LEN, 0) == 0 && num == 0, "none in zeros");
    free(sites);
    free(bytes);
}

static void test_pairs(void)
{
    static const uint64_t pair[2] = { 0x1751997d0, 0x0ccaa009e };
    uint8_t bytes[48] = { 0 };
    memcpy(bytes + 5, pair, 16);
    tap(num_sites(bytes, sizeof bytes, CONSTANT_BIT_CRC_FOLD, 5, 13) == 1, "a pair of folds");
    memset(bytes + 13, 0, 8);
    tap(!num_sites(bytes, sizeof bytes, CONSTANT_BIT_CRC_FOLD, 5, 13), "one alone is none");
}

/* test_slices makes the eight tables of CRC-32 by slices, which must count as one site: only the
 * first is looked for. */
static void test_slices(void)
{
    enum { SLICES = 8 };
    uint32_t tables[SLICES][256];
    uint64_t values[MAX_VALUES];
    crc32_values(values, 0);
    for (unsigned i = 0; i < 256; i++)
        tables[0][i] = (uint32_t)values[i];
    for (unsigned t = 1; t < SLICES; t++)
        for (unsigned i = 0; i < 256; i++)
            tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 255];
    tap(num_sites((uint8_t *)tables, sizeof tables, CONSTANT_BIT_CRC_TABLE, 0, sizeof tables) == 1,
        "eight tables of CRC-32 are one site");
}

/* ---- memory behind a pointer ---- */

static void test_pointer(void)
{
    enum { LEN = 4096, AT = 1000 };
    struct patterns all;
    enum constant_bit bit;
    size_t num = 0;
    uint8_t *bytes = noise(LEN);
    tap(!constants_at(&bit, bytes, LEN, AT), "a pointer into noise");
    if (!tables_patterns_make(&all))
        complain("no memory");
    for (size_t i = 0; i < all.num; i++) {
        const struct pattern *p = &all.at[i];
        if (!(p->flags & PATTERN_POINTED))
            continue;
        random_bytes(bytes, LEN);
        const size_t len = p->len < LEN - AT ? p->len : LEN - AT;
        memcpy(bytes + AT, all.pool + p->at, len);
        if (!constants_at(&bit, bytes, LEN, AT) || bit != (enum constant_bit)p->bit ||
            !constants_at(&bit, bytes, LEN, AT + len / 2) || bit != (enum constant_bit)p->bit)
            complain("%s", constant_info((enum constant_bit)p->bit)->text);
        num++;
    }
    tap(!complaints_so_far(), "pointers into %zu forms of tables", num);
    tables_patterns_free(&all);
    free(bytes);
}

/* ---- words in code ---- */

/* of_words returns the constants found in code that loads `num` words, each behind an opcode. */
static constant_set of_words(values_fn *values, unsigned num, unsigned width)
{
    uint64_t all[MAX_VALUES];
    uint8_t code[2048];
    size_t len = 0;
    values(all, 0);
    for (unsigned i = 0; i < num; i++) {
        code[len++] = 0xb8;
        memcpy(code + len, &all[i], width);
        len += width;
    }
    uint8_t *exact = malloc(len ? len : 1);
    memcpy(exact, code, len);
    const constant_set set = constants_in_code(exact, len, false);
    free(exact);
    return set;
}

static void test_words(void)
{
    tap(of_words(md5_values, 64, 4) == CONSTANT(MD5_WORDS), "MD5's words");
    tap(of_words(sha1_values, 4, 4) == CONSTANT(SHA1_WORDS), "SHA-1's words");
    tap(of_words(sha1_values, 3, 4) == 0, "those that MD4 and RIPEMD-160 have are not SHA-1's");
    tap(of_words(sha256_values, 64, 4) == CONSTANT(SHA256_WORDS), "SHA-256's words");
    tap(of_words(sha256_values, 7, 4) == 0, "seven of them are too few");
    tap(of_words(sha512_values, 80, 8) == CONSTANT(SHA512_WORDS),
        "SHA-512's words, whose upper halves are SHA-256's");
    tap(of_words(sm3_values, 64, 4) == CONSTANT(SM3_WORDS), "SM3's words");
    tap(of_words(ripemd_values, 5, 4) == CONSTANT(RIPEMD_WORDS), "RIPEMD-160's words");
    tap(of_words(chacha_values, 4, 4) == CONSTANT(CHACHA_WORDS), "ChaCha's words");
    tap(of_words(chacha_values, 3, 4) == 0, "three of them are too few");
}

/* ---- references ---- */

struct seen {
    uint64_t at[8];
    size_t num;
};

static void note(void *ctx, uint64_t at, const struct constant_site *site)
{
    struct seen *seen = ctx;
    if (seen->num < COUNT_OF(seen->at))
        seen->at[seen->num] = at;
    seen->num++;
}

static void put(uint8_t *code, size_t at, int64_t value)
{
    const uint32_t word = (uint32_t)value;
    memcpy(code + at, &word, sizeof word);
}

static void test_references(void)
{
    static const struct constant_site sites[2] = { { 0x5000, 256, CONSTANT_BIT_AES_SBOX },
                                                   { 0x9000, 64, CONSTANT_BIT_SHA256_K } };
    uint8_t code[64];
    struct seen seen = { .num = 0 };
    memset(code, 0x90, sizeof code);
    put(code, 3, 0x5010 - (0x1000 + 3 + 4));
    put(code, 17, 0x9000 - (0x1000 + 17 + 4));
    put(code, 30, 0x50ff);
    put(code, 60, 0x5100 - (0x1000 + 60 + 4)); /* refers to the byte just behind the first table */
    constants_references(sites, 2, code, sizeof code, 0x1000, note, &seen);
    tap(seen.num == 3 && seen.at[0] == 0x1003 && seen.at[1] == 0x1011 && seen.at[2] == 0x101e,
        "two relative references and an absolute one");
    seen.num = 0;
    constants_references(NULL, 0, code, sizeof code, 0x1000, note, &seen);
    constants_references(sites, 2, code, 3, 0x1000, note, &seen);
    tap(seen.num == 0, "no sites, no code: no references");
}

/* ---- tables without a name ---- */

static void test_unnamed(void)
{
    uint64_t values[MAX_VALUES];
    uint8_t bytes[1024];
    sm4_values(values, 0);
    for (unsigned i = 0; i < 256; i++)
        bytes[i] = (uint8_t)(values[i] ^ 0x5c);
    tap(constants_unnamed(bytes, 256), "a masked S-box looks like crypto");
    tap(!constants_unnamed(bytes, 255), "part of it does not");
    for (unsigned i = 0; i < 256; i++)
        bytes[i] = (uint8_t)(i * 2 ^ (i >> 7) * 0x1d ^ 0x77);
    tap(!constants_unnamed(bytes, 256), "a linear map does not");
    for (unsigned i = 0; i < 256; i++)
        bytes[i] = (uint8_t)(i < 64 ? i + 64 : i < 128 ? i - 64 : i);
    tap(!constants_unnamed(bytes, 256), "characters in another order do not");
    for (unsigned i = 0; i < 1024; i++)
        bytes[i] = (uint8_t)((i & 3) == 2 ? 0 : random_below(256) & 0xf3);
    tap(constants_unnamed(bytes, 1024), "words with bits that are always zero do");
    for (unsigned i = 0; i < 256; i++)
        bytes[4 * i + 3] = 0x3f;
    tap(!constants_unnamed(bytes, 1024), "words with a byte that is always the same do not");
    crc32_values(values, 0);
    for (unsigned i = 0; i < 1024; i++)
        bytes[i] = (uint8_t)(values[i / 4] >> 8 * (i % 4));
    tap(!constants_unnamed(bytes, 1024), "a CRC table does not");
}

int main(void)
{
    test_values();
    test_folds();
    test_patterns();
    test_blowfish();
    test_noise();
    test_pairs();
    test_slices();
    test_pointer();
    test_words();
    test_references();
    test_unnamed();
    return tap_done();
}
