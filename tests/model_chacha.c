/* SPDX-License-Identifier: Apache-2.0 */
/* ChaCha20 and ChaCha20-Poly1305, as RFC 8439 sections 2.1 to 2.8 write them. */
#include "test.h"

static uint32_t word(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void quarter(uint32_t x[16], int a, int b, int c, int d)
{
    static const unsigned bits[4] = { 16, 12, 8, 7 };
    for (int i = 0; i < 4; i += 2) {
        x[a] += x[b], x[d] ^= x[a];
        x[d] = x[d] << bits[i] | x[d] >> (32 - bits[i]);
        x[c] += x[d], x[b] ^= x[c];
        x[b] = x[b] << bits[i + 1] | x[b] >> (32 - bits[i + 1]);
    }
}

/* block writes one block of keystream. */
static void block(uint8_t out[64], const uint8_t key[32], uint32_t number, const uint8_t nonce[12])
{
    const uint8_t constant[16] = { 'e', 'x', 'p', 'a', 'n', 'd', ' ', '3',
                                   '2', '-', 'b', 'y', 't', 'e', ' ', 'k' };
    uint32_t first[16], x[16];
    for (int i = 0; i < 4; i++)
        first[i] = word(constant + 4 * i);
    for (int i = 0; i < 8; i++)
        first[4 + i] = word(key + 4 * i);
    first[12] = number;
    for (int i = 0; i < 3; i++)
        first[13 + i] = word(nonce + 4 * i);
    memcpy(x, first, sizeof x);
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < 4; i++) {
            const int turn = round % 2; /* columns, then diagonals */
            quarter(x, i, 4 + (i + turn) % 4, 8 + (i + 2 * turn) % 4, 12 + (i + 3 * turn) % 4);
        }
    for (int i = 0; i < 64; i++)
        out[i] = (uint8_t)((x[i / 4] + first[i / 4]) >> 8 * (i % 4));
}

void model_chacha(uint8_t *out, const uint8_t *in, size_t len, const uint8_t key[32],
                  uint32_t number, const uint8_t nonce[12])
{
    uint8_t stream[64];
    for (size_t i = 0; i < len; i++) {
        if (i % 64 == 0)
            block(stream, key, number++, nonce);
        out[i] = in[i] ^ stream[i % 64];
    }
}

static size_t padded(size_t len)
{
    return (len + 15) / 16 * 16;
}

void model_chacha_poly1305(uint8_t *out, uint8_t tag[16], const struct model_message *m)
{
    const size_t text_at = padded(m->aad_len), lengths_at = text_at + padded(m->len);
    uint8_t first[64], *const all = calloc(1, lengths_at + 16);
    model_chacha(out, m->in, m->len, m->key, 1, m->iv);
    memcpy(all, m->aad, m->aad_len);
    memcpy(all + text_at, out, m->len);
    for (size_t i = 0; i < 8; i++) {
        all[lengths_at + i] = (uint8_t)((uint64_t)m->aad_len >> 8 * i);
        all[lengths_at + 8 + i] = (uint8_t)((uint64_t)m->len >> 8 * i);
    }
    block(first, m->key, 0, m->iv);
    model_poly1305(tag, all, lengths_at + 16, first, first + 16);
    free(all);
}
