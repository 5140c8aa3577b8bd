/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "keyfile.h"
#include "hex.h"
#include <stdio.h>
#include <string.h>

static const struct use {
    const char *word;
    uint8_t bit;
} uses[] = {
#define HR_OPERATION(number, SYM, word, use) { word, use },
#include <headrace/classes.def>
};

static uint8_t use_named(const char *word)
{
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (!strcmp(word, uses[i].word))
            return uses[i].bit;
    return 0;
}

const char *keyfile_use_word(unsigned bit)
{
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (uses[i].bit == 1u << bit)
            return uses[i].word;
    return "?";
}

/* say_uses says "a use must be encrypt, decrypt, mac or verify". */
static int say_uses(struct lines *l)
{
    char text[LINES_ERROR] = "";
    size_t len = 0;
    unsigned left = HR_USE_ALL;
    for (size_t i = 0; i < sizeof uses / sizeof *uses && len < sizeof text; i++) {
        if (!uses[i].bit)
            continue;
        left &= ~(unsigned)uses[i].bit;
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s",
                                !len   ? ""
                                : left ? ", "
                                       : " or ",
                                uses[i].word);
    }
    return lines_error(l, "a use must be %s", text);
}

static int set_uses(struct lines *l, const struct line *line, struct named_key *key)
{
    const char *list = line->value;
    key->uses = 0;
    for (char word[16]; lines_word(&list, word, sizeof word);) {
        const uint8_t use = use_named(word);
        if (!use)
            return say_uses(l);
        key->uses |= use;
    }
    return 0;
}

/* read_digits writes the bytes that hexadecimal digits stand for. */
static int read_digits(struct lines *l, const struct line *line, uint8_t *out, size_t max)
{
    const size_t len = strlen(line->value);
    unsigned bad = 0;
    if (len % 2 || len / 2 > max)
        return lines_error(l, "a key must be an even number of digits, at most %d", (int)(2 * max));
    for (size_t i = 0; i < len / 2; i++) {
        const unsigned high = hex_value((unsigned char)line->value[2 * i]),
                       low = hex_value((unsigned char)line->value[2 * i + 1]);
        out[i] = (uint8_t)(high << 4 | low);
        bad |= high | low;
    }
    return bad > 15 ? lines_error(l, "a key must consist of the digits 0 to 9 and a to f") : 0;
}

static int set_bytes(struct lines *l, const struct line *line, struct named_key *key)
{
    key->len = (uint16_t)(strlen(line->value) / 2);
    return read_digits(l, line, key->bytes, sizeof key->bytes);
}

/* ---- the numbers of public key ---- */

enum { LAST_OF_RSA = 8, PRIVATE };
static const char *const numbers[] = { [1] = "n", "e",    "d",
                                       "p",       "q",    "dp",
                                       "dq",      "qinv", [PRIVATE] = "private" };

static unsigned number_named(const char *word)
{
    unsigned i = PRIVATE;
    while (i && strcmp(numbers[i], word))
        i--;
    return i;
}

/* The components as far as they were read: `last` is the word of the last one, whose length lies at
 * `begun`. */
struct reading {
    struct keyfile_parts *parts;
    unsigned last;
    uint16_t begun;
};

/* begin begins a component, whose length is 0 at first. */
static int begin(struct lines *l, struct reading *r)
{
    struct keyfile_parts *p = r->parts;
    if (p->len > sizeof p->bytes - 2)
        return lines_error(l, "a key's numbers have more than %d digits", 2 * CONTROL_LENT);
    r->begun = p->len;
    p->bytes[p->len++] = 0;
    p->bytes[p->len++] = 0;
    return 0;
}

static int set_number(struct lines *l, const struct line *line, struct reading *r, unsigned which)
{
    struct keyfile_parts *p = r->parts;
    if (which != r->last && which != r->last + 1 && !(which == PRIVATE && !r->last))
        return lines_error(l, "the numbers must be n, e, d, p, q, dp, dq and qinv, or private");
    if (which == PRIVATE && r->last == LAST_OF_RSA)
        return lines_error(l, "a key of RSA has no line private");
    if (which != r->last && begin(l, r))
        return -1;
    if (read_digits(l, line, p->bytes + p->len, sizeof p->bytes - p->len))
        return -1;
    p->len = (uint16_t)(p->len + strlen(line->value) / 2);
    const unsigned len = p->len - r->begun - 2u;
    p->bytes[r->begun] = (uint8_t)len;
    p->bytes[r->begun + 1] = (uint8_t)(len >> 8);
    r->last = which;
    return 0;
}

bool keyfile_is_private(const char *word)
{
    return number_named(word) || !strcmp(word, "key");
}

static int set_algorithm(struct lines *l, const struct line *line, struct named_key *key)
{
    const struct hr_algorithm *row = hr_algorithm_by_name(line->value);
    key->alg = row ? (uint16_t)row->alg : 0;
    return row ? 0 : lines_error(l, "no algorithm of this name");
}

