/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a token that somebody changed, cut, lengthened, exchanged, or made something else. */
#define _GNU_SOURCE
#include "store_test.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN = 70, SECRET = 90, MAX = 2000 };
static uint8_t id[STORE_ID];

/* login opens the token anew. */
static int login(struct store *s)
{
    const int error = store_open(s, folder, scratch);
    return error ? error : store_login(s, STORE_USER, USER_PIN);
}

/* reset_tries undoes what wrong PINs of this test count. */
static void reset_tries(void)
{
    write_bytes(name_of("tries"), (const uint8_t[]){ 0, 0 }, 2);
}

/* ---- bytes ---- */

static void test_object_bytes(struct store *s)
{
    static uint8_t file[MAX], changed[MAX + 1];
    const char *path = name_of_object(id);
    const size_t len = read_bytes(file, MAX, path);
    for (size_t i = 0; i < len; i++) {
        memcpy(changed, file, len);
        changed[i] ^= (uint8_t)(1 << random_below(8));
        write_bytes(path, changed, len);
        if (load(s) || loaded.num)
            complain("byte %zu of an object may be changed", i);
        write_bytes(path, file, i);
        if (load(s) || loaded.num)
            complain("an object may be cut to %zu bytes", i);
    }
    memcpy(changed, file, len);
    write_bytes(path, changed, len + 1);
    if (load(s) || loaded.num || s->num_left_out != 1)
        complain("an object may be longer");
    write_bytes(path, file, len);
    if (load(s) || loaded.num != 1)
        complain("the object as it was is left out");
    tap(1, "an object with any byte changed, of any other length, is left out");
}

static void test_token_bytes(void)
{
    static uint8_t file[MAX], changed[MAX + 1];
    static unsigned counts[16];
    struct store s;
    const size_t len = read_bytes(file, MAX, name_of("token"));
    for (size_t i = 0; i < len; i++) {
        memcpy(changed, file, len);
        changed[i] ^= (uint8_t)(1 << random_below(8));
        write_bytes(name_of("token"), changed, len);
        reset_tries();
        const int error = login(&s);
        if (!error || s.role || error == STORE_SYSTEM)
            complain("byte %zu of a token changed: %d", i, error);
        counts[-error & 15]++;
        write_bytes(name_of("token"), file, i);
        if (login(&s) != STORE_DAMAGED)
            complain("a token may be cut to %zu bytes", i);
    }
    memcpy(changed, file, len);
    write_bytes(name_of("token"), changed, len + 1);
    if (login(&s) != STORE_DAMAGED)
        complain("a token may be longer");
    write_bytes(name_of("token"), file, len);
    reset_tries();
    if (login(&s))
        complain("the token as it was does not open");
    tap(counts[-STORE_WRONG_PIN] && counts[-STORE_DAMAGED],
        "a token with any byte changed, of any other length, does not open");
}

/* The costs in a seal are within limits before Argon2id is asked for anything. */
static void test_costs(void)
{
    enum { LANES = 60, MEMORY = 64, PASSES = 68 }; /* of the SO's seal; the user's is 124 behind */
    static const struct {
        int at;
        uint8_t value[4];
    } cases[] = {
        { LANES, { 0, 0, 0, 0 } },  { LANES, { 0, 0, 0, 17 } },  { LANES, { 1, 0, 0, 0 } },
        { MEMORY, { 0, 0, 0, 7 } }, { MEMORY, { 0, 4, 0, 1 } },  { MEMORY, { 255, 255, 255, 255 } },
        { PASSES, { 0, 0, 0, 0 } }, { PASSES, { 0, 0, 0, 17 } }, { PASSES, { 255, 255, 255, 255 } },
    };
    static uint8_t file[MAX], changed[MAX];
    struct store s;
    const size_t len = read_bytes(file, MAX, name_of("token"));
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        memcpy(changed, file, len);
        memcpy(changed + cases[i / 2].at + i % 2 * 124, cases[i / 2].value, 4);
        write_bytes(name_of("token"), changed, len);
        if (login(&s) != STORE_DAMAGED)
            complain("case %zu", i);
    }
    write_bytes(name_of("token"), file, len);
    tap(1, "costs of Argon2id outside of the limits are refused");
}

/* ---- whole files ---- */

static void test_exchanged(struct store *s)
{
    static uint8_t file[MAX], other_file[MAX];
    uint8_t other[STORE_ID];
    if (put_random(s, other, OPEN, SECRET))
        complain("no second object");
    const size_t len = read_bytes(file, MAX, name_of_object(id)),
                 other_len = read_bytes(other_file, MAX, name_of_object(other));
    write_bytes(name_of_object(id), other_file, other_len);
    if (load(s) || loaded.num != 1 || memcmp(loaded.id, other, STORE_ID))
        complain("one object stands for another");
    write_bytes(name_of_object(id), file, len);
    fresh(s); /* another token, of the same PINs */
    write_bytes(name_of_object(id), file, len);
    if (load(s) || loaded.num || s->num_left_out != 1)
        complain("an object of another token is loaded");
    store_logout(s);
    if (load(s) || loaded.num)
        complain("an object of another token is loaded without a PIN");
    tap(1, "an object is no other one, and of no other token");
}

