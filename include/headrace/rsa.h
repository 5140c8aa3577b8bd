/* SPDX-License-Identifier: Apache-2.0
 *
 * RSA (RFC 8017): signatures by PKCS#1 v1.5 and PSS, encryption by OAEP and PKCS#1 v1.5.  The
 * conventions are those of headrace.h.
 *
 * A modulus has 1,024 to 16,384 bits, with a private key up to 4,096.  Numbers are big-endian, and
 * may have leading zeros.  A key is set up once, and may then be used by any number of threads.
 * Operations with a private key are blinded, take the same time for all keys whose n, e and primes
 * have the same lengths, and check each result with the public exponent before it leaves.  They
 * need 80 KiB of stack, and new keys 128.
 */
#ifndef HEADRACE_RSA_H
#define HEADRACE_RSA_H

#include <headrace/headrace.h>
#include <headrace/number.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hr_rsa_key {
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    uint8_t opaque[8192];
};

#define hr_rsa_number hr_number /* its name in older programs */

/* All parts of a private key, as PKCS#1 calls them.  A public key has n and e. */
struct hr_rsa_parts {
    struct hr_number n, e, d, p, q, dp, dq, qinv;
};

enum hr_rsa_padding {
    HR_RSA_PKCS1 = 1, /* v1.5 (sections 7.2, 8.2) */
    HR_RSA_PSS = 2,   /* signatures (section 8.1) */
    HR_RSA_OAEP = 3,  /* encryption (section 7.1) */
    HR_RSA_NONE = 4,  /* the input is a number as long as n */
    HR_RSA_TLS = 5,   /* decryption of TLS's 48-byte premaster secret (RFC 5246 section 7.4.7.1) */
};

/* Values of salt_len beside lengths. */
enum hr_rsa_salt {
    HR_RSA_SALT_DIGEST = -1, /* as long as the digest */
    HR_RSA_SALT_MAX = -2,    /* as long as the key allows */
    HR_RSA_SALT_ANY = -3,    /* verification: whatever length the signature has */
};

/* How to pad; members that are zero are defaults. */
struct hr_rsa_options {
    enum hr_rsa_padding padding;
    hr_alg digest;     /* PKCS#1 signatures: 0 means that the input is signed as it is; PSS, OAEP */
    hr_alg mgf_digest; /* of MGF1; 0: `digest` */
    int32_t salt_len;  /* of PSS, or enum hr_rsa_salt */
    const uint8_t *label; /* of OAEP */
    size_t label_len;
    uint16_t client_version,
        negotiated_version; /* of TLS; negotiated 0: none beside the client's */
    uint8_t raise_errors;   /* PKCS#1 decryption: bad padding is HR_EPADDING.  Only for callers who
                               show nobody, by time or otherwise, whether it was */
    uint8_t strict;         /* no kernel that computes by floating point */
    const uint8_t *random;  /* salt, seed or padding of the caller's (tests); NULL: the system's */
};

/* hr_rsa_key_init makes a private key of all its parts, and checks that they fit each other; it
 * does not check that p and q are prime.  These have 128 to 2,112 bits.  HR_EKEY: they do not;
 * HR_EKEYLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_rsa_key_init(struct hr_rsa_key *key, const struct hr_rsa_parts *parts);
/* hr_rsa_key_init_public makes a public key of n and e: e is odd, from 3 to n - 1, and of at most
 * 64 bits if n has more than 3,072.  Errors as before. */
HR_API HR_MUST_CHECK int hr_rsa_key_init_public(struct hr_rsa_key *key,
                                                const struct hr_rsa_parts *parts);

/* The numbers of a new key.  `parts` refers to `bytes`: a copy of the struct refers to the old one.
 */
struct hr_rsa_numbers {
    struct hr_rsa_parts parts;
    uint8_t bytes[2 * 512 + 8 + 5 * 256];
};

