/* SPDX-License-Identifier: Apache-2.0 */
/* DES and triple DES (FIPS 46-3): the key schedule that every kernel reads, and the prototypes of
 * kernels, des_<mode>_<direction>_<isa>, each of which serves both ciphers. */
#ifndef HR_DES_H
#define HR_DES_H

#include "../batch.h"
#include "des_key.h"

/* The key schedule KS of FIPS 46-3 in the order of encryption: round[r][i] is added to the six
 * input bits of box i + 1, the first of which is the most significant.  In triple DES (EDE) the
 * middle pass is decryption with K2, stored so that encryption reads all 48 rounds forwards;
 * decryption reads them backwards. */
struct des_key {
    uint8_t round[48][8];
    uint32_t passes; /* 1, or 3 for triple DES */
    /* K1, K2, K3 themselves, from which the SPARC T4 and lanes kernels make round keys in their own
     * form. */
    alignas(8) uint8_t key[3][8];
};
static_assert(offsetof(struct des_key, passes) == DES_KEY_PASSES &&
                  offsetof(struct des_key, key) == DES_KEY_KEY,
              "what assembly reads");
static_assert(sizeof(struct des_key) <= sizeof(struct aes_key), "fits in a struct cipher_key");

/* The significant bits of a key, as C and D of FIPS 46-3: 28 bits each, the first one most
 * significant. */
struct des_halves {
    uint32_t c, d;
};
struct des_halves des_permuted_choice(const uint8_t key[8]);

/* Expands keys of 8, 16 or 24 bytes; parity bits are ignored. */
void des_expand(void *key, const uint8_t *bytes, size_t bytes_len, int decrypt);

/* Kernels that process one block after the other, or a few side by side. */
#define DES_KERNELS(isa)                                                                    \
    cipher_blocks_fn des_ecb_encrypt_##isa, des_ecb_decrypt_##isa, des_cbc_encrypt_##isa,   \
        des_cbc_decrypt_##isa, des_cfb_encrypt_##isa, des_cfb_decrypt_##isa, des_ofb_##isa, \
        des_ctr_##isa;
DES_KERNELS(c)
DES_KERNELS(vartime)
DES_KERNELS(pshufb)
DES_KERNELS(vbmi)
DES_KERNELS(tbl)
DES_KERNELS(t4)

/* Bit-sliced kernels, which compute 64 to 512 blocks at once, for modes in which blocks do not wait
 * for each other. */
#define DES_SLICED(isa)                                                                   \
    cipher_blocks_fn des_ecb_encrypt_##isa, des_ecb_decrypt_##isa, des_cbc_decrypt_##isa, \
        des_cfb_decrypt_##isa, des_ctr_##isa;
DES_SLICED(avx512)
DES_SLICED(avx512vl)
DES_SLICED(avx2)
DES_SLICED(neon)
DES_SLICED(c64)

/* Kernels for encryption of many messages in lanes. */
wide_lanes_fn des_cbc_lanes_c64, des_cfb_lanes_c64;
wide_lanes_fn des_cbc_lanes_avx2, des_cfb_lanes_avx2;
wide_lanes_fn des_cbc_lanes_avx512, des_cfb_lanes_avx512;

#endif
