/* SPDX-License-Identifier: Apache-2.0 */
/* P-384 for lanes: p = 2^384 - 2^128 - 2^96 + 2^32 - 1. */
#define CURVE p384
enum { DIGITS = 8, BITS = 384, COMB_WIDTH = 5, COMB_WINDOWS = 77, WINDOWS = 77 };
static const uint64_t FIELD[DIGITS] = { 0xffffffff,      0xff00000000000, 0xffffffeffffff,
                                        0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff,
                                        0xfffffffffffff, 0xfffff };
#define FIELD_M0 0x100000001
#define TIMES_P(k)                                                                                 \
    {                                                                                              \
        (k) * UINT64_C(0xffffffff), (k)*0xff00000000000, (k)*0xffffffeffffff, (k)*0xfffffffffffff, \
            (k)*0xfffffffffffff, (k)*0xfffffffffffff, (k)*0xfffffffffffff, (k)*UINT64_C(0xfffff)   \
    }

/* Sums are short enough. */
static inline __attribute__((always_inline)) TARGET void fold(vec d[DIGITS])
{
    (void)d;
}
