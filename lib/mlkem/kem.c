/* SPDX-License-Identifier: Apache-2.0 */
/* Key encapsulation, with the code of any row: what every row checks is checked here. */
#include "kem.h"
#include "../class.h"
#include "../pk/copy_out.h"
#include "../pk/random.h"

static DEFINE_CHOOSE(choose, struct kem_kernel, struct kem_op)

    /* ---- keys ---- */

    size_t hr_kem_key_size(hr_alg alg)
{
    const struct kem_op *op = kem_op(alg);
    const struct kem_code *code = op ? choose(op)->code : NULL;
    return code ? code->key_size : op ? sizeof(struct kem_key) : 0;
}

size_t hr_kem_ciphertext_len(hr_alg alg)
{
    const struct kem_op *op = kem_op(alg);
    return op ? op->ciphertext_len : 0;
}

/* Begins every way to make a key: gives it the code of a row. */
static int begin(struct kem_key *key, hr_alg alg)
{
    const struct kem_op *op = kem_op(alg);
    if (!op)
        return HR_EALG;
    if (!key)
        return HR_EINVAL;
    key->alg = HR_ALG_NONE;
    key->code = choose(op)->code;
    return key->code ? 0 : HR_ECPU;
}

static void generate(struct kem_key *key, hr_alg alg, const uint8_t *seed)
{
    memcpy(key->seed, seed, HR_KEM_SEED_LEN);
    key->code->generate(key, seed);
    key->private = key->seeded = 1;
    key->alg = (uint32_t)alg;
}

/* generate_and_compare makes a key from its seed, and refuses a dk that is not what that gives. */
static int generate_and_compare(struct kem_key *key, hr_alg alg, const uint8_t *bytes,
                                size_t dk_len)
{
    const uint8_t *dk = (const uint8_t *)key + KEM_KEY_BODY, *given = bytes + HR_KEM_SEED_LEN;
    uint32_t differs = 0;
    generate(key, alg, bytes);
    for (size_t i = 0; i < dk_len; i++)
        differs |= (uint32_t)(dk[i] ^ given[i]);
    CT_PUBLIC(&differs, sizeof differs);
    return differs ? HR_EKEY : 0;
}

int hr_kem_key_init(struct hr_kem_key *public, hr_alg alg, const uint8_t *bytes, size_t bytes_len)
{
    struct kem_key *key = (struct kem_key *)public;
    int error = begin(key, alg);
    if (error)
        return error;
    if (!bytes)
        return HR_EINVAL;
    const size_t dk_len = hr_algorithm(alg)->key_len;
    if (bytes_len == HR_KEM_SEED_LEN) {
        generate(key, alg, bytes);
    } else if (bytes_len == HR_KEM_SEED_LEN + dk_len) {
        error = generate_and_compare(key, alg, bytes, dk_len);
    } else if (bytes_len == dk_len) {
        key->private = 1;
        key->seeded = 0;
        error = key->code->load_private(key, bytes);
    } else {
        return HR_EKEYLEN;
    }
    key->alg = (uint32_t)alg;
    if (error)
        hr_kem_key_wipe(public);
    return error;
}

int hr_kem_key_init_public(struct hr_kem_key *public, hr_alg alg, const uint8_t *bytes,
                           size_t bytes_len)
{
    struct kem_key *key = (struct kem_key *)public;
    int error = begin(key, alg);
    if (error)
        return error;
    if (!bytes)
        return HR_EINVAL;
    if (bytes_len != hr_algorithm(alg)->public_len)
        return HR_EKEYLEN;
    key->private = key->seeded = 0;
    error = key->code->load_public(key, bytes);
    key->alg = (uint32_t)alg;
    if (error)
        hr_kem_key_wipe(public);
    return error;
}

static_assert(HR_KEM_SEED_LEN <= HR_KEY_RANDOM, "a key's random bytes");

int hr_kem_key_generate(struct hr_kem_key *public, hr_alg alg, const uint8_t *random)
{
    struct kem_key *key = (struct kem_key *)public;
    uint8_t seed[HR_KEM_SEED_LEN];
    int error = begin(key, alg);
    if (error)
        return error;
    if (random)
        memcpy(seed, random, sizeof seed);
    else
        error = system_random(seed, sizeof seed);
    if (!error)
        generate(key, alg, seed);
    WIPE(&seed);
    return error;
}

void hr_kem_key_wipe(struct hr_kem_key *public)
{
    struct kem_key *key = (struct kem_key *)public;
    if (key && kem_op((hr_alg)key->alg))
        wipe_bytes(key, key->code->key_size);
}

