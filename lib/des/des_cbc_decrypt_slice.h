/* SPDX-License-Identifier: Apache-2.0 */
/* CBC decryption, FIPS 81: out[i] = D(in[i]) ^ in[i - 1], in[-1] the IV. The file that includes
 * this one defines the vectors.
 *
 *   int des_cbc_decrypt_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                             const struct des_key *key, const uint8_t iv[8], uint8_t next[8]);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; next, unless it is
 * NULL, becomes the last ciphertext block.  The blocks are written from the last to the first,
 * since each needs the ciphertext before it, and out may be equal to in. */
#include "des_slice_key.h"

TARGET int KERNEL(des_cbc_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                   const void *schedule, const uint8_t *iv, uint8_t *next)
{
    const struct des_key *key = schedule;
    struct slice_work w;
    uint64_t before = load_le64(iv);
    slice_expand(&w, key, 1);
    for (size_t now; num_blocks; num_blocks -= now, in += 8 * now, out += 8 * now) {
        now = num_blocks < LANES ? num_blocks : LANES;
        slice_from_blocks(w.x, slice_input(&w, in, now));
        slice_rounds(w.x, 16 * key->passes, w.masks[0]);
        slice_to_blocks(w.x, w.x);
        const uint64_t last = load_le64(in + 8 * now - 8);
        slice_xor(out + 8, (uint8_t *)w.x + 8, in, now - 1);
        store_le64(out, load_le64(w.x) ^ before);
        before = last;
    }
    if (next)
        store_le64(next, before);
    slice_wipe(&w, 16 * key->passes);
    return 0;
}
