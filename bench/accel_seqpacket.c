/* SPDX-License-Identifier: Apache-2.0 */
/* accel_seqpacket SOCKET [ROUNDS]: the time of one signature by P-256, one in flight: by the
 * service's unit at SOCKET, by a process of this program's own behind a seqpacket socket, which
 * signs with the same call, and by that call here; in turns; medians.  The process behind the
 * socket has less to do than a real service: one client, one key, nothing to check. */
#define _GNU_SOURCE
#include "median.h"
#include <headrace/accel.h>
#include <headrace/algorithms.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DIGEST = 32, SIGNATURE = 64, TRIES = 64 };
enum { RING, SEQPACKET, DIRECT, NUM_WAYS };

static struct hr_sign_key key;
static uint8_t digest[DIGEST] = { 1, 2, 3 }, signature[SIGNATURE];
static struct hr_job job = { .alg = HR_ECDSA_P256,
                             .op = HR_JOB_SIGN,
                             .key_form = HR_KEY_OBJECT,
                             .key = &key,
                             .in = digest,
                             .len = DIGEST,
                             .tag = signature };
static int server; /* the socket */

static void must(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "accel_seqpacket: %s\n", what);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void serve(int fd)
{
    while (recv(fd, digest, DIGEST, 0) == DIGEST)
        if (hr_job_run(&job) || send(fd, signature, SIGNATURE, 0) != SIGNATURE)
            break;
    _exit(0);
}

static pid_t start_server(void)
{
    int pair[2];
    must(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), "socketpair");
    const pid_t pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        close(pair[0]);
        serve(pair[1]);
    }
    must(pid > 0, "fork");
    close(pair[1]);
    server = pair[0];
    return pid;
}

static void sign(int way)
{
    if (way == SEQPACKET)
        must(send(server, digest, DIGEST, 0) == DIGEST &&
                 recv(server, signature, SIGNATURE, 0) == SIGNATURE,
             "the server has ended");
    else
        must(!(way == RING ? hr_accel_run(&job) : hr_job_run(&job)), "a job fails");
}

/* turn signs TRIES times, and writes how many us each took. */
static void turn(double *times, int way)
{
    for (size_t i = 0; i < TRIES; i++) {
        const double start = now();
        sign(way);
        times[i] = now() - start;
    }
    must(!hr_verify(signature, SIGNATURE, digest, DIGEST, &key, NULL), "a wrong signature");
    memset(signature, 0, sizeof signature);
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "ring", "seqpacket", "direct call" };
    double *times[NUM_WAYS], medians[NUM_WAYS];
    struct hr_queue *queue;
    uint8_t bytes[DIGEST];
    size_t len = sizeof bytes;
    must(argc > 1, "SOCKET [ROUNDS]");
    const size_t rounds = argc > 2 ? (size_t)atoi(argv[2]) : 41, num = rounds * TRIES;
    must(!hr_sign_key_generate(&key, HR_ECDSA_P256, NULL) &&
             !hr_sign_key_private(bytes, &len, &key),
         "no key");
    const pid_t pid = start_server();
    must(!hr_queue_connect(&queue, argv[1]) && hr_queue_connected(queue) &&
             !hr_accel_lend(&job.handle, HR_ECDSA_P256, bytes, len, NULL, 0),
         "no service");
    for (int w = 0; w < NUM_WAYS; w++)
        must((times[w] = calloc(num, sizeof **times)) != NULL, "no memory");
    for (size_t i = 0; i < rounds * NUM_WAYS; i++)
        turn(times[i % NUM_WAYS] + i / NUM_WAYS * TRIES, (int)(i % NUM_WAYS));
    for (int w = 0; w < NUM_WAYS; w++) {
        medians[w] = median(times[w], num);
        printf("%-12s %7.2f us (quartiles %.2f, %.2f)\n", names[w], medians[w], times[w][num / 4],
               times[w][num * 3 / 4]);
        free(times[w]);
    }
    printf("seqpacket / ring: %.2f\n", medians[SEQPACKET] / medians[RING]);
    close(server);
    waitpid(pid, NULL, 0);
    hr_queue_close(queue);
    return 0;
}
