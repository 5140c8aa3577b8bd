/* SPDX-License-Identifier: Apache-2.0
 *
 * XTS-AES (IEEE 1619, SP 800-38E), for sectors of disks.  A data unit of 16 to 2^24 bytes is
 * encrypted in one call, to as many bytes.  Nothing is authenticated.  The conventions are those of
 * headrace.h, which includes this file.
 */
#ifndef HEADRACE_XTS_H
#define HEADRACE_XTS_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An expanded key for one row.  hr_xts_key_size(alg) bytes aligned to 16 may be used instead. */
struct hr_xts_key {
#if defined(__GNUC__)
    __attribute__((aligned(16)))
#endif
    uint8_t opaque[1024];
};

/* hr_xts_key_init expands a key: its first half encrypts data, its second half tweaks.  A key of
 * equal halves can only decrypt; encryption returns HR_EKEY (SP 800-38E; FIPS 140 IG C.I).
 * HR_EALG, HR_EKEYLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_xts_key_init(struct hr_xts_key *key, hr_alg alg, const uint8_t *bytes,
                                         size_t bytes_len);
/* hr_xts_key_init_kernel does the same with the i-th kernel of hr_kernel_at for one operation.
 * HR_ECPU. */
HR_API HR_MUST_CHECK int hr_xts_key_init_kernel(struct hr_xts_key *key, hr_alg alg, enum hr_op op,
                                                size_t i, const uint8_t *bytes, size_t bytes_len);
/* hr_xts_key_wipe zeroes a key.  NULL is allowed. */
HR_API void hr_xts_key_wipe(struct hr_xts_key *key);
HR_API size_t hr_xts_key_size(hr_alg alg);

/* hr_xts_encrypt and hr_xts_decrypt process one data unit, as hr_aes_128_xts_encrypt and the like
 * of <headrace/algorithms.h> do, for the row of the key.  Errors are theirs, and HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_xts_encrypt(uint8_t *out, const uint8_t *in, size_t len,
                                        const struct hr_xts_key *key, const uint8_t *iv);
HR_API HR_MUST_CHECK int hr_xts_decrypt(uint8_t *out, const uint8_t *in, size_t len,
                                        const struct hr_xts_key *key, const uint8_t *iv);

/* hr_xts_encrypt_units and hr_xts_decrypt_units process num_units data units of unit_len bytes
 * each, such as consecutive sectors of a disk; the first has the number `first`.  Errors are those
 * of hr_xts_encrypt; nothing has been written then. */
HR_API HR_MUST_CHECK int hr_xts_encrypt_units(uint8_t *out, const uint8_t *in, size_t unit_len,
                                              size_t num_units, const struct hr_xts_key *key,
                                              uint64_t first);
HR_API HR_MUST_CHECK int hr_xts_decrypt_units(uint8_t *out, const uint8_t *in, size_t unit_len,
                                              size_t num_units, const struct hr_xts_key *key,
                                              uint64_t first);

/* hr_xts_key_advance makes a key for the rest of the data unit `iv`, after its first num_blocks
 * blocks of 16 bytes: the calls above with this key and iv continue the unit there.  So a long unit
 * can be processed in pieces of whole blocks, each of which advances the key; the last piece has 16
 * bytes or more, and may end with a part of a block.  The key is useless for other units then.
 * HR_ELENGTH for more than 2^20 blocks, HR_ESTATE, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_xts_key_advance(struct hr_xts_key *key, const uint8_t *iv,
                                            size_t num_blocks);

#ifdef __cplusplus
}
#endif
#endif
