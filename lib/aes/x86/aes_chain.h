/* SPDX-License-Identifier: Apache-2.0 */
/* The chain of CBC and CFB encryption and of CCM. Each block waits for the one before, so the
 * latency of one block determines the time; it is that of `rounds` AES instructions and nothing
 * else.  AESENCLAST ends with an XOR. If its key is
 *
 *     fold = last round key ^ first round key ^ input,
 *
 * its result is already the next block's state after the first round key; the ciphertext is
 * computed by a second instruction that the chain does not wait for.
 *
 * The core executes several short messages at once, as far as its physical registers suffice.  An
 * AES instruction with its key in memory occupies a second physical register while it waits.  So
 * the round keys are loaded once, as many as there are architectural registers for.  The rest are
 * read from the key each time, lest the compiler keep copies on the stack.  (Granite Rapids class,
 * 4 blocks of AES-128: 7.3 ns instead of 9.9.) */
#define NUM_KEPT 11

#define EACH_MIDDLE(rounds, ...)        \
    do {                                \
        EXPAND(1, rounds, __VA_ARGS__)  \
        EXPAND(2, rounds, __VA_ARGS__)  \
        EXPAND(3, rounds, __VA_ARGS__)  \
        EXPAND(4, rounds, __VA_ARGS__)  \
        EXPAND(5, rounds, __VA_ARGS__)  \
        EXPAND(6, rounds, __VA_ARGS__)  \
        EXPAND(7, rounds, __VA_ARGS__)  \
        EXPAND(8, rounds, __VA_ARGS__)  \
        EXPAND(9, rounds, __VA_ARGS__)  \
        EXPAND(10, rounds, __VA_ARGS__) \
        EXPAND(11, rounds, __VA_ARGS__) \
        EXPAND(12, rounds, __VA_ARGS__) \
        EXPAND(13, rounds, __VA_ARGS__) \
    } while (0)

struct schedule {
    __m128i first, last, both;    /* both: first ^ last round key */
    __m128i middle[NUM_KEPT + 1]; /* used from index 1 on */
    const struct aes_key *key;
};

INLINE TARGET void load_schedule(struct schedule *s, const struct aes_key *key, unsigned rounds)
{
    s->first = key16(key->enc[0]);
    s->last = key16(key->enc[rounds]);
    s->both = _mm_xor_si128(s->first, s->last);
    s->key = key;
    EACH_MIDDLE(NUM_KEPT + 1, s->middle[i] = key16(key->enc[i]));
}

INLINE TARGET __m128i middle_rounds(__m128i x, const struct schedule *s, unsigned rounds)
{
    EACH_MIDDLE(rounds, {
        const __m128i k = i <= NUM_KEPT ? s->middle[i % (NUM_KEPT + 1)] : key16(s->key->enc[i]);
        x = _mm_aesenc_si128(x, k);
    });
    return x;
}
