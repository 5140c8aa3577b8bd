/* SPDX-License-Identifier: Apache-2.0 */
/* DES, 3DES and Camellia in the modes of SP 800-38A, both ways, for the lines of
 * tests/readers/collect.py (tests/readers/neutral.py has their format). */
#include "../../lib/bytes.h"
#include "../../tests/test.h"
#include "run.h"

enum { MAX_LEN = 4096, MAX_BLOCK = 16 };

struct cipher {
    const char *name;
    size_t block_len;
    struct des_key des[3];
    struct camellia_key camellia;
};

static void expand(struct cipher *c, const char *name, const uint8_t *key, size_t key_len)
{
    c->name = name;
    c->block_len = strcmp(name, "camellia") == 0 ? 16 : 8;
    if (c->block_len == 16)
        camellia_expand(&c->camellia, key, key_len);
    for (size_t i = 0; c->block_len == 8 && i < key_len / 8; i++)
        des_expand(&c->des[i], load_be64(key + 8 * i));
}

static void block(uint8_t *out, const struct cipher *c, const uint8_t *in, int decrypt)
{
    if (c->block_len == 16) {
        const uint64_t words[2] = { load_be64(in), load_be64(in + 8) };
        uint64_t result[2];
        camellia_block(result, &c->camellia, words, decrypt);
        store_be64(out, result[0]);
        store_be64(out + 8, result[1]);
        return;
    }
    const uint64_t word = load_be64(in);
    store_be64(out, strcmp(c->name, "des") == 0 ? des_block(c->des, word, decrypt)
                                                : des3_block(c->des, word, decrypt));
}

static void xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = a[i] ^ b[i];
}

/* Encrypts or decrypts a block of n bytes in a mode; `iv` becomes that of the next block.  n is
 * less than a block only at the end of a message in a stream mode. */
static void mode_block(uint8_t *out, const struct cipher *c, const char *mode, const uint8_t *in,
                       size_t n, uint8_t iv[MAX_BLOCK], int decrypt)
{
    uint8_t text[MAX_BLOCK], stream[MAX_BLOCK];
    memcpy(text, in, n);
    if (strcmp(mode, "ecb") == 0) {
        block(out, c, text, decrypt);
    } else if (strcmp(mode, "cbc") == 0) {
        if (!decrypt)
            xor_bytes(text, text, iv, n);
        block(out, c, text, decrypt);
        if (decrypt)
            xor_bytes(out, out, iv, n);
        memcpy(iv, decrypt ? text : out, n);
    } else {
        block(stream, c, iv, 0);
        xor_bytes(out, text, stream, n);
        if (strcmp(mode, "cfb") == 0)
            memcpy(iv, decrypt ? text : out, n);
        else if (strcmp(mode, "ofb") == 0)
            memcpy(iv, stream, n);
        else
            for (size_t i = c->block_len; i-- > 0 && ++iv[i] == 0;)
                continue;
    }
}

static void check(const struct cipher *c, const char *mode, const uint8_t *iv, const uint8_t *in,
                  const uint8_t *out, size_t len, int decrypt)
{
    uint8_t result[MAX_LEN], chain[MAX_BLOCK];
    memcpy(chain, iv, sizeof chain);
    for (size_t at = 0; at < len; at += c->block_len) {
        const size_t n = len - at < c->block_len ? len - at : c->block_len;
        mode_block(result + at, c, mode, in + at, n, chain, decrypt);
    }
    if (memcmp(result, out, len) != 0)
        wrong("%s %s %s", c->name, mode, decrypt ? "decrypted" : "encrypted");
}

/* One file of the collection. */
struct tally {
    char name[128];
    unsigned num_run, num_skipped;
};

/* A line's symbol and operation; its fields. */
struct line {
    const char *symbol, *op, *key, *iv, *in, *out, *special;
};

/* Rows of the library that are these ciphers: "des_ede2_cbc", "camellia_128_ecb". */
static const struct {
    const char *prefix, *name;
} rows[] = {
    { "des_ede2_", "des3" },
    { "des_ede3_", "des3" },
    { "des_", "des" },
    { "camellia_128_", "camellia" },
    { "camellia_192_", "camellia" },
    { "camellia_256_", "camellia" },
};
static const struct {
    const char *of_row, *name;
} modes[] = {
    { "ecb", "ecb" },    { "cbc", "cbc" }, { "cfb64", "cfb" },
    { "cfb128", "cfb" }, { "ofb", "ofb" }, { "ctr", "ctr" },
};

