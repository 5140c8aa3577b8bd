/* SPDX-License-Identifier: Apache-2.0 */
/* Macros for AES kernels that are written with intrinsics, for any CPU. */
#ifndef HR_AES_KERNEL_H
#define HR_AES_KERNEL_H

#include "aes.h"

#define INLINE static inline __attribute__((always_inline))

/* Most kernels call no functions and keep their arrays in registers, so a stack canary would
 * protect little. */
#define LEAF __attribute__((no_stack_protector))

/* Executes a statement in which i is a constant, `index`, if index < num. */
#define EXPAND(index, num, ...) \
    {                           \
        enum { i = index };     \
        if (i < (num))          \
            __VA_ARGS__;        \
    }

/* Calls fn(..., rounds) with a constant number of rounds, so that the compiler makes separate code
 * for each key length, without a loop over the rounds. */
#define FOR_ROUNDS(key, fn, ...)         \
    do {                                 \
        if (LIKELY((key)->rounds == 10)) \
            fn(__VA_ARGS__, 10);         \
        else if ((key)->rounds == 14)    \
            fn(__VA_ARGS__, 14);         \
        else                             \
            fn(__VA_ARGS__, 12);         \
    } while (0)

/* Defines the kernel `stem` from two inline functions, `one` for one block and `many` for any
 * number.  To save time in calls for 16 bytes, the code for one block is a straight line from an
 * aligned start, and `many` is reached by a jump.  Direct calls of 16 bytes have an entry of their
 * own for each key length, without any branch.  (Granite Rapids class, CBC encryption of 16 bytes
 * with AES-256: 3.3 ns with neither of the two, 2.6 with the first, 2.3 with both.) */
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
