/* SPDX-License-Identifier: Apache-2.0 */
/* Perf maps (/tmp/perf-PID.map): their lines, overlapping entries compared with the definition, and
 * files that must not be trusted. */
#define _GNU_SOURCE
#include "object/perfmap.h"
#include "test.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *name_at(const struct perfmap *map, uint64_t address)
{
    const struct perfmap_entry *e = perfmap_find(map, address);
    return e ? e->name : "-";
}

static void test_lines(void)
{
    static const char text[] = "1000 20 first method\n"
                               "0x1020 10 void Cipher::round(int, int)\n"
                               "not hexadecimal\n"
                               "2000 0 empty\n"
                               "ffffffffffffffff 10 wraps\n"
                               "3000\n"
                               "\n"
                               "4000 8 no newline";
    struct perfmap map;
    tap(!perfmap_parse(&map, text, sizeof text - 1) && map.num == 3, "perfmap: lines that count");
    tap(!strcmp(name_at(&map, 0x1000), "first method") &&
            !strcmp(name_at(&map, 0x101f), "first method") &&
            !strcmp(name_at(&map, 0x1020), "void Cipher::round(int, int)") &&
            !strcmp(name_at(&map, 0x1030), "-") && !strcmp(name_at(&map, 0xfff), "-") &&
            !strcmp(name_at(&map, 0x4007), "no newline"),
        "perfmap: an address has the name of its entry");
    perfmap_free(&map);
    tap(!perfmap_parse(&map, "", 0) && map.num == 0, "perfmap: empty");
    perfmap_free(&map);
}

/* test_overlaps compares random entries in a small range with the definition: the last line that
 * covers an address counts. */
static void test_overlaps(void)
{
    enum { RANGE = 64, MAX = 24 };
    int wrong = 0;
    for (int round = 0; round < 3000; round++) {
        char text[MAX * 32] = "";
        int expected[RANGE];
        size_t len = 0;
        const int num = (int)random_below(MAX);
        for (int i = 0; i < RANGE; i++)
            expected[i] = -1;
        for (int i = 0; i < num; i++) {
            const uint32_t start = random_below(RANGE), size = 1 + random_below(RANGE - start);
            len += (size_t)snprintf(text + len, sizeof text - len, "%x %x %d\n", start, size, i);
            for (uint32_t k = start; k < start + size; k++)
                expected[k] = i;
        }
        struct perfmap map;
        if (perfmap_parse(&map, text, len)) {
            wrong++;
            continue;
        }
        for (uint32_t k = 0; k < RANGE; k++) {
            const char *name = name_at(&map, k);
            wrong += expected[k] < 0 ? strcmp(name, "-") != 0 : atoi(name) != expected[k];
        }
        for (size_t i = 1; i < map.num; i++)
            wrong += map.at[i].start < map.at[i - 1].end;
        perfmap_free(&map);
    }
    tap(!wrong, "perfmap: where entries overlap the later one wins");
}

/* test_file tests perfmap_read with this process's own map file in /tmp. */
static void test_file(void)
{
    static const char text[] = "1000 20 mine\n";
    char path[64], other[80];
    struct perfmap map;
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    snprintf(other, sizeof other, "%s.other", path);
    tap(perfmap_read(&map, getpid()) == -1 && !map.num, "perfmap: none is there");
    FILE *f = fopen(other, "w");
    if (!f || fwrite(text, 1, sizeof text - 1, f) != sizeof text - 1 || fclose(f)) {
        tap(0, "perfmap: %s can be written", other);
        return;
    }
    tap(!symlink(other, path) && perfmap_read(&map, getpid()) == -1,
        "perfmap: a symbolic link is not followed");
    unlink(path);
    tap(!mkfifo(path, 0600) && perfmap_read(&map, getpid()) == -1,
        "perfmap: a pipe is neither read nor waited for");
    unlink(path);
    tap(!rename(other, path) && !perfmap_read(&map, getpid()) &&
            !strcmp(name_at(&map, 0x1000), "mine"),
        "perfmap: a file is read");
    perfmap_free(&map);
    if (geteuid() == 0 && !chown(path, 65534, 65534))
        tap(perfmap_read(&map, getpid()) == -1, "perfmap: a file of another user is not");
    else
        tap_skip("needs root", "perfmap: a file of another user is not");
    unlink(path);
}

/* ---- a process that looks like a JVM ---- */

