/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program may neither rely on the failures nor on their absence; 5 is no divisor of the counts
 * of multiplications that exponentiations have. */
enum { EVERY_FIFTH = 5, ALL_CFR = 0xfff };

static const char *const cfr_names[] = { "aes",   "des",     "kasumi",  "camellia",
                                         "md5",   "sha1",    "sha256",  "sha512",
                                         "mpmul", "montmul", "montsqr", "crc32c" };

struct t4_model t4_config_default(void)
{
    return (struct t4_model){ .cfr = ALL_CFR };
}

static int is(const char *word, size_t len, const char *name)
{
    return len == strlen(name) && !memcmp(word, name, len);
}

/* The number behind "fcc3="; 0 is none. */
static uint32_t number(const char *digits, size_t len)
{
    uint32_t n = 0;
    if (!len || len > 9)
        return 0;
    for (; len; len--, digits++) {
        if (*digits < '0' || *digits > '9')
            return 0;
        n = 10 * n + (uint32_t)(*digits - '0');
    }
    return n;
}

static int strict_word(struct t4_model *model, const char *word, size_t len)
{
    static const char fcc3[] = "fcc3=";
    const size_t prefix = sizeof fcc3 - 1;
    const int all = is(word, len, "1");
    if (!all && !is(word, len, "forms") && !is(word, len, "poison")) {
        if (len <= prefix || memcmp(word, fcc3, prefix))
            return is(word, len, "0") ? 0 : -1;
        model->mont_failures = number(word + prefix, len - prefix);
        return model->mont_failures ? 0 : -1;
    }
    if (all || is(word, len, "forms"))
        model->die_on_undefined = 1;
    if (all || is(word, len, "poison"))
        model->poison = 1;
    if (all && !model->mont_failures)
        model->mont_failures = EVERY_FIFTH;
    return 0;
}

static int cfr_word(struct t4_model *model, const char *word, size_t len)
{
    if (is(word, len, "none") || is(word, len, "all")) {
        model->cfr = *word == 'a' ? ALL_CFR : 0;
        return 0;
    }
    for (unsigned bit = 0; bit < sizeof cfr_names / sizeof *cfr_names; bit++) {
        if (len < 1 || !is(word + 1, len - 1, cfr_names[bit]))
            continue;
        if (*word == '-')
            model->cfr &= ~(UINT32_C(1) << bit);
        else if (*word == '+')
            model->cfr |= UINT32_C(1) << bit;
        else
            return -1;
        return 0;
    }
    return -1;
}

/* The first word that `set` refuses, or NULL; its length goes to *len. */
static const char *refused(struct t4_model *model, const char *words, size_t *len,
                           int (*set)(struct t4_model *, const char *, size_t))
{
    while (*words) {
        *len = strcspn(words, ",");
        if (*len && set(model, words, *len))
            return words;
        words += *len + (words[*len] == ',');
    }
    return NULL;
}

int t4_config_strict(struct t4_model *model, const char *words, char *why, size_t why_len)
{
    size_t len;
    const char *word = refused(model, words, &len, strict_word);
    if (!word)
        return 0;
    snprintf(why, why_len,
             "unknown strictness '%.*s'; there are forms, poison, and fcc3=N with N > 0", (int)len,
             word);
    return -1;
}

int t4_config_cfr(struct t4_model *model, const char *words, char *why, size_t why_len)
{
    size_t len;
    const char *word = refused(model, words, &len, cfr_word);
    if (!word)
        return 0;
    int n =
        snprintf(why, why_len, "unknown capability '%.*s'; there are none, all, and - or + before",
                 (int)len, word);
    for (size_t i = 0; i < sizeof cfr_names / sizeof *cfr_names; i++)
        if (n > 0 && (size_t)n < why_len)
            n += snprintf(why + n, why_len - (size_t)n, "%s%s", i ? ", " : " ", cfr_names[i]);
    return -1;
}
