/* SPDX-License-Identifier: Apache-2.0 */
/* P-256 for lanes: p = 2^256 - 2^224 + 2^192 + 2^96 - 1. */
#define CURVE p256
enum { DIGITS = 5, BITS = 256, COMB_WIDTH = 6, COMB_WINDOWS = 43, WINDOWS = 52 };
static const uint64_t FIELD[DIGITS] = { 0xfffffffffffff, 0xfffffffffff, 0, 0x1000000000,
                                        0xffffffff0000 };
#define FIELD_M0 1
#define TIMES_P(k)                                                                        \
    {                                                                                     \
        (k) * 0xfffffffffffff, (k)*0xfffffffffff, 0, (k)*0x1000000000, (k)*0xffffffff0000 \
    }

/* Subtracts p as often as the highest digit says, of a number whose digits have not been carried.
 * Their carries take up to 3 from it, or add up to 12, and 4 are kept for them: what is left is
 * above 0, and below 2^256 and a little.  2^256 - p = 2^224 - 2^192 - 2^96 + 1. */
static inline __attribute__((always_inline)) TARGET void fold(vec d[DIGITS])
{
    const vec top = SUB(d[4], ALL(4)), times = SAR(top, 48);
    d[0] = ADD(d[0], times);
    d[1] = SUB(d[1], SHL(times, 44));
    d[3] = SUB(d[3], SHL(times, 36));
    d[4] = ADD(SUB(d[4], SHL(times, 48)), SHL(times, 16));
}