static int set_padding(struct lines *l, const struct line *line, struct named_key *key)
{
    return key_terms_padding(l, line, &key->terms);
}

static int set_digest(struct lines *l, const struct line *line, struct named_key *key)
{
    return key_terms_digest(l, line, &key->terms);
}

static int set_rate(struct lines *l, const struct line *line, struct named_key *key)
{
    return lines_number(l, line, 0, UINT64_C(1) << 40, &key->terms.rate);
}

static int set_log(struct lines *l, const struct line *line, struct named_key *key)
{
    return lines_bool(l, line, &key->terms.log);
}

static const struct setting {
    const char *word;
    int (*set)(struct lines *l, const struct line *line, struct named_key *key);
} settings[] = {
    { "algorithm", set_algorithm },
    { "use", set_uses },
    { "key", set_bytes },
    { "padding", set_padding },
    { "digest", set_digest },
    { "rate", set_rate },
    { "log", set_log },
};

static int set(struct lines *l, const struct line *line, struct named_key *key, struct reading *r,
               who_lookup *lookup)
{
    if (line->section)
        return lines_error(l, "a key file must not have sections");
    if (!strcmp(line->word, "uid") || !strcmp(line->word, "gid"))
        return lines_who(l, line, &key->who, line->word[0] == 'g', lookup);
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
        if (!strcmp(line->word, settings[i].word))
            return lines_once(l, line, i) || settings[i].set(l, line, key) ? -1 : 0;
    const unsigned which = number_named(line->word);
    return which ? set_number(l, line, r, which) : lines_error(l, "unknown word");
}

unsigned keyfile_uses(const struct named_key *key)
{
    const struct hr_class_info *info = hr_class_info(key->alg >> 8);
    unsigned of_row = key->len ? 0 : key->uses;
    for (unsigned op = 0; op < HR_JOB_MAX_OPS; op++)
        of_row |= info->ops[op].use;
    return key->uses & of_row;
}

static int check_symmetric(struct lines *l, const struct named_key *key)
{
    static const struct key_terms none;
    const struct hr_algorithm *row = hr_algorithm(key->alg);
    if (memcmp(&key->terms, &none, sizeof none))
        return lines_error(l, "padding, digest, rate and log are for keys of public key");
    if (keyfile_uses(key))
        return 0;
    return lines_error(l, "%s cannot be used for that", row->name);
}

/* check_public checks the components' number; of others than RSA an empty public key follows. */
static int check_public(struct lines *l, struct named_key *key, struct reading *r)
{
    const struct hr_algorithm *row = hr_algorithm(key->alg);
    const bool rsa = row->cls == HR_CLASS_RSA;
    if (!rsa && row->cls != HR_CLASS_SIGN)
        return lines_error(l, "%s has no such numbers", row->name);
    if (r->last != (rsa ? LAST_OF_RSA : PRIVATE))
        return lines_error(l, "%s has %s", row->name,
                           rsa ? "the numbers n, e, d, p, q, dp, dq and qinv" : "a line private");
    if (!rsa && begin(l, r))
        return -1;
    return key_terms_complete(l, &key->terms, row, key->uses);
}

/* check requires an algorithm, a key, and a use that the algorithm has. */
static int check(struct lines *l, struct named_key *key, struct reading *r)
{
    if (!key->alg || !(key->len || r->last))
        return lines_error(l, "a key file must have an algorithm and a key");
    if (key->len && r->last)
        return lines_error(l, "a key file must have one key");
    return r->last ? check_public(l, key, r) : check_symmetric(l, key);
}

int keyfile_parse(struct named_key *key, struct keyfile_parts *parts, const char *text,
                  size_t text_len, who_lookup *lookup, char error[LINES_ERROR])
{
    struct lines l;
    struct line line;
    struct reading r = { .parts = parts };
    int more;
    memset(key, 0, sizeof *key);
    parts->len = 0;
    key->uses = HR_USE_ALL;
    lines_begin(&l, text, text_len);
    while ((more = lines_next(&l, &line)) > 0) {
        more = set(&l, &line, key, &r, lookup);
        if (more)
            break;
    }
    if (!more)
        more = check(&l, key, &r);
    if (!key->who.num_uids && !key->who.num_gids)
        key->who.num_uids = 1; /* root: 0 to 0 */
    memcpy(error, l.error, LINES_ERROR);
    explicit_bzero(&line, sizeof line);
    return more;
}

const struct named_key *keyfile_find(const struct named_keys *keys, const char *name)
{
    for (unsigned i = 0; i < keys->num; i++)
        if (!strcmp(keys->at[i].name, name))
            return &keys->at[i];
    return NULL;
}

bool keyfile_is_same(const struct named_key *a, const struct named_key *b)
{
    unsigned different = (a->alg ^ b->alg) | (a->uses ^ b->uses) | (a->len ^ b->len);
    for (size_t i = 0; i < sizeof a->bytes; i++)
        different |= a->bytes[i] ^ b->bytes[i];
    return !different;
}
