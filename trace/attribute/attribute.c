/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds for each sample its process, region, file, function and finding, and counts it.
 */
#define _GNU_SOURCE
#include "../budget.h"
#include "../classify/classify.h"
#include "../kernel/kernel.h"
#include "attribute_internal.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kinds of key in the tables place_of, made_of and unit_of: the third word of each key. */
enum { KEY_FILE, KEY_MADE, KEY_JIT, KEY_KERNEL };
enum { MAX_PLACES = 1 << 20 };

/* ---- units ---- */

/* Merges a finding of the same family and way: takes better evidence, and a mode or variant that
 * was not known before. */
static void improve(struct finding *f, const struct finding *with)
{
    const char *mode = f->mode ? f->mode : with->mode;
    if (with->grade < f->grade)
        *f = *with;
    f->mode = mode;
    if (!f->variant)
        f->variant = with->variant;
}

void attribute_unit_add(struct unit *u, const struct finding *f, uint64_t samples)
{
    u->samples += samples;
    for (size_t i = 0; i < u->num_tallies; i++) {
        struct tally *t = &u->tallies[i];
        if (t->finding.family != f->family || t->finding.how != f->how)
            continue;
        improve(&t->finding, f);
        t->samples += samples;
        return;
    }
    if (f->how != HOW_NONE && u->num_tallies < MAX_TALLIES)
        u->tallies[u->num_tallies++] = (struct tally){ *f, samples };
}

static struct unit *unit_at(struct attribution *a, struct index_key key, const struct unit *new)
{
    const uint32_t at = index_get(&a->unit_of, key);
    if (at != (uint32_t)NO_VALUE)
        return &a->units[at];
    if (a->num_units >= MAX_UNITS) {
        a->beyond++;
        return NULL;
    }
    struct unit *units = attribute_grow(a->units, a->num_units, &a->max_units, sizeof *units);
    if (!units) {
        a->beyond++;
        return NULL;
    }
    a->units = units;
    if (!index_put(&a->unit_of, key, (uint32_t)a->num_units))
        return NULL;
    units[a->num_units] = *new;
    return &units[a->num_units++];
}

/* A function is one unit for all processes, or, with --system, one unit for each process. */
static uint32_t owner(const struct attribution *a, const struct proc *p)
{
    return a->by_process ? (uint32_t)(p - a->procs) : 0;
}

/* ---- places ---- */

static struct place *new_place(struct attribution *a, struct index_key key)
{
    struct place *places =
        a->num_places < MAX_PLACES
            ? attribute_grow(a->places, a->num_places, &a->max_places, sizeof *places)
            : NULL;
    /* JIT code may keep appearing: then the table starts again, empty. */
    if (!places && a->num_places) {
        index_clear(&a->place_of);
        a->num_places = 0;
        places = a->places;
    }
    if (!places)
        return NULL;
    a->places = places;
    if (!index_put(&a->place_of, key, (uint32_t)a->num_places))
        return NULL;
    places[a->num_places] = (struct place){ .function = NULL };
    return &places[a->num_places++];
}

struct references {
    const struct object *object;
    constant_set constants;
};

static void add_reference(void *ctx, uint64_t from, uint64_t to)
{
    struct references *r = ctx;
    for (size_t i = 0; i < r->object->num_sites; i++)
        if (to - r->object->sites[i].address < r->object->sites[i].len)
            r->constants |= (constant_set)1 << r->object->sites[i].bit;
}

/* Makes up a function for an address where the file lists none: the part of the page between the
 * neighbouring functions that it lists. */
static bool make_function(struct function *f, struct object *object, uint64_t vaddr)
{
    enum { PAGE = 4096 };
    size_t low = 0, high = object->num_functions;
    while (low < high) { /* finds the first function behind vaddr */
        const size_t mid = low + (high - low) / 2;
        if (object->functions[mid].start <= vaddr)
            low = mid + 1;
        else
            high = mid;
    }
    f->start = vaddr & ~(uint64_t)(PAGE - 1);
    f->end = f->start + PAGE;
    if (low && object->functions[low - 1].end > f->start)
        f->start = object->functions[low - 1].end;
    if (low < object->num_functions && object->functions[low].start < f->end)
        f->end = object->functions[low].start;
    if (f->start > vaddr || f->end <= vaddr)
        return false;
    const struct code code = object_code(object, f);
    struct references r = { object, constants_in_code(code.bytes, code.len, code.big_endian) };
    code_references(&code, add_reference, &r);
    f->marks = code_marks(&code);
    f->constants = r.constants;
    return true;
}

static const struct function *made_function(struct attribution *a, struct object *object,
                                            uint64_t vaddr)
{
    struct function new = { .source = NAME_NONE };
    if (!make_function(&new, object, vaddr) || budget_look())
        return NULL;
    const struct index_key key = { (uintptr_t)object, new.start, KEY_MADE };
    const uint32_t at = index_get(&a->made_of, key);
    if (at != (uint32_t)NO_VALUE)
        return a->made[at];
    struct function **made = attribute_grow(a->made, a->num_made, &a->max_made, sizeof *made);
    if (!made)
        return NULL;
    a->made = made;
    made[a->num_made] = malloc(sizeof new);
    if (!made[a->num_made])
        return NULL;
    *made[a->num_made] = new;
    if (!index_put(&a->made_of, key, (uint32_t)a->num_made)) {
        free(made[a->num_made]);
        return NULL;
    }
    return made[a->num_made++];
}

