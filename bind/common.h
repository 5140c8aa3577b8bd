/* SPDX-License-Identifier: Apache-2.0 */
/* What the bindings share: they see only <headrace/...> of the library, and never each other. */
#ifndef HR_BIND_COMMON_H
#define HR_BIND_COMMON_H

#include <assert.h>
#include <headrace/headrace.h>
#include <string.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* Keeps what is rare, and its stack, out of the path of every call. */
#define COLD __attribute__((cold, noinline))
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Zeroes *object in a way that the compiler keeps. */
#define WIPE(object) wipe_bytes((object), sizeof *(object))

static inline void wipe_bytes(void *p, size_t len)
{
    uint8_t *at = p;
    for (; len > 64; at += 64, len -= 64) { /* of more gcc makes a slow string instruction */
        memset(at, 0, 64);
        __asm__ volatile("" : : "r"(at) : "memory");
    }
    memset(at, 0, len);
    __asm__ volatile("" : : "r"(at) : "memory");
}

/* Places of the rows in algorithms.def, for hr_algorithm_at. */
enum row_index {
#define HR_ROW(number, sym, ...) INDEX_##sym,
#include <headrace/algorithms.def>
    NUM_ROWS
};

#endif
