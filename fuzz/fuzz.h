/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz targets in libFuzzer's shape, and how they read their input. */
#ifndef HR_FUZZ_H
#define HR_FUZZ_H

#include "internal.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold; a plain assert may be compiled out. */
#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

/* Input that is taken from the front; zero past its end. */
struct input {
    const uint8_t *p;
    size_t len;
};

static inline uint8_t take_byte(struct input *in)
{
    if (!in->len)
        return 0;
    in->len--;
    return *in->p++;
}

static inline void take(struct input *in, uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = take_byte(in);
}

/* The row that a byte picks among those of a class. */
static inline const struct hr_algorithm *take_row(struct input *in, enum hr_class cls)
{
    const struct hr_algorithm *row;
    size_t num = 0, i = 0;
    for (; (row = hr_algorithm_at(i)); i++)
        num += row->cls == cls;
    size_t pick = take_byte(in) % num;
    for (i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == cls && pick-- == 0)
            break;
    return row;
}

/* A kernel that this CPU has; the byte counts from the best one down. */
static inline size_t take_kernel(struct input *in, const struct hr_algorithm *row, enum hr_op op)
{
    struct hr_kernel kernel;
    size_t usable[16], num = 0;
    for (size_t i = 0; !hr_kernel_at(&kernel, row->alg, op, i) && num < COUNT(usable); i++)
        if (!(kernel.needs & ~hr_cpu_features()))
            usable[num++] = i;
    return usable[take_byte(in) % num];
}

/* Bytes that the input's next ones begin, and that go on from them without an end. */
static inline void take_many(struct input *in, uint8_t *out, size_t len)
{
    uint32_t x = 1;
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525 + 1013904223 + (i < 16 ? take_byte(in) : 0);
        out[i] = (uint8_t)(x >> 24);
    }
}

static inline int all_zero(const void *p, size_t len)
{
    const uint8_t *bytes = p;
    while (len && !bytes[len - 1])
        len--;
    return !len;
}

#endif
