/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on one to eight blocks, and in chains, with GFNI and with AVX-512's masks and ternary
 * logic, on vectors of 16 to 64 bytes. */
#include "../../bytes.h"
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
#define TARGET __attribute__((target("gfni,avx512f,avx512bw,avx512vl")))
#define MODE(mode) camellia_##mode##_gfni

#include "../camellia_form.h"

enum { FEW = 8 };
typedef __m128i block;

INLINE TARGET void enter_six(uint64_t *entries)
{
    const __m512i enter = _mm512_set1_epi64((long long)CAMELLIA_ENTER);
    const __m512i turned = _mm512_set1_epi64((long long)CAMELLIA_ENTER_TURNED);
    const __mmask64 by_s4 = 0x4848484848484848;
    const __m512i x = _mm512_loadu_si512(entries);
    const __m512i y = _mm512_mask_gf2p8affine_epi64_epi8(_mm512_gf2p8affine_epi64_epi8(x, enter, 0),
                                                         by_s4, x, turned, 0);
    _mm512_mask_storeu_epi64(entries, 0x3f, y);
}

TARGET void camellia_form_gfni(struct camellia_key *key)
{
    few_form(key, enter_six);
    _mm256_zeroupper();
}

#define W __m128i
#define OP(name) _mm_##name
#define WIDE(name) name##_128
#define _mm_broadcast(x) (x)
#define _mm_set1_epi64(x) _mm_set1_epi64x(x)
#include "camellia_half.h"
#undef _mm_set1_epi64

#define W __m256i
#define OP(name) _mm256_##name
#define WIDE(name) name##_256
#define _mm256_broadcast(x) _mm256_broadcastsi128_si256(x)
#define _mm256_set1_epi64(x) _mm256_set1_epi64x(x)
#include "camellia_half.h"

#define W __m512i
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

/* Uses the narrowest vectors that hold the blocks: for shuffles of 64 bytes the CPU has only one
 * unit. */
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

/* CBC and CFB encryption.  Between blocks the halves stay under their maps, because removing and
 * applying the maps would lengthen the chain.  The last round is therefore computed twice, under
 * the maps for the next block and without them for the output.  What is added to the halves at the
 * end of a block and at the beginning of the next is added together with the text. */
INLINE TARGET int few_chain(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *of,
                            const uint8_t iv[16], uint8_t next[16], int cbc)
{
    struct few_keys keys;
    few_begin(&keys, of, HR_OP_ENCRYPT);
    const block first = _mm_loadl_epi64((const block *)keys.first);
    const block last =
        _mm_loadl_epi64((const block *)(keys.first + camellia_program_len(keys.rounds) - 1));
    const block both = first ^ last;
    block c = load16(iv), before = c ^ last, left[2], right[2];
    left[0] = enter_128(_mm_unpacklo_epi64(before, before));
    right[0] = enter_128(_mm_unpackhi_epi64(before, before));
    for (; num_blocks; num_blocks--, in += 16, out += 16) {
        const block p = load16(in), added = cbc ? xor16(p, both) : both;
        left[0] ^= enter_128(_mm_unpacklo_epi64(added, added));
        if (cbc)
            right[0] ^= enter_128(_mm_unpackhi_epi64(p, p));
        run_128(left, right, 1, &keys);
        const block r = right[0], l = add_clear_f_128(leave_words_128(left[0]), r);
        c = words_128(_mm_unpacklo_epi64(leave_words_128(r), l)) ^ last;
        right[0] = add_f_128(left[0], r);
        left[0] = r;
        if (!cbc) {
            c ^= p;
            left[0] ^= enter_128(_mm_unpacklo_epi64(p, p));
            right[0] ^= enter_128(_mm_unpackhi_epi64(p, p));
        }
        store16(out, c);
    }
    if (next)
        store16(next, c);
    WIPE(&keys);
    few_end();
    return 0;
}

#define FEW_CHAIN
#include "../../block_modes.h"
