/* SPDX-License-Identifier: Apache-2.0 */
/* CBC and CFB128 encryption (SP 800-38A sections 6.2 and 6.3) of many messages side by side, each
 * with a key of its own.  The blocks of one message wait for each other, those of different
 * messages do not, so enough messages are computed at once to keep the AES units busy.
 *
 *   void aes_<mode>_lanes_<isa>(struct cipher_lanes *l, size_t num_blocks);
 *
 * A lane's out is equal to its in or overlaps no lane's in or out; any alignment.  Lane l is block
 * l % LANES of vector l / LANES.
 *
 * This file is included by an architecture's aes_lanes*.h, which use the vectors of an aes_vec*.h
 * and define VECTORS, the number of vectors, SQUARE, and the functions that load blocks: `gather`
 * loads one block of each message of a vector, `gather_square` SQUARE blocks of each, which takes
 * fewer instructions where SQUARE is above 1.  (Granite Rapids class, cycles a byte: 0.36 to 0.42
 * in 8 lanes of AES-NI; in 16 lanes of VAES 0.24 at 256 bits and 0.18 at 512.  At 512 bits, loading
 * one block at a time takes 0.24, and 32 lanes take 0.20.  The AES units alone would allow 0.31,
 * 0.16 and 0.16.) */
#define EACH_VECTOR(...) EACH((size_t)VECTORS, __VA_ARGS__)

/* Keeps compilers from loading the keys of later rounds early into more registers than there are,
 * and so spilling keys to the stack. gcc on x86 does not do so, and its code takes 7 % less time
 * without this barrier. */
#if defined(__x86_64__) && !defined(__clang__)
#define ROUND_ENDS() ((void)0)
#else
#define ROUND_ENDS() __asm__ volatile("" : : : "memory")
#endif

INLINE TARGET vec lane_keys(const struct cipher_lanes *l, unsigned round, size_t i)
{
    return *(const vec *)(l->keys + (round * VECTORS + i) * sizeof(vec));
}

/* Encrypts one block of every lane. x is the last ciphertext block of each lane and becomes the new
 * one.  The plaintext of vector i is square[i][t] or, if `square` is NULL, the messages' bytes at
 * offset `at`.  It is XORed with a round key first, which need not wait for the chain. */
INLINE TARGET void step(vec x[VECTORS], const struct cipher_lanes *l, size_t at,
                        vec square[VECTORS][SQUARE], size_t t, enum hr_mode mode, unsigned rounds)
{
#define TEXT (square ? square[i][t] : gather(l->in + i * LANES, at))
    EACH_VECTOR({
        const vec k = lane_keys(l, 0, i);
        x[i] = mode == HR_MODE_CBC ? enc_begin_with(x[i], TEXT, k) : enc_begin(x[i], k);
    });
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds - 1; r++) {
        ROUND_ENDS();
        EACH_VECTOR(x[i] = enc_middle(x[i], lane_keys(l, r, i)));
    }
    ROUND_ENDS();
    EACH_VECTOR({
        const vec k = lane_keys(l, rounds - 1, i), last = lane_keys(l, rounds, i);
        x[i] = enc_end(x[i], k, mode == HR_MODE_CBC ? last : xor(TEXT, last));
    });
#undef TEXT
}

INLINE TARGET void many(struct cipher_lanes *l, size_t num_blocks, enum hr_mode mode,
                        unsigned rounds)
{
    const size_t end = 16 * num_blocks;
    size_t at = 0;
    vec x[VECTORS];
    EACH_VECTOR(x[i] = load(l->iv + i * sizeof(vec)));
    for (; SQUARE > 1 && end - at >= 16 * SQUARE; at += 16 * SQUARE) {
        vec square[VECTORS][SQUARE];
        EACH_VECTOR(gather_square(square[i], l->in + i * LANES, at));
#pragma GCC unroll 4
        for (size_t t = 0; t < SQUARE; t++) {
            step(x, l, at, square, t, mode, rounds);
            EACH_VECTOR(square[i][t] = x[i]);
        }
        EACH_VECTOR(scatter_square(l->out + i * LANES, at, square[i]));
    }
    for (; at < end; at += 16) {
        step(x, l, at, NULL, 0, mode, rounds);
        EACH_VECTOR(scatter(l->out + i * LANES, at, x[i]));
    }
    EACH_VECTOR(store(l->iv + i * sizeof(vec), x[i]));
    for (size_t lane = 0; lane < VECTORS * LANES; lane++) {
        l->in[lane] += end;
        l->out[lane] += end;
    }
    leave();
}

#define AES_LANES(stem, mode)                                            \
    TARGET void KERNEL(stem)(struct cipher_lanes * l, size_t num_blocks) \
    {                                                                    \
        FOR_ROUNDS(l, many, l, num_blocks, mode);                        \
    }
