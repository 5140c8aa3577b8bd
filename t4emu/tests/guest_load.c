/* SPDX-License-Identifier: Apache-2.0 */
/* guest_load WHAT [N]: a sparc64 program that executes N instructions and ends in the way that
 * WHAT says. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t cfr(void)
{
    uint64_t value;
    __asm__ volatile("rd %%asr26, %0" : "=r"(value));
    return value;
}

extern uint64_t early_cfr; /* guest_early.c */

static void instructions(long n)
{
    for (long i = 0; i < n; i++)
        __asm__ volatile(".word 0x85b028e2" ::: "f2"); /* crc32c %f0, %f2, %f2 */
}

static int nothing(long n)
{
    instructions(n);
    return 0;
}

static int leave(long n)
{
    return (int)n;
}

static int leave_at_once(long n)
{
    instructions(n);
    _exit(3);
}

static int leave_quickly(long n)
{
    instructions(n);
    quick_exit(4);
}

static int terminated(long n)
{
    instructions(n);
    raise(SIGTERM);
    return 0;
}

static int aborted(long n)
{
    instructions(n);
    abort();
}

static int faulty(long n)
{
    instructions(n);
    *(volatile char *)NULL = 0;
    return 0;
}

static void *thread(void *n)
{
    instructions(*(long *)n);
    return NULL;
}

static int threads(long n)
{
    pthread_t ids[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&ids[i], NULL, thread, &n);
    for (int i = 0; i < 8; i++)
        pthread_join(ids[i], NULL);
    return 0;
}

static int forks(long n)
{
    instructions(n);
    if (fork() == 0) {
        instructions(2 * n);
        _exit(0);
    }
    wait(NULL);
    return 0;
}

static void handler(int number)
{
    static const char text[] = "handled\n";
    if (write(STDOUT_FILENO, text, sizeof text - 1) > 0)
        _exit(6);
}

/* Executes an instruction that does not exist: the program's own handler of SIGILL must be called,
 * which prints "handled" and ends the process with status 6. */
static int unknown(long n)
{
    signal(SIGILL, handler);
    __asm__ volatile(".word 0");
    return 0;
}

static int probes(long n)
{
    signal(SIGILL, handler);
    instructions(1);
    return 0;
}

static int kasumi(long n)
{
    __asm__ volatile(".word 0x81b02700"); /* kasumi_fi_fi */
    return 0;
}

/* An undefined form: AES has no eleventh round constant. */
static int undefined(long n)
{
    __asm__ volatile(".word 0x88c81502" ::: "f4"); /* aes_kexpand1 %f0, %f2, 10, %f4 */
    return 0;
}

/* An undefined form behind two instructions that the emulator executes in the same handler. */
static int undefined_later(long n)
{
    __asm__ volatile(".word 0x85b028e2, 0x85b028e2, 0x88c81502, 0x85b028e2" ::: "f2", "f4");
    return 0;
}

static int shows(long n)
{
    printf("%llx %llx\n", (unsigned long long)cfr(), (unsigned long long)early_cfr);
    return 0;
}

/* Executes itself from another folder. */
static int elsewhere(long n)
{
    char self[4096];
    const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len < 0 || chdir("/"))
        return 1;
    self[len] = '\0';
    return execl(self, self, "cfr", NULL);
}

static int environment(long n)
{
    const char *path = getenv("LD_LIBRARY_PATH"), *preload = getenv("LD_PRELOAD");
    printf("%s %s\n", path ? path : "-", preload ? preload : "-");
    return 0;
}

static void say_which(int number)
{
    _exit(number);
}

/* Sends a signal to its parent, the launcher, and waits until it is forwarded. */
static int waits(long n)
{
    signal((int)n, say_which);
    if (kill(getppid(), (int)n))
        return 255;
    for (int i = 0; i < 100; i++)
        usleep(100000);
    return 254;
}

/* Executes n instructions in runs of 20, as AES kernels do. */
static void aes_rounds(long n)
{
    for (long i = 0; i < n; i += 20) /* aes_eround01 %f0, %f2, %f4, %f4 */
        __asm__ volatile(".rept 20\n .word 0x88c80802\n .endr" ::: "f4");
}

/* Measures how fast the emulation is. */
static int rate(long n)
{
    static void (*const loads[])(long n) = { instructions, aes_rounds };
    static const char *const names[] = { "one at a time", "in runs of 20 AES rounds" };
    for (int i = 0; i < 2; i++) {
        struct timespec start, end;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
        loads[i](n);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        const double seconds =
            (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
        printf("%.0f emulated instructions per second of CPU time, %s\n", (double)n / seconds,
               names[i]);
    }
    return 0;
}

static const struct {
    const char *name;
    int (*run)(long n);
} loads[] = {
    { "nothing", nothing },     { "exit", leave },
    { "_exit", leave_at_once }, { "quick_exit", leave_quickly },
    { "term", terminated },     { "abort", aborted },
    { "fault", faulty },        { "threads", threads },
    { "fork", forks },          { "unknown", unknown },
    { "probe", probes },        { "kasumi", kasumi },
    { "undefined", undefined }, { "undefined later", undefined_later },
    { "cfr", shows },           { "environment", environment },
    { "elsewhere", elsewhere }, { "wait", waits },
    { "rate", rate },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof loads / sizeof *loads; i++)
        if (!strcmp(argv[1], loads[i].name))
            return loads[i].run(argc > 2 ? atol(argv[2]) : 0);
    return 2;
}
