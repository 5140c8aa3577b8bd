/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a token: PINs and their limits, objects and theirs.  hostile.c changes files,
 * processes.c kills processes. */
#define _GNU_SOURCE
#include "store_test.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

char folder[64];
uint8_t scratch[STORE_SCRATCH];
struct loaded loaded;

/* ---- what the tests share ---- */

static void remove_files(void)
{
    char path[600];
    DIR *names = opendir(folder);
    for (struct dirent *e; names && (e = readdir(names));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (*e->d_name != '.' && unlink(path))
            rmdir(path);
    }
    if (names)
        closedir(names);
}

void begin(void)
{
    /* In memory, where there is such a folder: a disk would take a minute to make all durable. */
    snprintf(folder, sizeof folder, "%s/headrace-token-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(folder))
        exit(complain("no folder"));
}

void end(void)
{
    remove_files();
    rmdir(folder);
}

void open_store(struct store *s)
{
    const int error = store_open(s, folder, scratch);
    if (error)
        complain("store_open: %d", error);
    s->costs = (struct store_costs){ 1, 8, 1 };
}

void fresh(struct store *s)
{
    static const uint8_t label[STORE_LABEL] = "a label";
    remove_files();
    open_store(s);
    int error = store_init(s, label, SO_PIN);
    if (!error)
        error = store_login(s, STORE_SO, SO_PIN);
    if (!error)
        error = store_set_pin(s, STORE_USER, USER_PIN);
    store_logout(s);
    if (!error)
        error = store_login(s, STORE_USER, USER_PIN);
    if (error)
        complain("no fresh token: %d %s", error, strerror(errno));
}

const char *name_of(const char *name)
{
    static char path[2][600];
    static unsigned i;
    i ^= 1;
    snprintf(path[i], sizeof path[i], "%s/%s", folder, name);
    return path[i];
}

const char *name_of_object(const uint8_t id[STORE_ID])
{
    char name[2 * STORE_ID + 8];
    for (int i = 0; i < STORE_ID; i++)
        sprintf(name + 2 * i, "%02x", id[i]);
    strcpy(name + 2 * STORE_ID, ".object");
    return name_of(name);
}

void write_bytes(const char *path, const uint8_t *bytes, size_t len)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
        complain("%s: %s", path, strerror(errno));
    close(fd);
}

size_t read_bytes(uint8_t *out, size_t max, const char *path)
{
    const int fd = open(path, O_RDONLY);
    const ssize_t n = fd < 0 ? -1 : read(fd, out, max);
    if (n < 0)
        complain("%s: %s", path, strerror(errno));
    close(fd);
    return n < 0 ? 0 : (size_t)n;
}

int put_random(struct store *s, uint8_t id[STORE_ID], size_t open_len, size_t secret_len)
{
    static uint8_t open[STORE_MAX_PARTS + 1], secret[STORE_MAX_PARTS + 1];
    random_bytes(open, open_len);
    random_bytes(secret, secret_len);
    const int error = store_new_id(id);
    return error ? error
                 : store_put(s, id, &(struct store_parts){ open, secret, open_len, secret_len },
                             STORE_NEW);
}

static int keep(void *arg, const struct store_object *object)
{
    struct loaded *l = arg;
    l->num++;
    l->is_open = object->is_open;
    memcpy(l->id, object->id, STORE_ID);
    l->open_len = object->parts.open_len;
    l->secret_len = object->parts.secret_len;
    memcpy(l->open, object->parts.open, l->open_len);
    if (object->is_open)
        memcpy(l->secret, object->parts.secret, l->secret_len);
    return 0;
}

int load(struct store *s)
{
    memset(&loaded, 0, sizeof loaded);
    return store_load(s, keep, &loaded);
}

static void want(const char *what, int is, int should)
{
    if (is != should)
        complain("%s: %d instead of %d (%s)", what, is, should, strerror(errno));
}
#define WANT(call, should) want(#call, call, should)

/* ---- PINs ---- */

