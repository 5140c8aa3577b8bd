/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* EVERY_FIFTH: with T4EMU_STRICT=1 every fifth montmul or montsqr fails, because programs must
 * cope with a failure. 5 does not divide the numbers of multiplications in exponentiations. */
enum { EVERY_FIFTH = 5 };

/* EMULATED: all capabilities but kasumi and mpmul, whose instructions are T4_UNDOCUMENTED. Programs
 * ask the register first, and do without them; "+kasumi" announces them all the same. */
enum { EMULATED = 0xfff & ~(1 << 2 | 1 << 8) };

static const char *const cfr_names[] = { "aes",   "des",     "kasumi",  "camellia",
                                         "md5",   "sha1",    "sha256",  "sha512",
                                         "mpmul", "montmul", "montsqr", "crc32c" };

struct t4_model t4_config_default(void)
{
    return (struct t4_model){ .cfr = EMULATED };
}

static int is(const char *word, size_t len, const char *name)
{
    return len == strlen(name) && !memcmp(word, name, len);
}

/* Returns the number behind "fcc3="; 0 if it is not a number of at most 9 digits. */
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
        model->cfr = *word == 'a' ? EMULATED : 0;
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

/* The first word that `set` refuses, with its length in *len; NULL if there is none. */
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
