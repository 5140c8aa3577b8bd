/* SPDX-License-Identifier: Apache-2.0
 *
 * probes_target WHAT calls functions as often as the test of probes knows.  Its constructor calls
 * one too, before main.
 */
#define _GNU_SOURCE
#include "probes_target.h"
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3 };

/* call calls a function `times` times; its third argument is `num`. */
static void call(function *f, size_t num, size_t times)
{
    for (size_t i = 0; i < times; i++)
        f(NULL, NULL, num);
}

__attribute__((constructor)) static void before_main(void)
{
    call(aesni_cbc_encrypt, LEN, EARLY);
}

static int target_messages(void)
{
    call(aesni_cbc_encrypt, LEN, MESSAGES);
    return 0;
}

static int target_family(void)
{
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (!child) {
            call(aesni_cbc_encrypt, LEN, MESSAGES);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}

static volatile sig_atomic_t enough;

static void stop(int signal)
{
    (void)signal;
    enough = 1;
}

/* target_late_family writes a byte, and makes calls and starts its children after SIGTERM. */
static int target_late_family(void)
{
    signal(SIGTERM, stop);
    if (write(STDOUT_FILENO, "", 1) != 1)
        return 1;
    while (!enough)
        usleep(1000);
    call(aesni_cbc_encrypt, LEN, MESSAGES);
    return target_family();
}

static int target_shapes(void)
{
    call(dispatcher, 0, 10);
    call(dispatcher, 1, 20);
    call(dispatcher, 2, 40);
    call(fast_path, 0, 100);
    call(side_path, 0, 200);
    call(with_part, 0, 300);
    call(with_part, 1, 400);
    call(loop_at_entry, 7, 500);
    call(aesni_ecb_encrypt, LEN, 600);
    return 0;
}

static int target_hot(void)
{
    for (int i = 0; i < 200; i++) {
        call(leaf_1, 0, 20000);
        call(leaf_0, 0, 1);
    }
    return 0;
}

static void *steadily(void *calls)
{
    while (!enough) {
        call(leaf_0, 0, 100);
        *(uint64_t *)calls += 100;
    }
    return NULL;
}

/* target_steady calls leaf_0 in all threads until SIGTERM, and then writes how often. */
static int target_steady(void)
{
    pthread_t threads[THREADS];
    uint64_t calls[THREADS] = { 0 }, sum = 0;
    signal(SIGTERM, stop);
    if (write(STDOUT_FILENO, "", 1) != 1)
        return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, steadily, &calls[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += calls[i];
    }
    return write(STDOUT_FILENO, &sum, sizeof sum) != sizeof sum;
}

static const struct {
    const char *name;
    int (*main)(void);
} targets[] = {
    { "messages", target_messages }, { "family", target_family },
    { "shapes", target_shapes },     { "hot", target_hot },
    { "steady", target_steady },     { "late family", target_late_family },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof targets / sizeof *targets; i++)
        if (!strcmp(argv[1], targets[i].name))
            return targets[i].main();
    return 2;
}
