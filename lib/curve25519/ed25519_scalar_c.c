/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic modulo L, the order of Ed25519's base point, portable and in constant time. */
#include "ed25519.h"

typedef unsigned __int128 wide;

static const uint64_t order[4] = { 0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, UINT64_C(1) << 60 };

/* out -= L unless out is below L; `out` is below 2 L. */
static void subtract_order(uint64_t out[4])
{
    uint64_t less[4], borrow = 0;
    for (int i = 0; i < 4; i++) {
        const wide difference = (wide)out[i] - order[i] - borrow;
        less[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    const uint64_t keep = 0 - (uint64_t)ct_hide((uint32_t)borrow);
    for (int i = 0; i < 4; i++)
        out[i] = (out[i] & keep) | (less[i] & ~keep);
    WIPE(&less);
}

/* Takes the bits of `in` from the highest one on: out = 2 out + bit mod L. */
void ed25519_reduce_c(uint64_t out[4], uint64_t n, const uint64_t *in)
{
    uint64_t z[4] = { 0 };
    for (uint64_t i = 64 * n; i-- > 0;) {
        for (int k = 3; k > 0; k--)
            z[k] = z[k] << 1 | z[k - 1] >> 63;
        z[0] = z[0] << 1 | (in[i / 64] >> (i % 64) & 1);
        subtract_order(z);
    }
    memcpy(out, z, sizeof z);
    WIPE(&z);
}

void ed25519_madd_c(uint64_t out[4], const uint64_t x[4], const uint64_t y[4], const uint64_t c[4])
{
    uint64_t z[9] = { c[0], c[1], c[2], c[3] };
    for (int i = 0; i < 4; i++) {
        uint64_t carry = 0;
        for (int k = 0; k < 4; k++) {
            const wide sum = (wide)x[i] * y[k] + z[i + k] + carry;
            z[i + k] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        for (int k = i + 4; k < 9; k++) {
            const wide sum = (wide)z[k] + carry;
            z[k] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
    }
    ed25519_reduce_c(out, 9, z);
    WIPE(&z);
}
