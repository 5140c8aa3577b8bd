/* SPDX-License-Identifier: Apache-2.0 */
/* FIPS 202 under the names that mlkem-native and mldsa-native call (prefixes mlk and mld), on our
 * Keccak.  A context of SHAKE absorbs and squeezes; of four contexts side by side, all have equal
 * lengths.  The contexts end wiped. */
#ifndef HR_PROVEN_FIPS202_H
#define HR_PROVEN_FIPS202_H

#include "../keccak/keccak.h"
#include "../secret.h"

#define SHAKE128_RATE 168
#define SHAKE256_RATE 136
#define SHA3_256_RATE 136
#define SHA3_512_RATE 72

/* A four-fold hash of equal lengths that writes the first out_len bytes of each. */
static inline __attribute__((unused)) void fips202_shake256_x4(uint8_t *const out[4],
                                                               size_t out_len,
                                                               const uint8_t *const in[4],
                                                               size_t in_len)
{
    struct keccak_x4 k;
    uint8_t last[4][SHAKE256_RATE];
    const size_t whole = out_len / SHAKE256_RATE, done = whole * SHAKE256_RATE;
    keccak_x4_absorb(&k, SHAKE256_RATE, KECCAK_SHAKE, in, in_len);
    keccak_x4_squeeze_blocks(&k, out, whole);
    if (done < out_len) {
        keccak_x4_squeeze_blocks(&k, (uint8_t *const[4]){ last[0], last[1], last[2], last[3] }, 1);
        for (int i = 0; i < 4; i++)
            memcpy(out[i] + done, last[i], out_len - done);
        WIPE(&last);
    }
    WIPE(&k);
}

/* clang-format off */
#define FIPS202_FN static inline __attribute__((unused)) void
#define FIPS202_SHAKE(p, bits)                                                                     \
    typedef struct keccak p##_shake##bits##ctx;                                                    \
    typedef struct keccak_x4 p##_shake##bits##x4ctx;                                               \
    FIPS202_FN p##_shake##bits##_init(struct keccak *k)                                            \
    { keccak_start(k, SHAKE##bits##_RATE, KECCAK_SHAKE); }                                         \
    FIPS202_FN p##_shake##bits##_absorb(struct keccak *k, const uint8_t *in, size_t len)           \
    { keccak_absorb(k, in, len); }                                                                 \
    FIPS202_FN p##_shake##bits##_absorb_once(struct keccak *k, const uint8_t *in, size_t len)      \
    { keccak_absorb(k, in, len); }                                                                 \
    FIPS202_FN p##_shake##bits##_finalize(struct keccak *k) { (void)k; }                           \
    FIPS202_FN p##_shake##bits##_squeeze(uint8_t *out, size_t len, struct keccak *k)               \
    { keccak_squeeze(k, out, len); }                                                               \
    FIPS202_FN p##_shake##bits##_squeezeblocks(uint8_t *out, size_t num, struct keccak *k)         \
    { keccak_squeeze(k, out, num * SHAKE##bits##_RATE); }                                          \
    FIPS202_FN p##_shake##bits##_release(struct keccak *k) { WIPE(k); }                            \
    FIPS202_FN p##_shake##bits##x4_init(struct keccak_x4 *k) { (void)k; }                          \
    FIPS202_FN p##_shake##bits##x4_absorb_once(struct keccak_x4 *k, const uint8_t *a,              \
                                               const uint8_t *b, const uint8_t *c,                 \
                                               const uint8_t *d, size_t len)                       \
    { keccak_x4_absorb(k, SHAKE##bits##_RATE, KECCAK_SHAKE,                                        \
                       (const uint8_t *const[4]){ a, b, c, d }, len); }                            \
    FIPS202_FN p##_shake##bits##x4_squeezeblocks(uint8_t *a, uint8_t *b, uint8_t *c, uint8_t *d,   \
                                                 size_t num, struct keccak_x4 *k)                  \
    { keccak_x4_squeeze_blocks(k, (uint8_t *const[4]){ a, b, c, d }, num); }                       \
    FIPS202_FN p##_shake##bits##x4_release(struct keccak_x4 *k) { WIPE(k); }

#define FIPS202_NAMES(p)                                                                           \
    FIPS202_SHAKE(p, 128)                                                                          \
    FIPS202_SHAKE(p, 256)                                                                          \
    FIPS202_FN p##_shake256(uint8_t *out, size_t out_len, const uint8_t *in, size_t in_len)        \
    { keccak_hash(out, out_len, SHAKE256_RATE, KECCAK_SHAKE, in, in_len); }                        \
    FIPS202_FN p##_sha3_256(uint8_t *out, const uint8_t *in, size_t len)                           \
    { keccak_hash(out, 32, SHA3_256_RATE, KECCAK_SHA3, in, len); }                                 \
    FIPS202_FN p##_sha3_512(uint8_t *out, const uint8_t *in, size_t len)                           \
    { keccak_hash(out, 64, SHA3_512_RATE, KECCAK_SHA3, in, len); }                                 \
    FIPS202_FN p##_shake256x4(uint8_t *a, uint8_t *b, uint8_t *c, uint8_t *d, size_t out_len,      \
                              uint8_t *e, uint8_t *f, uint8_t *g, uint8_t *h, size_t in_len)       \
    { fips202_shake256_x4((uint8_t *const[4]){ a, b, c, d }, out_len,                              \
                          (const uint8_t *const[4]){ e, f, g, h }, in_len); }
/* clang-format on */

#endif
