/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of a token: one file each, which is named by the id of the object. */
#define _GNU_SOURCE
#include "../../common.h"
#include "token.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const char suffix[] = ".object";
enum {
    NAME = 2 * STORE_ID + sizeof suffix,
    MAX_NAMES = 4 * STORE_MAX_OBJECTS /* more names in a folder are no token's */
};

static void write_name(char out[NAME], const uint8_t id[STORE_ID])
{
    static const char digits[] = "0123456789abcdef"; /* ids are public */
    for (int i = 0; i < STORE_ID; i++) {
        out[2 * i] = digits[id[i] >> 4];
        out[2 * i + 1] = digits[id[i] & 15];
    }
    memcpy(out + 2 * STORE_ID, suffix, sizeof suffix);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_name(uint8_t id[STORE_ID], const char *name)
{
    if (strlen(name) != NAME - 1 || strcmp(name + 2 * STORE_ID, suffix) != 0)
        return false;
    for (int i = 0; i < STORE_ID; i++) {
        const int high = digit(name[2 * i]), low = digit(name[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        id[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* ---- the names in a folder ---- */

/* A name_fn returns 0 to go on. */
typedef int name_fn(void *arg, int folder, const char *name, const uint8_t id[STORE_ID]);

static int walk(DIR *names, int folder, name_fn *each, void *arg)
{
    uint8_t id[STORE_ID];
    int result = 0;
    for (unsigned i = 0; i < MAX_NAMES && !result; i++) {
        errno = 0;
        const struct dirent *entry = readdir(names);
        if (!entry)
            return errno ? STORE_SYSTEM : 0;
        if (read_name(id, entry->d_name))
            result = each(arg, folder, entry->d_name, id);
    }
    return result;
}

/* for_each_name calls `each` for every name of an object.  Names may come and go meanwhile. */
static int for_each_name(int folder, name_fn *each, void *arg)
{
    const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names) {
        if (fd >= 0)
            close(fd);
        return STORE_SYSTEM;
    }
    const int result = walk(names, folder, each, arg);
    const int saved = errno;
    closedir(names);
    errno = saved;
    return result;
}

static int count(void *arg, int folder, const char *name, const uint8_t id[STORE_ID])
{
    unsigned *num = arg;
    (void)folder, (void)name, (void)id;
    return ++*num > STORE_MAX_OBJECTS ? STORE_FULL : 0;
}

/* is_of tells whether a file is an object of this token, by its head alone. */
static bool is_of(int folder, const char *name, const uint8_t token[STORE_ID])
{
    enum { HEAD = 12 + STORE_ID };
    uint8_t head[HEAD];
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    const ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    return n == HEAD && !memcmp(head + 12, token, STORE_ID);
}

static int delete_other(void *arg, int folder, const char *name, const uint8_t id[STORE_ID])
{
    (void)id;
    if (!is_of(folder, name, arg) && unlinkat(folder, name, 0) && errno != ENOENT)
        return STORE_SYSTEM;
    return 0;
}

int token_delete_objects(int folder, const uint8_t keep[STORE_ID])
{
    uint8_t token[STORE_ID];
    memcpy(token, keep, sizeof token);
    return for_each_name(folder, delete_other, token);
}

/* ---- changes ---- */

int store_new_id(uint8_t id[STORE_ID])
{
    return token_random(id, STORE_ID);
}

static bool exists(int folder, const char *name)
{
    return !faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* may_put looks whether the object is there or not, as it should, and whether there is room. */
static int may_put(struct store *s, const struct files *f, const struct store_state *now,
                   const char *name, enum store_put how)
{
    if (exists(f->folder, name) != (how == STORE_REPLACE))
        return how == STORE_REPLACE ? STORE_GONE : STORE_EXISTS;
    if (how == STORE_REPLACE)
        return 0;
    if (files_is_same(now, &s->seen)) /* then nobody needs to count */
        return s->num_objects >= STORE_MAX_OBJECTS ? STORE_FULL : 0;
    unsigned num = 1;
    return for_each_name(f->folder, count, &num);
}

static int put(struct store *s, const struct files *f, const char *name, size_t len,
               enum store_put how)
{
    struct store_state now;
    int error = files_settled(&now, f);
    if (!error)
        error = may_put(s, f, &now, name, how);
    if (!error)
        error = files_changing(f);
    if (error)
        return error;
    error = files_replace(f->folder, name, s->scratch, len);
    s->num_objects += !error && how == STORE_NEW;
    return token_done(s, f, &now, error);
}

int store_put(struct store *s, const uint8_t id[STORE_ID], const struct store_parts *parts,
              enum store_put how)
{
    struct format_token token;
    uint8_t salt[FORMAT_SALT];
    char name[NAME];
    struct files f;
    size_t len = 0;
    if (s->role == STORE_NOBODY)
        return STORE_CLOSED;
    int error = token_random(salt, sizeof salt);
    if (!error)
        error = format_object_write(s->scratch, &len, id, parts, s->id, salt, s->key);
    if (!error)
        error = token_begin(&f, &token, s, FILES_WRITE);
    if (error)
        return error;
    write_name(name, id);
    error = put(s, &f, name, len, how);
    files_end(&f);
    return error;
}

static int delete (struct store *s, const struct files *f, const char *name)
{
    struct store_state now;
    int error = files_settled(&now, f);
    if (!error && !exists(f->folder, name))
        error = STORE_GONE;
    if (!error)
        error = files_changing(f);
    if (error)
        return error;
    if (unlinkat(f->folder, name, 0) || fsync(f->folder))
        error = STORE_SYSTEM;
    s->num_objects -= !error && s->num_objects;
    return token_done(s, f, &now, error);
}

int store_delete(struct store *s, const uint8_t id[STORE_ID])
{
    struct format_token token;
    char name[NAME];
    struct files f;
    int error = token_begin(&f, &token, s, FILES_WRITE);
    if (error)
        return error;
    write_name(name, id);
    error = delete (s, &f, name);
    files_end(&f);
    return error;
}

/* ---- loading ---- */

struct load {
    struct store *s;
    store_object_fn *each;
    void *arg;
    unsigned num, num_left_out;
};

/* read_object gets an object into the scratch, opened if the token key is there. */
static int read_object(struct format_object *out, struct store *s, int folder, const char *name,
                       const uint8_t id[STORE_ID])
{
    size_t len = 0;
    int error = files_read(s->scratch, &len, FORMAT_MAX_OBJECT, folder, name);
    if (!error)
        error = format_object_parse(out, s->scratch, len, s->id);
    if (!error && s->role != STORE_NOBODY)
        error = format_object_open(out, id, s->key);
    return error;
}

static int load_one(void *arg, int folder, const char *name, const uint8_t id[STORE_ID])
{
    struct load *l = arg;
    struct format_object found;
    if (++l->num > STORE_MAX_OBJECTS) {
        l->num_left_out++;
        return 0;
    }
    if (read_object(&found, l->s, folder, name, id)) {
        l->num_left_out++;
        return 0;
    }
    const bool is_open = l->s->role != STORE_NOBODY;
    const struct store_object object = {
        id, { found.open, is_open ? found.secret : NULL, found.open_len, found.secret_len }, is_open
    };
    const int result = l->each(l->arg, &object);
    if (is_open)
        wipe_bytes(found.secret, found.secret_len);
    return result;
}

int store_load(struct store *s, store_object_fn *each, void *arg)
{
    struct load l = { s, each, arg, 0, 0 };
    struct format_token token;
    struct store_state now;
    struct files f;
    int error = token_begin(&f, &token, s, FILES_READ);
    if (error)
        return error;
    error = files_settled(&now, &f);
    if (!error)
        error = for_each_name(f.folder, load_one, &l);
    if (!error) {
        s->seen = now;
        s->num_objects = l.num;
        s->num_left_out = l.num_left_out;
    }
    files_end(&f);
    return error;
}

bool store_changed(const struct store *s)
{
    struct store_state now;
    return files_state(&now, s->folder) || !files_is_same(&now, &s->seen);
}
