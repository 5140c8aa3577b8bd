/* SPDX-License-Identifier: Apache-2.0
 *
 * MACs that are a chain of a block cipher: CMAC (SP 800-38B, RFC 4493), the retail MAC (ISO/IEC
 * 9797-1, algorithm 3 with DES; ANSI X9.19), and DES-MAC (FIPS 113, ANSI X9.9).  No nonce is
 * needed. The conventions are those of headrace.h, which includes this file. key MAC       padding
 * of a message AES CMAC        16, 24, 32 bytes         16 bytes  - DES-EDE2 CMAC   16 bytes: K1,
 * K2         8 bytes   - DES-EDE3 CMAC   24 bytes: K1, K2, K3     8 bytes   - DES-MAC         8
 * bytes                  4 bytes   zeros, method 1 Retail-MAC      16 bytes: K, K'          8 bytes
 * zeros, method 1 Retail-MAC-80   16 bytes: K, K'          8 bytes   a one and zeros, method 2
 *
 * Method 1 does not tell a message from the same one with zeros at its end: use it only where the
 * length is known otherwise.  With blocks of 8 bytes a key is for less than 2^32 blocks in all, of
 * CMAC by SP 800-38B for 2^21 messages.  Parity bits of DES keys are ignored.
 */
#ifndef HEADRACE_CMAC_H
#define HEADRACE_CMAC_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HR_CMAC_MAX_OUT 16

/* An expanded key for one row.  hr_cmac_key_size(alg) bytes aligned to 64 may be used instead. */
struct hr_cmac_key {
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    uint8_t opaque[1088];
};

/* The state of one message.  The key must outlive it.  hr_cmac_size(alg) bytes aligned to 8 may be
 * used instead. */
struct hr_cmac_ctx {
    uint64_t opaque[8];
};

/* hr_cmac_key_init expands a key.  HR_EALG, HR_EKEYLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_cmac_key_init(struct hr_cmac_key *key, hr_alg alg, const uint8_t *bytes,
                                          size_t bytes_len);
/* hr_cmac_key_init_vartime does the same as hr_cipher_key_init_vartime does it: with DES, a kernel
 * that looks key and text up in tables, where that is faster. */
HR_API HR_MUST_CHECK int hr_cmac_key_init_vartime(struct hr_cmac_key *key, hr_alg alg,
                                                  const uint8_t *bytes, size_t bytes_len);
/* hr_cmac_key_init_kernel does the same with the i-th kernel of hr_kernel_at, which are those of
 * CBC encryption.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_cmac_key_init_kernel(struct hr_cmac_key *key, hr_alg alg, size_t i,
                                                 const uint8_t *bytes, size_t bytes_len);
/* hr_cmac_key_wipe zeroes a key.  NULL is allowed. */
HR_API void hr_cmac_key_wipe(struct hr_cmac_key *key);
/* hr_cmac_key_size and hr_cmac_size return the sizes of a key and of a context for `alg`, or 0 if
 * that is none of these MACs. */
HR_API size_t hr_cmac_key_size(hr_alg alg);
HR_API size_t hr_cmac_size(hr_alg alg);

/* hr_cmac computes the MAC of a whole message, as hr_aes_128_cmac and the like of
 * <headrace/algorithms.h> do, for the row of the key.  Errors are theirs, and HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_cmac(uint8_t *out, const void *in, size_t in_len,
                                 const struct hr_cmac_key *key);
/* hr_cmac_verify compares the first mac_len bytes of the message's MAC with `mac` in constant time
 * and returns 0 or HR_EMAC.  mac_len is 1 to the row's out_len, else HR_ETAGLEN.  The receiver must
 * decide on mac_len, never the sender.  Other errors are those of hr_cmac. */
HR_API HR_MUST_CHECK int hr_cmac_verify(const uint8_t *mac, size_t mac_len, const void *in,
                                        size_t in_len, const struct hr_cmac_key *key);

/* hr_cmac_init starts a message.  HR_ESTATE (key not initialised), HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_cmac_init(struct hr_cmac_ctx *ctx, const struct hr_cmac_key *key);
/* hr_cmac_update absorbs in_len bytes.  HR_ESTATE before init or after final; HR_ELENGTH past
 * 2^61 - 1 bytes. */
HR_API HR_MUST_CHECK int hr_cmac_update(struct hr_cmac_ctx *ctx, const void *in, size_t in_len);
/* hr_cmac_final writes the row's out_len bytes and zeroes the context.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cmac_final(struct hr_cmac_ctx *ctx, uint8_t *out);
/* hr_cmac_set_key makes a copied context use a copy of its key: same row, same kernel.
 * HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cmac_set_key(struct hr_cmac_ctx *ctx, const struct hr_cmac_key *key);

#ifdef __cplusplus
}
#endif
#endif
