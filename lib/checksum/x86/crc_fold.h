/* SPDX-License-Identifier: Apache-2.0 */
/* A CRC by folding vectors of 16 << VEC bytes (crc_k.h); a kernel's file chooses VEC by including a
 * crc_vec*.h first.  NUM vectors are folded at once, enough to hide the latency of carry-less
 * multiplication. */

typedef uint32_t last_fn(__m128i x, const struct crc_k *k);
typedef uint32_t short_fn(uint32_t crc, const uint8_t *in, size_t len, const struct crc_k *k);

enum { BYTES = 16 << VEC, NUM = 4 };

/* Loads the first NUM vectors; `first` is added to the first one. */
INLINE void begin_many(vec x[NUM], const uint8_t *in, vec first)
{
#pragma GCC unroll 8
    for (int i = 0; i < NUM; i++)
        x[i] = load(in + BYTES * i);
    x[0] = xor(x[0], first);
}

/* Folds each of the NUM vectors into one of the next NUM vectors at `in`. */
INLINE void step_many(vec x[NUM], const uint8_t *in, const struct crc_k *k)
{
    const vec by = spread(k->fold[VEC + 2]);
#pragma GCC unroll 8
    for (int i = 0; i < NUM; i++)
        x[i] = fold(x[i], by, load(in + BYTES * i));
}

/* Folds all vectors into the last one, and returns it. */
INLINE vec end_many(const vec x[NUM], const struct crc_k *k)
{
    const vec by2 = spread(k->fold[VEC + 1]), by1 = spread(k->fold[VEC]);
    return fold(fold(x[0], by2, x[2]), by1, fold(x[1], by2, x[3]));
}

/* Folds len bytes, NUM vectors or a multiple of that, into one vector; `first` is added to the
 * first vector. */
INLINE vec fold_many(const uint8_t *in, size_t len, vec first, const struct crc_k *k)
{
    vec x[NUM];
    begin_many(x, in, first);
    for (size_t at = NUM * BYTES; at + NUM * BYTES <= len; at += NUM * BYTES)
        step_many(x, in + at, k);
    return end_many(x, k);
}

/* Returns the CRC register after len bytes; `crc` is the register before them.  Messages shorter
 * than `least`, which is at least 16, are left to `few`. */
INLINE uint32_t crc_fold(uint32_t crc, const uint8_t *in, size_t len, const struct crc_k *k,
                         size_t least, short_fn *few, last_fn *last)
{
    const int is_short = len < least;
    if (__builtin_expect(is_short, least > 16)) /* the path that suffers most from a jump is
                                                 * placed first */
        return few(crc, in, len, k);
    __m128i x = begin16(crc, in, len, k);
    in += len & 15;
    len &= ~(size_t)15;
    size_t at = 0;
    if (len >= BYTES) {
        vec v;
        if (len >= NUM * BYTES) {
            at = len & ~(size_t)(NUM * BYTES - 1);
            v = fold_many(in, at, widen(x), k);
        } else {
            at = BYTES;
            v = xor(load(in), widen(x));
        }
        const vec by = spread(k->fold[VEC]);
        for (; at + BYTES <= len; at += BYTES)
            v = fold(v, by, load(in + at));
        x = narrow(v, k);
    } else {
        x = _mm_xor_si128(x, load16(in));
        at = 16;
    }
    for (; at < len; at += 16)
        x = fold16(x, k, 0, load16(in + at));
    return last(x, k);
}
