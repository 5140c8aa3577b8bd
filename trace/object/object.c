/* SPDX-License-Identifier: Apache-2.0 */
#include "../budget.h"
#include "object_build.h"
#include "object_private.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct object_private *private(const struct object *object)
{
    return (struct object_private *)(uintptr_t)object; /* object is its first member */
}

static const char *keep_string(struct object_private *p, size_t *used, size_t max, const char *text)
{
    if (!text)
        return NULL;
    const size_t len = strlen(text) + 1;
    if (len > max - *used)
        return NULL;
    char *out = memcpy(p->strings + *used, text, len);
    *used += len;
    return out;
}

/* Copies the names out of the images into `strings`. Hostile tables may name one long string
 * again and again: no more is kept than the files' bytes could contain without that. */
static bool keep_names(struct object_private *p, size_t max)
{
    size_t need = 0, used = 0;
    for (size_t i = 0; i < p->object.num_functions && need < max; i++) {
        const struct function *f = &p->functions[i];
        need += (f->name ? strlen(f->name) + 1 : 0) + (f->version ? strlen(f->version) + 1 : 0);
    }
    max = need < max ? need : max;
    p->strings = budget_take(max + 1) ? malloc(max + 1) : NULL;
    if (!p->strings)
        return false;
    p->strings_len = max + 1;
    for (size_t i = 0; i < p->object.num_functions; i++) {
        struct function *f = &p->functions[i];
        f->name = keep_string(p, &used, max, f->name);
        f->version = keep_string(p, &used, max, f->version);
        if (!f->name)
            f->source = NAME_NONE;
    }
    return true;
}

/* Adds the functions that debug information names. If the budget does not suffice for that, names
 * are missing, but no code: the object gets a note. */
static void add_debuginfo(struct function_list *list, const struct elf *elf, struct object *o,
                          struct image *image)
{
    const char *build_id = o->build_id;
    struct elf debug;
    char its_id[65];
    bool is_go;
    const char *why;
    if (!debuginfo_read(image, build_id, &why)) {
        o->note = budget_is_reason(why) ? "its debug information was not read: more memory than "
                                          "--max-memory leaves"
                                        : NULL;
        return;
    }
    if (!elf_read_image_tables(&debug, image))
        return;
    elf_build_id(its_id, sizeof its_id, &debug, &is_go);
    if (!strcmp(its_id, build_id))
        functions_from_symbols(list, elf, &debug);
}

/* How many bytes were read. */
static size_t num_bytes(const struct image *image)
{
    return image->extents ? image->taken : image->len;
}

/* Frees what growing lists have too much. */
static void *shrink(void *array, size_t num, size_t size)
{
    void *less = num ? realloc(array, num * size) : NULL;
    return less ? less : array;
}

/* Builds the inventory from the file's bytes. */
static bool build(struct object_private *p, const struct object_options *options, const char **why)
{
    struct object *o = &p->object;
    struct function_list list = { 0 };
    struct elf elf;
    struct image debug = { .bytes = NULL };
    if (!elf_read_image(&elf, &p->image, why))
        return false;
    o->arch = elf.arch;
    o->big_endian = elf.big;
    elf_build_id(o->build_id, sizeof o->build_id, &elf, &o->is_go);
    o->is_static = elf_is_static(&elf);
    o->is_stripped = !elf_has_symtab(&elf);

    functions_from_symbols(&list, &elf, &elf);
    functions_from_frames(&list, &elf);
    o->is_go |= object_go_functions(&list, &elf);
    if (options->use_debuginfo && o->is_stripped)
        add_debuginfo(&list, &elf, o, &debug);
    functions_merge(&list, &elf);
    bool ok = inventory(&list, &elf, &p->sites, &o->num_sites, options->use_fingerprints);

    p->functions = shrink(list.at, list.num, sizeof *list.at);
    p->sites = shrink(p->sites, o->num_sites, sizeof *p->sites);
    o->num_functions = list.num;
    p->segments = malloc(sizeof *p->segments * elf.num_segments);
    ok = ok && p->segments && keep_names(p, num_bytes(&p->image) + num_bytes(&debug));
    if (ok) {
        memcpy(p->segments, elf.segments, sizeof *p->segments * elf.num_segments);
        o->num_segments = elf.num_segments;
    }
    image_free(&debug);
    *why = ok ? NULL : "no memory";
    return ok;
}

static void publish(struct object_private *p)
{
    p->object.segments = p->segments;
    p->object.functions = p->functions;
    p->object.sites = p->sites;
    p->object.image = p->image.bytes;
    p->object.image_len = p->image.len;
}

static struct object_private *new_object(const char *path, const char **why)
{
    struct object_private *p = calloc(1, sizeof *p);
    *why = "no memory";
    if (!p)
        return NULL;
    p->fd = -1;
    p->object.path = strdup(path);
    if (p->object.path)
        return p;
    free(p);
    return NULL;
}

static struct object *finish(struct object_private *p, bool ok)
{
    publish(p);
    if (ok)
        return &p->object;
    object_free(&p->object);
    return NULL;
}

struct object *object_parse(const uint8_t *bytes, size_t len, const char *path,
                            const struct object_options *options, const char **why)
{
    struct object_private *p = new_object(path, why);
    if (!p)
        return NULL;
    bool ok = len <= MAX_IMAGE && (p->image.bytes = malloc(len ? len : 1));
    if (ok) {
        if (len)
            memcpy(p->image.bytes, bytes, len);
        p->image.len = len;
        ok = build(p, options, why);
    }
    return finish(p, ok);
}

