/* SPDX-License-Identifier: Apache-2.0 */
#include "report_words.h"
#include <inttypes.h>
#include <string.h>

/* The algorithm's name: the mode follows a cipher's family; a MAC is shown as a part of its
 * mode. */
void words_algorithm(char out[WORDS_MAX], const struct finding *found)
{
    const struct family_info *family = family_info(found->family);
    if (!found->mode)
        snprintf(out, WORDS_MAX, "%s", family->name);
    else if (family->kind == KIND_MAC)
        snprintf(out, WORDS_MAX, "%s (%.60s)", family->name, found->mode);
    else
        snprintf(out, WORDS_MAX, "%s-%.60s", family->name, found->mode);
}

void words_evidence(char out[WORDS_MAX], const struct finding *found)
{
    const bool named = !found->variant || found->how == HOW_HARDWARE ||
                       found->how == HOW_ARITHMETIC || strstr(found->evidence, found->variant);
    snprintf(out, WORDS_MAX, "%s%s%.40s [%c]", found->evidence, named ? "" : "; ",
             named ? "" : found->variant, found->grade);
}

const char *words_mark(enum exactness exactness, bool ascii)
{
    static const char *const texts[][2] = {
        [COUNT_EXACT] = { "=", "=" },
        [COUNT_AT_LEAST] = { "≥", "+" },
        [COUNT_NONE] = { "", "" },
    };
    return texts[exactness][ascii];
}

const char *words_about(enum exactness exactness)
{
    static const char *const texts[] = {
        [COUNT_EXACT] = "", [COUNT_AT_LEAST] = "at least ", [COUNT_NONE] = ""
    };
    return texts[exactness];
}

void words_number(char out[WORDS_MAX], uint64_t n)
{
    char digits[24];
    const size_t len = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, n);
    size_t at = 0;
    for (size_t i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out[at++] = ' ';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

void words_calls(char out[WORDS_MAX], const struct report_row *row, bool ascii)
{
    if (row->exactness == COUNT_NONE) {
        strcpy(out, "-");
        return;
    }
    words_number(out, row->calls);
    strcat(out, words_mark(row->exactness, ascii));
}

/* Prints three digits, in units of powers of 1000. */
void words_bytes(char out[WORDS_MAX], const struct report_row *row, bool ascii)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
    double n = (double)row->bytes;
    size_t unit = 0;
    if (row->exactness == COUNT_NONE || !row->bytes_known) {
        strcpy(out, "-");
        return;
    }
    while (n >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        n /= 1000;
        unit++;
    }
    const int digits = !unit || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2;
    snprintf(out, WORDS_MAX, "%.*f %s%s", digits, n, units[unit],
             words_mark(row->exactness, ascii));
}
