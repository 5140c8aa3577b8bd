/* SPDX-License-Identifier: Apache-2.0
 *
 * XTS-AES (IEEE 1619, SP 800-38E): sectors of disks.  A data unit of 16 bytes to 2^24 is encrypted
 * in one call, to as many bytes.  Nothing is authenticated.  The conventions are those of
 * headrace.h, which includes this file.
 */
#ifndef HEADRACE_XTS_H
#define HEADRACE_XTS_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An expanded key for one row.  hr_xts_key_size(alg) bytes aligned to 16 may stand in. */
struct hr_xts_key {
#if defined(__GNUC__)
    __attribute__((aligned(16)))
#endif
    uint8_t opaque[1024];
};

/* Expands a key, the one for data and then the one for tweaks.  A key of equal halves is taken for
 * decryption only: encryption is HR_EKEY (SP 800-38E; FIPS 140 IG C.I).
 * HR_EALG, HR_EKEYLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_xts_key_init(struct hr_xts_key *key, hr_alg alg, const uint8_t *bytes,
                                         size_t bytes_len);
/* The same, with the i-th kernel of hr_kernel_at for one operation.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_xts_key_init_kernel(struct hr_xts_key *key, hr_alg alg, enum hr_op op,
                                                size_t i, const uint8_t *bytes, size_t bytes_len);
/* Zeroes a key.  NULL is allowed. */
HR_API void hr_xts_key_wipe(struct hr_xts_key *key);
HR_API size_t hr_xts_key_size(hr_alg alg);

/* int hr_aes_128_xts_encrypt(out, in, len, key, iv), ..._decrypt: one data unit; iv has 16 bytes,
 * the unit's number in little-endian order.  HR_ESTATE (key of another row), HR_EKEY, HR_EOVERLAP,
 * HR_ELENGTH.  NULL keys or IVs are the caller's error and not looked for. */
#define HR_XTS(number, sym, SYM, ...)                                                             \
    HR_API HR_MUST_CHECK int hr_##sym##_encrypt(uint8_t *out, const uint8_t *in, size_t len,      \
                                                const struct hr_xts_key *key, const uint8_t *iv); \
    HR_API HR_MUST_CHECK int hr_##sym##_decrypt(uint8_t *out, const uint8_t *in, size_t len,      \
                                                const struct hr_xts_key *key, const uint8_t *iv);
#include <headrace/algorithms.def>

/* The same for any row: the key says which.  Also HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_xts_encrypt(uint8_t *out, const uint8_t *in, size_t len,
                                        const struct hr_xts_key *key, const uint8_t *iv);
HR_API HR_MUST_CHECK int hr_xts_decrypt(uint8_t *out, const uint8_t *in, size_t len,
                                        const struct hr_xts_key *key, const uint8_t *iv);

/* num_units data units of unit_len bytes each, one after the other, numbered from `first`: a run of
 * a disk's sectors.  Errors as above, for which nothing is written. */
HR_API HR_MUST_CHECK int hr_xts_encrypt_units(uint8_t *out, const uint8_t *in, size_t unit_len,
                                              size_t num_units, const struct hr_xts_key *key,
                                              uint64_t first);
HR_API HR_MUST_CHECK int hr_xts_decrypt_units(uint8_t *out, const uint8_t *in, size_t unit_len,
                                              size_t num_units, const struct hr_xts_key *key,
                                              uint64_t first);

#ifdef __cplusplus
}
#endif
#endif
