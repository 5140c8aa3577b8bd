/* SPDX-License-Identifier: Apache-2.0 */
/* SLH-DSA (FIPS 205): parameter sets, keys, and the functions that the files of this folder share.
 * Names are those of the standard. */
#ifndef HR_SLHDSA_H
#define HR_SLHDSA_H

#include "../internal.h"

enum {
    SLH_MAX_N = 32,
    SLH_MAX_CHAINS = 2 * SLH_MAX_N + 3, /* len of WOTS+ with w = 16 */
    SLH_MAX_K = 35,
    SLH_MAX_HEIGHT = 14, /* of a tree of FORS; those of XMSS are lower */
    SLH_MAX_DIGEST = 49,
};

/* A row of FIPS 205 table 2: h is d * hp. */
struct slh_params {
    uint8_t n, d, hp, a, k, m;
    uint8_t shake; /* else SHA-2, with SHA-512 too if n is above 16 */
};

struct slh_key {
    const struct slh_params *params;
    uint32_t seed256[8];          /* SHA-256 after its first block, of PK.seed (section 11.2) */
    uint64_t seed512[8];          /* SHA-512, likewise */
    uint8_t bytes[4 * SLH_MAX_N]; /* SK.seed || SK.prf || PK.seed || PK.root */
};
enum { SLH_KEY_SIZE = 320 };
static_assert(sizeof(struct slh_key) <= SLH_KEY_SIZE, "the size of a key");

static inline const uint8_t *slh_sk_seed(const struct slh_key *key)
{
    return key->bytes;
}
static inline const uint8_t *slh_sk_prf(const struct slh_key *key)
{
    return key->bytes + key->params->n;
}
static inline const uint8_t *slh_pk_seed(const struct slh_key *key)
{
    return key->bytes + 2 * key->params->n;
}
static inline const uint8_t *slh_pk_root(const struct slh_key *key)
{
    return key->bytes + 3 * key->params->n;
}

static inline size_t slh_num_chains(const struct slh_key *key)
{
    return 2u * key->params->n + 3;
}

/* An address (section 4.2) as eight numbers: layer, tree (3), type, and three of which the type
 * says what they are: a key pair, a chain or a height, a hash or an index. */
struct slh_address {
    uint32_t word[8];
};
enum { SLH_LAYER, SLH_TREE_HIGH = 2, SLH_TREE_LOW, SLH_TYPE, SLH_PAIR, SLH_CHAIN, SLH_HASH };
enum { SLH_HEIGHT = SLH_CHAIN, SLH_INDEX = SLH_HASH };
enum slh_type {
    SLH_WOTS_HASH,
    SLH_WOTS_PK,
    SLH_TREE,
    SLH_FORS_TREE,
    SLH_FORS_ROOTS,
    SLH_WOTS_PRF,
    SLH_FORS_PRF,
};

/* slh_prepare makes what every hash with PK.seed needs.  It and PK.root, if there is one, are
 * public, also as parts of a private key. */
void slh_prepare(struct slh_key *key);
/* slh_hash computes num times F, PRF or H (section 4.1), which differ in the length of their input:
 * n bytes, or 2n.  Word `vary` of the address counts up by one from one to the next.  Outputs of n
 * bytes follow each other; the i-th input is at in + i * stride.  `out` may be `in`. */
void slh_hash(uint8_t *out, const struct slh_key *key, const struct slh_address *address, int vary,
              const uint8_t *in, size_t stride, size_t in_len, size_t num);
/* slh_hash_long computes T of whole values, up to SLH_MAX_CHAINS. */
void slh_hash_long(uint8_t *out, const struct slh_key *key, const struct slh_address *address,
                   const uint8_t *in, size_t in_len);

/* struct slh_signing says which key pair signs: the values of its chains at `digits` become `sig`.
 */
struct slh_signing {
    uint8_t *sig;
    const uint8_t *digits;
    size_t pair;
};
/* slh_chains computes the ends of all chains of WOTS+ of num_pairs key pairs, from the address's
 * on. Of pair signing->pair of them, from 0, if there is such a one, it writes the signature. */
void slh_chains(uint8_t *ends, const struct slh_key *key, const struct slh_address *address,
                size_t num_pairs, const struct slh_signing *signing);

/* slh_chain_ends computes the ends of a pair's chains from a signature and its digits. */
void slh_chain_ends(uint8_t *ends, const struct slh_key *key, const struct slh_address *address,
                    const uint8_t *sig, const uint8_t *digits);

/* The kernels of F by which most of the time is spent, for the rows' lists. */
const struct hr_kernel *slh_sha256_kernel(size_t i);
const struct hr_kernel *slh_shake_kernel(size_t i);

/* A message M' in two parts: its prefix, and the message. */
struct slh_message {
    const uint8_t *prefix, *in;
    size_t prefix_len, in_len;
};
/* slh_prf_msg and slh_h_msg compute R, n bytes, and the digest, m bytes (section 11). */
void slh_prf_msg(uint8_t *r, const struct slh_key *key, const uint8_t *opt_rand,
                 const struct slh_message *message);
void slh_h_msg(uint8_t *digest, const struct slh_key *key, const uint8_t *r,
               const struct slh_message *message);

/* slh_root computes PK.root (algorithm 18 line 2). */
void slh_root(uint8_t *root, const struct slh_key *key);
/* slh_sign_digest writes SIG_FORS || SIG_HT, and the root that they end in.  slh_verify_digest
 * computes that root of a signature (algorithms 19 and 20). */
void slh_sign_digest(uint8_t *sig, uint8_t *root, const struct slh_key *key, const uint8_t *digest);
void slh_verify_digest(uint8_t *root, const struct slh_key *key, const uint8_t *sig,
                       const uint8_t *digest);

#endif
