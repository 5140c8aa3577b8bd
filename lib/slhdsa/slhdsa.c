/* SPDX-License-Identifier: Apache-2.0 */
/* SLH-DSA (FIPS 205), of the class SIGN: parameter sets, keys and signatures.  Its time is that of
 * hashes, so its kernels are those of SHA-256, or of four states of Keccak. */
#include "slhdsa.h"
#include "../pk/sign.h"
#include "../pk/stack.h"
#include <headrace/algorithms.h>

/* FIPS 205 table 2: n, d, h', a, k, m. */
static const struct slh_params params[] = {
    { 16, 7, 9, 12, 14, 30, 0 }, { 16, 22, 3, 6, 33, 34, 0 }, { 24, 7, 9, 14, 17, 39, 0 },
    { 24, 22, 3, 8, 33, 42, 0 }, { 32, 8, 8, 14, 22, 47, 0 }, { 32, 17, 4, 9, 35, 49, 0 },
    { 16, 7, 9, 12, 14, 30, 1 }, { 16, 22, 3, 6, 33, 34, 1 }, { 24, 7, 9, 14, 17, 39, 1 },
    { 24, 22, 3, 8, 33, 42, 1 }, { 32, 8, 8, 14, 22, 47, 1 }, { 32, 17, 4, 9, 35, 49, 1 },
};
static_assert(HR_SLHDSA_SHAKE_256F == HR_SLHDSA_SHA2_128S + COUNT(params) - 1, "params by row");

/* ---- keys ---- */

static struct slh_key *begin(void *part, const struct hr_algorithm *row)
{
    struct slh_key *key = part;
    memset(key, 0, sizeof *key);
    key->params = &params[row->alg - HR_SLHDSA_SHA2_128S];
    return key;
}

/* Completes a key of SK.seed || SK.prf || PK.seed. */
static int complete(struct slh_key *key, const uint8_t *seed)
{
    const size_t n = key->params->n;
    memcpy(key->bytes, seed, 3 * n);
    slh_prepare(key);
    slh_root(key->bytes + 3 * n, key);
    pk_wipe_deep_stack();
    return 0;
}

/* A private key is the standard's, or its first three parts, of which the root is computed.  That
 * takes as long as a key: the root of a whole key is compared when it signs. */
static int init_private(void *part, const struct hr_algorithm *row, const uint8_t *bytes,
                        size_t len)
{
    struct slh_key *key = begin(part, row);
    if (len == 3u * key->params->n)
        return complete(key, bytes);
    if (len != row->key_len)
        return HR_EKEYLEN;
    memcpy(key->bytes, bytes, len);
    slh_prepare(key);
    return 0;
}

static int init_public(void *part, const struct hr_algorithm *row, const uint8_t *bytes, size_t len)
{
    struct slh_key *key = begin(part, row);
    if (len != row->public_len)
        return HR_EKEYLEN;
    memcpy(key->bytes + len, bytes, len);
    slh_prepare(key);
    return 0;
}

static int generate(void *part, const struct hr_algorithm *row, const uint8_t random[HR_KEY_RANDOM])
{
    return complete(begin(part, row), random);
}
static_assert(3 * SLH_MAX_N <= HR_KEY_RANDOM, "a key's random bytes");

static int private_bytes(uint8_t *out, size_t *out_len, const void *part)
{
    const struct slh_key *key = part;
    return copy_out(out, out_len, key->bytes, 4u * key->params->n);
}

static int public_bytes(uint8_t *out, size_t *out_len, const void *part)
{
    const struct slh_key *key = part;
    return copy_out(out, out_len, slh_pk_seed(key), 2u * key->params->n);
}

static int seed_bytes(uint8_t *out, size_t *out_len, const void *part)
{
    const struct slh_key *key = part;
    return copy_out(out, out_len, key->bytes, 3u * key->params->n);
}

/* ---- signatures ---- */

/* M' = 0 || |ctx| || ctx || M: algorithm 22 line 8; or, of a digest M, 1 || |ctx| || ctx || OID ||
 * M: algorithm 23 line 24.  With HR_SIGN_ENCODED, the message is M'. */
struct prefixed {
    uint8_t prefix[SIGN_MAX_PREFIX];
    struct slh_message message;
};

static int prefix(struct prefixed *out, const struct sign_input *input)
{
    const struct hr_sign_options *options = input->options;
    size_t prefix_len = 0;
    if (options->flags & HR_SIGN_ENCODED) {
        if (options->context_len || options->digest || options->flags & HR_SIGN_PREHASH)
            return HR_EINVAL;
    } else {
        const int error = sign_prefix(out->prefix, &prefix_len, input);
        if (error)
            return error;
    }
    out->message = (struct slh_message){ out->prefix, input->in, prefix_len, input->len };
    return 0;
}

