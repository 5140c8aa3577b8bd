/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of aes_vec.h that are the same for all vectors of one block without AES
 * instructions. */

INLINE TARGET block load16(const uint8_t *p)
{
    return load(p);
}

INLINE TARGET void store16(uint8_t *p, block x)
{
    store(p, x);
}

/* Returns the blocks that precede the blocks of `next` in the message. */
INLINE TARGET vec blocks_before(vec prev, vec next)
{
    return (void)next, prev;
}

INLINE TARGET vec spread(const uint8_t *p)
{
    return load(p);
}

INLINE TARGET vec low64(uint64_t x)
{
    return count_up(0, x);
}

/* Load or store the first num < LANES blocks of a vector: never executed. */
INLINE TARGET vec load_part(const uint8_t *p, size_t num)
{
    return (void)num, load(p);
}

INLINE TARGET void store_part(uint8_t *p, vec x, size_t num)
{
    (void)num, store(p, x);
}

INLINE TARGET block low16(vec x)
{
    return x;
}

INLINE TARGET void leave(void) {}
