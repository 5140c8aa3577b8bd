/* SPDX-License-Identifier: Apache-2.0
 *
 * Explains why software ran though the CPU has instructions: by settings that OpenSSL, Go, the JVM,
 * GnuTLS and NSS document, which are looked for in the process's environment and command line.
 * Their values are not kept.
 */
#define _GNU_SOURCE
#include "waste.h"
#include "../escape.h"
#include "../names/names.h"
#include "cpu_flags.h"
#include "report_words.h"
#include "shares.h"
#include "unserved.h"
#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define FAMILY_BIT(id) (UINT32_C(1) << FAMILY_##id)

static const double worth_a_word = 0.01; /* part of the CPU that is mentioned */
enum { MANY_CALLS = 1000, MAX_WORDS = 1 << 18 };

struct clue {
    const char *variable; /* environment variable; NULL: a word of the command line */
    const char *holds;    /* text in its value; "": it is set */
    uint32_t families;    /* families that it can mask */
    const char *text;
};
#define ANY_FAMILY UINT32_MAX
#define AES_FAMILIES (FAMILY_BIT(AES) | FAMILY_BIT(GHASH))
#define SHA_FAMILIES (FAMILY_BIT(SHA1) | FAMILY_BIT(SHA256) | FAMILY_BIT(SHA512) | FAMILY_BIT(SHA3))

/* Clue i is bit i + 1 of a set. */
static const struct clue clues[] = {
#define CLUE(variable, holds, families, text) { variable, holds, families, text },
#include "clues.def"
#undef CLUE
};
static_assert(COUNT(clues) + 1 <= UNSERVED_BITS, "a bit each");

static bool has_clue(const struct clue *clue, const char *word, bool environment)
{
    if (!clue->variable || !environment)
        return !clue->variable && !environment && !strncmp(word, clue->holds, strlen(clue->holds));
    const size_t len = strlen(clue->variable);
    return !strncmp(word, clue->variable, len) && word[len] == '=' &&
           strstr(word + len + 1, clue->holds);
}

unsigned waste_clues_in(const char *words, size_t len, bool environment)
{
    unsigned set = 0;
    for (size_t at = 0; at < len; at += strnlen(words + at, len - at) + 1) {
        if (!memchr(words + at, '\0', len - at))
            break; /* cut off */
        for (size_t i = 0; i < COUNT(clues); i++)
            if (has_clue(&clues[i], words + at, environment))
                set |= 2u << i;
    }
    return set;
}

/* Finds clues in a file of /proc. An environment may contain passwords: the buffer is wiped. */
static unsigned clues_of_file(pid_t pid, const char *file, bool environment)
{
    char path[64], *words = malloc(MAX_WORDS);
    size_t len = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = 0;
    while (words && fd >= 0 && len < MAX_WORDS && (n = read(fd, words + len, MAX_WORDS - len)) > 0)
        len += (size_t)n;
    unsigned set = 0;
    if (len)
        set = waste_clues_in(words, len, environment) |
              (environment ? CLUES_READ | unserved_config(pid, words, len) : 0);
    if (fd >= 0)
        close(fd);
    if (words)
        explicit_bzero(words, MAX_WORDS);
    free(words);
    return set;
}

unsigned waste_clues(pid_t pid)
{
    return clues_of_file(pid, "environ", true) | clues_of_file(pid, "cmdline", false);
}

/* ---- sentences ---- */

int waste_add(struct report *r, const char *format, ...)
{
    char **more = reallocarray(r->waste, r->num_waste + 1, sizeof *more);
    va_list args;
    if (!more)
        return -1;
    r->waste = more;
    va_start(args, format);
    const int n = vasprintf(&more[r->num_waste], format, args);
    va_end(args);
    if (n < 0)
        return -1;
    r->num_waste++;
    return 0;
}

static unsigned clues_of_row(const struct report *r, const struct report_row *row)
{
    unsigned set = 0;
    if (!strcmp(r->mode, "system"))
        return row->process < r->num_processes ? r->processes[row->process].clues : 0;
    for (size_t i = 0; i < r->num_processes; i++)
        set |= r->processes[i].clues;
    return set;
}

