/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "kernel_names.h"
#include "../report/cpu_flags.h"
#include "kernel.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *const devices[] = {
#define DEVICE(word) word,
#include "kernel.def"
};
static const struct engine {
    const char *word;
    enum how how;
    const char *variant;
} engines[] = {
#define ENGINE(word, how, variant) { word, HOW_##how, variant },
#include "kernel.def"
};
static const struct subject {
    const char *text;
    enum family family;
} subjects[] = {
#define SUBJECT(text, family) { text, FAMILY_##family },
#include "kernel.def"
};
static const struct mode {
    const char *word, *mode;
} modes[] = {
#define MODE(word, mode) { word, mode },
#include "kernel.def"
};

/* A search in a table whose rows are compared with each word of a name. */
struct search {
    bool (*is)(size_t row, const char *word, size_t len);
    size_t num;
};

static bool is_word(const char *wanted, const char *word, size_t len)
{
    return strlen(wanted) == len && !memcmp(wanted, word, len);
}

/* The first row of a table whose word is in the name; num if there is none. */
static size_t first_row(const char *name, const struct search *s)
{
    for (size_t row = 0; row < s->num; row++)
        for (const char *at = name; *at;) {
            size_t len = 0;
            while (isalnum((unsigned char)at[len]))
                len++;
            if (len && s->is(row, at, len))
                return row;
            at += len ? len : 1;
        }
    return s->num;
}

static bool device_is(size_t row, const char *word, size_t len)
{
    return is_word(devices[row], word, len);
}

static bool engine_is(size_t row, const char *word, size_t len)
{
    return is_word(engines[row].word, word, len);
}

static bool mode_is(size_t row, const char *word, size_t len)
{
    return is_word(modes[row].word, word, len);
}

bool kernel_is_device(const char *driver)
{
    return first_row(driver, &(struct search){ device_is, COUNT(devices) }) < COUNT(devices);
}

static bool library_is(size_t row, const char *word, size_t len)
{
    (void)row;
    return is_word("lib", word, len);
}

bool kernel_is_library(const char *driver)
{
    return first_row(driver, &(struct search){ library_is, 1 }) == 0;
}

static enum family family_of(const char *name)
{
    for (size_t i = 0; i < COUNT(subjects); i++)
        if (strstr(name, subjects[i].text))
            return subjects[i].family;
    return FAMILY_NONE;
}

/* The way of crypto that uses no instructions of its own: vector software or plain software. */
static enum how software_of(enum family family, const char *variant)
{
    return variant && !cpu_could(family) ? HOW_VECTOR : HOW_SOFTWARE;
}

void kernel_classify(struct finding *out, const char *function, const char *module)
{
    *out = (struct finding){ .how = HOW_NONE, .grade = GRADE_E };
    const enum family family = function ? family_of(function) : FAMILY_NONE;
    if (family == FAMILY_NONE)
        return;
    const struct search engine = { engine_is, COUNT(engines) }, mode = { mode_is, COUNT(modes) };
    size_t row = first_row(function, &engine);
    if (row == COUNT(engines) && module)
        row = first_row(module, &engine);
    const struct engine *e = row < COUNT(engines) ? &engines[row] : NULL;
    const size_t m = first_row(function, &mode);
    out->family = family;
    out->variant = e ? e->variant : NULL;
    out->mode = m < COUNT(modes) ? modes[m].mode : NULL;
    out->how = e && e->how == HOW_HARDWARE ? HOW_HARDWARE : software_of(family, out->variant);
    if (family_info(family)->kind == KIND_CHECKSUM)
        out->how = HOW_CHECKSUM;
    snprintf(out->evidence, sizeof out->evidence, "name of a kernel function");
}
