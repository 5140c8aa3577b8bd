/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of libFuzzer's targets, and functions that read their input. */
#ifndef HR_FUZZ_H
#define HR_FUZZ_H

#include "internal.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* CHECK aborts if a condition does not hold.  A plain assert could be compiled out. */
#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

/* Input that is read from the front; behind its end zeros are read. */
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

/* take_row returns the row of a class that the next byte of the input selects. */
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

/* take_kernel returns the index of a kernel that this CPU can run.  The next byte of the input
 * selects it among these, the best first. */
static inline size_t take_kernel(struct input *in, const struct hr_algorithm *row, enum hr_op op)
{
    struct hr_kernel kernel;
    size_t usable[16], num = 0;
    for (size_t i = 0; !hr_kernel_at(&kernel, row->alg, op, i) && num < COUNT(usable); i++)
        if (!(kernel.needs & ~hr_cpu_features()))
            usable[num++] = i;
    return usable[take_byte(in) % num];
}

/* Fills `out` with bytes that the next 16 bytes of the input determine. */
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
