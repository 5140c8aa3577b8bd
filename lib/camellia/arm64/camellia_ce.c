/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on 16 blocks, byte-sliced.  AESE and AESD with a key of zero are ShiftRows and AES's
 * S-box, and the inverses of both; the linear maps around them are table lookups of nibbles. */
#include "../camellia_filters.h"
#include "../camellia_program.h"
#include <arm_neon.h>

#define INLINE static inline __attribute__((always_inline))
#define TARGET __attribute__((target("+crypto")))
#define KERNEL(stem) stem##_ce

typedef uint8x16_t V;
typedef uint8x16_t bytes;
enum { LANES = 16 };

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
    return vsriq_n_u8(vshlq_n_u8(x, 1), x, 7);
}

/* Applies an affine map, as the XOR of two lookups: of the low nibble and of the high nibble. */
INLINE TARGET V filter(V x, const uint8_t map[2][16])
{
    return vqtbl1q_u8(vld1q_u8(map[0]), x & vdupq_n_u8(15)) ^
           vqtbl1q_u8(vld1q_u8(map[1]), vshrq_n_u8(x, 4));
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
    const V zero = vdupq_n_u8(0);
    if (s == 4)
        x = filter(x, turn_map[half]);
    x = half ? vaesdq_u8(x, zero) : vaeseq_u8(x, zero);
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
    const V rows = { 0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11 };
    return vqtbl1q_u8(x, rows);
}

INLINE TARGET V restored(V x)
{
    const V rows = { 0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3 };
    return vqtbl1q_u8(x, rows);
}

INLINE TARGET V unpack(V a, V b, int high)
{
    return high ? vzip2q_u8(a, b) : vzip1q_u8(a, b);
}

INLINE TARGET V load(const uint8_t *p)
{
    return vld1q_u8(p);
}

INLINE TARGET void store(uint8_t *p, V x)
{
    vst1q_u8(p, x);
}

INLINE TARGET V fill(uint8_t byte)
{
    return vdupq_n_u8(byte);
}

INLINE TARGET V below(V a, V b)
{
    return vcltq_u8(a, b);
}

INLINE TARGET void leave_vectors(void) {}

struct slice_words {
    alignas(16) uint64_t program[CAMELLIA_MAX_PROGRAM];
};
typedef const struct slice_words *slice_keys;

INLINE TARGET V key_at(slice_keys k, unsigned n, unsigned i)
{
    return vld1q_dup_u8((const uint8_t *)&k->program[n] + i);
}

INLINE TARGET slice_keys make_keys(struct slice_words *w, const struct camellia_key *key,
                                   enum hr_op op)
{
    camellia_program(w->program, key, op, CAMELLIA_ADDED, CAMELLIA_ADDED_D, 0);
    for (unsigned n = 0; n < camellia_program_len(key->rounds); n++)
        if (camellia_of_round(n, key->rounds)) {
            const V x = vreinterpretq_u8_u64(vdupq_n_u64(w->program[n]));
            w->program[n] = vgetq_lane_u64(vreinterpretq_u64_u8(filter(x, enter_map[n & 1])), 0);
        }
    return w;
}

#include "../camellia_sliced.h"
