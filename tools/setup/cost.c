/* SPDX-License-Identifier: Apache-2.0 */
#include "cost.h"
#include <errno.h>
#include <headrace/stats.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAIRS = 21 };

static struct cost spent(void)
{
    struct rusage used;
    struct timespec cpu;
    getrusage(RUSAGE_SELF, &used);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return (struct cost){ 1e3 * (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e6,
                          (double)used.ru_minflt };
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[PAIRS])
{
    qsort(values, PAIRS, sizeof *values, compare);
    return values[PAIRS / 2];
}

/* A library context is made and freed, and loads the provider from `folder` if that is not NULL. */
static bool run(const struct openssl *ssl, const char *folder)
{
    OSSL_LIB_CTX *context = ssl->OSSL_LIB_CTX_new();
    OSSL_PROVIDER *provider = NULL;
    bool good = context;
    if (good && folder) {
        good = ssl->OSSL_PROVIDER_set_default_search_path(context, folder) == 1 &&
               (provider = ssl->OSSL_PROVIDER_load(context, "headrace")) &&
               ssl->OSSL_PROVIDER_unload(provider) == 1;
    }
    ssl->OSSL_LIB_CTX_free(context);
    return good;
}

/* Measures in this process.  The first pair, which is not counted, touches the memory of libcrypto
 * and of the loader, which is shared with the parent. */
static bool measure(struct cost *out, const struct openssl *ssl, const char *folder)
{
    double ms[2][PAIRS], faults[2][PAIRS];
    for (int i = -2; i < 2 * PAIRS; i++) {
        const int with = (i & 1) ^ (i >> 1 & 1); /* A B B A */
        const struct cost before = spent();
        if (!run(ssl, with ? folder : NULL))
            return false;
        const struct cost after = spent();
        if (i < 0)
            continue;
        ms[with][i / 2] = after.ms - before.ms;
        faults[with][i / 2] = after.faults - before.faults;
    }
    *out = (struct cost){ median(ms[1]) - median(ms[0]), median(faults[1]) - median(faults[0]) };
    return true;
}

bool cost_measure(struct cost *out, const struct openssl *ssl, const char *module)
{
    char folder[PATH_MAX];
    int ends[2];
    if (!strchr(module, '/') || pipe(ends))
        return false;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(module, '/') - module), module);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        unsetenv(HR_STATS_ENV); /* a trial must not appear in statistics */
        _exit(!measure(out, ssl, folder) || write(ends[1], out, sizeof *out) != sizeof *out);
    }
    close(ends[1]);
    const bool good = pid > 0 && read(ends[0], out, sizeof *out) == sizeof *out;
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return good;
}
