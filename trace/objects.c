/* SPDX-License-Identifier: Apache-2.0
 *
 * One object for each file, whoever maps it; and one refusal for each that cannot be read.
 */
#include "object_private.h"
#include <stdlib.h>
#include <sys/resource.h>

/* Images that nobody asks for are let go beyond this; they can be read again. */
#define MAX_IMAGES ((size_t)256 << 20)

struct entry {
    struct stat identity;
    struct object *object; /* NULL: why */
    const char *why;
};

struct objects {
    struct object_options options;
    struct entry *at;
    size_t num, max;
};

/* Each object keeps its file open: deleted and replaced files can be read again only so. */
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
        if (!same_file(&objects->at[i].identity, &st))
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
