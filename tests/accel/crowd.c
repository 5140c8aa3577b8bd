/* SPDX-License-Identifier: Apache-2.0 */
/* crowd HEADRACED [OPTION...]: many clients, greedy clients, and clients that attach and detach.
 * Each client gets its share, and the service needs no more memory at the end than at the
 * beginning.  HEADRACE_TEST_CYCLES: how often a client attaches and detaches. */
#include "harness.h"
#include <headrace/algorithms.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST = 256, LEN = 60 << 10, OUT = 61 << 10, RINGS = 64, CYCLES = 1500, WARM = 300 };

struct service service;
struct neighbour neighbour;
static struct raw clients[MOST];

static const char policy[] = "[client test]\n"
                             "clients = 400\n"
                             "memory = 0\n"
                             "attaches = 0\n"
                             "rings = 64\n"
                             "window = 64K\n";

/* ---- as many as there may be ---- */

static void many(void)
{
    const struct ring_request mac = { .alg = HR_HMAC_SHA256, .key_len = 16, .len = 32 };
    struct ring_completion done;
    int n = 0, error = 0;
    while (n < MOST - 1 && !(error = raw_attach(&clients[n], &service)))
        n++;
    if (error)
        complain("client %d cannot attach: %d", n, error);
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < n; i++)
            raw_put(&clients[i], (uint32_t)(i + round) % RINGS, &mac);
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < n; i++)
            if (raw_take(&clients[i], (uint32_t)(i + round) % RINGS, &done) || done.result)
                complain("client %d, request %d: %d", i, round, done.result);
    while (n-- > 0)
        raw_detach(&clients[n]);
    tap(service_alive(&service), "%d clients at once are all served", MOST);
}

/* ---- shares ---- */

struct flood {
    struct raw *client;
    uint32_t rings, left; /* completions until it ends; UINT32_MAX: ends by `stop` */
    _Atomic int *stop;
    _Atomic uint32_t done;
    int dry; /* nothing was outstanding, because this process did not run */
};

/* take_all counts the completions that are there, and notes a ring that has nothing outstanding. */
static void take_all(struct flood *f)
{
    struct raw *c = f->client;
    for (uint32_t ring = 0; ring < f->rings; ring++) {
        struct ring_completion *all = ring_completions(c->completions, ring);
        for (; ring_look(&all[c->completed[ring] % RING_DEPTH].seq) == c->completed[ring] + 1;
             f->done++)
            c->completed[ring]++;
        f->dry |= c->next[ring] == c->completed[ring];
    }
}

static void *flood(void *arg)
{
    const struct ring_request hash = far_request(HR_SHA512, 0, 0, LEN, OUT, 0, 0);
    struct flood *f = arg;
    struct raw *c = f->client;
    for (;;) {
        for (uint32_t ring = 0; ring < f->rings; ring++)
            while (c->next[ring] - c->completed[ring] < RING_DEPTH)
                raw_put(c, ring, &hash);
        if (*f->stop)
            return NULL;
        usleep(500);
        take_all(f);
        if (f->done >= f->left)
            *f->stop = 1;
    }
}

/* share returns the share in percent of the client with one sub-ring, while the other floods all
 * its sub-rings; -1 if this process did not run often enough to keep requests outstanding. */
static int share(void)
{
    enum { MANY = 1000 };
    _Atomic int stop = 0;
    struct raw a, b;
    struct flood modest = { &a, 1, MANY, &stop, 0, 0 };
    struct flood greedy = { &b, RINGS, UINT32_MAX, &stop, 0, 0 };
    pthread_t threads[2];
    if (raw_attach(&a, &service) || raw_attach(&b, &service))
        return complain("cannot attach");
    if (pthread_create(&threads[0], NULL, flood, &modest) ||
        pthread_create(&threads[1], NULL, flood, &greedy))
        abort();
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    take_all(&modest); /* both counts are of the same moment */
    take_all(&greedy);
    raw_detach(&a);
    raw_detach(&b);
    return modest.dry ? -1 : (int)(modest.done * 100 / (modest.done + greedy.done));
}

