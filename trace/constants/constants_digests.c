/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of digests and stream ciphers, and other tables that consist of mathematical constants.
 * Most are computed from their definitions: with integers, but MD5's sines with doubles.
 */
#include "constants_private.h"
#include <string.h>

static uint32_t rotate32(uint32_t x, unsigned n)
{
    return x << (n & 31) | x >> (-n & 31);
}

/* ---- roots ---- */

/* Multiplies numbers of 32-bit limbs, least significant first. */
static void multiply(uint32_t *out, const uint32_t *a, unsigned num_a, const uint32_t *b,
                     unsigned num_b)
{
    memset(out, 0, (num_a + num_b) * sizeof *out);
    for (unsigned i = 0; i < num_a; i++) {
        uint64_t carry = 0;
        for (unsigned k = 0; k < num_b; k++) {
            carry += (uint64_t)a[i] * b[k] + out[i + k];
            out[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
        out[i + num_b] = (uint32_t)carry;
    }
}

/* Whether root^3 > n * 2^192, for a root of 96 bits. */
static bool cube_exceeds(const uint32_t root[3], uint32_t n)
{
    uint32_t square[6], cube[9];
    multiply(square, root, 3, root, 3);
    multiply(cube, square, 6, root, 3);
    if (cube[8] || cube[7])
        return true;
    if (cube[6] != n)
        return cube[6] > n;
    return cube[0] || cube[1] || cube[2] || cube[3] || cube[4] || cube[5];
}

/* The first 64 bits of the fractional part of the cube root of n (FIPS 180-4, 4.2.3). */
static uint64_t cube_root_fraction(uint32_t n)
{
    uint32_t root[3] = { 0, 0, 0 };
    for (unsigned bit = 68; bit-- > 0;) {
        root[bit / 32] |= (uint32_t)1 << bit % 32;
        if (cube_exceeds(root, n))
            root[bit / 32] ^= (uint32_t)1 << bit % 32;
    }
    return (uint64_t)root[1] << 32 | root[0];
}

static uint64_t square_root(uint64_t n)
{
    uint64_t root = 0;
    for (unsigned bit = 32; bit-- > 0;) {
        const uint64_t next = root | (uint64_t)1 << bit;
        if (next * next <= n)
            root = next;
    }
    return root;
}

static bool is_prime(uint32_t n)
{
    for (uint32_t i = 2; i * i <= n; i++)
        if (n % i == 0)
            return false;
    return true;
}

/* ---- SHA ---- */

/* FIPS 180-4, 4.2.1: the square roots of 2, 3, 5 and 10, times 2^30. */
void sha1_values(uint64_t *out, unsigned variant)
{
    static const uint8_t of[4] = { 2, 3, 5, 10 };
    for (unsigned i = 0; i < 4; i++)
        out[i] = square_root((uint64_t)of[i] << 60);
}

void sha512_values(uint64_t *out, unsigned variant)
{
    for (uint32_t n = 2, i = 0; i < 80; n++)
        if (is_prime(n))
            out[i++] = cube_root_fraction(n);
    for (unsigned i = 0; variant && i < 80; i++) /* with the upper half first */
        out[i] = out[i] << 32 | out[i] >> 32;
}

void sha256_values(uint64_t *out, unsigned variant)
{
    uint64_t long_values[80];
    sha512_values(long_values, 0);
    for (unsigned i = 0; i < 64; i++)
        out[i] = long_values[i] >> 32;
}

/* ---- MD5 (RFC 1321, 3.4): 2^32 |sin i| ---- */

static double sine(double x)
{
    double term = x, sum = x;
    for (unsigned i = 2; i < 30; i += 2) {
        term *= -x * x / (double)(i * (i + 1));
        sum += term;
    }
    return sum;
}

/* Computes sin i from sin (i - 1); the error stays far below 2^-32. */
void md5_values(uint64_t *out, unsigned variant)
{
    const double s1 = sine(1), c1 = 1 - 2 * sine(0.5) * sine(0.5);
    double s = 0, c = 1;
    for (unsigned i = 0; i < 64; i++) {
        const double next = s * c1 + c * s1;
        c = c * c1 - s * s1;
        s = next;
        out[i] = (uint32_t)((s < 0 ? -s : s) * 4294967296.0);
    }
}

/* ---- Keccak (FIPS 202, 3.2.5) ---- */

void keccak_values(uint64_t *out, unsigned variant)
{
    unsigned lfsr = 1;
    for (unsigned round = 0; round < 24; round++) {
        uint64_t rc = 0;
        for (unsigned j = 0; j < 7; j++) {
            if (lfsr & 1)
                rc |= (uint64_t)1 << ((1 << j) - 1);
            lfsr = lfsr << 1 ^ (lfsr & 0x80 ? 0x171 : 0);
        }
        out[variant ? 23 - round : round] = rc;
    }
}

/* The round constants for 32-bit machines: the even bits in one word, the odd bits in the other. */
void keccak_split_values(uint64_t *out, unsigned variant)
{
    uint64_t rc[24];
    keccak_values(rc, 0);
    for (unsigned i = 0; i < 24; i++) {
        uint32_t half[2] = { 0, 0 };
        for (unsigned bit = 0; bit < 64; bit++)
            half[bit % 2] |= (uint32_t)(rc[i] >> bit & 1) << bit / 2;
        out[2 * i] = half[variant];
        out[2 * i + 1] = half[!variant];
    }
}

/* ---- RIPEMD-160 (Dobbertin, Bosselaers and Preneel, 1996): the constants that MD4 and SHA-1 do
 * not have ---- */

void ripemd_values(uint64_t *out, unsigned variant)
{
    static const uint32_t k[5] = { 0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9, 0xa953fd4e };
    for (unsigned i = 0; i < 5; i++)
        out[i] = k[i];
}

/* ---- SM3 (GB/T 32905-2016, 4.2): T_j rotated left by j ---- */

void sm3_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 64; i++)
        out[i] = rotate32(i < 16 ? 0x79cc4519 : 0x7a879d8a, i);
}