/* The PIN of another token opens nothing, and its seal neither. */
static void test_other_seal(struct store *s)
{
    enum { USER = 184, SEAL = 124 };
    static uint8_t file[MAX], other_file[MAX];
    fresh(s);
    const size_t len = read_bytes(file, MAX, name_of("token"));
    fresh(s);
    read_bytes(other_file, MAX, name_of("token"));
    memcpy(other_file + USER, file + USER, SEAL);
    write_bytes(name_of("token"), other_file, len);
    if (login(s) != STORE_WRONG_PIN)
        complain("a seal of another token opens");
    fresh(s);
    read_bytes(file, MAX, name_of("token"));
    memset(file + USER, 0, SEAL);
    write_bytes(name_of("token"), file, len);
    if (store_open(s, folder, scratch) || s->has_user_pin ||
        store_login(s, STORE_SO, SO_PIN) != STORE_DAMAGED)
        complain("a seal may be taken away");
    tap(1, "seals cannot be exchanged or taken away");
}

/* ---- what is no file ---- */

/* make_special puts something else in the place of a file. */
enum special { LINK, HARD_LINK, PIPE, FOLDER, WRITABLE, HUGE, FOREIGN, NUM_SPECIAL };
static const char *const special_names[] = { "a link",        "a hard link",     "a pipe",
                                             "a folder",      "a writable file", "a huge file",
                                             "another's file" };

static bool make_special(const char *path, const char *kept, enum special what)
{
    bool done = true;
    if (rename(path, kept))
        return false;
    if (what == LINK)
        done = !symlink(kept, path);
    else if (what == HARD_LINK)
        done = !link(kept, path);
    else if (what == PIPE)
        done = !mkfifo(path, 0600);
    else if (what == FOLDER)
        done = !mkdir(path, 0700);
    else {
        uint8_t file[MAX];
        write_bytes(path, file, read_bytes(file, MAX, kept));
        done = what == WRITABLE ? !chmod(path, 0620)
               : what == HUGE   ? !truncate(path, (off_t)1 << 40)
                                : !chown(path, 12345, (gid_t)-1);
    }
    return done;
}

static void restore(const char *path, const char *kept)
{
    if (unlink(path))
        rmdir(path);
    if (rename(kept, path))
        complain("%s: %s", path, strerror(errno));
}

static void test_special_files(struct store *s)
{
    char kept[80];
    fresh(s);
    if (put_random(s, id, OPEN, SECRET))
        complain("no object");
    snprintf(kept, sizeof kept, "%s/kept", folder);
    for (int what = 0; what < NUM_SPECIAL; what++) {
        const char *name = special_names[what];
        if (what == FOREIGN && geteuid()) {
            tap_skip("needs root", "a file of another owner");
            continue;
        }
        if (!make_special(name_of_object(id), kept, what) || load(s) || loaded.num)
            complain("%s is loaded as an object", name);
        restore(name_of_object(id), kept);
        if (!make_special(name_of("token"), kept, what) || !login(s))
            complain("%s is taken for a token", name);
        restore(name_of("token"), kept);
        if (what != HUGE) {
            if (!make_special(name_of("tries"), kept, what) || !login(s))
                complain("%s keeps tries", name);
            restore(name_of("tries"), kept);
            if (!make_special(name_of("changes"), kept, what) || !login(s))
                complain("%s locks the token", name);
            restore(name_of("changes"), kept);
        }
        if (login(s) || load(s) || loaded.num != 1)
            complain("after %s the token does not open", name);
    }
    tap(1, "links, pipes, folders, huge files, and files that others own or may write are refused");
}

static void test_special_folders(struct store *s)
{
    static char moved[80];
    snprintf(moved, sizeof moved, "%s.moved", folder);
    fresh(s);
    if (chmod(folder, 0720) || login(s) != STORE_REFUSED || chmod(folder, 0702) ||
        login(s) != STORE_REFUSED || store_init(s, s->label, SO_PIN) != STORE_REFUSED)
        complain("a folder that others may write");
    if (chmod(folder, 0755) || login(s))
        complain("a folder that others may read");
    if (rename(folder, moved) || symlink(moved, folder) || login(s) != STORE_REFUSED)
        complain("a link");
    if (unlink(folder) || rename(moved, folder))
        complain("%s: %s", folder, strerror(errno));
    if (!geteuid() && (chown(folder, 12345, (gid_t)-1) || login(s) != STORE_REFUSED ||
                       chown(folder, 0, (gid_t)-1)))
        complain("a foreign folder");
    if (login(s))
        complain("the folder as it was");
    tap(1, "folders that are links, or that others own or may write, are refused%s",
        geteuid() ? " (not as root: no other owner)" : "");
}

void test_hostile(void)
{
    struct store s;
    fresh(&s);
    if (put_random(&s, id, OPEN, SECRET))
        complain("no object");
    test_object_bytes(&s);
    test_token_bytes();
    test_costs();
    if (login(&s))
        complain("no login");
    test_exchanged(&s);
    test_other_seal(&s);
    test_special_files(&s);
    test_special_folders(&s);
}