static void test_none(void)
{
    struct store s;
    uint8_t id[STORE_ID] = { 0 };
    remove_files();
    rmdir(folder);
    WANT(store_open(&s, folder, scratch), 0);
    if (s.is_there || access(folder, F_OK) == 0)
        complain("a token is there");
    WANT(store_look(&s), STORE_NO_TOKEN);
    WANT(store_login(&s, STORE_USER, USER_PIN), STORE_NO_TOKEN);
    WANT(store_set_pin(&s, STORE_USER, USER_PIN), STORE_CLOSED);
    WANT(put_random(&s, id, 1, 1), STORE_CLOSED);
    WANT(store_delete(&s, id), STORE_NO_TOKEN);
    WANT(load(&s), STORE_NO_TOKEN);
    WANT(!store_changed(&s), false);
    WANT(access(folder, F_OK), -1);
    mkdir(folder, 0700);
    WANT(store_login(&s, STORE_USER, USER_PIN), STORE_NO_TOKEN);
    WANT(access(name_of("tries"), F_OK), -1);
    tap(1, "without a token nothing opens, and no file is made");
}

static void test_pins(void)
{
    static const uint8_t label[STORE_LABEL] = "another label";
    struct store s, other;
    uint8_t id[STORE_ID];
    remove_files();
    open_store(&s);
    WANT(store_init(&s, label, "", 0), STORE_TOO_LONG);
    WANT(s.is_there, false);
    WANT(store_init(&s, label, SO_PIN), 0);
    WANT(s.is_there && !s.has_user_pin && !memcmp(s.label, label, sizeof label), true);
    WANT(store_login(&s, STORE_USER, USER_PIN), STORE_NO_PIN);
    WANT(store_login(&s, STORE_SO, USER_PIN), STORE_WRONG_PIN);
    WANT(store_init(&s, label, SO_PIN), STORE_CLOSED);
    WANT(store_login(&s, STORE_SO, SO_PIN), 0);
    WANT(store_set_pin(&s, STORE_USER, USER_PIN), 0);
    WANT(s.role, STORE_SO);
    WANT(store_login(&s, STORE_USER, WRONG_PIN), STORE_WRONG_PIN);
    WANT(s.role, STORE_SO);
    WANT(store_login(&s, STORE_USER, USER_PIN), 0);
    WANT(store_init(&s, label, SO_PIN), STORE_CLOSED);
    WANT(put_random(&s, id, 3, 5), 0);
    WANT(store_set_pin(&s, STORE_USER, "new", 3), 0);
    WANT(store_set_pin(&s, STORE_USER, scratch, STORE_MAX_PIN + 1), STORE_TOO_LONG);
    store_logout(&s);
    WANT(is_zero(s.key, sizeof s.key), true);
    open_store(&other);
    WANT(other.is_there && other.has_user_pin && !memcmp(other.label, label, sizeof label), true);
    WANT(store_login(&other, STORE_USER, USER_PIN), STORE_WRONG_PIN);
    WANT(store_login(&other, STORE_USER, "new", 3), 0);
    WANT(load(&other), 0);
    WANT(loaded.num == 1 && loaded.is_open && !memcmp(loaded.id, id, STORE_ID), true);
    tap(1, "PINs of SO and user open the token, in another process too, and can be changed");
}

static void test_tries(void)
{
    struct store s, other;
    fresh(&s);
    store_logout(&s);
    for (unsigned i = 1; i < STORE_TRIES; i++) {
        open_store(&other); /* as another process would */
        WANT(store_login(&other, STORE_USER, WRONG_PIN), STORE_WRONG_PIN);
        WANT((int)other.tries[STORE_USER], (int)i);
    }
    WANT(store_login(&s, STORE_USER, USER_PIN), 0); /* which ends the count */
    WANT((int)s.tries[STORE_USER], 0);
    store_logout(&s);
    for (unsigned i = 0; i < STORE_TRIES; i++)
        WANT(store_login(&s, STORE_USER, WRONG_PIN), STORE_WRONG_PIN);
    WANT(store_login(&s, STORE_USER, USER_PIN), STORE_LOCKED);
    WANT(store_login(&s, STORE_USER, WRONG_PIN), STORE_LOCKED);
    WANT(store_login(&s, STORE_SO, SO_PIN), 0);
    WANT(store_set_pin(&s, STORE_USER, USER_PIN), 0);
    WANT(store_login(&s, STORE_USER, USER_PIN), 0);
    for (unsigned i = 0; i < STORE_TRIES; i++)
        WANT(store_login(&s, STORE_SO, WRONG_PIN), STORE_WRONG_PIN);
    WANT(store_login(&s, STORE_SO, SO_PIN), STORE_LOCKED);
    WANT(store_login(&s, STORE_USER, USER_PIN), 0);
    tap(1, "%d wrong PINs lock a role, until it gets a new PIN", STORE_TRIES);
}

