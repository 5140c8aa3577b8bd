/* SPDX-License-Identifier: Apache-2.0 */
/* Byte-sliced Camellia with AES's instructions: AES's S-box between linear maps ("filters"), which
 * are table lookups of nibbles.  A kernel's file that includes this one defines W, the vector of
 * intrinsics, BYTES, its size, TARGET, OP(name), its intrinsics, SPREAD(__m128i), which repeats 16
 * bytes, and ENC_LAST(x), DEC_LAST(x), the last rounds of AES with a key of zero. */
#include "../camellia_filters.h"
#include "../camellia_program.h"
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

typedef int V __attribute__((vector_size(BYTES), may_alias));
typedef uint8_t bytes __attribute__((vector_size(BYTES), may_alias));
enum { LANES = BYTES };

INLINE TARGET V add3(V a, V b, V c)
{
    return a ^ b ^ c;
}

INLINE TARGET V add_or(V x, V a, V b)
{
    return x ^ (a | b);
}

INLINE TARGET V add_and(V x, V a, V b)
{
    return x ^ (a & b);
}

INLINE TARGET V turned(V x)
{
    const W a = (W)x, doubled = OP(add_epi8)(a, a);
    return (V)OP(sub_epi8)(doubled, OP(cmpgt_epi8)((W){ 0 }, a));
}

/* Applies an affine map, as the XOR of two lookups: of the low nibble and of the high nibble. */
INLINE TARGET V filter(V x, const uint8_t map[2][16])
{
    const W low = OP(set1_epi8)(15);
    const W tables[2] = { SPREAD(_mm_loadu_si128((const __m128i *)map[0])),
                          SPREAD(_mm_loadu_si128((const __m128i *)map[1])) };
    const W high = OP(srli_epi16)((W)x, 4);
    return (V)OP(shuffle_epi8)(tables[0], (W)((V)low & x)) ^
           (V)OP(shuffle_epi8)(tables[1], (W)((V)low & (V)high));
}

static const uint8_t turn_map[2][2][16] = { { CAMELLIA_TURN_A }, { CAMELLIA_TURN_D } };
static const uint8_t enter_map[2][2][16] = { { CAMELLIA_ENTER_A }, { CAMELLIA_ENTER_D } };
static const uint8_t leave_map[2][2][16] = { { CAMELLIA_LEAVE_A }, { CAMELLIA_LEAVE_D } };
static const uint8_t after_map[2][3][2][16] = {
    { { CAMELLIA_AFTER_ENC_S1 }, { CAMELLIA_AFTER_ENC_S2 }, { CAMELLIA_AFTER_ENC_S3 } },
    { { CAMELLIA_AFTER_DEC_S1 }, { CAMELLIA_AFTER_DEC_S2 }, { CAMELLIA_AFTER_DEC_S3 } },
};

INLINE TARGET V sub(V x, int half, int s)
{
    if (s == 4)
        x = filter(x, turn_map[half]);
    x = half ? (V)DEC_LAST((W)x) : (V)ENC_LAST((W)x);
    return filter(x, after_map[half][s == 4 ? 0 : s - 1]);
}

INLINE TARGET V enter(V x, int half)
{
    return filter(x, enter_map[half]);
}

INLINE TARGET V leave(V x, int half)
{
    return filter(x, leave_map[half]);
}

/* ShiftRows, FIPS 197 section 5.1.2, and its inverse. */
INLINE TARGET V permuted(V x)
{
    const __m128i rows = _mm_setr_epi8(0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11);
    return (V)OP(shuffle_epi8)((W)x, SPREAD(rows));
}

INLINE TARGET V restored(V x)
{
    const __m128i rows = _mm_setr_epi8(0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3);
    return (V)OP(shuffle_epi8)((W)x, SPREAD(rows));
}

INLINE TARGET V unpack(V a, V b, int high)
{
    return (V)(high ? OP(unpackhi_epi8)((W)a, (W)b) : OP(unpacklo_epi8)((W)a, (W)b));
}

INLINE TARGET V load(const uint8_t *p)
{
    V x;
    memcpy(&x, p, sizeof x);
    return x;
}

INLINE TARGET void store(uint8_t *p, V x)
{
    memcpy(p, &x, sizeof x);
}

INLINE TARGET V fill(uint8_t byte)
{
    return (V)OP(set1_epi8)((char)byte);
}

INLINE TARGET V below(V a, V b)
{
    return ~(V)OP(cmpeq_epi8)(OP(max_epu8)((W)a, (W)b), (W)a);
}

/* Each byte of the program four times, so that loads can broadcast it as a 32-bit word. */
struct slice_words {
    alignas(32) uint32_t word[CAMELLIA_MAX_PROGRAM][8];
    uint64_t program[CAMELLIA_MAX_PROGRAM];
};
typedef const struct slice_words *slice_keys;

INLINE TARGET V key_at(slice_keys k, unsigned n, unsigned i)
{
    return (V)OP(set1_epi32)((int)k->word[n][i]);
}

INLINE TARGET __m128i filter16(__m128i x, const uint8_t map[2][16])
{
    const __m128i low = _mm_set1_epi8(15);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)map[0]), x & low) ^
           _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)map[1]), _mm_srli_epi16(x, 4) & low);
}

INLINE TARGET slice_keys make_keys(struct slice_words *w, const struct camellia_key *key,
                                   enum hr_op op)
{
    const __m128i four_times = _mm_set_epi32(0x03030303, 0x02020202, 0x01010101, 0);
    const __m128i four = _mm_set1_epi8(4);
    camellia_program(w->program, key, op, CAMELLIA_ADDED, CAMELLIA_ADDED_D, 0);
    for (unsigned n = 0; n < camellia_program_len(key->rounds); n++) {
        __m128i x = _mm_set1_epi64x((long long)w->program[n]);
        if (camellia_of_round(n, key->rounds))
            x = filter16(x, enter_map[n & 1]);
        _mm_store_si128((__m128i *)w->word[n], _mm_shuffle_epi8(x, four_times));
        _mm_store_si128((__m128i *)&w->word[n][4],
                        _mm_shuffle_epi8(x, _mm_add_epi8(four_times, four)));
    }
    return w;
}
