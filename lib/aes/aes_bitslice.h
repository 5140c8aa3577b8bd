/* SPDX-License-Identifier: Apache-2.0 */
/* AES on four blocks at once, bit-sliced in eight 64-bit planes, without tables (aes_bitslice.c).
 */
#ifndef HR_AES_BITSLICE_H
#define HR_AES_BITSLICE_H

#include "../internal.h"

enum { SLICED_BLOCKS = 4, SLICED_LEN = 64 };

/* Round keys as bit planes; they are secret. */
struct aes_sliced {
    uint64_t keys[15][8];
    uint32_t rounds;
};

void aes_slice_encrypt_keys(struct aes_sliced *sliced, const struct aes_key *key);
void aes_slice_decrypt_keys(struct aes_sliced *sliced, const struct aes_key *key);

/* These encrypt or decrypt four blocks in place. */
void aes_sliced_encrypt(uint8_t blocks[SLICED_LEN], const struct aes_sliced *sliced);
void aes_sliced_decrypt(uint8_t blocks[SLICED_LEN], const struct aes_sliced *sliced);

/* SubWord (FIPS 197 section 5.2) of four bytes, and InvMixColumns of one block; key expansion uses
 * them. */
void aes_sliced_sub_word(uint8_t word[4]);
void aes_sliced_inv_mix_columns(uint8_t block[16]);

#endif
