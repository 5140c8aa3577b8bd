/* SPDX-License-Identifier: Apache-2.0 */
/* What AES kernels written with intrinsics share, on any CPU. */
#ifndef HR_AES_KERNEL_H
#define HR_AES_KERNEL_H

#include "aes.h"

#define INLINE static inline __attribute__((always_inline))

/* Kernels are leaves whose arrays live in registers: a stack canary would guard nothing. */
#define LEAF __attribute__((no_stack_protector))

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

/* The kernel `stem` of two inline functions: `one` block and `many`.  As little else is left of a
 * call for 16 bytes, one block runs in a straight line from an aligned start; `many` is jumped to.
 * A direct call of 16 bytes has entries of its own, by key length: no branch in them.
 * (Granite Rapids class, CBC encryption of 16 bytes with AES-256: 3.3 ns with neither, 2.6 with the
 * first, 2.3 with both.) */
#define AES_KERNEL(stem, one, many)                                                               \
    static __attribute__((noinline))                                                              \
    TARGET int stem##_many(uint8_t *out, const uint8_t *in, size_t num_blocks,                    \
                           const void *schedule, const uint8_t iv[16], uint8_t next[16])          \
    {                                                                                             \
        const struct aes_key *key = schedule;                                                     \
        FOR_ROUNDS(key, many, out, in, num_blocks, key, iv, next);                                \
        return 0;                                                                                 \
    }                                                                                             \
    ALIGNED TARGET int KERNEL(stem)(uint8_t * out, const uint8_t *in, size_t num_blocks,          \
                                    const void *schedule, const uint8_t iv[16], uint8_t next[16]) \
    {                                                                                             \
        const struct aes_key *key = schedule;                                                     \
        if (!LIKELY(num_blocks == 1))                                                             \
            return stem##_many(out, in, num_blocks, key, iv, next);                               \
        FOR_ROUNDS(key, one, out, in, key, iv, next);                                             \
        return 0;                                                                                 \
    }                                                                                             \
    AES_ONE(stem, one, 10)                                                                        \
    AES_ONE(stem, one, 12)                                                                        \
    AES_ONE(stem, one, 14)                                                                        \
    cipher_one_fn *const KERNEL(stem##_one)[3] = { stem##_one_10, stem##_one_12, stem##_one_14 };

#define AES_ONE(stem, one, rounds)                                                             \
    ALIGNED TARGET static int stem##_one_##rounds(uint8_t *out, const uint8_t *in, size_t len, \
                                                  const struct cipher_key *key,                \
                                                  const uint8_t iv[16])                        \
    {                                                                                          \
        one(out, in, &key->aes, iv, NULL, rounds);                                             \
        return 0;                                                                              \
    }

#endif
