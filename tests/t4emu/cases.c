/* SPDX-License-Identifier: Apache-2.0 */
/* DES, 3DES and Camellia in the modes of SP 800-38A, both ways, for the lines of collect.py. */
#include "../../lib/bytes.h"
#include "../test.h"
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

/* out = in in one mode; `iv` goes on from block to block.  n is less than a block at the end of a
 * stream only. */
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

static void run_case(const char *name, const char *mode, char *const hex[4])
{
    uint8_t key[32], iv[MAX_BLOCK] = { 0 }, plain[MAX_LEN], text[MAX_LEN];
    if (strlen(hex[0]) > 64 || strlen(hex[1]) > 32 || strlen(hex[2]) > 2 * (MAX_LEN - MAX_BLOCK) ||
        strlen(hex[2]) != strlen(hex[3])) {
        wrong("a case of %s is too long", name);
        return;
    }
    struct cipher c;
    reset();
    expand(&c, name, key, from_hex(key, hex[0]));
    if (strcmp(hex[1], "-") != 0)
        from_hex(iv, hex[1]);
    const size_t len = from_hex(plain, hex[2]);
    from_hex(text, hex[3]);
    check(&c, mode, iv, plain, text, len, 0);
    check(&c, mode, iv, text, plain, len, 1);
}

/* One file of the collection. */
struct tally {
    char name[128];
    unsigned expected, num_run, num_skipped;
};

static void finish(const struct tally *file)
{
    const unsigned all = file->num_run + file->num_skipped;
    if (num_wrong)
        complain("%u wrong, the first: %s", num_wrong, first_wrong);
    if (file->expected && all != file->expected)
        complain("%u cases, and the collection's index says %u", all, file->expected);
    if (file->num_run == 0 && file->num_skipped > 0)
        tap_skip("no mode of these tests", "%s: %u cases", file->name, file->num_skipped);
    else
        tap(file->num_run > 0, "%s: %u cases, %u skipped", file->name, file->num_run,
            file->num_skipped);
}

void run_cases(FILE *lines)
{
    static char line[8 * MAX_LEN];
    struct tally file = { 0 };
    num_wrong = 0;
    while (fgets(line, sizeof line, lines)) {
        char *words[6] = { 0 };
        char *rest = line;
        for (size_t i = 0; i < COUNT_OF(words); i++)
            words[i] = strtok_r(rest, " \n", &rest);
        if (words[0] && strcmp(words[0], "file") == 0 && words[2]) {
            if (*file.name)
                finish(&file);
            num_wrong = 0;
            file = (struct tally){ .expected = (unsigned)atoi(words[2]) };
            snprintf(file.name, sizeof file.name, "%s", words[1]);
        } else if (words[0] && strcmp(words[0], "skip") == 0) {
            file.num_skipped++;
        } else if (words[5]) {
            run_case(words[0], words[1], &words[2]);
            file.num_run++;
        } else {
            wrong("a line that is no case");
        }
    }
    if (*file.name)
        finish(&file);
}
