/* SPDX-License-Identifier: Apache-2.0 */
/* CCM, SP 800-38C: its kernel table. */
#include "../aead.h"

#define AESNI (CPU(AESNI) | CPU(SSE41))

/* clang-format off */
static const struct aead_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86("avx", CPU(AVX) | AESNI, aes_ccm_hash_avx,
               { aes_ccm_encrypt_avx, aes_ccm_decrypt_avx })
    KERNEL_X86("aesni", AESNI, aes_ccm_hash_aesni, { aes_ccm_encrypt_aesni, aes_ccm_decrypt_aesni })
    KERNEL_ARM64("ce", CPU(ARM_AES), aes_ccm_hash_ce,
                 { aes_ccm_encrypt_ce, aes_ccm_decrypt_ce })
    KERNEL_SPARC("t4", CPU(SPARC_AES) | CPU(SPARC_VIS3), ccm_hash_t4,
                 { ccm_encrypt_t4, ccm_decrypt_t4 })
    KERNEL_X86("avx2", CPU(AVX2), aes_ccm_hash_avx2, { aes_ccm_encrypt_avx2, aes_ccm_decrypt_avx2 })
    KERNEL_X86("ssse3", CPU(SSSE3), aes_ccm_hash_ssse3,
               { aes_ccm_encrypt_ssse3, aes_ccm_decrypt_ssse3 })
    KERNEL_ARM64("neon", CPU(ARM_NEON), aes_ccm_hash_neon,
                 { aes_ccm_encrypt_neon, aes_ccm_decrypt_neon })
    KERNEL_C(ccm_hash_c, { ccm_encrypt_c, ccm_decrypt_c })
};
/* clang-format on */

static _Atomic(const struct aead_kernel *) chosen;
const struct aead_impl ccm_impl = { kernels, COUNT(kernels), &chosen };