static void shares(void)
{
    enum { ENOUGH = 45 };
    const char *name = "who floods 64 rings leaves his share to who has one";
    int percent = -1;
    for (int tries = 0; tries < 8 && percent < ENOUGH; tries++) {
        const int got = share();
        percent = got > percent ? got : percent;
    }
    if (percent < 0) {
        tap_skip("this machine is too busy to want the accelerator all the time", "%s", name);
        return;
    }
    if (percent < ENOUGH)
        complain("of 50 %% it got %d", percent);
    tap(service_alive(&service), "%s: %d of 50 %%", name, percent);
}

/* quiet_ones checks that a client that had no requests for a while is seen, in each sub-ring, while
 * another keeps the accelerator from sleeping. */
static void quiet_ones(void)
{
    enum { PAUSE = 200000, TIMES = 3 };
    const struct ring_request mac = { .alg = HR_HMAC_SHA256, .key_len = 16, .len = 32 };
    struct ring_completion done;
    _Atomic int stop = 0;
    struct raw quiet, busy;
    struct flood greedy = { &busy, RINGS, UINT32_MAX, &stop, 0, 0 };
    pthread_t thread;
    int error = raw_attach(&quiet, &service) || raw_attach(&busy, &service);
    if (error || pthread_create(&thread, NULL, flood, &greedy))
        abort();
    for (uint32_t i = 0; i < TIMES && !error; i++) {
        usleep(PAUSE);
        error = raw_run(&quiet, i, &mac, &done);
        if (error)
            complain("sub-ring %d: %d", (int)i, error);
    }
    stop = 1;
    pthread_join(thread, NULL);
    raw_detach(&quiet);
    raw_detach(&busy);
    tap(service_alive(&service), "who was quiet for a while is seen beside one who floods");
}

/* ---- coming and going ---- */

static void come_and_go(int cycles)
{
    const struct ring_request mac = { .alg = HR_HMAC_SHA256, .key_len = 16, .len = 32 };
    struct ring_completion done;
    struct raw c;
    for (int i = 0; i < cycles; i++) {
        const int error = raw_attach(&c, &service);
        if (error) {
            complain("cycle %d: attaching gives %d", i, error);
            return;
        }
        if (raw_run(&c, (uint32_t)i % RINGS, &mac, &done))
            complain("cycle %d: %d", i, done.result);
        if (i % 2)
            raw_put(&c, 0, &mac); /* without waiting for it */
        raw_detach(&c);
    }
}

static void cycles(void)
{
    const char *text = getenv("HEADRACE_TEST_CYCLES");
    const int wanted = text ? atoi(text) : CYCLES;
    come_and_go(WARM);
    neighbour_goes_on(&neighbour, 4);
    const long pages = service_pages(&service), descriptors = service_descriptors(&service);
    come_and_go(wanted);
    neighbour_goes_on(&neighbour, 4);
    const long more = service_pages(&service) - pages;
    if (more > 512)
        complain("the service has %ld pages more", more);
    long left = service_descriptors(&service);
    for (int i = 0; left > descriptors + 4 && i < 100; i++) { /* it may still clear the last away */
        usleep(10000);
        left = service_descriptors(&service);
    }
    if (left > descriptors + 4)
        complain("the service has %ld descriptors, %ld before", left, descriptors);
    tap(service_alive(&service), "%d clients came and went: %ld pages more", wanted, more);
}

int main(int argc, char **argv)
{
    struct rlimit files;
    if (argc < 2)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    /* AddressSanitizer keeps freed memory, whose pages would be counted. */
    setenv("ASAN_OPTIONS", "quarantine_size_mb=0:thread_local_quarantine_size_kb=0", 1);
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    service_begin(&service, argv + 1, policy);
    neighbour_begin(&neighbour, &service);
    if (files.rlim_cur < 4 * MOST + 64)
        tap_skip("this process may have too few descriptors", "%d clients at once", MOST);
    else
        many();
    cycles();
    neighbour_end(&neighbour);
    if (neighbour.wrong || neighbour.failed)
        complain("of the neighbour's %d were wrong, %d failed", (int)neighbour.wrong,
                 (int)neighbour.failed);
    tap(1, "%d requests of a neighbour were all answered right", (int)neighbour.done);
    shares();
    quiet_ones();
    service_end(&service);
    tap(1, "the service ends well");
    return tap_done();
}
