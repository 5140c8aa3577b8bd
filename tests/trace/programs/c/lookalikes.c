/* SPDX-License-Identifier: Apache-2.0
 *
 * Code that is easily mistaken for another algorithm, or whose names say nothing: ciphers and
 * hashes on AES instructions, ciphers without names, and loops that only look like crypto.
 * Usage: lookalikes WORD SECONDS
 */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))
enum { LEN = 65536 };
static uint8_t data[LEN] __attribute__((aligned(64)));
static volatile uint64_t sink;

static uint32_t rol(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static uint64_t rol64(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

/* ---- on AES instructions ---- */

/* AEGIS-128L (RFC draft): two blocks a step, AES rounds without a last one. */
__attribute__((target("aes"))) APART static void work_a(void)
{
    __m128i s[8], *block = (__m128i *)data;
    for (int i = 0; i < 8; i++)
        s[i] = _mm_set1_epi8((char)(i * 17 + 1));
    for (size_t i = 0; i < LEN / 16; i += 2) {
        const __m128i m0 = block[i], m1 = block[i + 1], last = s[7];
        const __m128i z0 = _mm_xor_si128(_mm_xor_si128(s[6], s[1]), _mm_and_si128(s[2], s[3]));
        const __m128i z1 = _mm_xor_si128(_mm_xor_si128(s[2], s[5]), _mm_and_si128(s[6], s[7]));
        block[i] = _mm_xor_si128(m0, z0);
        block[i + 1] = _mm_xor_si128(m1, z1);
        for (int k = 7; k > 0; k--)
            s[k] = _mm_aesenc_si128(s[k - 1], s[k]);
        s[0] = _mm_xor_si128(_mm_aesenc_si128(last, s[0]), m0);
        s[4] = _mm_xor_si128(s[4], m1);
    }
}

/* A cipher of 32 rounds whose S-box is computed by AESENCLAST between two linear maps of
 * nibbles, as SM4, Camellia and ARIA are computed. */
__attribute__((target("aes,ssse3"))) APART static void work_b(void)
{
    const __m128i back = _mm_setr_epi8(0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3);
    const __m128i map = _mm_setr_epi8(0, 3, 5, 6, 9, 10, 12, 15, 17, 18, 20, 23, 24, 27, 29, 30);
    const __m128i low = _mm_set1_epi8(15);
    __m128i *block = (__m128i *)data;
    for (size_t i = 0; i < LEN / 16; i++) {
        __m128i x = block[i];
        for (int round = 0; round < 32; round++) {
            __m128i y = _mm_shuffle_epi8(map, _mm_and_si128(x, low));
            y = _mm_xor_si128(y, _mm_shuffle_epi8(map, _mm_and_si128(_mm_srli_epi16(x, 4), low)));
            y = _mm_aesenclast_si128(y, _mm_setzero_si128());
            x = _mm_xor_si128(_mm_shuffle_epi8(y, back), _mm_slli_epi32(x, 1));
        }
        block[i] = x;
    }
}

/* A hash function of a hash table: one inverse round for each block. */
__attribute__((target("aes"))) APART static void work_c(void)
{
    const __m128i *block = (const __m128i *)data;
    __m128i a = _mm_set1_epi8(1), b = _mm_set1_epi8(2);
    for (size_t i = 0; i < LEN / 16; i += 2) {
        a = _mm_aesdec_si128(a, block[i]);
        b = _mm_aesdec_si128(b, block[i + 1]);
    }
    sink += (uint64_t)_mm_cvtsi128_si64(_mm_xor_si128(a, b));
}

/* AES itself, with whatever round keys. */
__attribute__((target("aes"))) APART static void work_d(void)
{
    __m128i *block = (__m128i *)data;
    const __m128i key = _mm_set1_epi8(7);
    for (size_t i = 0; i < LEN / 16; i++) {
        __m128i x = _mm_xor_si128(block[i], key);
        for (int round = 0; round < 9; round++)
            x = _mm_aesenc_si128(x, key);
        block[i] = _mm_aesenclast_si128(x, key);
    }
}

/* ---- ciphers that nothing names ---- */

APART static void work_e(void) /* XTEA */
{
    uint32_t *word = (uint32_t *)data;
    const uint32_t key[4] = { 1, 2, 3, 4 };
    for (size_t i = 0; i < LEN / 4; i += 2) {
        uint32_t a = word[i], b = word[i + 1], sum = 0;
        for (int round = 0; round < 32; round++) {
            a += ((b << 4 ^ b >> 5) + b) ^ (sum + key[sum & 3]);
            sum += 0x9e3779b9;
            b += ((a << 4 ^ a >> 5) + a) ^ (sum + key[sum >> 11 & 3]);
        }
        word[i] = a, word[i + 1] = b;
    }
}

APART static void work_f(void) /* Speck128/128 */
{
    uint64_t *word = (uint64_t *)data;
    for (size_t i = 0; i < LEN / 8; i += 2) {
        uint64_t a = word[i], b = word[i + 1], k = 0x0706050403020100, l = 0x0f0e0d0c0b0a0908;
        for (uint64_t round = 0; round < 32; round++) {
            a = (rol64(a, 56) + b) ^ k;
            b = rol64(b, 3) ^ a;
            l = (rol64(l, 56) + k) ^ round;
            k = rol64(k, 3) ^ l;
        }
        word[i] = a, word[i + 1] = b;
    }
}

APART static void work_g(void) /* the core of Salsa20 */
{
    uint32_t *x = (uint32_t *)data;
    static const uint8_t at[8][4] = { { 0, 4, 8, 12 },  { 5, 9, 13, 1 },   { 10, 14, 2, 6 },
                                      { 15, 3, 7, 11 }, { 0, 1, 2, 3 },    { 5, 6, 7, 4 },
                                      { 10, 11, 8, 9 }, { 15, 12, 13, 14 } };
    for (size_t i = 0; i < LEN / 4; i += 16)
        for (int round = 0; round < 10; round++)
#pragma GCC unroll 8
            for (int q = 0; q < 8; q++) {
                const uint8_t *p = at[q];
                uint32_t *w = x + i;
                w[p[1]] ^= rol(w[p[0]] + w[p[3]], 7);
                w[p[2]] ^= rol(w[p[1]] + w[p[0]], 9);
                w[p[3]] ^= rol(w[p[2]] + w[p[1]], 13);
                w[p[0]] ^= rol(w[p[3]] + w[p[2]], 18);
            }
}

/* Software AES whose S-box is masked, so that its bytes are those of no known table. */
static const uint8_t box[256] = {
#define B4(x)                                                                                  \
    (uint8_t)((x)*167 + 99), (uint8_t)(((x) + 1) * 167 + 99), (uint8_t)(((x) + 2) * 167 + 99), \
        (uint8_t)(((x) + 3) * 167 + 99)
#define B16(x) B4(x), B4((x) + 4), B4((x) + 8), B4((x) + 12)
#define B64(x) B16(x), B16((x) + 16), B16((x) + 32), B16((x) + 48)
    B64(0), B64(64), B64(128), B64(192)
};
static uint8_t mixed_box[256]; /* a permutation that is no linear map, made at the start */

static uint8_t twice(uint8_t x)
{
    return (uint8_t)(x << 1 ^ (x >> 7) * 0x1b);
}

APART static void work_h(void)
{
    for (size_t i = 0; i < LEN; i += 16) {
        uint8_t t[16];
        for (int round = 0; round < 10; round++) {
            for (int k = 0; k < 16; k++)
                t[k] = mixed_box[data[i + (size_t)(k * 5 & 15)]];
            for (int k = 0; k < 16; k += 4)
                for (int j = 0; j < 4; j++)
                    data[i + (size_t)(k + j)] = twice(t[k + j]) ^ twice(t[k + (j + 1) % 4]) ^
                                                t[k + (j + 1) % 4] ^ t[k + (j + 2) % 4] ^
                                                t[k + (j + 3) % 4] ^ (uint8_t)round;
        }
    }
}

APART static void work_i(void) /* a Feistel cipher with the S-box in the file */
{
    for (size_t i = 0; i < LEN; i += 8) {
        uint8_t *p = data + i;
        for (int round = 0; round < 16; round++) {
            for (int k = 0; k < 4; k++)
                p[k] ^= box[p[4 + k] ^ box[p[4 + (k + 1) % 4] ^ round]];
            for (int k = 0; k < 4; k++) {
                const uint8_t x = p[k];
                p[k] = p[4 + k];
                p[4 + k] = x;
            }
        }
    }
}

/* ---- IDEA ---- */

static uint16_t product(uint32_t a, uint32_t b)
{
    if (!a || !b)
        return (uint16_t)(1 - a - b);
    const uint32_t x = a * b, low = x & 0xffff, high = x >> 16;
    return (uint16_t)(low - high + (low < high));
}

APART static void work_j(void)
{
    uint16_t *w = (uint16_t *)data;
    for (size_t i = 0; i < LEN / 2; i += 4) {
        uint16_t a = w[i], b = w[i + 1], c = w[i + 2], d = w[i + 3];
        for (unsigned round = 0; round < 8; round++) {
            a = product(a, 9 + round), b += 77, c += 99, d = product(d, 1234 + round);
            const uint16_t e = product(a ^ c, 4321), f = product((uint16_t)((b ^ d) + e), 777);
            const uint16_t g = (uint16_t)(e + f), h = b ^ g;
            a ^= f, d ^= g, b = c ^ f, c = h;
        }
        w[i] = a, w[i + 1] = b, w[i + 2] = c, w[i + 3] = d;
    }
}

/* ---- no crypto ---- */

APART static void work_k(void) /* xoshiro256** */
{
    uint64_t s[4] = { 1, 2, 3, 4 }, sum = 0;
    for (size_t i = 0; i < LEN; i++) {
        const uint64_t t = s[1] << 17;
        sum += rol64(s[1] * 5, 7) * 9;
        s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t;
        s[3] = rol64(s[3], 45);
    }
    sink += sum;
}

APART static void work_l(void) /* MurmurHash3's loop */
{
    const uint32_t *word = (const uint32_t *)data;
    uint32_t h = 1;
    for (size_t i = 0; i < LEN / 4; i++) {
        h ^= rol(word[i] * 0xcc9e2d51, 15) * 0x1b873593;
        h = rol(h, 13) * 5 + 0xe6546b64;
    }
    sink += h;
}

APART static void work_m(void) /* FNV-1a, and a sum of bytes as Adler-32 makes it */
{
    uint32_t h = 2166136261, a = 1, b = 0;
    for (size_t i = 0; i < LEN; i++) {
        h = (h ^ data[i]) * 16777619;
        a = (a + data[i]) % 65521, b = (b + a) % 65521;
    }
    sink += h + a + b;
}

static uint32_t crc_table[256];
APART static void work_n(void) /* a CRC of a polynomial that nobody uses */
{
    uint32_t crc = 0;
    for (size_t i = 0; i < LEN; i++)
        crc = crc >> 8 ^ crc_table[(crc ^ data[i]) & 255];
    sink += crc;
}

APART static void work_o(void) /* base64 */
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static char out[LEN / 3 * 4 + 4];
    for (size_t i = 0, k = 0; i + 2 < LEN; i += 3, k += 4) {
        const uint32_t x = (uint32_t)data[i] << 16 | (uint32_t)data[i + 1] << 8 | data[i + 2];
        out[k] = digits[x >> 18], out[k + 1] = digits[x >> 12 & 63];
        out[k + 2] = digits[x >> 6 & 63], out[k + 3] = digits[x & 63];
    }
    sink += (uint64_t)out[77];
}

APART static void work_p(void) /* a product of matrices */
{
    enum { N = 64 };
    static double a[N][N], b[N][N], c[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j] + 1;
    sink += (uint64_t)c[3][4];
}

static int by_value(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

APART static void work_q(void) /* sorting */
{
    uint32_t *word = (uint32_t *)data;
    for (size_t i = 0; i < LEN / 4; i++)
        word[i] = (uint32_t)(i * 2654435761u);
    qsort(word, LEN / 4, 4, by_value);
}

/* ---- SHA-256 on SHA-NI, whose caller only passes K on (FIPS 180-4, 4.2.2) ---- */

static const uint32_t k256[64] __attribute__((aligned(64))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

__attribute__((target("sha,sse4.1"))) APART static void blocks(uint32_t *state, const uint8_t *in,
                                                               size_t num, const uint32_t *k)
{
    __m128i a = _mm_loadu_si128((__m128i *)state), b = _mm_loadu_si128((__m128i *)state + 1);
    for (; num--; in += 64) {
        __m128i w[4];
        for (int i = 0; i < 4; i++)
            w[i] = _mm_loadu_si128((const __m128i *)in + i);
        for (int i = 0; i < 16; i++) {
            const __m128i x = _mm_add_epi32(w[i & 3], _mm_load_si128((const __m128i *)k + i));
            b = _mm_sha256rnds2_epu32(b, a, x);
            a = _mm_sha256rnds2_epu32(a, b, _mm_shuffle_epi32(x, 14));
            const __m128i t = _mm_alignr_epi8(w[i + 3 & 3], w[i + 2 & 3], 4);
            w[i & 3] = _mm_sha256msg2_epu32(
                _mm_add_epi32(_mm_sha256msg1_epu32(w[i & 3], w[i + 1 & 3]), t), w[i + 3 & 3]);
        }
    }
    _mm_storeu_si128((__m128i *)state, a);
    _mm_storeu_si128((__m128i *)state + 1, b);
}

APART static void work_r(void)
{
    enum { NUM = 16 };
    uint32_t state[8] = { 0 };
    uint8_t buffer[64 * NUM];
    for (size_t i = 0; i < LEN; i += sizeof buffer) {
        for (size_t j = 0; j < sizeof buffer; j++) /* a caller has work of its own */
            buffer[j] = data[i + (j * 29 & sizeof buffer - 1)];
        blocks(state, buffer, NUM, k256);
    }
    sink += state[0];
}

static const struct {
    const char *word;
    void (*fn)(void);
} works[] = {
    { "aegis", work_a },   { "sbox", work_b },  { "hash", work_c },    { "aes", work_d },
    { "xtea", work_e },    { "speck", work_f }, { "salsa", work_g },   { "masked", work_h },
    { "feistel", work_i }, { "idea", work_j },  { "xoshiro", work_k }, { "murmur", work_l },
    { "fnv", work_m },     { "crc", work_n },   { "base64", work_o },  { "matrix", work_p },
    { "sort", work_q },    { "sha", work_r },
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int num, char **words)
{
    const double seconds = num > 2 ? atof(words[2]) : .5;
    for (unsigned i = 0; i < 256; i++) {
        uint32_t x = i;
        for (int k = 0; k < 8; k++)
            x = x >> 1 ^ (x & 1) * 0xa833982b;
        crc_table[i] = x;
        mixed_box[i] = (uint8_t)i;
    }
    for (unsigned i = 255, x = 12345; i; i--) {
        x = x * 1103515245 + 12345;
        const unsigned k = (x >> 16) % (i + 1);
        const uint8_t swapped = mixed_box[i];
        mixed_box[i] = mixed_box[k], mixed_box[k] = swapped;
    }
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (num > 1 && !strcmp(words[1], works[i].word)) {
            while (now() < seconds)
                works[i].fn();
            return 0;
        }
    return 2;
}
