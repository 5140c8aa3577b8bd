/* SPDX-License-Identifier: Apache-2.0
 *
 * Key agreement: two parties, each with a private key and the other's public key, compute the same
 * secret.  ECDH (SP 800-56A), X25519 (RFC 7748).  The conventions are those of headrace.h, which
 * includes this file.
 *
 *            private key  public key  secret
 *   ECDH     a number     04 || x || y or 02 / 03 || x
 *                                     x
 *   X25519   32 bytes     32 bytes    32 bytes
 *
 * Numbers of ECDH are big-endian, with 32, 48 or 66 bytes (P-256, P-384, P-521).
 *
 * A key is set up once, and may then be used by any number of threads.  The secret is not uniformly
 * random: derive keys from it (hr_hkdf_extract).
 */
#ifndef HEADRACE_AGREE_H
#define HEADRACE_AGREE_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A private key for one row.  hr_agree_key_size(alg) bytes aligned to 64 may be used instead. */
struct hr_agree_key {
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    uint8_t opaque[512];
};

/* hr_agree_key_init makes a private key.  HR_EALG, HR_EKEYLEN, HR_EKEY (out of range), HR_EINVAL,
 * HR_ECPU (no code for this CPU in this build). */
HR_API HR_MUST_CHECK int hr_agree_key_init(struct hr_agree_key *key, hr_alg alg,
                                           const uint8_t *bytes, size_t bytes_len);
/* hr_agree_key_generate makes a new private key of HR_KEY_RANDOM random bytes; NULL: the system's.
 * HR_ESYSTEM. */
HR_API HR_MUST_CHECK int hr_agree_key_generate(struct hr_agree_key *key, hr_alg alg,
                                               const uint8_t *random);
/* hr_agree_key_wipe zeroes a key.  NULL is allowed. */
HR_API void hr_agree_key_wipe(struct hr_agree_key *key);
/* hr_agree_key_size returns the size of a key for `alg`, or 0 if that is no key agreement. */
HR_API size_t hr_agree_key_size(hr_alg alg);

/* hr_agree_key_private and hr_agree_key_public write the bytes of a private key and of its public
 * key, which is computed at each call.  *out_len is the size of `out`, and becomes the number of
 * bytes written.  HR_EBUFFER, HR_ESTATE (key not initialised). */
HR_API HR_MUST_CHECK int hr_agree_key_private(uint8_t *out, size_t *out_len,
                                              const struct hr_agree_key *key);
HR_API HR_MUST_CHECK int hr_agree_key_public(uint8_t *out, size_t *out_len,
                                             const struct hr_agree_key *key);

/* hr_agree computes the secret that `key` and the other party's public key have in common.
 * *out_len is the size of `out`, and becomes the number of bytes written: the row's out_len.
 * HR_EKEY: the public key is no point of the curve, or of a small order, and nothing was written.
 * HR_EBUFFER, HR_EKEYLEN (of the public key), HR_EOVERLAP, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_agree(uint8_t *out, size_t *out_len, const uint8_t *peer,
                                  size_t peer_len, const struct hr_agree_key *key);
/* hr_agree_check returns 0 if hr_agree can take these bytes as a public key: HR_EALG, HR_EKEYLEN,
 * HR_EKEY.  hr_agree itself checks as much. */
HR_API HR_MUST_CHECK int hr_agree_check(hr_alg alg, const uint8_t *peer, size_t peer_len);

#ifdef __cplusplus
}
#endif
#endif