static size_t kept(const struct object_private *p)
{
    const struct object *o = &p->object;
    return sizeof *p + strlen(o->path) + o->num_functions * sizeof *p->functions +
           o->num_sites * sizeof *p->sites + o->num_segments * sizeof *p->segments + p->strings_len;
}

/* Reads the inventory from the cache, or else from the file. */
static bool load(struct object_private *p, const struct object_options *options, const char **why)
{
    /* The cache is used for files whose inventory takes longer than reading a cached one. */
    enum { MIN_CACHED = 1 << 16 };
    char key[CACHE_KEY_LEN + 1];
    const bool use_cache = options->use_cache && p->identity.st_size >= MIN_CACHED &&
                           S_ISREG(p->identity.st_mode) &&
                           cache_key(key, p->fd, &p->identity, options);
    *why = NULL;
    if (use_cache && cache_load(p, key)) {
        p->object.cached = true;
        return true;
    }
    bool ok = image_read(&p->image, p->fd, IMAGE_ALL, why) && build(p, options, why);
    /* What was read of a part of the time is not the whole. */
    if (ok && budget_look())
        ok = false;
    publish(p);
    if (ok && use_cache && !p->object.note)
        cache_store(p, key);
    return ok;
}

struct object *object_open(int fd, const char *path, const struct object_options *options,
                           const char **why)
{
    struct object_private *p = new_object(path, why);
    if (!p)
        return NULL;
    *why = "cannot be opened";
    p->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (p->fd < 0 || fstat(p->fd, &p->identity))
        return finish(p, false);
    const size_t before = budget_taken();
    budget_short = false;
    budget_enter();
    bool ok = load(p, options, why);
    const bool late = !ok && budget_look();
    budget_leave();
    if (late)
        *why = budget_no_time;
    else if (!ok && budget_short)
        *why = budget_no_memory;
    if (ok)
        p->taken = kept(p);
    budget_settle(before, ok ? p->taken + p->image.taken : 0);
    if (!ok)
        p->image.taken = 0; /* settled */
    return finish(p, ok);
}

void object_free(struct object *object)
{
    if (!object)
        return;
    struct object_private *p = private(object);
    free(p->segments);
    free(p->functions);
    free(p->sites);
    if (p->fd >= 0)
        image_free(&p->image);
    else
        free(p->image.bytes);
    free(p->strings);
    budget_give(p->taken);
    if (p->fd >= 0)
        close(p->fd);
    free(p->object.path);
    free(p);
}

/* ---- queries ---- */

const struct function *object_function(const struct object *object, uint64_t vaddr)
{
    size_t low = 0, high = object->num_functions;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (object->functions[mid].end <= vaddr)
            low = mid + 1;
        else
            high = mid;
    }
    const struct function *f = &object->functions[low];
    return low < object->num_functions && f->start <= vaddr ? f : NULL;
}

uint64_t object_vaddr(const struct object *object, uint64_t offset)
{
    for (size_t i = 0; i < object->num_segments; i++) {
        const struct segment *s = &object->segments[i];
        if (offset >= s->offset && offset - s->offset < s->file_len)
            return s->vaddr + (offset - s->offset);
    }
    return UINT64_MAX;
}

size_t object_next_data(const struct object *object, uint64_t *offset, uint64_t end)
{
    const struct image *image = &private(object)->image;
    const struct elf elf = { .len = image->len,
                             .extents = image->extents,
                             .num_extents = image->num_extents };
    return image->bytes ? elf_next_data(&elf, offset, end) : 0;
}

bool object_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool load_image(struct object_private *p)
{
    struct stat now;
    const char *why;
    if (p->image.bytes)
        return true;
    if (p->fd < 0 || fstat(p->fd, &now) || !object_same_file(&now, &p->identity))
        return false;
    bool ok = image_read(&p->image, p->fd, IMAGE_ALL, &why);
    if (!ok && why == budget_no_memory && objects_drop_images(p->objects, &p->object))
        ok = image_read(&p->image, p->fd, IMAGE_ALL, &why);
    publish(p);
    return ok;
}

size_t object_drop_image(struct object *object)
{
    struct object_private *p = private(object);
    const size_t len = p->image.bytes && p->fd >= 0 ? p->image.taken : 0;
    if (len) {
        image_free(&p->image);
        publish(p);
    }
    return len;
}

/* The bytes at an address, for struct code: constants to which operands refer. */
static const uint8_t *object_data(const void *ctx, uint64_t address, size_t len)
{
    const struct object *object = ctx;
    for (size_t i = 0; i < object->num_segments; i++) {
        const struct segment *s = &object->segments[i];
        const uint64_t at = address - s->vaddr;
        if (address >= s->vaddr && at < s->file_len && len <= s->file_len - at &&
            s->offset <= object->image_len && s->file_len <= object->image_len - s->offset)
            return object->image + s->offset + at;
    }
    return NULL;
}

struct code object_code(struct object *object, const struct function *f)
{
    struct code code = { .address = f->start,
                         .arch = object->arch,
                         .big_endian = object->big_endian };
    if (!load_image(private(object)))
        return code;
    code.data = object_data;
    code.data_ctx = object;
    for (size_t i = 0; i < object->num_segments; i++) {
        const struct segment *s = &object->segments[i];
        if (f->start < s->vaddr || f->start - s->vaddr >= s->file_len)
            continue;
        const uint64_t at = f->start - s->vaddr;
        if (s->offset > object->image_len || s->file_len > object->image_len - s->offset ||
            f->end <= f->start)
            break;
        code.bytes = object->image + s->offset + at;
        code.len = s->file_len - at < f->end - f->start ? s->file_len - at : f->end - f->start;
        break;
    }
    return code;
}