/* Whether registers are to be examined: the code itself gave no better evidence. */
static bool is_open(const struct finding *f)
{
    return f->how == HOW_NONE || f->how == HOW_UNCLASSIFIED || f->grade > GRADE_C;
}

static struct place look_at(struct attribution *a, struct object *object, const struct sample *s,
                            uint64_t vaddr)
{
    struct place place = { .function = object_function(object, vaddr) };
    if (!place.function)
        place.function = made_function(a, object, vaddr);
    if (!place.function)
        return place;
    place.name = classify_name(&place.source, object, place.function);
    place.may_use_tables =
        classify_sample(&place.finding, object, place.function, vaddr, s->pid, s->ip - vaddr);
    const struct code code = object_code(object, place.function);
    if (is_open(&place.finding))
        place.registers = code_registers(&code);
    return place;
}

/* NULL: there is no memory, or *missed is the reason why the code was not examined as a whole. */
static const struct place *file_place(const char **missed, struct attribution *a,
                                      struct object *object, const struct sample *s, uint64_t vaddr)
{
    const struct index_key key = { (uintptr_t)object, vaddr, KEY_FILE };
    const uint32_t at = index_get(&a->place_of, key);
    *missed = NULL;
    if (at != (uint32_t)NO_VALUE)
        return &a->places[at];
    budget_short = false;
    budget_enter();
    const struct place found = look_at(a, object, s, vaddr);
    if (budget_look())
        *missed = budget_no_time;
    else if (budget_short)
        *missed = budget_no_memory;
    budget_leave();
    struct place *place = *missed ? NULL : new_place(a, key);
    if (place)
        *place = found;
    return place;
}

static const struct place *jit_place(struct attribution *a, const struct proc *p, uint64_t ip)
{
    const struct index_key key = { p->serial, ip, KEY_JIT };
    const uint32_t at = index_get(&a->place_of, key);
    if (at != (uint32_t)NO_VALUE)
        return &a->places[at];
    struct place found = { .function = NULL };
    const struct perfmap_entry *e = perfmap_find(&p->perfmap, ip);
    budget_enter();
    classify_jit(&found.finding, &found.registers, p->pid, ip, e ? e->start : 0, e ? e->end : 0,
                 e ? e->name : NULL);
    const bool late = budget_look();
    budget_leave();
    struct place *place = late ? NULL : new_place(a, key);
    if (place)
        *place = found;
    return place;
}

/* ---- samples ---- */

static void file_sample(struct attribution *a, const struct proc *p, struct file *file,
                        const struct sample *s, uint64_t vaddr)
{
    struct object *object = file->object;
    const char *missed;
    const struct place *place = file_place(&missed, a, object, s, vaddr);
    struct finding found;
    if (missed) {
        file->missed = missed;
        file->samples_missed++;
    }
    a->beyond += !missed && !place;
    if (!place || !place->function)
        return;
    const struct function *function = place->function;
    const struct unit new = { .kind = UNIT_FUNCTION,
                              .process = owner(a, p),
                              .object = object,
                              .function = function,
                              .name = place->name,
                              .source = place->source };
    const struct index_key key = { (uintptr_t)function, new.process, KEY_FILE };
    struct unit *u = unit_at(a, key, &new);
    if (!u)
        return;
    const bool registers =
        is_open(&place->finding) &&
        (classify_registers(&found, object, s->ip - vaddr, &place->registers, s) ||
         (place->may_use_tables && place->finding.how == HOW_NONE &&
          classify_unnamed(&found, &place->registers, s)));
    attribute_unit_add(u, registers ? &found : &place->finding, 1);
}

/* Reads the process's perf map once some methods have been compiled, and then at ever longer
 * intervals. */
static void jit_names(const struct attribution *a, struct proc *p)
{
    enum { FIRST = 250 };
    if (!p->perfmap_next)
        p->perfmap_next = FIRST;
    if (p->samples < p->perfmap_next)
        return;
    attribute_perfmap(p);
    p->perfmap_next = p->samples * 2;
}

static void jit_sample(struct attribution *a, struct proc *p, const struct sample *s)
{
    struct finding found;
    jit_names(a, p);
    const struct place *place = jit_place(a, p, s->ip);
    const struct unit new = { .kind = UNIT_JIT, .process = (uint32_t)(p - a->procs), .ip = s->ip };
    const struct index_key key = { p->serial, s->ip, KEY_JIT };
    struct unit *u = place ? unit_at(a, key, &new) : NULL;
    a->late += !place;
    if (!u)
        return;
    const bool registers =
        is_open(&place->finding) && classify_registers(&found, NULL, 0, &place->registers, s);
    attribute_unit_add(u, registers ? &found : &place->finding, 1);
}

