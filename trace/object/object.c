/* SPDX-License-Identifier: Apache-2.0 */
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
    p->strings = malloc(max + 1);
    if (!p->strings)
        return false;
    for (size_t i = 0; i < p->object.num_functions; i++) {
        struct function *f = &p->functions[i];
        f->name = keep_string(p, &used, max, f->name);
        f->version = keep_string(p, &used, max, f->version);
        if (!f->name)
            f->source = NAME_NONE;
    }
    return true;
}

static void add_debuginfo(struct function_list *list, const struct elf *elf, const char *build_id,
                          uint8_t **bytes, size_t *len)
{
    struct elf debug;
    char its_id[65];
    bool is_go;
    *bytes = debuginfo_read(build_id, len);
    if (!*bytes || !elf_read_tables(&debug, *bytes, *len))
        return;
    elf_build_id(its_id, sizeof its_id, &debug, &is_go);
    if (!strcmp(its_id, build_id))
        functions_from_symbols(list, elf, &debug);
}

/* Builds the inventory from the file's bytes. */
static bool build(struct object_private *p, const uint8_t *bytes, size_t len,
                  const struct object_options *options, const char **why)
{
    struct object *o = &p->object;
    struct function_list list = { 0 };
    struct elf elf;
    uint8_t *debug = NULL;
    size_t debug_len = 0;
    if (!elf_read(&elf, bytes, len, why))
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
        add_debuginfo(&list, &elf, o->build_id, &debug, &debug_len);
    functions_merge(&list, &elf);
    bool ok = inventory(&list, &elf, &p->sites, &o->num_sites, options->use_fingerprints);

    p->functions = list.at;
    o->num_functions = list.num;
    p->segments = malloc(sizeof *p->segments * elf.num_segments);
    ok = ok && p->segments && keep_names(p, len + debug_len);
    if (ok) {
        memcpy(p->segments, elf.segments, sizeof *p->segments * elf.num_segments);
        o->num_segments = elf.num_segments;
    }
    free(debug);
    *why = ok ? NULL : "no memory";
    return ok;
}

static void publish(struct object_private *p)
{
    p->object.segments = p->segments;
    p->object.functions = p->functions;
    p->object.sites = p->sites;
    p->object.image = p->image;
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
    bool ok = len <= MAX_IMAGE && (p->image = malloc(len ? len : 1));
    if (ok) {
        if (len)
            memcpy(p->image, bytes, len);
        p->object.image_len = len;
        ok = build(p, p->image, len, options, why);
    }
    return finish(p, ok);
}

struct object *object_open(int fd, const char *path, const struct object_options *options,
                           const char **why)
{
    /* The cache is used for files whose inventory takes longer than reading a cached one. */
    enum { MIN_CACHED = 1 << 16 };
    char key[CACHE_KEY_LEN + 1];
    struct object_private *p = new_object(path, why);
    if (!p)
        return NULL;
    *why = "cannot be opened";
    p->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    bool ok = p->fd >= 0 && !fstat(p->fd, &p->identity);
    const bool use_cache = ok && options->use_cache && p->identity.st_size >= MIN_CACHED &&
                           S_ISREG(p->identity.st_mode) &&
                           cache_key(key, p->fd, &p->identity, options);
    if (use_cache && cache_load(p, key)) {
        *why = NULL;
        p->object.cached = true;
        return finish(p, true);
    }
    ok = ok && (p->image = debuginfo_image_read(p->fd, &p->object.image_len, why)) &&
         build(p, p->image, p->object.image_len, options, why);
    publish(p);
    if (ok && use_cache)
        cache_store(p, key);
    return finish(p, ok);
}

void object_free(struct object *object)
{
    if (!object)
        return;
    struct object_private *p = private(object);
    if (p->fd >= 0)
        close(p->fd);
    free(p->segments);
    free(p->functions);
    free(p->sites);
    free(p->image);
    free(p->strings);
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

bool object_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool load_image(struct object_private *p)
{
    struct stat now;
    const char *why;
    if (p->image)
        return true;
    if (p->fd < 0 || fstat(p->fd, &now) || !object_same_file(&now, &p->identity))
        return false;
    p->image = debuginfo_image_read(p->fd, &p->object.image_len, &why);
    p->object.image = p->image;
    return p->image;
}

size_t object_drop_image(struct object *object)
{
    struct object_private *p = private(object);
    const size_t len = p->image && p->fd >= 0 ? object->image_len : 0;
    if (len) {
        free(p->image);
        p->image = NULL;
        object->image = NULL;
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