static const char *reason(unsigned set, enum family family)
{
    for (size_t i = 0; i < COUNT(clues); i++)
        if (set & 2u << i && clues[i].families >> family & 1)
            return clues[i].text;
    if (set & CLUES_READ)
        return "nothing known in its environment masks it: look at how that library was built, "
               "or at what it supports";
    return "its environment could not be read";
}

static bool is_software(const struct report_row *row)
{
    return row->finding.how == HOW_SOFTWARE || row->finding.how == HOW_VECTOR;
}

/* The family's row with most software samples; rows are sorted by samples. */
static const struct report_row *worst(const struct report *r, enum family family)
{
    for (size_t i = 0; i < r->num_rows; i++)
        if (r->rows[i].finding.family == family && is_software(&r->rows[i]))
            return &r->rows[i];
    return NULL;
}

static int add_unused(struct report *r, const struct verdict *v)
{
    const struct report_row *row = worst(r, v->family);
    char library[ESCAPE_MAX];
    if (!row || !v->cpu_has || !*cpu_set(v->family))
        return 0;
    const double share = v->software + v->vector;
    if (share < worth_a_word && !(share <= 0 && row->calls >= MANY_CALLS))
        return 0;
    return waste_add(r, "%s ran in software%s%s%s, most of it in %s, though this CPU has %s; %s.",
                     family_info(v->family)->name, row->finding.variant ? " (" : "",
                     row->finding.variant ? row->finding.variant : "",
                     row->finding.variant ? ")" : "", escape_clean(library, row->library, false),
                     cpu_set(v->family), reason(clues_of_row(r, row), v->family));
}

/* Whether a row is OpenSSL's AES_encrypt or a related deprecated function. EVP also calls these
 * if AES-NI is masked, so it is reported only without such a clue. */
static bool is_deprecated(const struct report *r, const struct report_row *row)
{
    const unsigned set = clues_of_row(r, row) & ((1u << UNSERVED_BITS) - 1);
    return !strncmp(row->function, "AES_", 4) && strstr(row->library, "crypto") &&
           is_software(row) && r->cpu_families >> FAMILY_AES & 1 && set & CLUES_READ &&
           !(set & ~(unsigned)CLUES_READ) && verdict_share_of(row->samples, r) >= worth_a_word;
}

static int add_row(struct report *r, const struct report_row *row)
{
    char function[ESCAPE_MAX], library[ESCAPE_MAX];
    escape_clean(function, row->function, false);
    escape_clean(library, row->library, false);
    if (is_deprecated(r, row))
        return waste_add(
            r,
            "%s of %s took %.1f%% of CPU: OpenSSL's deprecated AES_* calls go past AES-NI; "
            "call EVP_EncryptInit_ex2() and EVP_EncryptUpdate() instead.",
            function, library, 100 * verdict_share_of(row->samples, r));
    if (row->finding.family != FAMILY_NONE || !strstr(row->function, "_fetch"))
        return 0;
    if (row->exactness != COUNT_NONE && row->calls >= MANY_CALLS)
        return waste_add(r,
                         "%s of %s was called %s%" PRIu64 " times: a fetch costs more than a short "
                         "message; fetch each algorithm once, and keep it.",
                         function, library, words_about(row->exactness), row->calls);
    if (verdict_share_of(row->samples, r) >= worth_a_word)
        return waste_add(r, "%s of %s took %.1f%% of CPU: fetch each algorithm once, and keep it.",
                         function, library, 100 * verdict_share_of(row->samples, r));
    return 0;
}

int waste_find(struct report *r)
{
    struct verdict verdicts[NUM_FAMILIES];
    const size_t num = report_verdicts(verdicts, NUM_FAMILIES, r);
    int failed = 0;
    for (size_t i = 0; i < num && !failed; i++)
        failed = add_unused(r, &verdicts[i]);
    for (size_t i = 0; i < r->num_rows && !failed; i++)
        failed = add_row(r, &r->rows[i]);
    return failed ? failed : unserved_find(r);
}
