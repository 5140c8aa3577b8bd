/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on one to eight blocks, and in chains: GFNI, and AVX-512's masks and gates on vectors of
 * 16 to 64 bytes. */
#include "../camellia_filters.h"
#include "../camellia_program.h"
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
#define TARGET __attribute__((target("gfni,avx512f,avx512bw,avx512vl")))
#define MODE(mode) camellia_##mode##_gfni

enum { FEW = 8 };
typedef __m128i block;

struct few_keys {
    alignas(64) uint64_t program[CAMELLIA_MAX_PROGRAM];
    uint32_t rounds;
};

/* Rounds' entries under their maps. */
INLINE TARGET void few_begin(struct few_keys *k, const void *of, enum hr_op op)
{
    const __m512i enter = _mm512_set1_epi64((long long)CAMELLIA_ENTER);
    const __m512i turned = _mm512_set1_epi64((long long)CAMELLIA_ENTER_TURNED);
    const __m512i by_s4 = _mm512_set1_epi64(0x00ff0000ff000000);
    const struct camellia_key *const key = of;
    k->rounds = key->rounds;
    camellia_program(k->program, key, op, CAMELLIA_ADDED, CAMELLIA_ADDED, CAMELLIA_F_ADDED);
    for (unsigned n = 0; n < camellia_program_len(key->rounds); n += 8) {
        const __m512i x = _mm512_load_si512(&k->program[n]);
        __mmask8 of_round = 0;
        for (unsigned i = 0; i < 8; i++)
            of_round |= (__mmask8)(camellia_of_round(n + i, key->rounds) << i);
        const __m512i y =
            _mm512_ternarylogic_epi64(by_s4, _mm512_gf2p8affine_epi64_epi8(x, turned, 0),
                                      _mm512_gf2p8affine_epi64_epi8(x, enter, 0), 0xca);
        _mm512_store_si512(&k->program[n], _mm512_mask_mov_epi64(x, of_round, y));
    }
}

#define W __m128i
#define MASK __mmask16
#define OP(name) _mm_##name
#define WIDE(name) name##_128
#define _mm_broadcast(x) (x)
#define _mm_set1_epi64(x) _mm_set1_epi64x(x)
#include "camellia_half.h"
#undef _mm_set1_epi64

#define W __m256i
#define MASK __mmask32
#define OP(name) _mm256_##name
#define WIDE(name) name##_256
#define _mm256_broadcast(x) _mm256_broadcastsi128_si256(x)
#define _mm256_set1_epi64(x) _mm256_set1_epi64x(x)
#include "camellia_half.h"

#define W __m512i
#define MASK __mmask64
#define OP(name) _mm512_##name
#define WIDE(name) name##_512
#define _mm512_broadcast(x) _mm512_broadcast_i32x4(x)
#include "camellia_half.h"

INLINE TARGET block load16(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE TARGET void store16(uint8_t *p, block x)
{
    _mm_storeu_si128((__m128i *)p, x);
}

INLINE TARGET block xor16(block a, block b)
{
    return _mm_xor_si128(a, b);
}

INLINE TARGET block few_one(block x, const struct few_keys *k)
{
    crypt_128(&x, 1, k);
    return x;
}

/* The narrowest vectors that hold them: shuffles of 64 bytes have one unit. */
INLINE TARGET void few_crypt(uint8_t *at, size_t num, const struct few_keys *k)
{
    if (num == 1) {
        store16(at, few_one(load16(at), k));
    } else if (num == 2) {
        __m256i x = _mm256_load_si256((const __m256i *)at);
        crypt_256(&x, 1, k);
        _mm256_store_si256((__m256i *)at, x);
    } else {
        __m512i x[2] = { _mm512_load_si512(at), _mm512_load_si512(at + 64) };
        if (num <= 4)
            crypt_512(x, 1, k);
        else
            crypt_512(x, 2, k);
        _mm512_store_si512(at, x[0]);
        _mm512_store_si512(at + 64, x[1]);
    }
}

INLINE TARGET void few_end(void)
{
    _mm256_zeroupper();
}

#include "../block_modes.h"