static char folder[] = "/tmp/headrace-jvm.XXXXXX";

static const char *in_folder(const char *name)
{
    static char paths[4][80];
    static unsigned next;
    char *path = paths[next++ % COUNT_OF(paths)];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

/* put writes `text`, or this program if it is NULL, to a file of mode 0700 in the folder. */
static void put(const char *name, const char *text)
{
    char bytes[4096];
    FILE *in =
        text ? fmemopen((char *)(uintptr_t)text, strlen(text), "r") : fopen("/proc/self/exe", "r");
    FILE *out = fopen(in_folder(name), "w");
    for (size_t n; in && out && (n = fread(bytes, 1, sizeof bytes, in));)
        if (fwrite(bytes, 1, n, out) != n)
            abort();
    if (!in || !out || fclose(out) || chmod(in_folder(name), 0700))
        abort();
    fclose(in);
}

static void nothing(int number) {}

/* be_java makes this process look like a JVM: it maps a file libjvm.so and catches SIGQUIT. */
static int be_java(const char *library)
{
    const int fd = open(library, O_RDONLY);
    if (fd < 0 || mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
        return 1;
    signal(SIGQUIT, nothing);
    if (write(STDOUT_FILENO, "j", 1) != 1)
        return 1;
    for (;;)
        pause();
}

/* start_java becomes a process that looks like a JVM. With `own` its folder is a mount that only it
 * sees, as in a container. */
static _Noreturn void start_java(bool own)
{
    if (own && (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
                mount("none", folder, "tmpfs", 0, NULL)))
        _exit(1);
    put("java", NULL);
    put("libjvm.so", "any file of a page, or less");
    execl(in_folder("java"), "java", in_folder("libjvm.so"), NULL);
    _exit(1);
}

/* leaves_map tells whether the map that jcmd wrote is still there, and removes it. */
static bool leaves_map(pid_t java)
{
    char map[64];
    snprintf(map, sizeof map, "/tmp/perf-%d.map", (int)java);
    return !unlink(map);
}

static bool left_map;

/* runs_jcmd tells whether perfmap_ask_jvm runs the jcmd in our folder for a process that looks like
 * a JVM; -1 if that did not start. */
static int runs_jcmd(bool own)
{
    struct perfmap map;
    int ready[2];
    char byte;
    unlink(in_folder("ran"));
    if (pipe(ready))
        abort();
    const pid_t java = fork();
    if (java == 0) {
        dup2(ready[1], STDOUT_FILENO);
        close(ready[0]);
        close(ready[1]);
        start_java(own);
    }
    close(ready[1]);
    const bool is_ready = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    if (is_ready && !perfmap_ask_jvm(&map, java))
        perfmap_free(&map);
    left_map = leaves_map(java);
    kill(java, SIGKILL);
    waitpid(java, NULL, 0);
    return is_ready ? !access(in_folder("ran"), F_OK) : -1;
}

static void test_jcmd(void)
{
    char script[400];
    if (!mkdtemp(folder))
        abort();
    snprintf(script, sizeof script,
             "#!/bin/sh\n: > %s/ran\n: > /tmp/perf-$1.map\n"
             "[ ! -e %s/foreign ] || chown 65534 /tmp/perf-$1.map\n",
             folder, folder);
    put("jcmd", script);
    tap(runs_jcmd(false) == 1, "perfmap: jcmd is the one beside java");
    tap(!left_map, "perfmap: the map that it wrote is removed");
    put("foreign", "");
    if (geteuid())
        tap_skip("needs root", "perfmap: one of another user's is not");
    else
        tap(runs_jcmd(false) == 1 && left_map, "perfmap: one of another user's is not");
    const int ran = runs_jcmd(true);
    if (ran < 0)
        tap_skip("needs root, and mounts", "perfmap: but not what lies at a container's path");
    else
        tap(!ran, "perfmap: but not what lies at a container's path");
    static const char *const names[] = { "java", "libjvm.so", "jcmd", "ran", "foreign" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        unlink(in_folder(names[i]));
    rmdir(folder);
}

int main(int argc, char **argv)
{
    struct perfmap map;
    if (argc > 1)
        return be_java(argv[1]);
    test_jcmd();
    test_lines();
    test_overlaps();
    test_file();
    tap(perfmap_ask_jvm(&map, getpid()) == -1, "perfmap: what is no JVM is not asked");
    return tap_done();
}
