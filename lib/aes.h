/* SPDX-License-Identifier: Apache-2.0 */
/* The prototypes of AES kernels: aes_<mode>_<direction>_<isa>, and the expansions. */
#ifndef HR_AES_H
#define HR_AES_H

#include "internal.h"

cipher_blocks_fn aes_ecb_encrypt_c, aes_ecb_decrypt_c, aes_cbc_encrypt_c, aes_cbc_decrypt_c,
    aes_cfb_encrypt_c, aes_cfb_decrypt_c, aes_ctr_c;
aes_expand_fn aes_expand_c;

#endif
