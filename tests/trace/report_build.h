/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that make reports by hand, and return as a string what is printed of them. */
#ifndef TEST_REPORT_BUILD_H
#define TEST_REPORT_BUILD_H

#include "report/report.h"
#include "test.h"
#include <unistd.h>

static inline char *copy_of(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        abort();
    return copy;
}

static inline struct report new_report(const char *mode, uint64_t samples)
{
    return (struct report){ .mode = mode,
                            .command = copy_of("prog --option"),
                            .pid = 77,
                            .started = 1800000000,
                            .seconds = 2.5,
                            .exit_status = -1,
                            .backend = "perf",
                            .hz = 499,
                            .samples = samples,
                            .covered = 122 };
}

static inline struct report_row *add_row(struct report *r, enum family family, enum how how,
                                         uint64_t samples)
{
    struct report_row *rows = realloc(r->rows, (r->num_rows + 1) * sizeof *rows);
    if (!rows)
        abort();
    r->rows = rows;
    struct report_row *row = &rows[r->num_rows++];
    *row = (struct report_row){ .finding = { .family = family, .how = how, .grade = GRADE_A },
                                .library = copy_of("libcrypto.so.3"),
                                .function = copy_of("function"),
                                .source = NAME_SYMBOL,
                                .samples = samples,
                                .exactness = COUNT_NONE };
    strcpy(row->finding.evidence, "AESENC in loop");
    return row;
}

static inline void add_process(struct report *r, pid_t pid, const char *name, unsigned clues)
{
    struct report_process *all = realloc(r->processes, (r->num_processes + 1) * sizeof *all);
    if (!all)
        abort();
    r->processes = all;
    struct report_process *p = &all[r->num_processes++];
    *p = (struct report_process){ .pid = pid, .samples = r->samples, .clues = clues };
    snprintf(p->name, sizeof p->name, "%s", name);
    strcpy(p->cgroup, "docker-1234");
}

static inline void rename_function(struct report_row *row, const char *name)
{
    free(row->function);
    row->function = copy_of(name);
}

static inline uint32_t has(enum family family)
{
    return UINT32_C(1) << family;
}

/* printed returns what `print` writes of a report; the caller frees it. */
static inline char *printed(const struct report *r, int (*print)(FILE *, const struct report *))
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f || print(f, r) || fclose(f))
        abort();
    return text;
}

/* written returns what `write` writes of a report to a file; the caller frees it. The file, in the
 * current folder, is removed. */
static inline char *written(const struct report *r,
                            int (*write)(const char *, const struct report *))
{
    char path[] = "report-XXXXXX", *text = calloc(1, 1 << 20);
    const int fd = mkstemp(path);
    if (fd < 0 || !text || write(path, r))
        abort();
    FILE *f = fopen(path, "r");
    if (!f || !fread(text, 1, (1 << 20) - 1, f))
        abort();
    fclose(f);
    close(fd);
    unlink(path);
    return text;
}

static inline void contains(const char *text, const char *wanted)
{
    if (!strstr(text, wanted))
        complain("\"%s\" is not in:\n%.3000s", wanted, text);
}

static inline void lacks(const char *text, const char *unwanted)
{
    if (strstr(text, unwanted))
        complain("\"%s\" is in:\n%.3000s", unwanted, text);
}

#endif
