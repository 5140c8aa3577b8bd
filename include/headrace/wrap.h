/* SPDX-License-Identifier: Apache-2.0
 *
 * AES key wrap (RFC 3394, KW of SP 800-38F) and AES key wrap with padding (RFC 5649, KWP of
 * SP 800-38F): the encryption of keys under another key, with an integrity check.  Equal keys give
 * equal ciphertexts.  The conventions are those of headrace.h, which includes this file.
 *
 *           length of a key to be wrapped         wrapped              IV
 *   KW      16 bytes and more, a multiple of 8    8 bytes more         8 bytes
 *   KWP     1 to 2^32 - 1 bytes                   9 to 15 bytes more   4 bytes
 *
 * What KW and KWP call the IV is a constant which is compared when a key is unwrapped, and no
 * nonce. NULL stands for that of the RFCs.
 */
#ifndef HEADRACE_WRAP_H
#define HEADRACE_WRAP_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An expanded key for one row.  hr_wrap_key_size(alg) bytes aligned to 16 may be used instead. */
struct hr_wrap_key {
#if defined(__GNUC__)
    __attribute__((aligned(16)))
#endif
    uint8_t opaque[576];
};

/* hr_wrap_key_init expands a key that wraps keys.  HR_EALG, HR_EKEYLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_wrap_key_init(struct hr_wrap_key *key, hr_alg alg, const uint8_t *bytes,
                                          size_t bytes_len);
/* hr_wrap_key_init_kernel does the same with the i-th kernel of hr_kernel_at for one operation,
 * HR_OP_WRAP or HR_OP_UNWRAP.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_wrap_key_init_kernel(struct hr_wrap_key *key, hr_alg alg, enum hr_op op,
                                                 size_t i, const uint8_t *bytes, size_t bytes_len);
/* hr_wrap_key_wipe zeroes a key.  NULL is allowed. */
HR_API void hr_wrap_key_wipe(struct hr_wrap_key *key);
/* hr_wrap_key_size returns the size of a key for `alg`, or 0 if that does not wrap keys. */
HR_API size_t hr_wrap_key_size(hr_alg alg);

/* hr_wrapped_len returns how many bytes in_len bytes become when they are wrapped, or 0 if they
 * cannot be. */
HR_API size_t hr_wrapped_len(hr_alg alg, size_t in_len);
/* hr_wrap wraps in_len bytes.  `out` gets *out_len = hr_wrapped_len(alg, in_len) bytes.  HR_EINVAL,
 * HR_ESTATE (key not initialised), HR_ELENGTH, HR_EOVERLAP. */
HR_API HR_MUST_CHECK int hr_wrap(uint8_t *out, size_t *out_len, const uint8_t *in, size_t in_len,
                                 const struct hr_wrap_key *key, const uint8_t *iv);
/* hr_unwrap unwraps in_len bytes.  `out` needs room for in_len - 8 bytes; *out_len is the length of
 * the key, of KWP up to 7 less, and zeros follow.  If the integrity check fails, hr_unwrap zeroes
 * `out`, sets *out_len to 0 and returns HR_EMAC, after a time that tells nothing more.  HR_EINVAL,
 * HR_ESTATE, HR_ELENGTH, HR_EOVERLAP. */
HR_API HR_MUST_CHECK int hr_unwrap(uint8_t *out, size_t *out_len, const uint8_t *in, size_t in_len,
                                   const struct hr_wrap_key *key, const uint8_t *iv);

#ifdef __cplusplus
}
#endif
#endif