static void kernel_sample(struct attribution *a, const struct proc *p, const struct sample *s)
{
    struct unit new = { .kind = UNIT_KERNEL, .process = owner(a, p), .source = NAME_KERNEL };
    struct finding found;
    a->kernel_samples++;
    new.name = kernel_function(s->ip, &new.where);
    if (!new.name)
        return;
    kernel_classify(&found, new.name, new.where);
    struct unit *u =
        unit_at(a, (struct index_key){ (uintptr_t) new.name, new.process, KEY_KERNEL }, &new);
    if (u)
        attribute_unit_add(u, &found, 1);
}

static const struct region *region_at(struct attribution *a, struct proc *p, uint64_t ip)
{
    const struct region *r = attribute_region(p, ip);
    if (!r && p->alive && p->samples >= p->reread_next) {
        p->reread_next = p->samples * 2;
        attribute_reread(a, p);
        r = attribute_region(p, ip);
    }
    return r;
}

static void user_sample(struct attribution *a, struct proc *p, const struct sample *s)
{
    const struct region *r = region_at(a, p, s->ip);
    if (!r) {
        p->unknown++;
        return;
    }
    if (r->kind == REGION_JIT)
        jit_sample(a, p, s);
    if (r->kind != REGION_FILE)
        return;
    struct file *file = &a->files[r->file];
    struct object *object = attribute_object(a, file);
    const uint64_t vaddr = object ? object_vaddr(object, s->ip - r->start + r->offset) : UINT64_MAX;
    if (vaddr != UINT64_MAX)
        file_sample(a, p, file, s, vaddr);
    else if (file->read && file->why && !strcmp(file->why, "not ELF"))
        jit_sample(a, p, s);
    else
        file->samples_lost++;
}

static void on_sample(void *ctx, const struct sample *s)
{
    struct attribution *a = ctx;
    if (attribute_is_own(a, s->pid)) {
        a->own_samples++;
        return;
    }
    struct proc *p = attribute_proc(a, s->pid);
    a->samples++;
    if (!p) {
        a->beyond++;
        return;
    }
    p->samples++;
    attribute_describe(p);
    if (s->kernel)
        kernel_sample(a, p, s);
    else
        user_sample(a, p, s);
}

/* ---- events ---- */

static void on_map(void *ctx, pid_t pid, const struct mapping *m)
{
    attribute_map(ctx, pid, m);
}

static void on_exec(void *ctx, pid_t pid, const char *comm)
{
    struct attribution *a = ctx;
    struct proc *p = attribute_is_own(a, pid) ? NULL : attribute_proc(a, pid);
    if (!p)
        return;
    attribute_forget(p);
    attribute_name(p, comm);
    p->serial = ++a->serials; /* other JIT code may lie at the same addresses */
}

static void on_name(void *ctx, pid_t pid, const char *comm)
{
    struct proc *p = attribute_known(ctx, pid);
    if (p)
        attribute_name(p, comm);
}

static void on_fork(void *ctx, pid_t parent, pid_t child)
{
    attribute_fork(ctx, parent, child);
}

static void on_exit_of(void *ctx, pid_t pid)
{
    attribute_exit(ctx, pid);
}

static void on_lost(void *ctx, uint64_t num)
{
    struct attribution *a = ctx;
    a->lost += num;
}

const struct sampler_events attribute_events = {
    .sample = on_sample,
    .map = on_map,
    .exec = on_exec,
    .name = on_name,
    .fork = on_fork,
    .exit = on_exit_of,
    .lost = on_lost,
};

/* ---- life ---- */

struct attribution *attribute_new(const struct object_options *options, bool by_process)
{
    struct attribution *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->options = *options;
    a->by_process = by_process;
    a->idle = NO_VALUE;
    a->objects = objects_new(options);
    if (!a->objects) {
        free(a);
        return NULL;
    }
    return a;
}

void attribute_on_object(struct attribution *a, attribute_object_fn *fn, void *ctx)
{
    a->on_object = fn;
    a->on_object_ctx = ctx;
}

void attribute_clear(struct attribution *a)
{
    a->samples = a->kernel_samples = a->lost = a->own_samples = a->beyond = a->late = 0;
    a->num_units = 0;
    index_clear(&a->unit_of);
    for (size_t i = 0; i < a->num_files; i++) {
        struct file *file = &a->files[i];
        file->samples_lost = file->samples_missed = 0;
        if (!file->object && budget_is_reason(file->why)) { /* the next interval tries again */
            file->read = file->told = false;
            file->why = NULL;
        }
    }
    attribute_drop_dead(a);
    if (!a->on_object && (a->num_files > MANY_FILES || (a->max_open && a->num_open >= a->max_open)))
        attribute_forget_files(a);
}

void attribute_free(struct attribution *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->num_procs; i++)
        attribute_free_proc(&a->procs[i]);
    attribute_free_files(a);
    index_free(&a->file_of);
    index_free(&a->own);
    index_free(&a->proc_of);
    index_free(&a->place_of);
    index_free(&a->made_of);
    index_free(&a->unit_of);
    free(a->files);
    free(a->procs);
    free(a->places);
    free(a->made);
    free(a->units);
    free(a);
}