/* ---- their bytes ---- */

int hr_kem_key_private(uint8_t *out, size_t *out_len, const struct hr_kem_key *public)
{
    const struct kem_key *key = (const struct kem_key *)public;
    if (!out || !out_len || !key)
        return HR_EINVAL;
    if (!kem_op((hr_alg)key->alg) || !key->private)
        return HR_ESTATE;
    return copy_out(out, out_len, (const uint8_t *)key + KEM_KEY_BODY,
                    hr_algorithm((hr_alg)key->alg)->key_len);
}

int hr_kem_key_seed(uint8_t *out, size_t *out_len, const struct hr_kem_key *public)
{
    const struct kem_key *key = (const struct kem_key *)public;
    if (!out || !out_len || !key)
        return HR_EINVAL;
    if (!kem_op((hr_alg)key->alg) || !key->seeded)
        return HR_ESTATE;
    return copy_out(out, out_len, key->seed, sizeof key->seed);
}

int hr_kem_key_public(uint8_t *out, size_t *out_len, const struct hr_kem_key *public)
{
    const struct kem_key *key = (const struct kem_key *)public;
    if (!out || !out_len || !key)
        return HR_EINVAL;
    if (!kem_op((hr_alg)key->alg))
        return HR_ESTATE;
    return copy_out(out, out_len, (const uint8_t *)key + key->code->public_at,
                    hr_algorithm((hr_alg)key->alg)->public_len);
}

/* ---- operations ---- */

int hr_kem_encapsulate(uint8_t *ct, size_t *ct_len, uint8_t secret[HR_KEM_SECRET_LEN],
                       const struct hr_kem_key *public, const uint8_t *random)
{
    const struct kem_key *key = (const struct kem_key *)public;
    uint8_t m[HR_KEM_RANDOM_LEN];
    if (!ct || !ct_len || !secret || !key)
        return HR_EINVAL;
    const struct kem_op *op = kem_op((hr_alg)key->alg);
    if (!op)
        return HR_ESTATE;
    if (*ct_len < op->ciphertext_len)
        return HR_EBUFFER;
    if (touch(ct, op->ciphertext_len, secret, HR_KEM_SECRET_LEN))
        return HR_EOVERLAP;
    int error = 0;
    if (random)
        memcpy(m, random, sizeof m); /* `random` may be where an output goes */
    else
        error = system_random(m, sizeof m);
    if (!error) {
        key->code->encapsulate(ct, secret, key, m);
        *ct_len = op->ciphertext_len;
    }
    WIPE(&m);
    return error;
}

int hr_kem_decapsulate(uint8_t secret[HR_KEM_SECRET_LEN], const uint8_t *ct, size_t ct_len,
                       const struct hr_kem_key *public)
{
    const struct kem_key *key = (const struct kem_key *)public;
    if (!secret || !ct || !key)
        return HR_EINVAL;
    const struct kem_op *op = kem_op((hr_alg)key->alg);
    if (!op || !key->private)
        return HR_ESTATE;
    if (ct_len != op->ciphertext_len)
        return HR_ELENGTH;
    if (touch(secret, HR_KEM_SECRET_LEN, ct, ct_len))
        return HR_EOVERLAP;
    key->code->decapsulate(secret, ct, key);
    return 0;
}

static void forget(void)
{
#define HR_KEM(number, ...) atomic_store(kem_op(number)->chosen, NULL);
#include <headrace/algorithms.def>
}

static int run(struct hr_job *job, const void *key)
{
    size_t len = job->len;
    if (job_tag_len(job, HR_KEM_SECRET_LEN) != HR_KEM_SECRET_LEN)
        return HR_ETAGLEN;
    return job->op == HR_JOB_DECAPSULATE
               ? hr_kem_decapsulate(job->tag, job->in, len, key)
               : hr_kem_encapsulate(job->out, &len, job->tag, key, job->options);
}

static hr_alg key_alg(const void *key)
{
    return (hr_alg)((const struct kem_key *)key)->alg;
}

static int kernel_at(struct hr_kernel *out, const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    const struct kem_op *list = kem_op(row->alg);
    (void)op;
    return i < list->num_kernels && list->kernels[i].code ? KERNEL_AT(list) : HR_EINVAL;
}

const struct class_calls kem_class = {
    .run = run, .key_alg = key_alg, .kernel_at = kernel_at, .forget = forget
};
