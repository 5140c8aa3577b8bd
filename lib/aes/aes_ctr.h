/* SPDX-License-Identifier: Apache-2.0 */
/* CTR, SP 800-38A section 6.5: out[i] = in[i] ^ E(iv + i); the counter block is one 128-bit
 * big-endian number.  The file that includes this one defines the vector width and the CPU.
 *
 *   int aes_ctr_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                     const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *
 * out is equal to in or does not overlap it; any alignment; next becomes iv + num_blocks.
 *
 * Vectors count in the low 64 bits of each block only.  The message is cut where these wrap to
 * zero, which happens at most once in 2^64 blocks, so that no batch needs a carry. */

INLINE TARGET void batch(uint8_t *out, const uint8_t *in, size_t num, size_t part, vec *counter,
                         const struct aes_key *key, unsigned rounds)
{
    vec s[BATCH];
    EACH(num, s[i] = reverse(add64(*counter, low64(i * LANES))));
    *counter = add64(*counter, low64(num * LANES));
    encrypt(s, num, key, rounds);
    EACH(num, store_at(out, i, xor(s[i], load_at(in, i, part)), part));
}

INLINE TARGET void store_counter(uint8_t next[16], uint64_t hi, uint64_t lo)
{
    if (UNLIKELY(next)) {
        store_be64(next, hi);
        store_be64(next + 8, lo);
    }
}

INLINE TARGET void ctr(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct aes_key *key, const uint8_t iv[16], uint8_t next[16],
                       unsigned rounds)
{
    uint64_t hi = load_be64(iv), lo = load_be64(iv + 8);
    while (num_blocks) {
        const uint64_t to_wrap = 0 - lo; /* 0 means 2^64 blocks */
        size_t now = to_wrap - 1 < num_blocks ? (size_t)to_wrap : num_blocks;
        num_blocks -= now;
        vec counter = count_up(hi, lo);
        lo += now;
        hi += lo == 0;
        EACH_BATCH(batch, out, in, now, &counter, key, rounds);
    }
    store_counter(next, hi, lo);
    leave();
}

INLINE TARGET void one(uint8_t *out, const uint8_t *in, const struct aes_key *key,
                       const uint8_t iv[16], uint8_t next[16], unsigned rounds)
{
    const uint64_t hi = load_be64(iv), lo = load_be64(iv + 8);
    store16(out, xor16(encrypt16(load16(iv), key, rounds), load16(in)));
    store_counter(next, hi + (lo == UINT64_MAX), lo + 1);
}

AES_KERNEL(aes_ctr, one, ctr)
