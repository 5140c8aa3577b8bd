/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "keys.h"
#include <string.h>

bool key_name_is_fine(const char *name)
{
    const size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789._-");
    return len && len < CONTROL_NAME && !name[len] && name[0] != '.';
}

static const struct use {
    const char *word;
    uint16_t bit;
} uses[] = {
    { "encrypt", KEY_ENCRYPT },
    { "decrypt", KEY_DECRYPT },
    { "mac", KEY_MAC },
    { "verify", KEY_VERIFY },
};

static int set_uses(struct lines *l, const struct line *line, struct named_key *key)
{
    const char *list = line->value;
    key->uses = 0;
    for (char word[16]; lines_word(&list, word, sizeof word);) {
        uint16_t bit = 0;
        for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
            if (!strcmp(word, uses[i].word))
                bit = uses[i].bit;
        if (!bit)
            return lines_error(l, "a use is encrypt, decrypt, mac or verify");
        key->uses |= bit;
    }
    return 0;
}

/* Which digit of 16 a character is, by arithmetic: it is a part of a key.  Above 15: none. */
static unsigned digit(unsigned char c)
{
    const unsigned number = c - '0', letter = (c | 0x20) - 'a';
    const unsigned is_number = (~number & (number - 10)) >> 31,
                   is_letter = (~letter & (letter - 6)) >> 31;
    return (number & -is_number) | ((letter + 10) & -is_letter) |
           ((1 - is_number - is_letter) << 8);
}

static int set_bytes(struct lines *l, const struct line *line, struct named_key *key)
{
    const size_t len = strlen(line->value);
    unsigned bad = 0;
    if (len % 2 || len / 2 > sizeof key->bytes)
        return lines_error(l, "a key is an even number of digits, at most %d", 2 * CONTROL_KEY);
    for (size_t i = 0; i < len / 2; i++) {
        const unsigned high = digit((unsigned char)line->value[2 * i]),
                       low = digit((unsigned char)line->value[2 * i + 1]);
        key->bytes[i] = (uint8_t)(high << 4 | low);
        bad |= high | low;
    }
    key->len = (uint16_t)(len / 2);
    return bad > 15 ? lines_error(l, "a key is of the digits 0 to 9 and a to f") : 0;
}

static int set_algorithm(struct lines *l, const struct line *line, struct named_key *key)
{
    const struct hr_algorithm *row = hr_algorithm_by_name(line->value);
    key->alg = row ? (uint16_t)row->alg : 0;
    return row ? 0 : lines_error(l, "no algorithm of this name");
}

static const struct setting {
    const char *word;
    int (*set)(struct lines *l, const struct line *line, struct named_key *key);
} settings[] = { { "algorithm", set_algorithm }, { "use", set_uses }, { "key", set_bytes } };

static int set(struct lines *l, const struct line *line, struct named_key *key, who_lookup *lookup)
{
    if (line->section)
        return lines_error(l, "a key has no sections");
    if (!strcmp(line->word, "uid") || !strcmp(line->word, "gid"))
        return lines_who(l, line, &key->who, line->word[0] == 'g', lookup);
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
        if (!strcmp(line->word, settings[i].word))
            return lines_once(l, line, i) || settings[i].set(l, line, key) ? -1 : 0;
    return lines_error(l, "unknown word");
}

/* A file that says everything, and something that can be done. */
static int check(struct lines *l, const struct named_key *key)
{
    if (!key->alg || !key->len)
        return lines_error(l, "a key has an algorithm, and the key itself");
    const struct hr_algorithm *row = hr_algorithm(key->alg);
    if (!(key->uses & key_uses_of(row)))
        return lines_error(l, "%s has no such use", row->name);
    return 0;
}

int key_parse(struct named_key *key, const char *text, size_t text_len, who_lookup *lookup,
              char error[LINES_ERROR])
{
    struct lines l;
    struct line line;
    int more;
    memset(key, 0, sizeof *key);
    key->uses = KEY_ALL;
    lines_begin(&l, text, text_len);
    while ((more = lines_next(&l, &line)) > 0) {
        more = set(&l, &line, key, lookup);
        if (more)
            break;
    }
    if (!more)
        more = check(&l, key);
    if (!key->who.num_uids && !key->who.num_gids)
        key->who.num_uids = 1; /* 0 to 0 */
    memcpy(error, l.error, LINES_ERROR);
    explicit_bzero(&line, sizeof line);
    return more;
}

const struct named_key *keys_find(const struct named_keys *keys, const char *name)
{
    for (unsigned i = 0; i < keys->num; i++)
        if (!strcmp(keys->at[i].name, name))
            return &keys->at[i];
    return NULL;
}

bool key_is_same(const struct named_key *a, const struct named_key *b)
{
    unsigned different = (a->alg ^ b->alg) | (a->uses ^ b->uses) | (a->len ^ b->len);
    for (size_t i = 0; i < sizeof a->bytes; i++)
        different |= a->bytes[i] ^ b->bytes[i];
    return !different;
}
