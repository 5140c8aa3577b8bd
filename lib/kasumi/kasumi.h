/* SPDX-License-Identifier: Apache-2.0 */
/* KASUMI, 3GPP TS 35.202: its key, and what its kernels and the calls over them share. */
#ifndef HR_KASUMI_H
#define HR_KASUMI_H

#include "../internal.h"

/* Subkeys of a round in the order of section 4.1's function f. */
enum kasumi_subkey { KL1, KL2, KO1, KO2, KO3, KI1, KI2, KI3, KASUMI_SUBKEYS };

struct kasumi_key {
    uint16_t round[8][KASUMI_SUBKEYS];
};

/* S9(0) = 167 and S7(0) = 54, combined as FI combines its two halves.  The netlists leave these
 * constants out, so KASUMI_FI_0 is added to the KI in the middle of FI, and to FI's result. */
#define KASUMI_FI_0 0x22a7

/* The key modifiers of f8 and f9 (TS 35.201). */
#define KASUMI_KM_F8 0x5555
#define KASUMI_KM_F9 0xaaaa

/* The IV of f8's kernels: the register A, the last block of keystream, the number of the next. */
enum { KASUMI_F8_A = 0, KASUMI_F8_KSB = 8, KASUMI_F8_COUNT = 16, KASUMI_F8_IV = 24 };

void kasumi_expand(struct kasumi_key *key, const uint8_t bytes[16]);
/* Computes the subkeys of K ^ KM, where each 16 bits of KM are `modifier`. */
void kasumi_modify(struct kasumi_key *out, const struct kasumi_key *key, uint16_t modifier);

/* Computes f9 over whole blocks of its padded string, without the last step, which uses K ^ KM;
 * `state` is the registers A and B of TS 35.201 section 4.4. */
typedef void kasumi_f9_fn(uint8_t state[16], const uint8_t *in, size_t num_blocks,
                          const struct kasumi_key *key);
struct kasumi_f9_kernel {
    struct hr_kernel info;
    kasumi_f9_fn *blocks;
};
struct kasumi_f9_impl {
    const struct kasumi_f9_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct kasumi_f9_kernel *) *chosen;
};
extern const struct kasumi_f9_impl kasumi_f9_impl;
const struct kasumi_f9_kernel *kasumi_f9_choose(const struct kasumi_f9_impl *impl);

/* A key of f9, and the state of a message of which a part has been processed. */
struct kasumi_f9_key {
    struct kasumi_key key;
    const struct kasumi_f9_kernel *kernel;
};
struct kasumi_f9_state {
    uint8_t ab[16], buf[8], waiting, direction;
};
void kasumi_f9_setup(struct kasumi_f9_key *key, const uint8_t *bytes,
                     const struct kasumi_f9_kernel *kernel);
void kasumi_f9_start(struct kasumi_f9_state *s, const struct kasumi_f9_key *key, const uint8_t *iv);
void kasumi_f9_update(struct kasumi_f9_state *s, const struct kasumi_f9_key *key, const uint8_t *in,
                      size_t in_len);
void kasumi_f9_final(uint8_t mac[4], struct kasumi_f9_state *s, const struct kasumi_f9_key *key,
                     unsigned bits);

/* Makes the IV of f8's kernels, `state`, from the caller's IV of 8 bytes. */
void kasumi_f8_start(uint8_t state[KASUMI_F8_IV], const void *key, const uint8_t *iv);

/* Computes f8 of num_bits bits, which continue the message of `state`.  `state` cannot be used
 * afterwards. */
void kasumi_f8_bits(uint8_t *out, const uint8_t *in, uint64_t num_bits,
                    const struct kasumi_key *key, uint8_t state[KASUMI_F8_IV]);

extern const struct block_cipher kasumi_cipher;
/* Return the chosen kernels: kasumi_ecb_few() that for encryption of few blocks, kasumi_f8_blocks()
 * that for f8. */
cipher_blocks_fn *kasumi_ecb_few(void);
cipher_blocks_fn *kasumi_f8_blocks(void);

cipher_blocks_fn kasumi_ecb_encrypt_c, kasumi_ecb_decrypt_c, kasumi_f8_c;
cipher_blocks_fn kasumi_ecb_encrypt_gfni, kasumi_ecb_decrypt_gfni, kasumi_f8_gfni;
kasumi_f9_fn kasumi_f9_c, kasumi_f9_gfni;

#endif
