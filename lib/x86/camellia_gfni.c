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

/* A key's form, in the order of use: backwards where it decrypts. */
struct few_keys {
    const uint64_t *first;
    ptrdiff_t next;
    uint32_t rounds;
};

INLINE TARGET void few_begin(struct few_keys *k, const void *of, enum hr_op op)
{
    const struct camellia_key *const key = of;
    const int forth = op == HR_OP_ENCRYPT;
    k->rounds = key->rounds;
    k->first = forth ? key->form : key->form + camellia_program_len(k->rounds) - 1;
    k->next = forth ? 1 : -1;
}

/* The program with rounds' entries under their maps; FL's are of words, for both of its steps. */
TARGET void camellia_form_gfni(struct camellia_key *key)
{
    const __m512i enter = _mm512_set1_epi64((long long)CAMELLIA_ENTER);
    const __m512i turned = _mm512_set1_epi64((long long)CAMELLIA_ENTER_TURNED);
    const __mmask64 by_s4 = 0x4848484848484848;
    const unsigned rounds = key->rounds;
    alignas(64) uint64_t program[CAMELLIA_MAX_PROGRAM] = { 0 };
    camellia_program(program, key, HR_OP_ENCRYPT, CAMELLIA_ADDED, CAMELLIA_ADDED, CAMELLIA_F_ADDED);
    for (unsigned n = 1; n < camellia_program_len(rounds); n += 10) {
        const __m512i x = _mm512_loadu_si512(program + n);
        const __m512i y = _mm512_mask_gf2p8affine_epi64_epi8(
            _mm512_gf2p8affine_epi64_epi8(x, enter, 0), by_s4, x, turned, 0);
        _mm512_mask_storeu_epi64(program + n, 0x3f, y);
    }
    for (unsigned n = 7, i = 8; n + 4 < camellia_program_len(rounds); n += 10, i += 8) {
        program[n] = program[n + 1] = camellia_fl_words(key->k[i]);
        program[n + 2] = program[n + 3] = camellia_fl_words(key->k[i + 1]);
        program[n + 1] &= 0xffffffff;
        program[n + 2] &= 0xffffffff;
    }
    memcpy(key->form, program, sizeof key->form);
    WIPE(&program);
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

/* From block to block halves stay under their maps, and the last round is computed to these and in
 * the clear, where the way out and back in would be part of the chain.  What is added to halves at
 * the end and at the beginning comes with the text. */
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
#include "../block_modes.h"
