/* SPDX-License-Identifier: Apache-2.0 */
/* The service when the system runs out of memory or descriptors: each call for one fails in turn;
 * the function that made it must return an error and leave nothing behind.  The linker puts the
 * functions here before the C library's (--wrap). */
#define _GNU_SOURCE
#include "../test.h"
#include "service/unit/unit.h"
#include <dirent.h>
#include <errno.h>
#include <headrace/algorithms.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- calls that fail, under the names that files beyond 2 GiB give them ---- */

static _Atomic int left = -1; /* calls until one fails; below 0: none does */

/* CALLS lists the functions; a counter of each says how often it was made to fail. */
#define CALLS(X)     \
    X(mmap64)        \
    X(mlock)         \
    X(madvise)       \
    X(memfd_create)  \
    X(ftruncate64)   \
    X(fcntl64)       \
    X(eventfd)       \
    X(epoll_create1) \
    X(epoll_ctl)     \
    X(calloc)
#define FIELD(name) _Atomic unsigned name;
static struct {
    CALLS(FIELD)
} times;

static bool fails(_Atomic unsigned *count)
{
    if (left < 0 || atomic_fetch_sub(&left, 1) != 0)
        return false;
    ++*count;
    errno = ENOMEM;
    return true;
}

#define WRAP(type, name, failure, parameters, ...)                        \
    type __real_##name parameters;                                        \
    type __wrap_##name parameters;                                        \
    type __wrap_##name parameters                                         \
    {                                                                     \
        return fails(&times.name) ? failure : __real_##name(__VA_ARGS__); \
    }
WRAP(void *, mmap64, MAP_FAILED, (void *at, size_t len, int prot, int flags, int fd, off_t offset),
     at, len, prot, flags, fd, offset)
WRAP(int, mlock, -1, (const void *at, size_t len), at, len)
WRAP(int, madvise, -1, (void *at, size_t len, int advice), at, len, advice)
WRAP(int, memfd_create, -1, (const char *name, unsigned flags), name, flags)
WRAP(int, ftruncate64, -1, (int fd, off_t len), fd, len)
WRAP(int, fcntl64, -1, (int fd, int command, int arg), fd, command, arg)
WRAP(int, eventfd, -1, (unsigned value, int flags), value, flags)
WRAP(int, epoll_create1, -1, (int flags), flags)
WRAP(int, epoll_ctl, -1, (int epoll, int op, int fd, void *event), epoll, op, fd, event)
WRAP(void *, calloc, NULL, (size_t num, size_t len), num, len)

static void test_all_failed(void)
{
#define LOOK(name)   \
    if (!times.name) \
        complain("%s never failed", #name);
    CALLS(LOOK)
    tap(1, "each call that is made here failed");
}

/* ---- resources that are left behind ---- */

struct held {
    unsigned descriptors, maps, locked;
};

static struct held look(void)
{
    struct held h = { 0 };
    char line[512];
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        h.descriptors++;
    if (dir)
        closedir(dir);
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        (void)sscanf(line, "VmLck: %u", &h.locked);
    if (file)
        fclose(file);
    file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof line, file))
        h.maps += strstr(line, "memfd:") != NULL;
    if (file)
        fclose(file);
    return h;
}

/* ---- the functions under test ---- */

static struct accelerator *accelerator;
static struct client client;
static struct keytable *keys;

static int make_client(void)
{
    static const struct ring_geometry geometry = { 2, 65536 };
    int fds[3];
    memset(&client, 0, sizeof client);
    const int error = client_make(&client, &geometry, fds);
    if (!error) {
        close(fds[0]);
        close(fds[1]);
    }
    return error;
}

static int add_client(void)
{
    client.limits.private_lanes = true;
    return accelerator_add(accelerator, &client);
}

static int start(void)
{
    accelerator = accelerator_start(-1);
    return accelerator ? 0 : errno ? HR_ESYSTEM : HR_ESTATE; /* errno has the reason */
}

static int add_key(void)
{
    uint64_t handle;
    keys = keytable_new();
    if (!keys)
        return HR_ESYSTEM;
    const int error =
        keytable_add(keys, &handle, HR_AES_256_GCM, HR_USE_ALL, (uint8_t[32]){ 0 }, 32);
    if (error)
        keytable_free(keys);
    return error;
}

static struct unit *unit;
static struct unit_client at_unit;

static int start_unit(void)
{
    static const struct policy_unit settings = { .threads = 2 };
    unit = unit_start(&settings);
    return unit ? 0 : errno ? HR_ESYSTEM : HR_ESTATE;
}

static int add_to_unit(void)
{
    static const struct ring_geometry geometry = { 2, 65536 };
    int fds[3];
    memset(&at_unit, 0, sizeof at_unit);
    at_unit.limits = &client.limits;
    int error = client_make_ring(&at_unit.ring, &geometry, fds);
    if (error)
        return error;
    error = unit_add(unit, &at_unit, 1);
    if (error)
        client_free(&at_unit.ring);
    close(fds[0]);
    close(fds[1]);
    return error;
}

static int lend(void)
{
    static const uint8_t key[36] = { 32, 0, 1 };
    uint64_t handle;
    atomic_store(&client.limits.lent, 1);
    limits_set(&client.limits, HR_ECDSA_P256, true);
    return unit_lend(unit, &at_unit, &handle, HR_ECDSA_P256, key, sizeof key);
}

/* exhaust repeats `ask`, with a later call failing each time, until none fails. */
static void exhaust(const char *what, int (*ask)(void))
{
    const struct held before = look();
    int calls = 0;
    for (;; calls++) {
        left = calls;
        const int error = ask();
        const bool failed = left < 0;
        left = -1;
        if (!failed) {
            if (error)
                complain("%s: %d, and nothing failed", what, error);
            break;
        }
        const struct held after = look();
        if (error != HR_ESYSTEM)
            complain("%s: %d when call %d failed", what, error, calls);
        if (memcmp(&before, &after, sizeof before))
            complain("%s: when call %d failed: %u descriptors, %u maps, %u kB locked, not %u, %u, "
                     "%u",
                     what, calls, after.descriptors, after.maps, after.locked, before.descriptors,
                     before.maps, before.locked);
    }
    if (!calls)
        complain("%s asks for nothing", what);
    tap(1, "%s: each of %d calls fails", what, calls);
}

int main(void)
{
    exhaust("an accelerator", start);
    exhaust("a client's memories", make_client);
    exhaust("a client at an accelerator", add_client);
    exhaust("a key", add_key);
    exhaust("the unit for public keys", start_unit);
    exhaust("a client at the unit", add_to_unit);
    exhaust("a key that is lent", lend);
    test_all_failed();
    unit_remove(unit, &at_unit);
    client_free(&at_unit.ring);
    unit_stop(unit);
    keytable_free(keys);
    accelerator_remove(accelerator, &client);
    client_free(&client);
    accelerator_stop(accelerator);
    return tap_done();
}
