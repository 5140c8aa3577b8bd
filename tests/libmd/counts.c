/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of libmd in several threads: every call is counted in the statistics file once, by the time
 * its thread has ended; errno stays as it was. */
#include "digests.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <headrace/algorithms.h>
#include <headrace/stats.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 5000, LEN = 3 };

static struct calls md5, sha512;

static struct hr_stats_file *make_file(char *name)
{
    const int fd = mkstemp(name);
    const size_t size = HR_STATS_FILE_SIZE(8);
    struct hr_stats_file *file = MAP_FAILED;
    if (fd >= 0 && !ftruncate(fd, (off_t)size))
        file = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED) {
        perror("statistics file");
        exit(2);
    }
    memcpy(file->header.magic, HR_STATS_MAGIC, sizeof file->header.magic);
    file->header.version = HR_STATS_VERSION;
    file->header.num_slots = 8;
    close(fd);
    return file;
}

/* sum adds up a row's calls and bytes over all slots, and complains of slots of another binding. */
static void sum(const struct hr_stats_file *file, hr_alg alg, uint64_t *calls, uint64_t *bytes)
{
    *calls = *bytes = 0;
    for (unsigned i = 0; i < file->header.num_slots; i++) {
        const struct hr_stats_slot *slot = &file->slots[i];
        if (slot->state != HR_STATS_READY)
            continue;
        if (strcmp(slot->via, "libmd"))
            complain("a slot of %.16s", slot->via);
        for (unsigned e = 0; e < HR_STATS_ENTRIES && slot->entries[e].alg; e++)
            if (slot->entries[e].alg == alg) {
                *calls += slot->entries[e].calls;
                *bytes += slot->entries[e].bytes;
            }
    }
}

static void *work(void *unused)
{
    struct context ctx;
    uint8_t out[MAX_OUT], block[128] = { 0 };
    uint64_t state[8];
    errno = 77;
    for (int i = 0; i < CALLS; i++) {
        md5.init(&ctx);
        md5.update(&ctx, block, LEN);
        md5.update(&ctx, block, 0); /* an update of no bytes is not counted */
        md5.final(out, &ctx);
    }
    memset(state, 0, sizeof state);
    sha512.transform(state, block);
    return errno == 77 ? NULL : &md5;
}

static void expect(const struct hr_stats_file *file, hr_alg alg, uint64_t calls, uint64_t bytes)
{
    uint64_t got_calls, got_bytes;
    sum(file, alg, &got_calls, &got_bytes);
    if (got_calls != calls || got_bytes != bytes)
        complain("%s: %llu calls and %llu bytes, not %llu and %llu", hr_algorithm(alg)->name,
                 (unsigned long long)got_calls, (unsigned long long)got_bytes,
                 (unsigned long long)calls, (unsigned long long)bytes);
}

static unsigned num_tasks(void)
{
    unsigned tasks = 0;
    DIR *dir = opendir("/proc/self/task");
    while (dir && readdir(dir))
        tasks++;
    if (dir)
        closedir(dir);
    return tasks;
}

/* wait_for_their_end waits, for 10 seconds at most, until joined threads have really ended. A fork
 * before that is fine on a real machine; but QEMU's user mode copies locks that an ending thread
 * holds, and the child would wait for ever. */
static void wait_for_their_end(unsigned tasks)
{
    for (int i = 0; i < 1000 && num_tasks() > tasks; i++)
        usleep(10000);
}

static void in_threads(void)
{
    pthread_t threads[THREADS];
    void *changed;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            complain("no thread");
    for (int i = 0; i < THREADS; i++)
        if (pthread_join(threads[i], &changed) || changed)
            complain("errno changed");
}

int main(int argc, char **argv)
{
    char name[] = "/tmp/headrace-stats-XXXXXX";
    struct hr_stats_file *file = make_file(name);
    int status = 0;
    const unsigned tasks = num_tasks();
    setenv(HR_STATS_ENV, name, 1);
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; library && i < num_digests; i++) {
        if (digests[i].alg == HR_MD5)
            library = find_calls(&md5, library, &digests[i]) ? library : NULL;
        else if (digests[i].alg == HR_SHA512)
            library = find_calls(&sha512, library, &digests[i]) ? library : NULL;
    }
    if (!library) {
        fprintf(stderr, "counts: no library, or not all of its calls\n");
        return 2;
    }
    in_threads();
    expect(file, HR_MD5, THREADS * CALLS, (uint64_t)THREADS * CALLS * LEN);
    expect(file, HR_SHA512, THREADS, THREADS * 128);
    tap(1, "%d threads: every call is counted when they have ended", THREADS);

    wait_for_their_end(tasks);
    const pid_t child = fork();
    if (!child) {
        in_threads();
        work(NULL); /* the main thread's calls are counted when the process ends */
        exit(0);
    }
    waitpid(child, &status, 0);
    expect(file, HR_MD5, (2 * THREADS + 1) * CALLS, (2 * THREADS + 1) * (uint64_t)CALLS * LEN);
    expect(file, HR_SHA512, 2 * THREADS + 1, (2 * THREADS + 1) * 128);
    tap(!status, "a child of fork counts for itself, its main thread too");
    unlink(name);
    return tap_done();
}
