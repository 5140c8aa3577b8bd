/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA (FIPS 204), of the class SIGN: the kernel tables, keys, and messages.  Each kernel is
 * mldsa-native with another backend; Keccak, which takes much of the time, has kernels of its
 * own. */
#include "mldsa.h"
#include "../keccak/keccak.h"
#include "../pk/sign.h"
#include <headrace/algorithms.h>

/* clang-format off */
#define KERNELS(set) \
    static const struct mldsa_kernel kernels##set[] = { /* best first */ \
        KERNEL_PROVEN_X86("avx2", CPU(AVX2) | CPU(BMI2), &mldsa##set##_avx2) \
        KERNEL_PROVEN_ARM64("neon", CPU(ARM_NEON), &mldsa##set##_neon) \
        KERNEL_PROVEN_C(&mldsa##set##_c) \
        KERNEL_C(NULL) \
    };
/* clang-format on */
KERNELS(44)
KERNELS(65)
KERNELS(87)

static _Atomic(const struct mldsa_kernel *) chosen[3];
static const struct mldsa_op ops[] = {
    { kernels44, COUNT(kernels44), &chosen[0] },
    { kernels65, COUNT(kernels65), &chosen[1] },
    { kernels87, COUNT(kernels87), &chosen[2] },
};
static_assert(HR_MLDSA65 == HR_MLDSA44 + 1 && HR_MLDSA87 == HR_MLDSA44 + 2, "ops by row");

static DEFINE_CHOOSE(choose, struct mldsa_kernel, struct mldsa_op)

    const struct mldsa_op *mldsa_op(hr_alg alg)
{
    return (unsigned)alg - HR_MLDSA44 < COUNT(ops) ? &ops[alg - HR_MLDSA44] : NULL;
}

static void forget(void)
{
    for (size_t i = 0; i < COUNT(ops); i++)
        atomic_store(ops[i].chosen, NULL);
}

/* ---- keys ---- */

static int begin(struct mldsa_key *key, const struct hr_algorithm *row)
{
    key->code = choose(mldsa_op(row->alg))->code;
    key->seeded = 0;
    return key->code ? 0 : HR_ECPU;
}

static void generate(struct mldsa_key *key, const uint8_t *seed)
{
    memcpy(key->seed, seed, sizeof key->seed);
    key->seeded = 1;
    key->code->generate(key, seed);
}

/* A private key is its seed, the standard's sk, or both, which must agree then. */
static int init_private(void *part, const struct hr_algorithm *row, const uint8_t *bytes,
                        size_t len)
{
    struct mldsa_key *key = part;
    uint32_t differs = 0;
    const int error = begin(key, row);
    if (error)
        return error;
    if (len == row->key_len)
        return key->code->load_private(key, bytes);
    if (len != MLDSA_SEED_LEN && len != (size_t)MLDSA_SEED_LEN + row->key_len)
        return HR_EKEYLEN;
    generate(key, bytes);
    const uint8_t *sk = (const uint8_t *)part + key->code->private_at;
    for (size_t i = MLDSA_SEED_LEN; i < len; i++)
        differs |= (uint32_t)(sk[i - MLDSA_SEED_LEN] ^ bytes[i]);
    CT_PUBLIC(&differs, sizeof differs);
    return differs ? HR_EKEY : 0;
}

static int init_public(void *part, const struct hr_algorithm *row, const uint8_t *bytes, size_t len)
{
    struct mldsa_key *key = part;
    const int error = begin(key, row);
    if (error)
        return error;
    return len == row->public_len ? key->code->load_public(key, bytes) : HR_EKEYLEN;
}

static int key_generate(void *part, const struct hr_algorithm *row,
                        const uint8_t random[HR_KEY_RANDOM])
{
    struct mldsa_key *key = part;
    const int error = begin(key, row);
    if (!error)
        generate(key, random);
    return error;
}

static int private_bytes(uint8_t *out, size_t *out_len, const void *part)
{
    const struct mldsa_key *key = part;
    return copy_out(out, out_len, (const uint8_t *)part + key->code->private_at,
                    key->code->private_len);
}

static int public_bytes(uint8_t *out, size_t *out_len, const void *part)
{
    const struct mldsa_key *key = part;
    return copy_out(out, out_len, (const uint8_t *)part + MLDSA_KEY_BODY, key->code->public_len);
}

static int seed_bytes(uint8_t *out, size_t *out_len, const void *part)
{
    const struct mldsa_key *key = part;
    return key->seeded ? copy_out(out, out_len, key->seed, sizeof key->seed) : HR_ESTATE;
}

/* ---- signatures ---- */

/* mu = H(tr || M', 64) with M' = 0 || |ctx| || ctx || M: algorithm 2 line 10, algorithm 7 line 6;
 * or, of a digest M, 1 || |ctx| || ctx || OID || M: algorithm 4 line 23.  With HR_SIGN_MU, mu is
 * the message. */
static int representative(uint8_t mu[MLDSA_MU_LEN], const struct sign_input *message,
                          const struct mldsa_key *key)
{
    const struct hr_sign_options *options = message->options;
    uint8_t prefix[SIGN_MAX_PREFIX];
    size_t prefix_len;
    struct keccak k;
    if (options->flags & HR_SIGN_MU) {
        if (options->context_len || options->digest || options->flags & HR_SIGN_PREHASH)
            return HR_EINVAL;
        if (message->len != MLDSA_MU_LEN)
            return HR_ELENGTH;
        memcpy(mu, message->in, MLDSA_MU_LEN);
        return 0;
    }
    const int error = sign_prefix(prefix, &prefix_len, message);
    if (error)
        return error;
    keccak_start(&k, KECCAK_RATE_256, KECCAK_SHAKE);
    keccak_absorb(&k, key->tr, sizeof key->tr);
    keccak_absorb(&k, prefix, prefix_len);
    keccak_absorb(&k, message->in, message->len);
    keccak_squeeze(&k, mu, MLDSA_MU_LEN);
    WIPE(&k);
    return 0;
}

/* FIPS 204's rnd: random, or zeros for a deterministic signature. */
static int make_random(uint8_t random[MLDSA_RANDOM_LEN], const struct hr_sign_options *options)
{
    memset(random, 0, MLDSA_RANDOM_LEN);
    if (options->flags & HR_SIGN_DETERMINISTIC)
        return options->random ? HR_EINVAL : 0;
    if (!options->random)
        return system_random(random, MLDSA_RANDOM_LEN);
    memcpy(random, options->random, MLDSA_RANDOM_LEN);
    return 0;
}

/* A signature is verified before it leaves, as one of a computation that went wrong may give the
 * key away.  That costs a tenth of signing. */
static int sign(uint8_t *sig, const struct sign_input *message, const void *part)
{
    const struct mldsa_key *key = part;
    uint8_t mu[MLDSA_MU_LEN], random[MLDSA_RANDOM_LEN], out[MLDSA_MAX_SIGNATURE];
    int error = representative(mu, message, key);
    if (!error)
        error = make_random(random, message->options);
    if (!error)
        error = key->code->sign(out, mu, random, key);
    if (!error && key->code->verify(out, mu, key) != 0)
        error = HR_EFAULT;
    if (!error)
        memcpy(sig, out, key->code->signature_len);
    WIPE(&out);
    WIPE(&random);
    WIPE(&mu);
    return error;
}

static int verify(const uint8_t *sig, const struct sign_input *message, const void *part)
{
    const struct mldsa_key *key = part;
    uint8_t mu[MLDSA_MU_LEN];
    const int error = representative(mu, message, key);
    return error ? error : key->code->verify(sig, mu, key);
}

static const struct hr_kernel *kernel_at(const struct mldsa_op *op, size_t i)
{
    return i < op->num_kernels && op->kernels[i].code ? &op->kernels[i].info : NULL;
}

#define MLDSA_IMPL(set)                                                      \
    static const struct hr_kernel *mldsa##set##_kernel(size_t i)             \
    {                                                                        \
        return kernel_at(mldsa_op(HR_MLDSA##set), i);                        \
    }                                                                        \
    const struct sign_impl mldsa##set##_impl = {                             \
        .key_size = MLDSA##set##_KEY_SIZE,                                   \
        .flags = HR_SIGN_DETERMINISTIC | HR_SIGN_MU | HR_SIGN_PREHASH,       \
        .takes = SIGN_TAKES_CONTEXT | SIGN_TAKES_DIGEST | SIGN_TAKES_RANDOM, \
        .init_private = init_private,                                        \
        .init_public = init_public,                                          \
        .generate = key_generate,                                            \
        .private_bytes = private_bytes,                                      \
        .public_bytes = public_bytes,                                        \
        .seed_bytes = seed_bytes,                                            \
        .sign = sign,                                                        \
        .verify = verify,                                                    \
        .kernel = mldsa##set##_kernel,                                       \
        .forget = forget,                                                    \
    };
MLDSA_IMPL(44)
MLDSA_IMPL(65)
MLDSA_IMPL(87)
