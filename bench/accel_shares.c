/* SPDX-License-Identifier: Apache-2.0 */
/* accel_shares HEADRACED PROCESSES SECONDS [ROW...]: what a client of the accelerator gets beside
 * hostile ones of another user.  These always have requests of 128 KiB waiting, of one row after
 * another, or of the named ones; as root, under another uid.  The victim encrypts 4 KiB by
 * AES-128-CTR.  Prints for each row and operation the victim's rate with 16 requests waiting as a
 * part of its rate alone, and its round trips with one: median and 99 %, less the median alone.
 *
 * The service runs on CPU 1, all clients on CPU 0. */
#define _GNU_SOURCE
#include "accel/harness.h"
#include <headrace/algorithms.h>
#include <headrace/classes.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LEN = 4096, LONG = 128 << 10, DEEP = 16, MOST = 1 << 20, UID = 1234, DEPTH = 120 };
enum { KEY = 0, IN = 4096, OUT = IN + LONG };

static const char policy[] = "[client all]\n"
                             "clients = 64\n"
                             "rings = 2\n"
                             "window = 512K\n";
static struct service headraced;
static double seconds;
static uint32_t trips[MOST];

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void attach(struct raw *c)
{
    if (raw_attach(c, &headraced)) {
        fprintf(stderr, "accel_shares: a client cannot attach\n");
        exit(1);
    }
}

/* ---- hostile processes ---- */

static struct ring_request long_request(const struct hr_algorithm *row, unsigned op)
{
    const struct hr_class_info *info = hr_class_of(row);
    const uint8_t key_len = info->has & HR_HAS_ANY_KEY ? 32 : (uint8_t)row->key_len;
    struct ring_request q = far_request(row->alg, (int)op, IN, LONG, info->ops[op].out ? OUT : 0,
                                        KEY, info->has & HR_HAS_KEY ? key_len : 0);
    q.iv_len = (uint8_t)row->iv_len;
    return q;
}

/* Keeps requests waiting until it is killed. */
static void be_hostile(const struct ring_request *q, int processes)
{
    struct ring_completion done;
    struct raw c;
    if (!geteuid() && (setgid(UID) || setuid(UID)))
        exit(1);
    attach(&c);
    for (size_t i = 0; i < 64; i++) /* two different keys for XTS */
        raw_window(&c, 0)[i] = (uint8_t)(i * 73);
    const struct ring_completion *all = ring_completions(c.completions, 0);
    for (;;) { /* it hardly needs the CPU that the victim runs on */
        while (c.next[0] - c.completed[0] < DEPTH)
            raw_put(&c, 0, q);
        usleep((useconds_t)(1000 * processes));
        while (ring_look((void *)&all[c.completed[0] % RING_DEPTH].seq) == c.completed[0] + 1)
            if (raw_take(&c, 0, &done))
                exit(1);
    }
}

static void begin_hostile(pid_t *pids, int num, const struct ring_request *q)
{
    for (int i = 0; i < num; i++)
        if (!(pids[i] = fork()))
            be_hostile(q, num);
    usleep(100000);
}

static void end_hostile(const pid_t *pids, int num)
{
    for (int i = 0; i < num; i++)
        kill(pids[i], SIGKILL);
    for (int i = 0; i < num; i++)
        waitpid(pids[i], NULL, 0);
    usleep(50000);
}

/* ---- the victim ---- */

/* Waits for a completion without a sleep. */
static void take_now(struct raw *c)
{
    struct ring_completion done;
    const struct ring_completion *all = ring_completions(c->completions, 0);
    while (ring_look((void *)&all[c->completed[0] % RING_DEPTH].seq) != c->completed[0] + 1)
        ;
    if (raw_take(c, 0, &done) || done.result)
        exit(1);
}

/* Returns requests a second with `depth` of them waiting, and stores the times of round trips. */
static double rate(struct raw *c, int depth, size_t *num)
{
    struct ring_request q = far_request(HR_AES_128_CTR, 0, IN, LEN, OUT, KEY, 16);
    q.iv_len = 16;
    const uint64_t begin = clock_ns(), end = begin + (uint64_t)(seconds * 1e9);
    uint64_t last = begin;
    for (int i = 0; i < depth; i++)
        raw_put(c, 0, &q);
    for (*num = 0; last < end && *num < MOST; ++*num) {
        take_now(c);
        const uint64_t now = clock_ns();
        trips[*num] = (uint32_t)(now - last);
        last = clock_ns();
        raw_put(c, 0, &q);
    }
    for (int i = 0; i < depth; i++)
        take_now(c);
    return (double)*num / (double)(last - begin) * 1e9;
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

struct result {
    double deep, median, high; /* requests a second; us */
};

static struct result measure(void)
{
    struct result r;
    struct raw c;
    size_t num;
    attach(&c);
    r.deep = rate(&c, DEEP, &num);
    (void)rate(&c, 1, &num);
    qsort(trips, num, sizeof *trips, by_value);
    r.median = trips[num / 2] / 1e3;
    r.high = trips[num * 99 / 100] / 1e3;
    raw_detach(&c);
    return r;
}

static void row_result(const struct hr_algorithm *row, unsigned op, int processes)
{
    const struct ring_request q = long_request(row, op);
    pid_t pids[64];
    const struct result alone = measure();
    begin_hostile(pids, processes, &q);
    const struct result beside = measure();
    end_hostile(pids, processes);
    printf("%-20s %-8s %5.1f %% of %.0f/s %8.1f us %8.1f us\n", row->name,
           hr_class_op_word(hr_class_op(hr_class_of(row), op)), 100 * beside.deep / alone.deep,
           alone.deep, beside.median - alone.median, beside.high - alone.median);
    fflush(stdout);
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static int is_named(const struct hr_algorithm *row, char **names)
{
    if (!*names)
        return 1;
    for (; *names; names++)
        if (!strcmp(row->name, *names))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: accel_shares HEADRACED PROCESSES SECONDS [ROW...]\n");
        return 2;
    }
    char *arguments[] = { argv[1], "--cpus=1", NULL };
    const struct hr_algorithm *row;
    const int processes = atoi(argv[2]) < 64 ? atoi(argv[2]) : 64;
    seconds = atof(argv[3]);
    service_begin(&headraced, arguments, policy);
    pin(0);
    printf("victim beside %d hostile processes: rate with 16 waiting; round trip with 1: median, "
           "99 %%\n",
           processes);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        for (unsigned op = 0; is_named(row, argv + 4) && hr_class_op(hr_class_of(row), op); op++)
            row_result(row, op, processes);
    service_end(&headraced);
    return 0;
}
