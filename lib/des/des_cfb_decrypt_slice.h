/* SPDX-License-Identifier: Apache-2.0 */
/* CFB decryption, FIPS 81, of 64 bits: out[i] = E(in[i - 1]) ^ in[i], in[-1] the IV. The file that
 * includes this one defines the vectors.
 *
 *   int des_cfb_decrypt_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                             const struct des_key *key, const uint8_t iv[8], uint8_t next[8]);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; next, unless it is
 * NULL, becomes the last ciphertext block. */
#include "des_slice_key.h"

TARGET int KERNEL(des_cfb_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                   const void *schedule, const uint8_t *iv, uint8_t *next)
{
    const struct des_key *key = schedule;
    struct slice_work w;
    uint64_t before = load_le64(iv);
    slice_expand(&w, key, 0);
    for (size_t now; num_blocks; num_blocks -= now, in += 8 * now, out += 8 * now) {
        now = num_blocks < LANES ? num_blocks : LANES;
        uint8_t *const x = (uint8_t *)w.x;
        store_le64(x, before);
        memcpy(x + 8, in, 8 * now - 8);
        memset(x + 8 * now, 0, sizeof w.x - 8 * now);
        before = load_le64(in + 8 * now - 8);
        slice_from_blocks(w.x, w.x);
        slice_rounds(w.x, 16 * key->passes, w.masks[0]);
        slice_to_blocks(w.x, w.x);
        slice_xor(out, w.x, in, now);
    }
    if (next)
        store_le64(next, before);
    slice_wipe(&w, 16 * key->passes);
    return 0;
}
