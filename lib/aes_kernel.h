/* SPDX-License-Identifier: Apache-2.0 */
/* What AES kernels written with intrinsics share, on any CPU. */
#ifndef HR_AES_KERNEL_H
#define HR_AES_KERNEL_H

#include "aes.h"

#define INLINE static inline __attribute__((always_inline))

/* Kernels are leaves whose arrays live in registers: a stack canary would guard nothing. */
#define LEAF __attribute__((no_stack_protector))

/* Kernels have two parts: one block, lean, and `many`, which it jumps to. */
#define NOINLINE static __attribute__((noinline))

/* A statement with the constant i = index, where index < num. */
#define EXPAND(index, num, ...) \
    {                           \
        enum { i = index };     \
        if (i < (num))          \
            __VA_ARGS__;        \
    }

/* Calls fn(..., rounds) with a constant: each key length becomes code without a loop of rounds. */
#define FOR_ROUNDS(key, fn, ...)         \
    do {                                 \
        if (LIKELY((key)->rounds == 10)) \
            fn(__VA_ARGS__, 10);         \
        else if ((key)->rounds == 14)    \
            fn(__VA_ARGS__, 14);         \
        else                             \
            fn(__VA_ARGS__, 12);         \
    } while (0)

#endif
