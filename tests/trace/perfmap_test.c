/* SPDX-License-Identifier: Apache-2.0 */
/* Perf maps: lines, overlaps against the definition, files that must not be trusted. */
#include "perfmap.h"
#include "test.h"
#include <sys/stat.h>
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

/* Random entries on a small range, against the definition: the last line that covers an address. */
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

/* This process's own map, in the /tmp that it sees. */
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

int main(void)
{
    struct perfmap map;
    test_lines();
    test_overlaps();
    test_file();
    tap(perfmap_ask_jvm(&map, getpid()) == -1, "perfmap: what is no JVM is not asked");
    return tap_done();
}
