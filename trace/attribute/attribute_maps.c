/* SPDX-License-Identifier: Apache-2.0
 *
 * The mappings of processes: regions of files, of JIT code, and of the vDSO. Files are opened at
 * once, because a process may end soon, and read when the first sample falls into them.
 */
#define _GNU_SOURCE
#include "../budget.h"
#include "../report/unserved.h"
#include "attribute_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_REGIONS = 16384 }; /* of one process; a larger number would cost quadratic time */

void *attribute_grow(void *array, size_t num, size_t *max, size_t size)
{
    if (num < *max)
        return array;
    const size_t larger = *max ? *max * 2 : 16;
    if (!budget_take((larger - *max) * size))
        return NULL;
    void *new = reallocarray(array, larger, size);
    if (new)
        *max = larger;
    return new;
}

/* ---- files ---- */

/* How many files may be kept open: each object has a second descriptor, and some are needed for
 * reports and for /proc. */
static size_t room_for_files(int first)
{
    enum { OTHERS = 64, MOST = 1 << 16 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur < (rlim_t)first + OTHERS + 2)
        return 1;
    const rlim_t room = (limit.rlim_cur - (rlim_t)first - OTHERS) / 2;
    return room < MOST ? (size_t)room : MOST;
}

static void open_file(struct attribution *a, struct file *file, pid_t pid, const struct mapping *m)
{
    if (a->max_open && a->num_open >= a->max_open) {
        file->why = "too many files are mapped";
        return;
    }
    file->fd = mapping_open(pid, m, &file->why);
    if (file->fd < 0)
        return;
    file->why = NULL; /* mapping_open() left the reason of an attempt before */
    a->num_open++;
    if (!a->max_open)
        a->max_open = room_for_files(file->fd);
}

static uint32_t add_file(struct attribution *a, pid_t pid, const struct mapping *m)
{
    if (a->num_files >= MAX_FILES)
        return NO_VALUE;
    struct file *files = attribute_grow(a->files, a->num_files, &a->max_files, sizeof *files);
    if (!files)
        return NO_VALUE;
    a->files = files;
    struct file *file = &files[a->num_files];
    *file = (struct file){ .path = budget_take(strlen(m->path) + 1) ? strdup(m->path) : NULL,
                           .fd = -1 };
    if (!file->path)
        return NO_VALUE;
    open_file(a, file, pid, m);
    return (uint32_t)a->num_files++;
}

/* Finds or adds the file of a mapping. A file that could not be opened is tried again for
 * another process. */
static uint32_t file_of(struct attribution *a, pid_t pid, const struct mapping *m)
{
    const struct index_key key = { (uint64_t)m->major << 32 | m->minor, m->inode, 0 };
    const uint32_t at = index_get(&a->file_of, key);
    if (at == (uint32_t)NO_VALUE) {
        const uint32_t new = add_file(a, pid, m);
        return new != (uint32_t)NO_VALUE &&index_put(&a->file_of, key, new) ? new : NO_VALUE;
    }
    struct file *file = &a->files[at];
    if (file->fd < 0 && !budget_cut)
        open_file(a, file, pid, m);
    return at;
}

struct object *attribute_object(struct attribution *a, struct file *file)
{
    if (file->read || file->fd < 0)
        return file->object;
    file->read = true;
    file->object = objects_get(a->objects, file->fd, file->path, &file->why);
    return file->object;
}

/* ---- regions ---- */

static bool insert(struct proc *p, size_t at, const struct region *r)
{
    struct region *regions =
        p->num_regions < MAX_REGIONS
            ? attribute_grow(p->regions, p->num_regions, &p->max_regions, sizeof *regions)
            : NULL;
    if (!regions)
        return false;
    memmove(&regions[at + 1], &regions[at], (p->num_regions - at) * sizeof *regions);
    regions[at] = *r;
    p->regions = regions;
    p->num_regions++;
    return true;
}

static void cut_front(struct region *r, uint64_t start)
{
    r->offset += start - r->start;
    r->start = start;
}

