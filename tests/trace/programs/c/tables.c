/* SPDX-License-Identifier: Apache-2.0
 *
 * tables SECONDS: AES-128 (FIPS 197) by four tables that are computed when it starts, so that no
 * file holds a constant of AES: only registers that point into them give it away.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint8_t sbox[256];
static uint32_t te[4][256], keys[44];

static uint8_t times2(uint8_t x)
{
    return (uint8_t)(x << 1 ^ (x >> 7) * 0x1b);
}

static void make_sbox(void)
{
    uint8_t p = 1, q = 1;
    do { /* p runs through the powers of 3, q through those of its inverse */
        p = (uint8_t)(p ^ times2(p));
        q = (uint8_t)(q ^ q << 1);
        q = (uint8_t)(q ^ q << 2);
        q = (uint8_t)(q ^ q << 4);
        if (q & 0x80)
            q ^= 0x09;
        const uint32_t twice = q * 0x101u;
        sbox[p] = (uint8_t)(q ^ twice >> 7 ^ twice >> 6 ^ twice >> 5 ^ twice >> 4 ^ 0x63);
    } while (p != 1);
    sbox[0] = 0x63;
}

static void make_tables(void)
{
    for (int i = 0; i < 256; i++) {
        const uint32_t s = sbox[i], s2 = times2(sbox[i]);
        const uint32_t word = s2 << 24 | s << 16 | s << 8 | (s ^ s2);
        for (int k = 0; k < 4; k++)
            te[k][i] = k ? word >> 8 * k | word << (32 - 8 * k) : word;
    }
}

static void expand(const uint8_t key[16])
{
    uint8_t round = 1;
    for (int i = 0; i < 4; i++)
        keys[i] = (uint32_t)key[4 * i] << 24 | (uint32_t)key[4 * i + 1] << 16 |
                  (uint32_t)key[4 * i + 2] << 8 | key[4 * i + 3];
    for (int i = 4; i < 44; i++) {
        uint32_t t = keys[i - 1];
        if (i % 4 == 0) {
            t = (uint32_t)(sbox[t >> 16 & 255] ^ round) << 24 | (uint32_t)sbox[t >> 8 & 255] << 16 |
                (uint32_t)sbox[t & 255] << 8 | sbox[t >> 24];
            round = times2(round);
        }
        keys[i] = keys[i - 4] ^ t;
    }
}

static uint32_t column(const uint32_t s[4], int i, uint32_t key)
{
    return te[0][s[i] >> 24] ^ te[1][s[(i + 1) % 4] >> 16 & 255] ^
           te[2][s[(i + 2) % 4] >> 8 & 255] ^ te[3][s[(i + 3) % 4] & 255] ^ key;
}

static uint32_t last(const uint32_t s[4], int i, uint32_t key)
{
    return ((uint32_t)sbox[s[i] >> 24] << 24 | (uint32_t)sbox[s[(i + 1) % 4] >> 16 & 255] << 16 |
            (uint32_t)sbox[s[(i + 2) % 4] >> 8 & 255] << 8 | sbox[s[(i + 3) % 4] & 255]) ^
           key;
}

static void encrypt(uint32_t state[4])
{
    uint32_t s[4], t[4];
    for (int i = 0; i < 4; i++)
        s[i] = state[i] ^ keys[i];
    for (int round = 1; round < 10; round++) {
        for (int i = 0; i < 4; i++)
            t[i] = column(s, i, keys[4 * round + i]);
        memcpy(s, t, sizeof s);
    }
    for (int i = 0; i < 4; i++)
        state[i] = last(s, i, keys[40 + i]);
}

int main(int argc, char **argv)
{
    uint8_t key[16];
    uint32_t state[4] = { 0x00112233, 0x44556677, 0x8899aabb, 0xccddeeff };
    for (int i = 0; i < 16; i++)
        key[i] = (uint8_t)i;
    make_sbox();
    make_tables();
    expand(key);
    encrypt(state);
    if (argc != 2 || state[0] != 0x69c4e0d8 || state[3] != 0x70b4c55a) /* FIPS 197, C.1 */
        return 2;
    while (clock() / CLOCKS_PER_SEC < atoi(argv[1]))
        for (int i = 0; i < 100000; i++)
            encrypt(state);
    return 0;
}
