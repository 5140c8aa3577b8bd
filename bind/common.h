/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for all bindings.  A binding includes only <headrace/...> of the library, and
 * nothing of another binding. */
#ifndef HR_BIND_COMMON_H
#define HR_BIND_COMMON_H

#include <assert.h>
#include <headrace/headrace.h>
#include <string.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* COLD keeps a function that is rarely called, and its stack frame, out of the path of every
 * call. */
#define COLD __attribute__((cold, noinline))
/* AT_START puts a function that each process calls, at its start or its end, beside the others of
 * this kind, so that one page fault maps them all. */
#define AT_START __attribute__((section(".text.startup")))
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* WIPE zeroes *object in a way that the compiler does not optimize away. */
#define WIPE(object) wipe_bytes((object), sizeof *(object))

static inline void wipe_bytes(void *p, size_t len)
{
    uint8_t *at = p;
    for (; len > 64; at += 64, len -= 64) { /* for more bytes gcc emits a slow string instruction */
        memset(at, 0, 64);
        __asm__ volatile("" : : "r"(at) : "memory");
    }
    memset(at, 0, len);
    __asm__ volatile("" : : "r"(at) : "memory");
}

/* row_index numbers the rows in the order of algorithms.def, as hr_algorithm_at takes them. */
enum row_index {
#define HR_ROW(number, sym, ...) INDEX_##sym,
#include <headrace/algorithms.def>
    NUM_ROWS
};

#endif
