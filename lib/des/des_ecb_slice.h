/* SPDX-License-Identifier: Apache-2.0 */
/* ECB, FIPS 81, in both directions.  The file that includes this one defines the vectors.
 *
 *   int des_ecb_encrypt_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                             const struct des_key *key, const uint8_t *iv, uint8_t *next);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; iv and next are
 * ignored. */
#include "des_slice_key.h"

static __attribute__((noinline)) TARGET int ecb(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                                const struct des_key *key, int decrypt)
{
    struct slice_work w;
    slice_expand(&w, key, decrypt);
    for (size_t now; num_blocks; num_blocks -= now, in += 8 * now, out += 8 * now) {
        now = num_blocks < LANES ? num_blocks : LANES;
        slice_from_blocks(w.x, slice_input(&w, in, now));
        slice_rounds(w.x, 16 * key->passes, w.masks[0]);
        slice_to_blocks(now < LANES ? (uint8_t *)w.x : out, w.x);
        if (now < LANES)
            memcpy(out, w.x, 8 * now);
    }
    slice_wipe(&w, 16 * key->passes);
    return 0;
}

TARGET int KERNEL(des_ecb_encrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                   const void *key, const uint8_t *iv, uint8_t *next)
{
    return ecb(out, in, num_blocks, key, 0);
}

TARGET int KERNEL(des_ecb_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                   const void *key, const uint8_t *iv, uint8_t *next)
{
    return ecb(out, in, num_blocks, key, 1);
}
