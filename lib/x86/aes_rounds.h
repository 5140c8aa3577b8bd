/* SPDX-License-Identifier: Apache-2.0 */
/* The cipher and its inverse on num independent vectors: as many AES units as there are stay busy
 * while each round waits for the one before.  Included by aes_vec*.h.
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

INLINE TARGET void encrypt(vec s[BATCH], size_t num, const struct aes_key *key, unsigned rounds)
{
    vec k = round_key(key->enc[0]);
    EACH(num, s[i] = xor(s[i], k));
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds; r++) {
        k = round_key(key->enc[r]);
        EACH(num, s[i] = enc(s[i], k));
    }
    k = round_key(key->enc[rounds]);
    EACH(num, s[i] = enc_last(s[i], k));
}

INLINE TARGET void decrypt(vec s[BATCH], size_t num, const struct aes_key *key, unsigned rounds)
{
    vec k = round_key(key->dec[0]);
    EACH(num, s[i] = xor(s[i], k));
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds; r++) {
        k = round_key(key->dec[r]);
        EACH(num, s[i] = dec(s[i], k));
    }
    k = round_key(key->dec[rounds]);
    EACH(num, s[i] = dec_last(s[i], k));
}

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
