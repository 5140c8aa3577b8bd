/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-2 of one block in lanes.  A chain stays in vectors: between two steps the words of the hash
 * move into the next block, where the address before them ends within a word.  A file that includes
 * this one includes vec_<isa>.h, block_lanes.h and sha256_compress.h or sha512_compress.h of
 * lib/hash/ before. */
#if WORD_BITS == 32
#define STORE_WORD store_be32
#else
#define STORE_WORD store_be64
#endif
#include "values.h"

enum {
    BLOCK_LEN = 16 * (int)sizeof(word),
    FIRST = SLH_SHORT_ADDRESS / (int)sizeof(word),      /* the word where the address ends */
    USED = 8 * (SLH_SHORT_ADDRESS % (int)sizeof(word)), /* its bits there, and those it has not */
    UNUSED = WORD_BITS - USED,
};

/* The values that a block contains, from those of a hash, and back. */
INLINE TARGET void put_values(vec w[16], const vec base[16], const vec *s, size_t num,
                              unsigned step)
{
    w[FIRST] = (base[FIRST] >> UNUSED << UNUSED) + spread((word)step << UNUSED) + (s[0] >> USED);
    for (size_t i = 1; i < num; i++)
        w[FIRST + i] = s[i - 1] << UNUSED | s[i] >> USED;
    w[FIRST + num] = s[num - 1] << UNUSED | (base[FIRST + num] << USED >> USED);
}

INLINE TARGET void get_values(vec *s, const vec w[16], size_t num)
{
    for (size_t i = 0; i < num; i++)
        s[i] = w[FIRST + i] << USED | w[FIRST + i + 1] >> UNUSED;
}

INLINE TARGET void load_blocks(vec base[16], const struct slh_lanes *l)
{
    alignas(64) uint8_t blocks[LANES][BLOCK_LEN];
    const uint8_t *in[LANES];
    for (size_t i = 0; i < LANES; i++) {
        in[i] = blocks[i < l->num ? i : 0];
        if (i < l->num)
            slh_block(blocks[i], l, i, BLOCK_LEN);
    }
    load_words(base, 16, in, 0, 1);
    WIPE(&blocks);
}

INLINE TARGET void chain_lanes(struct slh_lanes *l, const word *seed)
{
    const size_t num = l->key->params->n / sizeof(word);
    vec base[16], w[16], s[STATE_WORDS], kept[STATE_WORDS], digits = digits_of(l);
    load_blocks(base, l);
    get_values(kept, base, num);
    for (unsigned step = 0; step < l->steps; step++) {
        memcpy(w, base, sizeof w);
        if (step)
            put_values(w, base, s, num, step);
        for (int i = 0; i < STATE_WORDS; i++)
            s[i] = spread(seed[i]);
        compress(s, w);
        if (l->keeps)
            keep(kept, s, num, digits, step + 1);
    }
    store_values(l->value, s, num, l->num);
    if (l->keeps)
        store_values(l->kept, kept, num, l->num);
    WIPE(&base);
    WIPE(&w);
    WIPE(&s);
    WIPE(&kept);
}