/* The index of the first region that ends behind an address. */
static size_t region_index(const struct proc *p, uint64_t address)
{
    size_t low = 0, high = p->num_regions;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (p->regions[mid].end <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

const struct region *attribute_region(const struct proc *p, uint64_t ip)
{
    const size_t at = region_index(p, ip);
    return at < p->num_regions && p->regions[at].start <= ip ? &p->regions[at] : NULL;
}

/* Removes [start, end) from the regions. Returns the index where a region at `start` belongs. */
static size_t punch(struct proc *p, uint64_t start, uint64_t end)
{
    size_t at = region_index(p, start), last;
    if (at < p->num_regions && p->regions[at].start < start && p->regions[at].end > end) {
        struct region rest = p->regions[at];
        cut_front(&rest, end);
        p->regions[at].end = start;
        insert(p, at + 1, &rest);
        return at + 1;
    }
    if (at < p->num_regions && p->regions[at].start < start)
        p->regions[at++].end = start;
    for (last = at; last < p->num_regions && p->regions[last].end <= end; last++)
        ;
    if (last > at)
        memmove(&p->regions[at], &p->regions[last], (p->num_regions - last) * sizeof *p->regions);
    p->num_regions -= last - at;
    if (at < p->num_regions && p->regions[at].start < end)
        cut_front(&p->regions[at], end);
    return at;
}

/* Whether a region of JIT code extends the one before. JIT heaps grow by single pages, which
 * become one region instead of thousands. */
static bool joins(const struct region *before, const struct region *r)
{
    return before->end == r->start && before->kind == r->kind && r->kind == REGION_JIT;
}

static enum region_kind kind_of(const struct mapping *m)
{
    if (!strcmp(m->path, "[vdso]") || !strcmp(m->path, "[vsyscall]"))
        return REGION_VDSO;
    if (m->path[0] != '/' || m->path[1] == '/' || !m->inode || !strncmp(m->path, "/memfd:", 7) ||
        !strncmp(m->path, "/SYSV", 5) || !strncmp(m->path, "/dev/zero", 9))
        return REGION_JIT;
    return REGION_FILE;
}

void attribute_map(struct attribution *a, pid_t pid, const struct mapping *m)
{
    struct proc *p = attribute_is_own(a, pid) ? NULL : attribute_proc(a, pid);
    struct region r = { m->start, m->end, m->offset, kind_of(m), NO_VALUE };
    if (!p || !m->exec || m->end <= m->start)
        return;
    if (r.kind == REGION_FILE)
        r.file = file_of(a, pid, m);
    if (r.kind == REGION_FILE && r.file == (uint32_t)NO_VALUE)
        return;
    p->clues |= unserved_file(m->path);
    p->is_jvm |= strstr(m->path, "/libjvm.so") != NULL;
    const size_t at = punch(p, r.start, r.end);
    if (at && joins(&p->regions[at - 1], &r))
        p->regions[at - 1].end = r.end;
    else
        insert(p, at, &r);
}

/* ---- all of a process ---- */

static void tell(struct attribution *a, struct file *file, bool late)
{
    if (!a->on_object || file->told || file->fd < 0)
        return;
    file->told = true;
    if (attribute_object(a, file))
        a->on_object(a->on_object_ctx, file->object, file->fd, late);
}

void attribute_reread(struct attribution *a, struct proc *p)
{
    struct maps maps;
    const pid_t pid = p->pid;
    if (maps_read(&maps, pid))
        return;
    p->num_regions = 0;
    budget_enter();
    for (size_t i = 0; i < maps.num && !budget_over(); i++)
        attribute_map(a, pid, &maps.at[i]);
    budget_leave();
    maps_free(&maps);
}

void attribute_attach(struct attribution *a, pid_t pid)
{
    struct proc *p = attribute_proc(a, pid);
    if (!p)
        return;
    attribute_describe(p);
    attribute_reread(a, p);
    for (size_t i = 0; i < p->num_regions; i++)
        if (p->regions[i].kind == REGION_FILE)
            tell(a, &a->files[p->regions[i].file], false);
}

void attribute_tell(struct attribution *a, bool late)
{
    for (size_t i = 0; i < a->num_files; i++)
        tell(a, &a->files[i], late);
}

void attribute_free_files(struct attribution *a)
{
    for (size_t i = 0; i < a->num_files; i++) {
        if (a->files[i].fd >= 0)
            close(a->files[i].fd);
        budget_give(strlen(a->files[i].path) + 1);
        free(a->files[i].path);
    }
    for (size_t i = 0; i < a->num_made; i++)
        free(a->made[i]);
    a->num_files = a->num_open = a->num_made = a->num_places = 0;
    index_clear(&a->file_of);
    index_clear(&a->made_of);
    index_clear(&a->place_of);
    objects_free(a->objects);
    a->objects = NULL;
}

/* Closes all files; living processes' mappings are read again. It is called only between
 * intervals, when no unit refers to a function of a file. */
void attribute_forget_files(struct attribution *a)
{
    struct objects *objects = objects_new(&a->options);
    if (!objects)
        return;
    attribute_free_files(a);
    a->objects = objects;
    for (size_t i = 0; i < a->num_procs; i++)
        a->procs[i].num_regions = 0;
    for (size_t i = 0; i < a->num_procs; i++)
        if (a->procs[i].alive)
            attribute_reread(a, &a->procs[i]);
}

/* Processes write their perf maps themselves, as large as they like, so the budget counts them. */
void attribute_perfmap(struct proc *p)
{
    struct perfmap new = { .at = NULL };
    if (!p->alive)
        return;
    budget_short = false;
    budget_enter();
    const bool ok = !perfmap_read(&new, p->pid) || (p->is_jvm && !perfmap_ask_jvm(&new, p->pid));
    const bool late = budget_look();
    budget_leave();
    p->map_missed = late ? budget_no_time : !ok && budget_short ? budget_no_memory : NULL;
    if (!ok || late) {
        perfmap_free(&new);
        return;
    }
    perfmap_free(&p->perfmap);
    p->perfmap = new;
}
