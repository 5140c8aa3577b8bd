/* SPDX-License-Identifier: Apache-2.0 */
/* accel_memory LIMIT SECONDS USERS HEADRACED [OPTION...]: an attack on the memory of the
 * accelerator's service, which runs in a control group of LIMIT MiB.  So many users, each limited
 * to 64 MiB, attach again and again, make the service touch all of their windows, hang up and keep
 * the descriptors.  Prints how often they attached, the most memory that was charged to the
 * service's group, and how a neighbour was served meanwhile.  Needs root, and a hierarchy of
 * cgroups(7), version 1 or 2, with the memory controller. */
#define _GNU_SOURCE
#include "accel/harness.h"
#include <errno.h>
#include <fcntl.h>
#include <headrace/algorithms.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_USERS = 32, UID = 1234, ATTACKER = 64, KEPT = 400 };

struct service service;
struct neighbour neighbour;

static const char policy[] = "[client all]\n";

/* ---- control groups ---- */

static const struct version {
    const char *mount, *limit, *peak;
} versions[] = {
    { "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes" },
    { "/sys/fs/cgroup", "memory.max", "memory.peak" },
};
static const struct version *version;

static void give_up(const char *what)
{
    fprintf(stderr, "accel_memory: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void path_of(char path[256], const char *group, const char *file)
{
    snprintf(path, 256, "%s/%s/%s", version->mount, group, file);
}

static void write_number(const char *group, const char *file, unsigned long long number)
{
    char path[256];
    path_of(path, group, file);
    FILE *f = fopen(path, "we");
    if (!f || fprintf(f, "%llu\n", number) < 0 || fclose(f))
        give_up(path);
}

static unsigned long long read_number(const char *group, const char *file)
{
    char path[256];
    unsigned long long number = 0;
    path_of(path, group, file);
    FILE *f = fopen(path, "re");
    if (!f || fscanf(f, "%llu", &number) != 1)
        give_up(path);
    fclose(f);
    return number;
}

static void make_group(const char *group, unsigned mib)
{
    char path[256];
    path_of(path, group, "");
    if (mkdir(path, 0755) && errno != EEXIST)
        give_up(path);
    write_number(group, version->limit, (unsigned long long)mib << 20);
}

static void join(const char *group)
{
    write_number(group, "cgroup.procs", (unsigned)getpid());
}

static void remove_group(const char *group)
{
    char path[256];
    path_of(path, group, "");
    for (int i = 0; i < 100 && rmdir(path) && errno == EBUSY; i++)
        usleep(50000);
}

/* ---- an attacker ---- */

/* touch makes the service read all pages of all windows. */
static void touch(struct raw *c)
{
    struct ring_completion done;
    const uint32_t half = c->geometry.window_len / 2;
    for (uint32_t ring = 0; ring < c->geometry.num_rings; ring++)
        for (uint32_t in = 0; in < 2 * half; in += half) {
            const struct ring_request r = far_request(HR_CRC32C, 0, in, half, 0, 0, 0);
            if (raw_run(c, ring, &r, &done))
                return;
        }
}

/* attack runs in a process of its own, and counts its attaches in `num`. */
static void attack(uint32_t uid, _Atomic uint64_t *num)
{
    static int kept[KEPT][2];
    struct raw c;
    if (setgid(uid) || setuid(uid))
        _exit(1);
    for (unsigned i = 0;;) {
        if (raw_attach(&c, &service)) {
            usleep(1000);
            continue;
        }
        touch(&c);
        if (kept[i % KEPT][0])
            close(kept[i % KEPT][0]), close(kept[i % KEPT][1]);
        kept[i % KEPT][0] = dup(c.fds[0]);
        kept[i++ % KEPT][1] = dup(c.fds[1]);
        raw_detach(&c);
        atomic_fetch_add(num, 1);
    }
}

/* ---- main ---- */

static const struct version *find_version(void)
{
    for (size_t i = 0; i < COUNT_OF(versions); i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/cgroup.procs", versions[i].mount);
        if (!access(path, W_OK))
            return &versions[i];
    }
    errno = ENOENT;
    give_up("control groups of memory");
    return NULL;
}

int main(int argc, char **argv)
{
    static const char ours[] = "headrace-bench", theirs[] = "headrace-bench-attackers";
    pid_t attackers[MAX_USERS];
    const unsigned limit = argc > 4 ? (unsigned)atoi(argv[1]) : 0,
                   seconds = argc > 4 ? (unsigned)atoi(argv[2]) : 0,
                   users = argc > 4 ? (unsigned)atoi(argv[3]) : 0;
    if (!limit || !seconds || !users || users > MAX_USERS) {
        fprintf(stderr, "usage: accel_memory LIMIT SECONDS USERS HEADRACED [OPTION...]\n");
        return 2;
    }
    _Atomic uint64_t *num =
        mmap(NULL, sizeof *num, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (num == MAP_FAILED)
        give_up("memory");
    signal(SIGPIPE, SIG_IGN);
    version = find_version();
    make_group(ours, limit);
    make_group(theirs, ATTACKER * users);
    join(ours);
    service_begin(&service, argv + 4, policy);
    join("");
    for (unsigned i = 0; i < users; i++) {
        attackers[i] = fork();
        if (!attackers[i]) {
            join(theirs);
            attack(UID + i, num);
        }
    }
    neighbour_begin(&neighbour, &service);
    for (unsigned second = 0; second < seconds && service_alive(&service); second++)
        sleep(1);
    const int alive = service_alive(&service);
    neighbour_end(&neighbour);
    for (unsigned i = 0; i < users; i++) {
        kill(attackers[i], SIGKILL);
        waitpid(attackers[i], NULL, 0);
    }
    printf("%u users attached %llu times in %u s; the service %s; at most %.1f of %u MiB were "
           "charged to it\na neighbour: %llu requests, %llu wrong, %llu failed\n",
           users, (unsigned long long)*num, seconds, alive ? "lives" : "was killed",
           (double)read_number(ours, version->peak) / (1 << 20), limit,
           (unsigned long long)neighbour.done, (unsigned long long)neighbour.wrong,
           (unsigned long long)neighbour.failed);
    service_end(&service);
    remove_group(ours);
    remove_group(theirs);
    return !alive || neighbour.wrong || neighbour.failed;
}
