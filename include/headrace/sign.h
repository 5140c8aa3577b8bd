/* SPDX-License-Identifier: Apache-2.0
 *
 * Digital signatures: ECDSA (FIPS 186-5), Ed25519 (RFC 8032), ML-DSA (FIPS 204),
 * SLH-DSA (FIPS 205).  The conventions are those of headrace.h, which includes this file.
 *
 *             private key       public key   signature   a message is
 *   ECDSA     a number, as      04 || x || y r || s      a digest, any length: its leftmost
 *   (P-256,   many bytes as n   or 02 / 03 ||            bits are taken
 *   384, 521)                   x
 *   Ed25519   a seed, 32 bytes  32 bytes     64 bytes    the message, any length
 *   ML-DSA-44 2,560 bytes       1,312 bytes  2,420 bytes the message, any length
 *   ML-DSA-65 4,032 bytes       1,952 bytes  3,309 bytes the same
 *   ML-DSA-87 4,896 bytes       2,592 bytes  4,627 bytes the same
 *   SLH-DSA-* 64, 96 or         32, 48 or    7,856 to    the same
 *             128 bytes         64 bytes     49,856 bytes
 *
 * ML-DSA's keys are those of FIPS 204: a private key is made of sk, of the 32 bytes of its seed, or
 * of the seed and then sk, which must agree.  They keep the matrix that they stand for, which would
 * take most of the time of a verification, and take 36, 60 and 97 KB.
 *
 * SLH-DSA's are those of FIPS 205: a private key is made of SK.seed || SK.prf || PK.seed ||
 * PK.root, or of the first three of them, from which the last is computed.  That takes as long as a
 * new key, so a whole key is not checked before it signs: HR_EFAULT says then that its parts do not
 * fit.
 *
 * Numbers of ECDSA are big-endian, with 32, 48 or 66 bytes.  Its nonces are those of RFC 6979 with
 * 32 random bytes as additional input (section 3.6), or, deterministic, without.
 *
 * A key is set up once, and may then be used by any number of threads.  A private key also
 * verifies.  Signing takes the same time for all private keys; verification does not hide its
 * inputs, which are public.
 */
#ifndef HEADRACE_SIGN_H
#define HEADRACE_SIGN_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A key for one row, with room for the largest, of ML-DSA-87.  hr_sign_key_size(alg) bytes aligned
 * to 64, some hundred for elliptic curves, may be used instead. */
struct hr_sign_key {
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    uint8_t opaque[102400];
};

enum hr_sign_flags {
    HR_SIGN_DETERMINISTIC = 1, /* no randomness: equal messages get equal signatures */
    HR_SIGN_PREHASH = 2,       /* Ed25519ph: the message is the SHA-512 digest of the message;
                                * HashML-DSA, HashSLH-DSA: it is a digest by `digest` */
    HR_SIGN_MU = 4,            /* ML-DSA: the message is its representative mu, 64 bytes */
    HR_SIGN_ENCODED = 8, /* SLH-DSA: the message is M' of FIPS 205 algorithm 22, with its context */
    HR_SIGN_STRICT = 16, /* DSA: no kernel that computes by floating point */
    HR_SIGN_CONTEXT = 32, /* Ed25519: it is Ed25519ctx also where the context is empty */
};

/* How to sign and verify; members that are zero are the algorithm's defaults, and a row that does
 * not know a member that is set refuses it with HR_EINVAL. */
struct hr_sign_options {
    uint32_t flags;         /* enum hr_sign_flags */
    hr_alg digest;          /* ECDSA: the digest by which nonces are made (RFC 6979);
                             * HR_SIGN_PREHASH of ML-DSA and SLH-DSA: which digest the message is,
                             * of SHA-2 or SHA-3, or 32 bytes of SHAKE128 or 64 of SHAKE256 */
    const uint8_t *context; /* a name of the use, up to 255 bytes: with it, Ed25519 is Ed25519ctx */
    size_t context_len;
    const uint8_t *random; /* 32 random bytes for one signature, of which SLH-DSA takes as
                            * many as SK.seed has; NULL: the system's */
};

/* hr_sign_key_init makes a private key.  HR_EALG, HR_EKEYLEN, HR_EKEY (out of range, or its parts
 * do not fit), HR_EINVAL, HR_ECPU (no code for this CPU in this build). */
HR_API HR_MUST_CHECK int hr_sign_key_init(struct hr_sign_key *key, hr_alg alg, const uint8_t *bytes,
                                          size_t bytes_len);
