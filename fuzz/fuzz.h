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

#endif