static void run_case(const char *name, const char *mode, const struct line *l)
{
    uint8_t key[32], iv[MAX_BLOCK] = { 0 }, plain[MAX_LEN], text[MAX_LEN];
    const int decrypt = strcmp(l->op, "decrypt") == 0;
    if (strlen(l->key) > 64 || (l->iv && strlen(l->iv) > 32) ||
        strlen(l->in) > 2 * (MAX_LEN - MAX_BLOCK) || strlen(l->in) != strlen(l->out)) {
        wrong("a case of %s is too long", name);
        return;
    }
    size_t key_len = from_hex(key, l->key);
    if (key_len == 16 && strcmp(name, "des3") == 0) { /* its third key is the first */
        memcpy(key + 16, key, 8);
        key_len = 24;
    }
    struct cipher c;
    reset();
    expand(&c, name, key, key_len);
    if (l->iv)
        from_hex(iv, l->iv);
    const size_t len = from_hex(plain, decrypt ? l->out : l->in);
    from_hex(text, decrypt ? l->in : l->out);
    check(&c, mode, iv, plain, text, len, 0);
    check(&c, mode, iv, text, plain, len, 1);
}

static const char *mode_of(const char *of_row)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++)
        if (strcmp(of_row, modes[i].of_row) == 0)
            return modes[i].name;
    return NULL;
}

static int is_plain(const struct line *l)
{
    return l->key && l->in && l->out && !l->special &&
           (strcmp(l->op, "both") == 0 || strcmp(l->op, "encrypt") == 0 ||
            strcmp(l->op, "decrypt") == 0);
}

/* Runs a case of DES or Camellia, or counts it as skipped if its mode or form is not tested here.
 * Ignores cases of other algorithms. */
static void take_case(struct tally *file, const struct line *l)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const size_t len = strlen(rows[i].prefix);
        if (strncmp(l->symbol, rows[i].prefix, len) != 0)
            continue;
        const char *const mode = mode_of(l->symbol + len);
        if (mode && is_plain(l)) {
            run_case(rows[i].name, mode, l);
            file->num_run++;
        } else {
            file->num_skipped++;
        }
        return;
    }
}

static void finish(const struct tally *file)
{
    if (num_wrong)
        complain("%u wrong, the first: %s", num_wrong, first_wrong);
    if (file->num_run)
        tap(1, "%s: %u cases, %u skipped", file->name, file->num_run, file->num_skipped);
    else if (file->num_skipped)
        tap_skip("no mode of these tests", "%s: %u cases", file->name, file->num_skipped);
}

static struct line parse(char *text)
{
    struct line l = { .symbol = strtok_r(text, " \n", &text) };
    const struct {
        const char *name;
        const char **value;
    } fields[] = {
        { "key=", &l.key }, { "iv=", &l.iv },          { "in=", &l.in },
        { "out=", &l.out }, { "result=", &l.special }, { "pad=", &l.special },
    };
    l.op = strtok_r(text, " \n", &text);
    for (const char *word; (word = strtok_r(text, " \n", &text));)
        for (size_t i = 0; i < COUNT_OF(fields); i++)
            if (strncmp(word, fields[i].name, strlen(fields[i].name)) == 0)
                *fields[i].value = word + strlen(fields[i].name);
    return l;
}

void run_cases(FILE *lines)
{
    static char text[1 << 20];
    struct tally file = { 0 };
    unsigned num_run = 0;
    num_wrong = 0;
    while (fgets(text, sizeof text, lines)) {
        const struct line l = parse(text);
        if (!l.op)
            continue;
        if (strcmp(l.symbol, "file") != 0) {
            take_case(&file, &l);
            continue;
        }
        finish(&file);
        num_run += file.num_run;
        num_wrong = 0;
        file = (struct tally){ 0 };
        snprintf(file.name, sizeof file.name, "%s", l.op);
    }
    finish(&file);
    tap(num_run + file.num_run > 0, "there are cases");
}
