/* SPDX-License-Identifier: Apache-2.0 */
/* ChaCha20, one block after the other.  Prototype: chacha.h. */
#include "../bytes.h"
#include "../secret.h"
#include "chacha.h"

static inline uint32_t rotl(uint32_t x, unsigned n)
{
    return rotr32(x, 32 - n);
}

/* RFC 8439 section 2.1. */
static inline void quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *a += *b, *d = rotl(*d ^ *a, 16);
    *c += *d, *b = rotl(*b ^ *c, 12);
    *a += *b, *d = rotl(*d ^ *a, 8);
    *c += *d, *b = rotl(*b ^ *c, 7);
}

void chacha_xor_c(uint8_t *out, const uint8_t *in, size_t num_blocks,
                  const uint32_t state[CHACHA_WORDS])
{
    uint32_t x[CHACHA_WORDS], counter = state[12];
    for (; num_blocks; num_blocks--, counter++, in += CHACHA_BLOCK, out += CHACHA_BLOCK) {
        memcpy(x, state, sizeof x);
        x[12] = counter;
        for (int i = 0; i < 10; i++) {
            for (int k = 0; k < 4; k++)
                quarter(&x[k], &x[4 + k], &x[8 + k], &x[12 + k]);
            for (int k = 0; k < 4; k++)
                quarter(&x[k], &x[4 + (k + 1) % 4], &x[8 + (k + 2) % 4], &x[12 + (k + 3) % 4]);
        }
        for (int i = 0; i < CHACHA_WORDS; i++)
            store_le32(out + 4 * i,
                       load_le32(in + 4 * i) ^ (x[i] + (i == 12 ? counter : state[i])));
    }
    WIPE(&x);
}
