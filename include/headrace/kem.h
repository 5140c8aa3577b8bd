/* SPDX-License-Identifier: Apache-2.0
 *
 * Key encapsulation: ML-KEM (FIPS 203).  The conventions are those of headrace.h, which includes
 * this file.
 *
 *                 private key dk  public key ek  ciphertext
 *   ML-KEM-512    1,632 bytes     800 bytes      768 bytes
 *   ML-KEM-768    2,400 bytes     1,184 bytes    1,088 bytes
 *   ML-KEM-1024   3,168 bytes     1,568 bytes    1,568 bytes
 *
 * The secret that both sides get has 32 bytes.  A key is set up once, and may then be used by any
 * number of threads; it keeps the matrix that its bytes stand for, which would take half of the
 * time of an operation.  A private key also encapsulates.
 */
#ifndef HEADRACE_KEM_H
#define HEADRACE_KEM_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HR_KEM_SECRET_LEN = 32,
    HR_KEM_RANDOM_LEN = 32, /* random bytes of one encapsulation: FIPS 203's m */
    HR_KEM_SEED_LEN = 64,   /* random bytes of a key: FIPS 203's d || z */
    HR_KEM_MAX_CIPHERTEXT = 1568,
};

/* A key for one row.  hr_kem_key_size(alg) bytes aligned to 64 may be used instead: 6 to 16 KiB. */
struct hr_kem_key {
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    uint8_t opaque[16384];
};

/* hr_kem_key_init makes a private key of its seed d || z, of dk, or of the seed and then dk, which
 * must agree.  HR_EKEY: dk does not hold the hash of its ek (FIPS 203 section 7.3), ek is out of
 * range (7.2), or seed and dk disagree.  HR_EALG, HR_EKEYLEN, HR_EINVAL, HR_ECPU (no code for this
 * row in this build). */
HR_API HR_MUST_CHECK int hr_kem_key_init(struct hr_kem_key *key, hr_alg alg, const uint8_t *bytes,
                                         size_t bytes_len);
/* hr_kem_key_init_public makes a public key of ek, which only encapsulates.  Errors as before. */
HR_API HR_MUST_CHECK int hr_kem_key_init_public(struct hr_kem_key *key, hr_alg alg,
                                                const uint8_t *bytes, size_t bytes_len);
/* hr_kem_key_generate makes a new private key of HR_KEY_RANDOM random bytes, of which the first
 * HR_KEM_SEED_LEN are its seed; NULL: the system's.  HR_ESYSTEM. */
HR_API HR_MUST_CHECK int hr_kem_key_generate(struct hr_kem_key *key, hr_alg alg,
                                             const uint8_t *random);
/* hr_kem_key_wipe zeroes a key, whose memory may be as small as hr_kem_key_size says.  NULL is
 * allowed. */
HR_API void hr_kem_key_wipe(struct hr_kem_key *key);
/* hr_kem_key_size returns the size of a key for `alg`, or 0 if that is no key encapsulation. */
HR_API size_t hr_kem_key_size(hr_alg alg);
/* hr_kem_ciphertext_len returns the length of the ciphertexts of `alg`, or 0. */
HR_API size_t hr_kem_ciphertext_len(hr_alg alg);

/* hr_kem_key_private, hr_kem_key_seed and hr_kem_key_public write dk, d || z, and ek.  *out_len is
 * the size of `out`, and becomes the number of bytes written.  HR_EBUFFER, HR_EINVAL, HR_ESTATE (no
 * key, no private one, or one that was made of dk alone and has no seed). */
HR_API HR_MUST_CHECK int hr_kem_key_private(uint8_t *out, size_t *out_len,
                                            const struct hr_kem_key *key);
HR_API HR_MUST_CHECK int hr_kem_key_seed(uint8_t *out, size_t *out_len,
                                         const struct hr_kem_key *key);
HR_API HR_MUST_CHECK int hr_kem_key_public(uint8_t *out, size_t *out_len,
                                           const struct hr_kem_key *key);

/* hr_kem_encapsulate writes a ciphertext and the secret that it carries.  *ct_len is the size of
 * `ct`, and becomes the number of bytes written.  `random` is HR_KEM_RANDOM_LEN bytes that nobody
 * else knows; NULL: the system's.  HR_EBUFFER, HR_EINVAL, HR_EOVERLAP, HR_ESTATE, HR_ESYSTEM. */
HR_API HR_MUST_CHECK int hr_kem_encapsulate(uint8_t *ct, size_t *ct_len,
                                            uint8_t secret[HR_KEM_SECRET_LEN],
                                            const struct hr_kem_key *key, const uint8_t *random);
/* hr_kem_decapsulate writes the secret of a ciphertext.  A ciphertext of the right length that was
 * not made by hr_kem_encapsulate gives a secret that nobody knows (FIPS 203's implicit rejection),
 * in the same time.  HR_ELENGTH, HR_EINVAL, HR_EOVERLAP, HR_ESTATE (no private key). */
HR_API HR_MUST_CHECK int hr_kem_decapsulate(uint8_t secret[HR_KEM_SECRET_LEN], const uint8_t *ct,
                                            size_t ct_len, const struct hr_kem_key *key);

#ifdef __cplusplus
}
#endif
#endif
