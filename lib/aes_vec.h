/* SPDX-License-Identifier: Apache-2.0 */
/* A message as vectors of blocks.  Included by aes_vec*.h, which define vec, LANES (its blocks),
 * TARGET and the primitives that aes_ecb.h, aes_cbc_decrypt.h, aes_cfb_decrypt.h and aes_ctr.h use:
 * one source of each mode for all widths and CPUs.
 *
 * Counts of vectors are constants of at most BATCH wherever these functions are called, and EACH is
 * unrolled by the preprocessor: the array of vectors then never exists but in registers. */
enum { BATCH = 8 }; /* vectors in flight: at least latency times units of any CPU so far */

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

/* Vector i of a message; `part` 0, or how many blocks the last and only vector has. */
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

/* Walks a message of num_blocks: batch(..., num vectors, part) for 8, 4, 2 and 1 vectors and for
 * what is less than a vector; `batch` is an inline function, its counts are constants. */
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