/* FIPS 205's opt_rand: random, or PK.seed for a deterministic signature. */
static int make_random(uint8_t *random, const struct slh_key *key,
                       const struct hr_sign_options *options)
{
    const size_t n = key->params->n;
    const uint8_t *from = options->random;
    if (options->flags & HR_SIGN_DETERMINISTIC) {
        if (from)
            return HR_EINVAL;
        from = slh_pk_seed(key);
    }
    if (!from)
        return system_random(random, n);
    memcpy(random, from, n);
    return 0;
}

static int verify_digest(const uint8_t *sig, const struct slh_key *key, const uint8_t *digest)
{
    const size_t n = key->params->n;
    uint8_t root[SLH_MAX_N];
    slh_verify_digest(root, key, sig + n, digest);
    return memcmp(root, slh_pk_root(key), n) ? HR_EMAC : 0;
}

static size_t signature_len(const struct slh_key *key)
{
    return hr_algorithm((hr_alg)(HR_SLHDSA_SHA2_128S + (key->params - params)))->out_len;
}

/* A signature is verified before it leaves.  This finds what went wrong on the way from a path to
 * the root; it does not find a wrong node that is a part of a path, which only signing twice would.
 * The signature is made where it will lie, because it is too long for a second place. */
static int sign(uint8_t *sig, const struct sign_input *input, const void *part)
{
    const struct slh_key *key = part;
    const size_t n = key->params->n;
    uint8_t random[SLH_MAX_N], digest[SLH_MAX_DIGEST], root[SLH_MAX_N];
    struct prefixed prefixed;
    int error = prefix(&prefixed, input);
    if (!error)
        error = make_random(random, key, input->options);
    if (error)
        return error;
    slh_prf_msg(sig, key, random, &prefixed.message);
    WIPE(&random);
    CT_PUBLIC(sig, n); /* R */
    slh_h_msg(digest, key, sig, &prefixed.message);
    slh_sign_digest(sig + n, root, key, digest);
    pk_wipe_deep_stack();
    CT_PUBLIC(sig, signature_len(key));
    if (!memcmp(root, slh_pk_root(key), n) && !verify_digest(sig, key, digest))
        return 0;
    wipe_bytes(sig, signature_len(key));
    return HR_EFAULT;
}

static int verify(const uint8_t *sig, const struct sign_input *input, const void *part)
{
    const struct slh_key *key = part;
    uint8_t digest[SLH_MAX_DIGEST];
    struct prefixed prefixed;
    const int error = prefix(&prefixed, input);
    if (error)
        return error;
    slh_h_msg(digest, key, sig, &prefixed.message);
    return verify_digest(sig, key, digest);
}

/* ---- rows ---- */

#define SLHDSA_IMPL(hash, set, kernels)                                      \
    const struct sign_impl slhdsa_##hash##_##set##_impl = {                  \
        .key_size = SLH_KEY_SIZE,                                            \
        .flags = HR_SIGN_DETERMINISTIC | HR_SIGN_ENCODED | HR_SIGN_PREHASH,  \
        .takes = SIGN_TAKES_CONTEXT | SIGN_TAKES_DIGEST | SIGN_TAKES_RANDOM, \
        .init_private = init_private,                                        \
        .init_public = init_public,                                          \
        .generate = generate,                                                \
        .private_bytes = private_bytes,                                      \
        .public_bytes = public_bytes,                                        \
        .seed_bytes = seed_bytes,                                            \
        .sign = sign,                                                        \
        .verify = verify,                                                    \
        .kernel = kernels,                                                   \
    };
SLHDSA_IMPL(sha2, 128s, slh_sha256_kernel)
SLHDSA_IMPL(sha2, 128f, slh_sha256_kernel)
SLHDSA_IMPL(sha2, 192s, slh_sha256_kernel)
SLHDSA_IMPL(sha2, 192f, slh_sha256_kernel)
SLHDSA_IMPL(sha2, 256s, slh_sha256_kernel)
SLHDSA_IMPL(sha2, 256f, slh_sha256_kernel)
SLHDSA_IMPL(shake, 128s, slh_shake_kernel)
SLHDSA_IMPL(shake, 128f, slh_shake_kernel)
SLHDSA_IMPL(shake, 192s, slh_shake_kernel)
SLHDSA_IMPL(shake, 192f, slh_shake_kernel)
SLHDSA_IMPL(shake, 256s, slh_shake_kernel)
SLHDSA_IMPL(shake, 256f, slh_shake_kernel)