/* hr_rsa_key_generate makes a new private key (FIPS 186-5, appendix A.1.3) whose n has `bits` bits,
 * a multiple of 8 from 1,024 to 4,096, else HR_EKEYLEN.  e is odd and at least 3, else HR_EKEY; 0
 * means 65,537.  If `numbers` is not NULL, it gets all parts of the key: n and d as long as
 * hr_rsa_size, the others but e half as long.  The key has signed once, and the signature was
 * verified; HR_EFAULT: it was wrong.  HR_EINVAL, HR_ESYSTEM; with an error, both are zero. */
HR_API HR_MUST_CHECK int hr_rsa_key_generate(struct hr_rsa_key *key, struct hr_rsa_numbers *numbers,
                                             uint32_t bits, uint64_t e);
/* hr_rsa_numbers_wipe zeroes the numbers of a key.  NULL is allowed. */
HR_API void hr_rsa_numbers_wipe(struct hr_rsa_numbers *numbers);
/* hr_rsa_key_wipe zeroes a key.  NULL is allowed. */
HR_API void hr_rsa_key_wipe(struct hr_rsa_key *key);
/* hr_rsa_size returns the number of bytes of n, and so of signatures and ciphertexts; 0: no key. */
HR_API size_t hr_rsa_size(const struct hr_rsa_key *key);

/* hr_rsa_sign signs a digest, whose length is that of options->digest, else HR_ELENGTH.  *sig_len
 * is the size of `sig`, and becomes hr_rsa_size.  HR_EFAULT: the computer made a mistake, and
 * nothing was written.  HR_EALG, HR_EBUFFER, HR_EINVAL, HR_EKEYLEN (the key is too short for this
 * digest and salt), HR_ESTATE (no private key), HR_ESYSTEM. */
HR_API HR_MUST_CHECK int hr_rsa_sign(uint8_t *sig, size_t *sig_len, const uint8_t *in,
                                     size_t in_len, const struct hr_rsa_key *key,
                                     const struct hr_rsa_options *options);
/* hr_rsa_verify returns 0 if `sig` is a signature of the digest, HR_EMAC if it is not, whatever its
 * length.  HR_EALG, HR_EINVAL, HR_EKEYLEN (as of hr_rsa_sign), HR_ELENGTH, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_rsa_verify(const uint8_t *sig, size_t sig_len, const uint8_t *in,
                                       size_t in_len, const struct hr_rsa_key *key,
                                       const struct hr_rsa_options *options);
/* hr_rsa_recover writes what a PKCS#1 signature says was signed: after the DigestInfo of
 * options->digest, or with 0 all of it.  *out_len as before.  HR_EMAC, HR_EBUFFER and as above. */
HR_API HR_MUST_CHECK int hr_rsa_recover(uint8_t *out, size_t *out_len, const uint8_t *sig,
                                        size_t sig_len, const struct hr_rsa_key *key,
                                        const struct hr_rsa_options *options);

/* hr_rsa_encrypt encrypts for a public key: at most hr_rsa_size - 11 bytes by PKCS#1, hr_rsa_size -
 * 2 - 2 digests by OAEP, else HR_ELENGTH.  Other errors are those of hr_rsa_sign. */
HR_API HR_MUST_CHECK int hr_rsa_encrypt(uint8_t *out, size_t *out_len, const uint8_t *in,
                                        size_t in_len, const struct hr_rsa_key *key,
                                        const struct hr_rsa_options *options);
/* hr_rsa_decrypt decrypts, in constant time.  *out_len is the size of `out`, and becomes the length
 * of the message.  OAEP: HR_EPADDING.  PKCS#1: bad padding is no error, but gives a message that
 * the key and the ciphertext determine (implicit rejection, as OpenSSL 3.2 and later).  TLS: bad
 * padding and a wrong version give 48 random bytes.  HR_ELENGTH: the ciphertext is not below n, or
 * empty; or of OAEP, whose standard says so, it is shorter than n.  Other errors are those of
 * hr_rsa_sign.
 */
HR_API HR_MUST_CHECK int hr_rsa_decrypt(uint8_t *out, size_t *out_len, const uint8_t *in,
                                        size_t in_len, const struct hr_rsa_key *key,
                                        const struct hr_rsa_options *options);

#ifdef __cplusplus
}
#endif
#endif
