/* SPDX-License-Identifier: Apache-2.0 */
/* timing [SAMPLES]: whether the time of private operations depends on secrets, by statistics, in
 * the way of dudect (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?", 2017).  Each
 * of SAMPLES (20,000) calls is of one of two classes, by chance: a fixed secret, or a random one.
 * Welch's t compares their times: all, and those below some percentiles, as interruptions make a
 * long tail.  A |t| above 4.5 asks for another run with more samples; where it grows with their
 * number, time depends on the class.  The last line is a control that does leak. */
#include "timing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "timing: %s failed\n", what);
        exit(1);
    }
}

uint64_t any_word(void)
{
    static uint64_t state = UINT64_C(0x243f6a8885a308d3);
    state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    uint64_t z = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void fill(uint64_t *to, size_t num, int class, uint64_t low)
{
    for (size_t j = 0; j < num; j++)
        to[j] = class ? any_word() : j ? 0 : low;
}

/* ---- statistics ---- */

struct sample {
    double ns;
    int class;
};

static int by_time(const void *a, const void *b)
{
    const double x = ((const struct sample *)a)->ns, y = ((const struct sample *)b)->ns;
    return (x > y) - (x < y);
}

/* Welch's t of the first num samples. */
static double welch(const struct sample *s, size_t num)
{
    double n[2] = { 0 }, mean[2] = { 0 }, square[2] = { 0 };
    for (size_t i = 0; i < num; i++) { /* Welford's mean and variance */
        const int c = s[i].class;
        const double delta = s[i].ns - mean[c];
        mean[c] += delta / ++n[c];
        square[c] += delta * (s[i].ns - mean[c]);
    }
    if (n[0] < 2 || n[1] < 2)
        return 0;
    return (mean[0] - mean[1]) /
           sqrt(square[0] / (n[0] - 1) / n[0] + square[1] / (n[1] - 1) / n[1] + 1e-12);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void test(const char *name, const char *what, void secret(int class), void run(void), size_t num)
{
    static const int percents[] = { 100, 99, 95, 90, 75, 50 };
    struct sample *s = malloc(num * sizeof *s);
    must(s != NULL, "memory");
    for (size_t i = 0; i < num; i++) {
        s[i].class = (int)(any_word() >> 63);
        secret(s[i].class);
        const double before = now();
        run();
        s[i].ns = now() - before;
    }
    qsort(s, num, sizeof *s, by_time);
    printf("%-10s %-10s %9.1f", name, what, s[num / 2].ns / 1e3);
    for (size_t k = 0; k < sizeof percents / sizeof *percents; k++)
        printf(" %7.2f", welch(s, num * (size_t)percents[k] / 100));
    printf("\n");
    fflush(stdout);
    free(s);
}

int main(int argc, char **argv)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 20000;
    const size_t num = asked < 100 ? 100 : (size_t)asked;
    printf("%zu samples; t of all, and of the fastest 99, 95, 90, 75 and 50 %%\n", num);
    test_powers(num);
    test_ffc(num);
    test_curve25519(num);
    test_rsa(num);
    test_curves(num);
    test_slhdsa(num);
    test_control(num);
    return 0;
}
