/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of objects: one for each file, however many processes map it; for a file that cannot be
 * read, the reason.
 */
#include "../budget.h"
#include "object_private.h"
#include <stdlib.h>
#include <sys/resource.h>

struct entry {
    struct stat identity;
    struct object *object; /* NULL: `why` has the reason */
    const char *why;
};

struct objects {
    struct object_options options;
    struct entry *at;
    size_t num, max;
};

/* Raises the limit of open files. Each object keeps its file open, because a file that was
 * deleted or replaced could not be read again otherwise. */
static void raise_file_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

struct objects *objects_new(const struct object_options *options)
{
    struct objects *objects = calloc(1, sizeof *objects);
    if (!objects)
        return NULL;
    objects->options = *options;
    raise_file_limit();
    return objects;
}

size_t objects_drop_images(struct objects *objects, const struct object *but)
{
    size_t freed = 0;
    for (size_t i = 0; objects && i < objects->num; i++)
        if (objects->at[i].object && objects->at[i].object != but)
            freed += object_drop_image(objects->at[i].object);
    return freed;
}

static struct entry *find(const struct objects *objects, const struct stat *st)
{
    for (size_t i = 0; i < objects->num; i++)
        if (object_same_file(&objects->at[i].identity, st))
            return &objects->at[i];
    return NULL;
}

static struct entry *add(struct objects *objects)
{
    if (objects->num == objects->max) {
        const size_t max = objects->max ? 2 * objects->max : 64;
        struct entry *at = budget_take((max - objects->max) * sizeof *at)
                               ? realloc(objects->at, max * sizeof *at)
                               : NULL;
        if (!at)
            return NULL;
        objects->at = at;
        objects->max = max;
    }
    return &objects->at[objects->num++];
}

/* Opens an object; frees images of others if memory is missing. */
static struct object *open_one(struct objects *objects, int fd, const char *path, const char **why)
{
    struct object *o = object_open(fd, path, &objects->options, why);
    if (!o && *why == budget_no_memory && objects_drop_images(objects, NULL))
        o = object_open(fd, path, &objects->options, why);
    if (o)
        ((struct object_private *)o)->objects = objects; /* object is its first member */
    return o;
}

struct object *objects_get(struct objects *objects, int fd, const char *path, const char **why)
{
    struct stat st;
    *why = "cannot be opened";
    if (fstat(fd, &st))
        return NULL;
    struct entry *e = find(objects, &st);
    if (e && (e->object || !budget_is_reason(e->why))) {
        *why = e->why;
        return e->object;
    }
    /* What the budget refused is tried again: some may be left now. */
    *why = budget_no_memory;
    if (!e && !(e = add(objects)))
        return NULL;
    *e = (struct entry){ .identity = st };
    e->object = open_one(objects, fd, path, &e->why);
    *why = e->why;
    return e->object;
}

void objects_free(struct objects *objects)
{
    if (!objects)
        return;
    for (size_t i = 0; i < objects->num; i++)
        object_free(objects->at[i].object);
    budget_give(objects->max * sizeof *objects->at);
    free(objects->at);
    free(objects);
}