/* hr_sign_key_init_public makes a public key, which only verifies.  Errors as before. */
HR_API HR_MUST_CHECK int hr_sign_key_init_public(struct hr_sign_key *key, hr_alg alg,
                                                 const uint8_t *bytes, size_t bytes_len);
/* hr_sign_key_init_pair makes a private key whose public key is known too: for ECDSA this takes as
 * long as a signature less.  ECDSA does not check that they belong together: if they do not,
 * signatures without randomness fail with HR_EFAULT.  Other rows do, and return HR_EKEY; SLH-DSA
 * compares with the public key that the private one contains.  Other errors as before, of either
 * key. */
HR_API HR_MUST_CHECK int hr_sign_key_init_pair(struct hr_sign_key *key, hr_alg alg,
                                               const uint8_t *bytes, size_t bytes_len,
                                               const uint8_t *public_bytes, size_t public_len);
/* hr_sign_key_generate makes a new private key of HR_KEY_RANDOM random bytes; NULL: the system's.
 * HR_ESYSTEM. */
HR_API HR_MUST_CHECK int hr_sign_key_generate(struct hr_sign_key *key, hr_alg alg,
                                              const uint8_t *random);
/* hr_sign_key_wipe zeroes a key, whose memory may be as small as hr_sign_key_size says.  NULL is
 * allowed. */
HR_API void hr_sign_key_wipe(struct hr_sign_key *key);
/* hr_sign_key_size returns the size of a key for `alg`, or 0 if that is no signature. */
HR_API size_t hr_sign_key_size(hr_alg alg);

/* hr_sign_key_private and hr_sign_key_public write the bytes of a key, in the form that the calls
 * above take.  *out_len is the size of `out`, and becomes the number of bytes written.  HR_EBUFFER,
 * HR_ESTATE (no key, or no private one). */
HR_API HR_MUST_CHECK int hr_sign_key_private(uint8_t *out, size_t *out_len,
                                             const struct hr_sign_key *key);
HR_API HR_MUST_CHECK int hr_sign_key_public(uint8_t *out, size_t *out_len,
                                            const struct hr_sign_key *key);
/* hr_sign_key_seed writes the seed of an ML-DSA key that was made of one; of any other row the
 * bytes of the private key, of SLH-DSA without PK.root.  Errors as before; HR_ESTATE also if there
 * is no seed. */
HR_API HR_MUST_CHECK int hr_sign_key_seed(uint8_t *out, size_t *out_len,
                                          const struct hr_sign_key *key);

/* hr_sign signs a message.  *sig_len is the size of `sig`, and becomes the number of bytes written:
 * the row's out_len.  `options` may be NULL.  A signature without randomness is checked
 * before it leaves: HR_EFAULT says that the computer made a mistake, and nothing was written, of
 * SLH-DSA, whose signatures are made where they will lie, zeros.
 * HR_EALG (`digest` is none that the row takes), HR_EBUFFER, HR_EINVAL, HR_ELENGTH (the context is
 * too long, or the message no such digest or mu), HR_EOVERLAP, HR_ESTATE (no private key),
 * HR_ESYSTEM (no random numbers). */
HR_API HR_MUST_CHECK int hr_sign(uint8_t *sig, size_t *sig_len, const void *in, size_t in_len,
                                 const struct hr_sign_key *key,
                                 const struct hr_sign_options *options);
/* hr_verify returns 0 if `sig` is a signature of the message under the key, and HR_EMAC if it is
 * not, whatever its length.  HR_EALG, HR_EINVAL, HR_ELENGTH, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_verify(const uint8_t *sig, size_t sig_len, const void *in,
                                   size_t in_len, const struct hr_sign_key *key,
                                   const struct hr_sign_options *options);

/* hr_ecdsa_to_der writes a signature of ECDSA or DSA, r || s, as SEQUENCE { r INTEGER, s INTEGER }
 * in DER.  *out_len is the size of `out`, and becomes the number of bytes written: at most sig_len
 * + 9.  HR_EBUFFER, HR_EINVAL, HR_ELENGTH, HR_EOVERLAP. */
HR_API HR_MUST_CHECK int hr_ecdsa_to_der(uint8_t *out, size_t *out_len, const uint8_t *sig,
                                         size_t sig_len);
/* hr_ecdsa_from_der reads such a signature, and writes sig_len bytes.  HR_EFORMAT: it is not DER,
 * or a number is negative or too large.  HR_EINVAL, HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_ecdsa_from_der(uint8_t *sig, size_t sig_len, const uint8_t *der,
                                           size_t der_len);

#ifdef __cplusplus
}
#endif
#endif
