/* SPDX-License-Identifier: Apache-2.0 */
/* accel_parallel threads SOCKET THREADS SECONDS: requests a second of so many threads of a process,
 * each of which makes one HMAC-SHA-256 of 64 bytes at a time.  The service's policy says how many
 * sub-rings they have (`rings`): its own for each thread, or one for all but the first.
 * accel_parallel gcm SOCKET [ROUNDS]: AES-128-GCM of one message in this thread, against one half
 * in this thread while the service does the other.  The combination of both halves' hashes is left
 * out, so that a true split would be slower. */
#include "median.h"
#include <headrace/accel.h>
#include <headrace/aead.h>
#include <headrace/algorithms.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 18, CALLS = 32 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
    fprintf(stderr, "accel_parallel: %s\n", what);
    exit(1);
}

/* ---- threads ---- */

static _Atomic int stop;
static _Atomic uint64_t total;

static void *make_requests(void *arg)
{
    static const uint8_t key[32] = { 1 };
    uint8_t in[64] = { 0 }, tag[32];
    uint64_t num = 0;
    struct hr_job job = { .alg = HR_HMAC_SHA256,
                          .key_form = HR_KEY_BYTES,
                          .key = key,
                          .key_len = sizeof key,
                          .in = in,
                          .len = sizeof in,
                          .tag = tag };
    for (; !stop; num++)
        if (hr_accel_run(&job))
            fail("a request");
    total += num;
    return arg;
}

static void run_threads(int num, double seconds)
{
    pthread_t threads[256];
    const double start = now();
    for (int i = 0; i < num; i++)
        if (pthread_create(&threads[i], NULL, make_requests, NULL))
            fail("no thread");
    usleep((useconds_t)(seconds * 1e6));
    stop = 1;
    for (int i = 0; i < num; i++)
        pthread_join(threads[i], NULL);
    printf("%d threads: %.0f requests a second\n", num, (double)total / (now() - start));
}

/* ---- AES-GCM in two halves ---- */

struct halves {
    struct hr_queue *queue;
    struct hr_aead_key key;
    uint8_t *in, *out; /* in the service's memory */
    uint8_t bytes[16], iv[12], tags[2][16];
    uint8_t own_in[MOST], own_out[MOST];
};

static void direct(struct halves *h, const uint8_t *in, uint8_t *out, size_t len)
{
    if (hr_aead_encrypt(out, h->tags[0], 16, in, len, NULL, 0, &h->key, h->iv, sizeof h->iv))
        fail("a direct call");
}

/* `copies`: the message is in the caller's memory, and the service's half is copied. */
static void split(struct halves *h, size_t len, int copies)
{
    const size_t half = len / 2;
    struct hr_job job = { .alg = HR_AES_128_GCM,
                          .key_form = HR_KEY_BYTES,
                          .key = h->bytes,
                          .key_len = sizeof h->bytes,
                          .iv = h->iv,
                          .iv_len = sizeof h->iv,
                          .tag = h->tags[1],
                          .in = copies ? h->own_in + half : h->in,
                          .out = copies ? h->own_out + half : h->out,
                          .len = half },
                  *jobs = &job, *done;
    if (hr_queue_submit(h->queue, &jobs, 1) != 1)
        fail("submit");
    direct(h, h->own_in, h->own_out, half);
    if (hr_queue_poll(h->queue, &done, 1, 1) != 1 || job.result)
        fail("poll");
}

static double time_of(struct halves *h, size_t len, int way)
{
    const double start = now();
    for (int i = 0; i < CALLS; i++)
        if (way)
            split(h, len, way == 1);
        else
            direct(h, h->own_in, h->own_out, len);
    return (now() - start) / CALLS * 1e6;
}

static void run_gcm(struct halves *h, int rounds)
{
    double *times[3];
    for (int w = 0; w < 3; w++)
        times[w] = calloc((size_t)rounds, sizeof **times);
    puts("| bytes | this thread, us | both, us | both, in shared memory, us | ratio | ratio |");
    puts("|---|---|---|---|---|---|");
    for (size_t len = 2048; len <= MOST / 2; len *= 2) {
        for (int i = 0; i < 3 * rounds; i++)
            times[i % 3][i / 3] = time_of(h, len, i % 3);
        double m[3];
        for (int w = 0; w < 3; w++)
            m[w] = median(times[w], (size_t)rounds);
        printf("| %zu | %.2f | %.2f | %.2f | %.2f | %.2f |\n", len, m[0], m[1], m[2], m[0] / m[1],
               m[0] / m[2]);
    }
    for (int w = 0; w < 3; w++)
        free(times[w]);
}

int main(int argc, char **argv)
{
    static struct halves h;
    if (argc == 5 && !strcmp(argv[1], "threads")) {
        const int num = atoi(argv[3]);
        if (num < 1 || num > 256 || hr_queue_connect(&h.queue, argv[2]))
            fail("usage: accel_parallel threads SOCKET THREADS SECONDS");
        hr_queue_close(h.queue);
        run_threads(num, atof(argv[4]));
        return 0;
    }
    if (argc < 3 || strcmp(argv[1], "gcm") || hr_queue_connect(&h.queue, argv[2]) ||
        !hr_queue_connected(h.queue))
        fail("usage: accel_parallel threads|gcm SOCKET ...");
    h.in = hr_queue_memory(h.queue, MOST / 4);
    h.out = hr_queue_memory(h.queue, MOST / 4);
    if (!h.in || !h.out || hr_aead_key_init(&h.key, HR_AES_128_GCM, h.bytes, sizeof h.bytes))
        fail("no memory");
    run_gcm(&h, argc > 3 ? atoi(argv[3]) : 41);
    hr_queue_close(h.queue);
    return 0;
}
