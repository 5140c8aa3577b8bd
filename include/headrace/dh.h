/* SPDX-License-Identifier: Apache-2.0
 *
 * Diffie and Hellman's key agreement modulo a prime p (NIST SP 800-56A).  The conventions are those
 * of headrace.h.
 *
 * A group is one of RFC 7919 or RFC 3526, or has numbers p, g and perhaps q, the order of g, where
 * p has 1,024 to 8,192 bits.  A key is set up once, and may then be used by any number of threads.
 * Operations take the same time for all private keys of the same length, counted in limbs of 64
 * bits where the caller gives them.  They need 80 KiB of stack.
 */
#ifndef HEADRACE_DH_H
#define HEADRACE_DH_H

#include <headrace/headrace.h>
#include <headrace/number.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hr_dh_key {
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    uint8_t opaque[8192];
};

enum hr_dh_group {
    HR_DH_EXPLICIT = 0,  /* the numbers of hr_dh_params */
    HR_DH_FFDHE2048 = 1, /* RFC 7919 */
    HR_DH_FFDHE3072 = 2,
    HR_DH_FFDHE4096 = 3,
    HR_DH_FFDHE6144 = 4,
    HR_DH_FFDHE8192 = 5,
    HR_DH_MODP1536 = 6, /* RFC 3526 */
    HR_DH_MODP2048 = 7,
    HR_DH_MODP3072 = 8,
    HR_DH_MODP4096 = 9,
    HR_DH_MODP6144 = 10,
    HR_DH_MODP8192 = 11,
};

/* A group.  Numbers of a named group are ignored; explicit ones that are those of a named group
 * are that group.  Without bytes of q, the order of g is not known. */
struct hr_dh_params {
    enum hr_dh_group group;
    struct hr_number p, q, g;
    uint32_t private_bits; /* length of new private keys; 0: that of q, twice the strength of a
                              named group (225 to 400 bits), or one less than p has */
};

/* hr_dh_key_init makes a key of a private number x.  HR_EALG: no such group; HR_EKEY: x is not from
 * 1 to q - 1, or numbers do not fit: p and q are odd, q divides p - 1 and g has the order q, as far
 * as they are prime, which is not tested; HR_EKEYLEN: another length than above; HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_dh_key_init(struct hr_dh_key *key, const struct hr_dh_params *params,
                                        const struct hr_number *x);
/* hr_dh_key_generate makes a new key.  HR_ESYSTEM, and as before; HR_EINVAL also for private_bits
 * below 160 or above the length of q or p. */
HR_API HR_MUST_CHECK int hr_dh_key_generate(struct hr_dh_key *key,
                                            const struct hr_dh_params *params);
/* hr_dh_key_wipe zeroes a key.  NULL is allowed. */
HR_API void hr_dh_key_wipe(struct hr_dh_key *key);
/* hr_dh_size returns the number of bytes of p, and so of public keys and secrets; 0: no key. */
HR_API size_t hr_dh_size(const struct hr_dh_key *key);

/* hr_dh_private writes x, in a multiple of 8 bytes, and hr_dh_public computes and writes
 * g^x mod p, as long as p.  *out_len is the size of `out`, and becomes their length.  HR_EBUFFER,
 * HR_EINVAL, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_dh_private(uint8_t *out, size_t *out_len, const struct hr_dh_key *key);
HR_API HR_MUST_CHECK int hr_dh_public(uint8_t *out, size_t *out_len, const struct hr_dh_key *key);

enum hr_dh_flags {
    HR_DH_UNPADDED = 1, /* the secret without its leading zeros, whose number then shows in the
                           time that its use takes */
    HR_DH_STRICT = 2,   /* no kernel that computes by floating point */
};
/* struct hr_dh_options is for jobs of HR_JOB_DERIVE (queue.h).  `flags` is HR_DH_STRICT or 0, else
 * such a job returns HR_EINVAL. */
struct hr_dh_options {
    uint32_t flags;
};

/* hr_dh_agree writes the secret that this key and the peer's public key share, as long as p.
 * HR_EKEY: the public key is not from 2 to p - 2, or has not the order q, or the secret is 0, 1 or
 * p - 1; then nothing was written.  HR_EBUFFER (`out` has fewer than hr_dh_size bytes), HR_EINVAL,
 * HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_dh_agree(uint8_t *out, size_t *out_len, const uint8_t *peer,
                                     size_t peer_len, const struct hr_dh_key *key, uint32_t flags);

#ifdef __cplusplus
}
#endif
#endif