/* ---- BLAKE2 (RFC 7693, 2.7): variant: the factor of the entries ---- */

void blake2_values(uint64_t *out, unsigned variant)
{
    static const uint8_t sigma[10][16] = {
        { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
        { 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
        { 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
        { 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
        { 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
        { 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
        { 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
        { 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
        { 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
        { 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
    };
    static const uint8_t by[3] = { 1, 4, 8 };
    for (unsigned i = 0; i < 160; i++)
        out[i] = (uint64_t)sigma[i / 16][i % 16] * by[variant];
}

/* ---- ChaCha (RFC 8439, 2.3; Bernstein's sigma and tau) ---- */

void chacha_values(uint64_t *out, unsigned variant)
{
    static const char text[2][17] = { "expand 32-byte k", "expand 16-byte k" };
    for (unsigned i = 0; i < 4; i++)
        out[i] = (uint64_t)(uint8_t)text[variant][4 * i] |
                 (uint64_t)(uint8_t)text[variant][4 * i + 1] << 8 |
                 (uint64_t)(uint8_t)text[variant][4 * i + 2] << 16 |
                 (uint64_t)(uint8_t)text[variant][4 * i + 3] << 24;
}

/* ---- Blowfish (Schneier, FSE 1993): digits of pi ---- */

enum { PI_LIMBS = NUM_PI_WORDS + 3 }; /* most significant limb first: integer, fraction, guard */

static void divide(uint32_t x[PI_LIMBS], uint32_t by)
{
    uint64_t rest = 0;
    for (unsigned i = 0; i < PI_LIMBS; i++) {
        rest = rest << 32 | x[i];
        x[i] = (uint32_t)(rest / by);
        rest %= by;
    }
}

static void add(uint32_t sum[PI_LIMBS], const uint32_t x[PI_LIMBS], bool minus)
{
    uint64_t carry = minus;
    for (unsigned i = PI_LIMBS; i-- > 0;) {
        carry += (uint64_t)sum[i] + (minus ? ~x[i] : x[i]);
        sum[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* sum += by * arctan(1 / x) */
static void add_arctangent(uint32_t sum[PI_LIMBS], uint32_t by, uint32_t x, bool minus)
{
    uint32_t power[PI_LIMBS] = { by }, term[PI_LIMBS];
    divide(power, x);
    for (uint32_t n = 1; n < 2 * 32 * PI_LIMBS; n += 2, minus = !minus) {
        memcpy(term, power, sizeof term);
        divide(term, n);
        add(sum, term, minus);
        divide(power, x * x);
    }
}

/* pi by Machin's formula. Variant 0: P; 1: the beginning of the S-boxes. */
void blowfish_values(uint64_t *out, unsigned variant)
{
    uint32_t pi[PI_LIMBS] = { 0 };
    add_arctangent(pi, 16, 5, false);
    add_arctangent(pi, 4, 239, true);
    for (unsigned i = 0; i < NUM_PI_WORDS; i++)
        out[i] = pi[1 + i];
}

/* The four S-boxes are the next 1024 words of pi, which take too long to compute whenever a trace
 * begins: the first two words of each, and a hash of the other 254. */
static const struct {
    uint32_t first[2];
    uint64_t hash;
} blowfish_boxes[4] = {
    { { 0xd1310ba6, 0x98dfb5ac }, 0xfd1ca602fc3096c0 },
    { { 0x4b7a70e9, 0xb5b32944 }, 0xabe5015142061565 },
    { { 0xe93d5a68, 0x948140f7 }, 0x221873b1b3141562 },
    { { 0x3a39ce37, 0xd3faf5cf }, 0x6c2af6c5f57a104a },
};

void blowfish_box_values(uint64_t *out, unsigned variant)
{
    out[0] = blowfish_boxes[variant].first[0];
    out[1] = blowfish_boxes[variant].first[1];
}

uint64_t digests_tail_hash(unsigned variant)
{
    return blowfish_boxes[variant].hash;
}

/* ---- P-256 (SP 800-186, 3.2.1.3): p, and 2^512 mod p ---- */

static const uint64_t p256[4] = { 0xffffffffffffffff, 0x00000000ffffffff, 0, 0xffffffff00000001 };

static bool subtract(uint64_t out[4], const uint64_t a[4], const uint64_t b[4])
{
    bool borrow = false;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t difference = a[i] - b[i];
        const bool next = a[i] < b[i] || difference < borrow;
        out[i] = difference - borrow;
        borrow = next;
    }
    return borrow;
}

/* In variants 2 and 3 the most significant limb comes first. */
void p256_values(uint64_t *out, unsigned variant)
{
    uint64_t x[4] = { 1, 0, 0, 0 }, less[4];
    for (unsigned i = 0; variant % 2 && i < 512; i++) {
        const bool carry = x[3] >> 63;
        for (unsigned k = 3; k > 0; k--)
            x[k] = x[k] << 1 | x[k - 1] >> 63;
        x[0] <<= 1;
        if (!subtract(less, x, p256) || carry)
            memcpy(x, less, sizeof x);
    }
    for (unsigned i = 0; i < 4; i++)
        out[variant < 2 ? i : 3 - i] = variant % 2 ? x[i] : p256[i];
}
