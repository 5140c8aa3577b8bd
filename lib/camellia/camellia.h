/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia, RFC 3713: its keys, and the prototypes of its kernels,
 * camellia_<mode>_<direction>_<isa>.
 *
 * The S-boxes s1 to s4 consist of inversion in GF(2^8) between affine maps
 * (tools/gen/camellia_filters.py).  No kernel looks up an S-box in memory. */
#ifndef HR_CAMELLIA_H
#define HR_CAMELLIA_H

#include "../batch.h"
#include "camellia_key.h"

enum { CAMELLIA_MAX_KEYS = 34, CAMELLIA_PROGRAM = 38 };

/* The subkeys in the order in which encryption uses them: kw1 kw2 k1 ... k6 ke1 ke2 k7 ... kw3 kw4.
 * Each is a number as the RFC writes it, the first byte the highest. */
struct camellia_key {
    uint64_t k[CAMELLIA_MAX_KEYS];
    uint32_t rounds; /* 18 or 24 */
    /* A second form of the subkeys, which some kernels read (camellia_form.h).  It is made at setup
     * if this CPU has such kernels. */
    uint64_t form[CAMELLIA_PROGRAM];
};
static_assert(sizeof(struct camellia_key) <= CIPHER_SCHEDULE_LEN, "room in keys");
static_assert(offsetof(struct camellia_key, rounds) == CAMELLIA_KEY_ROUNDS, "what assembly reads");

/* The number of subkeys: two for whitening at each end, and two for each FL layer, which stands
 * after every six rounds but the last six. */
static inline unsigned camellia_num_keys(unsigned rounds)
{
    return rounds + rounds / 6 * 2 + 2;
}

/* The index of the i-th subkey in the order of use.  Decryption uses them backwards, except that
 * the two whitening keys at each end keep their order. */
static inline unsigned camellia_place(unsigned i, unsigned num, enum hr_op op)
{
    const unsigned from_end = num - 1 - i;
    return op == HR_OP_ENCRYPT ? i : i < 2 || from_end < 2 ? from_end ^ 1 : from_end;
}

extern const struct block_cipher camellia_cipher;

typedef void camellia_form_fn(struct camellia_key *key);
camellia_form_fn camellia_form_gfni, camellia_form_aesni1, camellia_form_ce1;

cipher_blocks_fn camellia_ecb_encrypt_c, camellia_ecb_decrypt_c, camellia_cbc_encrypt_c,
    camellia_cbc_decrypt_c, camellia_cfb_encrypt_c, camellia_cfb_decrypt_c, camellia_ctr_c;
cipher_blocks_fn camellia_ecb_encrypt_aesni, camellia_ecb_decrypt_aesni, camellia_cbc_decrypt_aesni,
    camellia_cfb_decrypt_aesni, camellia_ctr_aesni;
cipher_blocks_fn camellia_ecb_encrypt_aesni1, camellia_ecb_decrypt_aesni1,
    camellia_cbc_encrypt_aesni1, camellia_cbc_decrypt_aesni1, camellia_cfb_encrypt_aesni1,
    camellia_cfb_decrypt_aesni1, camellia_ctr_aesni1;
cipher_blocks_fn camellia_ecb_encrypt_avx2, camellia_ecb_decrypt_avx2, camellia_cbc_decrypt_avx2,
    camellia_cfb_decrypt_avx2, camellia_ctr_avx2;
cipher_blocks_fn camellia_ecb_encrypt_vaes256, camellia_ecb_decrypt_vaes256,
    camellia_cbc_decrypt_vaes256, camellia_cfb_decrypt_vaes256, camellia_ctr_vaes256;
cipher_blocks_fn camellia_ecb_encrypt_ce, camellia_ecb_decrypt_ce, camellia_cbc_decrypt_ce,
    camellia_cfb_decrypt_ce, camellia_ctr_ce;
cipher_blocks_fn camellia_ecb_encrypt_ce1, camellia_ecb_decrypt_ce1, camellia_cbc_encrypt_ce1,
    camellia_cbc_decrypt_ce1, camellia_cfb_encrypt_ce1, camellia_cfb_decrypt_ce1, camellia_ctr_ce1;
cipher_blocks_fn camellia_ecb_encrypt_gfni, camellia_ecb_decrypt_gfni, camellia_cbc_encrypt_gfni,
    camellia_cbc_decrypt_gfni, camellia_cfb_encrypt_gfni, camellia_cfb_decrypt_gfni,
    camellia_ctr_gfni;
cipher_blocks_fn camellia_ecb_encrypt_gfni256, camellia_ecb_decrypt_gfni256,
    camellia_cbc_decrypt_gfni256, camellia_cfb_decrypt_gfni256, camellia_ctr_gfni256;
cipher_blocks_fn camellia_ecb_encrypt_gfni512, camellia_ecb_decrypt_gfni512,
    camellia_cbc_decrypt_gfni512, camellia_cfb_decrypt_gfni512, camellia_ctr_gfni512;

cipher_blocks_fn camellia_ecb_encrypt_t4, camellia_ecb_decrypt_t4, camellia_cbc_encrypt_t4,
    camellia_cbc_decrypt_t4, camellia_cfb_encrypt_t4, camellia_cfb_decrypt_t4, camellia_ctr_t4;

/* Kernels for encryption of many messages.  A lane's key is its camellia_program(). */
enum { CAMELLIA_LANE_KEY = 8 * CAMELLIA_PROGRAM };
wide_lanes_fn camellia_cbc_lanes_gfni512, camellia_cfb_lanes_gfni512;

#endif
