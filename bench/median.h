/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_MEDIAN_H
#define BENCH_MEDIAN_H

#include <stddef.h>
#include <stdlib.h>

static inline int median_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* median sorts the values, and returns the one in the middle. */
static inline double median(double *values, size_t num)
{
    qsort(values, num, sizeof *values, median_order);
    return values[num / 2];
}

#endif
