/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects the files to scan: regular files only, so that no pipe or device blocks their reader.
 * The walk beneath a folder follows no symbolic link, so that it ends.
 */
#define _GNU_SOURCE
#include "../attribute/attribute_index.h"
#include "../budget.h"
#include "scan.h"
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int add(struct scan *s, const char *path, const struct stat *st, struct index *seen)
{
    const struct index_key key = { st->st_dev, st->st_ino, 0 };
    if (index_get(seen, key) != (uint32_t)NO_VALUE)
        return 0;
    if (s->num_files == s->max_files) {
        const size_t max = s->max_files ? s->max_files * 2 : 256;
        struct scan_file *files = budget_take((max - s->max_files) * sizeof *files)
                                      ? reallocarray(s->files, max, sizeof *files)
                                      : NULL;
        if (!files)
            return -1;
        s->files = files;
        s->max_files = max;
    }
    struct scan_file *file = &s->files[s->num_files];
    *file = (struct scan_file){ .path = budget_take(strlen(path) + 1) ? strdup(path) : NULL,
                                .size = (uint64_t)st->st_size };
    if (!file->path || !index_put(seen, key, 0)) {
        free(file->path);
        return -1;
    }
    s->num_files++;
    return 0;
}

static int walk(struct scan *s, FTS *fts, struct index *seen)
{
    budget_short = false;
    for (FTSENT *e = fts_read(fts); e; e = fts_read(fts)) {
        s->cut |= budget_ending();
        if (s->cut)
            return 0;
        if ((e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS)) {
            if (e->fts_level == FTS_ROOTLEVEL) {
                errno = e->fts_errno;
                return -1;
            }
            s->num_unreadable++;
        } else if (e->fts_info == FTS_F && S_ISREG(e->fts_statp->st_mode) &&
                   add(s, e->fts_path, e->fts_statp, seen)) {
            s->cut = budget_short;
            return s->cut ? 0 : -1;
        }
    }
    return errno ? -1 : 0;
}

int scan_collect(struct scan *s, const char *operand, struct index *seen)
{
    char *operands[] = { strdup(operand), NULL };
    FTS *fts =
        operands[0] ? fts_open(operands, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL) : NULL;
    const int failed = fts ? walk(s, fts, seen) : -1;
    const int error = errno;
    if (fts)
        fts_close(fts);
    free(operands[0]);
    errno = error;
    return failed;
}

static int compare(const void *left, const void *right)
{
    const struct scan_file *x = left, *y = right;
    return strcmp(x->path, y->path);
}

void scan_sort(struct scan *s)
{
    if (s->num_files)
        qsort(s->files, s->num_files, sizeof *s->files, compare);
}

void scan_free(struct scan *s)
{
    for (size_t i = 0; i < s->num_files; i++) {
        free(s->files[i].path);
        free(s->files[i].functions);
        free(s->files[i].record);
    }
    free(s->files);
    *s = (struct scan){ .files = NULL };
}