/* ---- objects ---- */

static void check_round(struct store *s, size_t open_len, size_t secret_len)
{
    static uint8_t open[STORE_MAX_PARTS], secret[STORE_MAX_PARTS], file[STORE_SCRATCH];
    uint8_t id[STORE_ID];
    const struct store_parts parts = { open, secret, open_len, secret_len };
    random_bytes(open, open_len);
    random_bytes(secret, secret_len);
    WANT(store_new_id(id), 0);
    WANT(store_put(s, id, &parts, STORE_REPLACE), STORE_GONE);
    WANT(store_put(s, id, &parts, STORE_NEW), 0);
    WANT(store_put(s, id, &parts, STORE_NEW), STORE_EXISTS);
    WANT(load(s), 0);
    if (loaded.num != 1 || !loaded.is_open || loaded.open_len != open_len ||
        loaded.secret_len != secret_len || memcmp(loaded.open, open, open_len) ||
        memcmp(loaded.secret, secret, secret_len))
        complain("%zu and %zu bytes are not what they were", open_len, secret_len);
    const size_t len = read_bytes(file, sizeof file, name_of_object(id));
    if (secret_len >= 8 && memmem(file, len, secret, secret_len))
        complain("%zu bytes of a private part stand in the file", secret_len);
    if (secret_len >= 8 && memmem(scratch, sizeof scratch, secret, 8))
        complain("the scratch is not wiped");
    WANT(store_delete(s, id), 0);
    WANT(store_delete(s, id), STORE_GONE);
}

static void test_objects(void)
{
    static const size_t lengths[] = { 0, 1, 15, 16, 17, 100, 4096, 30000 };
    struct store s;
    uint8_t id[STORE_ID];
    fresh(&s);
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        for (size_t j = 0; j < COUNT_OF(lengths); j++)
            check_round(&s, lengths[i], lengths[j]);
    check_round(&s, STORE_MAX_PARTS, 0);
    check_round(&s, 0, STORE_MAX_PARTS);
    check_round(&s, 1000, STORE_MAX_PARTS - 1000);
    WANT(put_random(&s, id, STORE_MAX_PARTS, 1), STORE_TOO_LONG);
    WANT(put_random(&s, id, 0, STORE_MAX_PARTS + 1), STORE_TOO_LONG);
    WANT(load(&s), 0);
    WANT((int)loaded.num, 0);
    tap(1, "objects of 0 to %d bytes are what they were, and nothing else", STORE_MAX_PARTS);
}

static void test_closed(void)
{
    struct store s;
    uint8_t id[STORE_ID];
    fresh(&s);
    WANT(put_random(&s, id, 100, 200), 0);
    store_logout(&s);
    WANT(load(&s), 0);
    WANT(loaded.num == 1 && !loaded.is_open && loaded.open_len == 100 && loaded.secret_len == 200,
         true);
    WANT(store_put(&s, id, &(struct store_parts){ 0 }, STORE_REPLACE), STORE_CLOSED);
    WANT(store_delete(&s, id), 0);
    tap(1, "without a PIN public parts can be read");
}

/* Two versions of one object have nothing in common but the public part: each has its own key. */
static void test_versions(void)
{
    static uint8_t a[1000], b[1000];
    static const uint8_t secret[64];
    struct store s;
    uint8_t id[STORE_ID];
    fresh(&s);
    WANT(store_new_id(id), 0);
    const struct store_parts parts = { NULL, secret, 0, sizeof secret };
    WANT(store_put(&s, id, &parts, STORE_NEW), 0);
    const size_t len = read_bytes(a, sizeof a, name_of_object(id));
    WANT(store_put(&s, id, &parts, STORE_REPLACE), 0);
    WANT((int)read_bytes(b, sizeof b, name_of_object(id)), (int)len);
    for (size_t i = 36; i + 16 <= len; i++)
        if (!memcmp(a + i, b + i, 16))
            complain("16 bytes at %zu are the same", i);
    tap(1, "each version of an object is encrypted under a key of its own");
}

