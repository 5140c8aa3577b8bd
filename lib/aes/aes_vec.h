/* SPDX-License-Identifier: Apache-2.0 */
/* Treats a message as vectors of blocks.  This file is included by aes_vec*.h, which define vec,
 * LANES (blocks in a vector), TARGET and the operations that aes_ecb.h, aes_cbc_decrypt.h,
 * aes_cfb_decrypt.h and aes_ctr.h use.  So each mode has one source for all vector widths and CPUs.
 *
 * Wherever these functions are called, the number of vectors is a constant of at most BATCH, and
 * the preprocessor unrolls EACH: so the array of vectors exists only in registers. */
enum { BATCH = 8 }; /* vectors at once: at least latency x AES units of any CPU so far */

#define EACH(num, ...)              \
    do {                            \
        EXPAND(0, num, __VA_ARGS__) \
        EXPAND(1, num, __VA_ARGS__) \
        EXPAND(2, num, __VA_ARGS__) \
        EXPAND(3, num, __VA_ARGS__) \
        EXPAND(4, num, __VA_ARGS__) \
        EXPAND(5, num, __VA_ARGS__) \
        EXPAND(6, num, __VA_ARGS__) \
        EXPAND(7, num, __VA_ARGS__) \
    } while (0)

/* Executes a statement for rounds 1 to rounds - 1, with the constant r as the round. */
#define ROUND(index, rounds, ...) \
    {                             \
        enum { r = index };       \
        if (r < (rounds))         \
            __VA_ARGS__;          \
    }
#define EACH_ROUND(rounds, ...)        \
    do {                               \
        ROUND(1, rounds, __VA_ARGS__)  \
        ROUND(2, rounds, __VA_ARGS__)  \
        ROUND(3, rounds, __VA_ARGS__)  \
        ROUND(4, rounds, __VA_ARGS__)  \
        ROUND(5, rounds, __VA_ARGS__)  \
        ROUND(6, rounds, __VA_ARGS__)  \
        ROUND(7, rounds, __VA_ARGS__)  \
        ROUND(8, rounds, __VA_ARGS__)  \
        ROUND(9, rounds, __VA_ARGS__)  \
        ROUND(10, rounds, __VA_ARGS__) \
        ROUND(11, rounds, __VA_ARGS__) \
        ROUND(12, rounds, __VA_ARGS__) \
        ROUND(13, rounds, __VA_ARGS__) \
    } while (0)

/* Load or store vector i of a message.  If `part` is not 0, the vector is the only one and has just
 * `part` blocks. */
INLINE TARGET vec load_at(const uint8_t *p, size_t i, size_t part)
{
    return part ? load_part(p, part) : load(p + i * sizeof(vec));
}

INLINE TARGET void store_at(uint8_t *p, size_t i, vec x, size_t part)
{
    if (part)
        store_part(p, x, part);
    else
        store(p + i * sizeof(vec), x);
}

/* Processes a message of num_blocks blocks by calls of batch(..., num vectors, part): with 8, 4, 2
 * and 1 vectors, and with part > 0 for the blocks that do not fill a vector.  `batch` is an inline
 * function, and these counts are constants. */
#define EACH_BATCH(batch, out, in, num_blocks, ...)                                \
    do {                                                                           \
        for (; (num_blocks) >= BATCH * LANES; (num_blocks) -= BATCH * LANES) {     \
            batch(out, in, BATCH, 0, __VA_ARGS__);                                 \
            (in) += BATCH * sizeof(vec), (out) += BATCH * sizeof(vec);             \
        }                                                                          \
        EACH_BATCH_STEP(batch, out, in, num_blocks, 4, __VA_ARGS__)                \
        EACH_BATCH_STEP(batch, out, in, num_blocks, 2, __VA_ARGS__)                \
        EACH_BATCH_STEP(batch, out, in, num_blocks, 1, __VA_ARGS__)                \
        if (LANES > 1 && (num_blocks) % LANES) {                                   \
            batch(out, in, 1, (num_blocks) % LANES, __VA_ARGS__);                  \
            (in) += (num_blocks) % LANES * 16, (out) += (num_blocks) % LANES * 16; \
        }                                                                          \
    } while (0)
#define EACH_BATCH_STEP(batch, out, in, num_blocks, num, ...)      \
    if ((num_blocks) & (num)*LANES) {                              \
        batch(out, in, num, 0, __VA_ARGS__);                       \
        (in) += (num) * sizeof(vec), (out) += (num) * sizeof(vec); \
    }
