/* SPDX-License-Identifier: Apache-2.0 */
/* The prototypes of AES kernels, aes_<mode>_<direction>_<isa>, and of key expansions. */
#ifndef HR_AES_H
#define HR_AES_H

#include "../batch.h"

aes_expand_fn aes_expand_c, aes_expand_aesni, aes_expand_ce, aes_expand_t4;
aes_import_fn aes_import_t4;
cipher_blocks_fn aes_ecb_encrypt_c, aes_ecb_decrypt_c, aes_cbc_encrypt_c, aes_cbc_decrypt_c,
    aes_cfb_encrypt_c, aes_cfb_decrypt_c, aes_ctr_c;
cipher_blocks_fn aes_ecb_encrypt_aesni, aes_ecb_decrypt_aesni, aes_cbc_encrypt_aesni,
    aes_cbc_decrypt_aesni, aes_cfb_encrypt_aesni, aes_cfb_decrypt_aesni, aes_ctr_aesni;
cipher_blocks_fn aes_cbc_encrypt_avx, aes_cfb_encrypt_avx;
cipher_blocks_fn aes_ecb_encrypt_vaes256, aes_ecb_decrypt_vaes256, aes_cbc_decrypt_vaes256,
    aes_cfb_decrypt_vaes256, aes_ctr_vaes256;
cipher_blocks_fn aes_ecb_encrypt_vaes512, aes_ecb_decrypt_vaes512, aes_cbc_decrypt_vaes512,
    aes_cfb_decrypt_vaes512, aes_ctr_vaes512;
cipher_blocks_fn aes_ecb_encrypt_ce, aes_ecb_decrypt_ce, aes_cbc_encrypt_ce, aes_cbc_decrypt_ce,
    aes_cfb_encrypt_ce, aes_cfb_decrypt_ce, aes_ctr_ce;
cipher_blocks_fn aes_ecb_encrypt_ssse3, aes_ecb_decrypt_ssse3, aes_cbc_encrypt_ssse3,
    aes_cbc_decrypt_ssse3, aes_cfb_encrypt_ssse3, aes_cfb_decrypt_ssse3, aes_ctr_ssse3;
cipher_blocks_fn aes_ecb_encrypt_avx2, aes_ecb_decrypt_avx2, aes_cbc_decrypt_avx2,
    aes_cfb_decrypt_avx2, aes_ctr_avx2;
cipher_blocks_fn aes_ecb_encrypt_neon, aes_ecb_decrypt_neon, aes_cbc_encrypt_neon,
    aes_cbc_decrypt_neon, aes_cfb_encrypt_neon, aes_cfb_decrypt_neon, aes_ctr_neon;
cipher_blocks_fn aes_ecb_encrypt_t4, aes_ecb_decrypt_t4, aes_cbc_encrypt_t4, aes_cbc_decrypt_t4,
    aes_cfb_encrypt_t4, aes_cfb_decrypt_t4, aes_ctr_t4;

/* The kernels' entries for direct calls of one block, indexed by key length. */
typedef cipher_one_fn *const aes_one_fns[3];
extern aes_one_fns aes_ecb_encrypt_one_aesni, aes_ecb_decrypt_one_aesni, aes_cbc_encrypt_one_aesni,
    aes_cbc_decrypt_one_aesni, aes_cfb_encrypt_one_aesni, aes_cfb_decrypt_one_aesni,
    aes_ctr_one_aesni;
extern aes_one_fns aes_cbc_encrypt_one_avx, aes_cfb_encrypt_one_avx;
extern aes_one_fns aes_ecb_encrypt_one_vaes256, aes_ecb_decrypt_one_vaes256,
    aes_cbc_decrypt_one_vaes256, aes_cfb_decrypt_one_vaes256, aes_ctr_one_vaes256;
extern aes_one_fns aes_ecb_encrypt_one_vaes512, aes_ecb_decrypt_one_vaes512,
    aes_cbc_decrypt_one_vaes512, aes_cfb_decrypt_one_vaes512, aes_ctr_one_vaes512;
extern aes_one_fns aes_ecb_encrypt_one_ce, aes_ecb_decrypt_one_ce, aes_cbc_encrypt_one_ce,
    aes_cbc_decrypt_one_ce, aes_cfb_encrypt_one_ce, aes_cfb_decrypt_one_ce, aes_ctr_one_ce;

/* CBC and CFB encryption of many messages in lanes (batch.h). */
cipher_lanes_fn aes_cbc_lanes_aesni, aes_cfb_lanes_aesni;
cipher_lanes_fn aes_cbc_lanes_vaes256, aes_cfb_lanes_vaes256;
cipher_lanes_fn aes_cbc_lanes_vaes512, aes_cfb_lanes_vaes512;
cipher_lanes_fn aes_cbc_lanes_ce, aes_cfb_lanes_ce;

#endif
