/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of objects: one for each file, however many processes map it; for a file that cannot be
 * read, the reason.
 */
#include "object_private.h"
#include <stdlib.h>
#include <sys/resource.h>

/* Above this sum of bytes, objects_get() frees the images of some objects; they can be read
 * again. */
#define MAX_IMAGES ((size_t)256 << 20)

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

static void drop_images(struct objects *objects)
{
    size_t total = 0;
    for (size_t i = objects->num; i-- > 0;) {
        const struct object *o = objects->at[i].object;
        if (o && o->image)
            total += o->image_len;
        if (o && o->image && total > MAX_IMAGES)
            total -= object_drop_image(objects->at[i].object);
    }
}

struct object *objects_get(struct objects *objects, int fd, const char *path, const char **why)
{
    struct stat st;
    *why = "cannot be opened";
    if (fstat(fd, &st))
        return NULL;
    drop_images(objects);
    for (size_t i = 0; i < objects->num; i++) {
        if (!object_same_file(&objects->at[i].identity, &st))
            continue;
        *why = objects->at[i].why;
        return objects->at[i].object;
    }
    if (objects->num == objects->max) {
        const size_t max = objects->max ? 2 * objects->max : 64;
        struct entry *at = realloc(objects->at, max * sizeof *at);
        *why = "no memory";
        if (!at)
            return NULL;
        objects->at = at;
        objects->max = max;
    }
    struct entry *e = &objects->at[objects->num++];
    e->identity = st;
    e->object = object_open(fd, path, &objects->options, &e->why);
    *why = e->why;
    return e->object;
}

void objects_free(struct objects *objects)
{
    if (!objects)
        return;
    for (size_t i = 0; i < objects->num; i++)
        object_free(objects->at[i].object);
    free(objects->at);
    free(objects);
}
