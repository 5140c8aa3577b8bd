/* SPDX-License-Identifier: Apache-2.0 */
/* PBKDF2's chain for LANES passwords (hmac_iterate.h).  The file that includes this one includes a
 * vec_<isa>.h and defines compress() for STATE_WORDS words before. */

#define WORDS(member) PASTE(member.w, WORD_BITS, )

INLINE TARGET vec load(const word *p)
{
    return *(const vec *)p;
}

/* Makes a block that holds the digest u: w = (u & keep) | pad. */
INLINE TARGET void digest_block(vec w[16], const vec u[STATE_WORDS], const word *keep,
                                const word *pad)
{
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        if (i < STATE_WORDS)
            w[i] = (u[i] & spread(keep[i])) | spread(pad[i]);
        else
            w[i] = i < 9 || i > 13 ? spread(pad[i]) : (vec){ 0 };
}

INLINE TARGET void hmac_step(vec u[STATE_WORDS], const word *chain, const word *keep,
                             const word *pad)
{
    vec w[16];
    digest_block(w, u, keep, pad);
#pragma GCC unroll 8
    for (int i = 0; i < STATE_WORDS; i++)
        u[i] = load(chain + i * LANES);
    compress(u, w);
}

INLINE TARGET void hmac_iterate(struct hmac_lanes *l, uint64_t iterations)
{
    vec u[STATE_WORDS];
    for (int i = 0; i < STATE_WORDS; i++)
        u[i] = load(l->WORDS(u) + i * LANES);
    for (; iterations; iterations--) {
        IN_MEMORY(l);
        hmac_step(u, l->WORDS(inner), l->WORDS(keep), l->WORDS(pad));
        hmac_step(u, l->WORDS(outer), l->WORDS(keep), l->WORDS(pad));
#pragma GCC unroll 8
        for (int i = 0; i < STATE_WORDS; i++)
            *(vec *)(l->WORDS(t) + i * LANES) ^= u[i];
    }
    for (int i = 0; i < STATE_WORDS; i++)
        *(vec *)(l->WORDS(u) + i * LANES) = u[i];
}
