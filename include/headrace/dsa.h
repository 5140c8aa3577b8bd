/* SPDX-License-Identifier: Apache-2.0
 *
 * DSA (FIPS 186-4 section 4).  The conventions are those of headrace.h.
 *
 * A modulus p has 1,024 to 3,072 bits, and q, which divides p - 1, has 160, 224 or 256.  A key is
 * set up once, and may then be used by any number of threads.  A private key also verifies.
 * Signatures are r || s, each as long as q; hr_ecdsa_to_der and hr_ecdsa_from_der (sign.h) make DER
 * of them and read it.  Operations with a private key take the same time for all keys whose p and q
 * have the same lengths.  They need 80 KiB of stack.
 */
#ifndef HEADRACE_DSA_H
#define HEADRACE_DSA_H

#include <headrace/headrace.h>
#include <headrace/number.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hr_dsa_key {
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    uint8_t opaque[2048];
};

/* The group p, q, g with a public key y = g^x mod p and a private key x. */
struct hr_dsa_parts {
    struct hr_number p, q, g, y, x;
};

/* hr_dsa_key_init makes a private key of p, q, g, x, and y, which is computed if it has no bytes.
 * It checks that g and y have the order q, and that y is x's; not that p and q are prime.
 * HR_EKEY: they do not fit; HR_EKEYLEN: another length than above; HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_dsa_key_init(struct hr_dsa_key *key, const struct hr_dsa_parts *parts);
/* hr_dsa_key_init_public makes a public key of p, q, g and y.  Errors as before. */
HR_API HR_MUST_CHECK int hr_dsa_key_init_public(struct hr_dsa_key *key,
                                                const struct hr_dsa_parts *parts);
/* hr_dsa_key_generate makes a new private key of the group p, q, g.  HR_ESYSTEM, and as before. */
HR_API HR_MUST_CHECK int hr_dsa_key_generate(struct hr_dsa_key *key,
                                             const struct hr_dsa_parts *parts);
/* hr_dsa_key_wipe zeroes a key.  NULL is allowed. */
HR_API void hr_dsa_key_wipe(struct hr_dsa_key *key);
/* hr_dsa_size returns the number of bytes of a signature; 0: no key. */
HR_API size_t hr_dsa_size(const struct hr_dsa_key *key);

/* hr_dsa_private and hr_dsa_public write x, as long as q, and y, as long as p.  *out_len is the
 * size of `out`, and becomes their length.  HR_EBUFFER, HR_EINVAL, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_dsa_private(uint8_t *out, size_t *out_len,
                                        const struct hr_dsa_key *key);
HR_API HR_MUST_CHECK int hr_dsa_public(uint8_t *out, size_t *out_len, const struct hr_dsa_key *key);

/* hr_dsa_sign signs a digest of any length, of which the leftmost bits are taken, as many as q has.
 * Of the options it knows HR_SIGN_DETERMINISTIC, the digest by which nonces are made (RFC 6979),
 * and `random`, as ECDSA does; NULL: none.  *sig_len is the size of `sig`, and becomes hr_dsa_size.
 * HR_EFAULT: the computer made a mistake, or p and q are not prime, and nothing was written.
 * HR_EALG, HR_EBUFFER, HR_EINVAL, HR_EOVERLAP, HR_ESTATE (no private key), HR_ESYSTEM. */
HR_API HR_MUST_CHECK int hr_dsa_sign(uint8_t *sig, size_t *sig_len, const uint8_t *in,
                                     size_t in_len, const struct hr_dsa_key *key,
                                     const struct hr_sign_options *options);
/* hr_dsa_verify returns 0 if `sig` is a signature of the digest, HR_EMAC if it is not, whatever its
 * length.  HR_EINVAL, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_dsa_verify(const uint8_t *sig, size_t sig_len, const uint8_t *in,
                                       size_t in_len, const struct hr_dsa_key *key);

#ifdef __cplusplus
}
#endif
#endif