static int count_one(void *arg, const struct store_object *object)
{
    ++*(unsigned *)arg;
    return 0;
}

/* Objects up to the limit, of which most are links to one file that is left out, as files count. */
static void test_many(void)
{
    struct store s, other;
    uint8_t id[STORE_ID];
    unsigned num = 0;
    fresh(&s);
    WANT(put_random(&s, id, 1, 1), 0);
    for (unsigned i = 1; i < STORE_MAX_OBJECTS; i++) {
        uint8_t another[STORE_ID] = { 0 };
        memcpy(another, &i, sizeof i);
        if (symlink("none", name_of_object(another)))
            complain("no link %u", i);
    }
    WANT(put_random(&s, id, 1, 1), STORE_FULL);
    WANT(store_load(&s, count_one, &num), 0);
    WANT(num == 1 && s.num_objects == STORE_MAX_OBJECTS && s.num_left_out == s.num_objects - 1,
         true);
    WANT(put_random(&s, id, 1, 1), STORE_FULL);
    WANT(store_delete(&s, (const uint8_t[STORE_ID]){ 1 }), 0);
    WANT(put_random(&s, id, 1, 1), 0);
    WANT(put_random(&s, id, 1, 1), STORE_FULL);
    open_store(&other);
    WANT(store_login(&other, STORE_SO, SO_PIN), 0);
    WANT(store_init(&other, other.label, SO_PIN), 0);
    WANT(put_random(&s, id, 1, 1), STORE_REPLACED);
    WANT(load(&other), 0);
    WANT((int)other.num_objects, 0);
    tap(1, "a token has at most %d objects", STORE_MAX_OBJECTS);
}

static void test_folders(void)
{
    static const struct {
        const char *token, *data, *home, *path;
        int error;
    } cases[] = {
        { "/a/b", "/c", "/d", "/a/b", 0 },
        { "a/b", "/c", "/d", NULL, STORE_REFUSED },
        { NULL, "/c", "/d", "/c/headrace/token", 0 },
        { "", "c", "/d", "/d/.local/share/headrace/token", 0 },
        { NULL, NULL, "d", NULL, STORE_REFUSED },
        { NULL, NULL, NULL, NULL, STORE_NO_TOKEN },
    };
    char path[STORE_MAX_PATH];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *values[] = { cases[i].token, cases[i].data, cases[i].home };
        static const char *const names[] = { "HEADRACE_TOKEN", "XDG_DATA_HOME", "HOME" };
        for (int j = 0; j < 3; j++)
            values[j] ? setenv(names[j], values[j], 1) : unsetenv(names[j]);
        const bool by_root = !geteuid() && !(cases[i].token && *cases[i].token);
        const int error = store_folder(path), should = by_root ? 0 : cases[i].error;
        const char *should_be = by_root ? "/var/lib/headrace/token" : cases[i].path;
        if (error != should || (!error && strcmp(path, should_be) != 0))
            complain("case %zu: %d %s", i, error, error ? "" : path);
    }
    tap(1, "the folder of a user's token is by the environment, and root's fixed");
}

/* make leaves a token with three objects, for another implementation of the format. */
static int make(void)
{
    struct store s;
    uint8_t id[STORE_ID];
    begin();
    fresh(&s);
    puts(folder);
    for (size_t i = 0; i < 3; i++) {
        WANT(put_random(&s, id, 100 * i, 50 * i), 0);
        WANT(load(&s), 0);
    }
    return complaints_so_far();
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return strcmp(argv[1], "--make") ? 2 : make();
    begin();
    test_none();
    test_pins();
    test_tries();
    test_objects();
    test_closed();
    test_versions();
    test_many();
    test_hostile();
    test_processes();
    end();
    test_folders();
    return tap_done();
}
