/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures, with the code of any row: what every row checks is checked here. */
#include "sign.h"
#include "../class.h"

#define HR_SIGN(number, sym, ...) extern const struct sign_impl sym##_impl;
#include <headrace/algorithms.def>

const struct sign_impl *sign_impl(hr_alg alg)
{
    switch (alg) {
#define HR_SIGN(number, sym, ...) \
    case number:                  \
        return &sym##_impl;
#include <headrace/algorithms.def>
    default:
        return NULL;
    }
}

/* ---- keys ---- */

size_t hr_sign_key_size(hr_alg alg)
{
    const struct sign_impl *impl = sign_impl(alg);
    return impl ? offsetof(struct sign_key, part) + impl->key_size : 0;
}

static void wipe(struct sign_key *key, const struct sign_impl *impl)
{
    wipe_bytes(key, offsetof(struct sign_key, part) + impl->key_size);
}

/* Ends every way to make a key. */
static int finish(struct sign_key *key, hr_alg alg, int is_private, int error)
{
    if (error) {
        wipe(key, sign_impl(alg));
        return error;
    }
    key->alg = alg;
    key->is_private = is_private != 0;
    return 0;
}

int hr_sign_key_init(struct hr_sign_key *public, hr_alg alg, const uint8_t *bytes, size_t bytes_len)
{
    struct sign_key *key = (struct sign_key *)public;
    const struct sign_impl *impl = sign_impl(alg);
    if (!impl)
        return HR_EALG;
    if (!key || !bytes)
        return HR_EINVAL;
    return finish(key, alg, 1, impl->init_private(key->part, hr_algorithm(alg), bytes, bytes_len));
}

int hr_sign_key_init_public(struct hr_sign_key *public, hr_alg alg, const uint8_t *bytes,
                            size_t bytes_len)
{
    struct sign_key *key = (struct sign_key *)public;
    const struct sign_impl *impl = sign_impl(alg);
    if (!impl)
        return HR_EALG;
    if (!key || !bytes)
        return HR_EINVAL;
    return finish(key, alg, 0, impl->init_public(key->part, hr_algorithm(alg), bytes, bytes_len));
}

/* Makes a private key of a row that computes its public one: HR_EKEY if that is not the one given.
 */
static int init_and_compare(struct sign_key *key, const struct hr_algorithm *row,
                            const uint8_t *bytes, size_t bytes_len, const uint8_t *public_bytes,
                            size_t public_len)
{
    const struct sign_impl *const impl = sign_impl(row->alg);
    uint8_t computed[SIGN_MAX_PUBLIC];
    size_t len = sizeof computed;
    int error = impl->init_private(key->part, row, bytes, bytes_len);
    if (!error)
        error = impl->public_bytes(computed, &len, key->part);
    if (error)
        return error;
    if (len != public_len)
        return HR_EKEYLEN;
    return memcmp(computed, public_bytes, len) ? HR_EKEY : 0;
}

int hr_sign_key_init_pair(struct hr_sign_key *public, hr_alg alg, const uint8_t *bytes,
                          size_t bytes_len, const uint8_t *public_bytes, size_t public_len)
{
    struct sign_key *key = (struct sign_key *)public;
    const struct sign_impl *impl = sign_impl(alg);
    const struct hr_algorithm *row = hr_algorithm(alg);
    if (!impl)
        return HR_EALG;
    if (!key || !bytes || !public_bytes)
        return HR_EINVAL;
    const int error =
        impl->init_pair
            ? impl->init_pair(key->part, row, bytes, bytes_len, public_bytes, public_len)
            : init_and_compare(key, row, bytes, bytes_len, public_bytes, public_len);
    return finish(key, alg, 1, error);
}

static int generate(struct sign_key *key, const struct sign_impl *impl,
                    const struct hr_algorithm *row, const uint8_t random[HR_KEY_RANDOM])
{
    return impl->generate ? impl->generate(key->part, row, random)
                          : impl->init_private(key->part, row, random, row->key_len);
}

int hr_sign_key_generate(struct hr_sign_key *public, hr_alg alg, const uint8_t *random)
{
    struct sign_key *key = (struct sign_key *)public;
    const struct sign_impl *impl = sign_impl(alg);
    uint8_t own[HR_KEY_RANDOM];
    if (!impl)
        return HR_EALG;
    if (!key)
        return HR_EINVAL;
    const int error = random ? 0 : system_random(own, sizeof own);
    if (error)
        return error;
    const int made = generate(key, impl, hr_algorithm(alg), random ? random : own);
    WIPE(&own);
    return finish(key, alg, 1, made);
}

void hr_sign_key_wipe(struct hr_sign_key *public)
{
    struct sign_key *key = (struct sign_key *)public;
    const struct sign_impl *impl = key ? sign_impl(key->alg) : NULL;
    if (impl)
        wipe(key, impl);
}

int hr_sign_key_private(uint8_t *out, size_t *out_len, const struct hr_sign_key *public)
{
    const struct sign_key *key = (const struct sign_key *)public;
    if (!out || !out_len || !key)
        return HR_EINVAL;
    const struct sign_impl *impl = sign_impl(key->alg);
    return impl && key->is_private ? impl->private_bytes(out, out_len, key->part) : HR_ESTATE;
}

int hr_sign_key_public(uint8_t *out, size_t *out_len, const struct hr_sign_key *public)
{
    const struct sign_key *key = (const struct sign_key *)public;
    if (!out || !out_len || !key)
        return HR_EINVAL;
    const struct sign_impl *impl = sign_impl(key->alg);
    return impl ? impl->public_bytes(out, out_len, key->part) : HR_ESTATE;
}

int hr_sign_key_seed(uint8_t *out, size_t *out_len, const struct hr_sign_key *public)
{
    const struct sign_key *key = (const struct sign_key *)public;
    if (!out || !out_len || !key)
        return HR_EINVAL;
    const struct sign_impl *impl = sign_impl(key->alg);
    if (!impl || !key->is_private)
        return HR_ESTATE;
    return (impl->seed_bytes ? impl->seed_bytes : impl->private_bytes)(out, out_len, key->part);
}

/* ---- signatures ---- */

/* Returns HR_EINVAL if a row does not know an option that is set. */
static int check_options(const struct sign_impl *impl, const struct hr_sign_options *options)
{
    if (options->flags & ~(uint32_t)impl->flags)
        return HR_EINVAL;
    if (options->context_len && (!options->context || !(impl->takes & SIGN_TAKES_CONTEXT)))
        return HR_EINVAL;
    if (options->context_len > 255)
        return HR_ELENGTH;
    if (options->digest && !(impl->takes & SIGN_TAKES_DIGEST))
        return HR_EINVAL;
    return options->random && !(impl->takes & SIGN_TAKES_RANDOM) ? HR_EINVAL : 0;
}

const struct hr_sign_options sign_no_options;

int sign_check(const uint8_t *sig, size_t sig_len, const struct sign_input *message,
               const struct sign_key *key)
{
    if (!sig || (message->len && !message->in))
        return HR_EINVAL;
    const struct sign_impl *impl = sign_impl(key->alg);
    if (!impl || !key->is_private)
        return HR_ESTATE;
    const size_t out_len = hr_algorithm(key->alg)->out_len;
    const int error = check_options(impl, message->options);
    if (error)
        return error;
    if (sig_len < out_len)
        return HR_EBUFFER;
    return touch(sig, out_len, message->in, message->len) ? HR_EOVERLAP : 0;
}

int hr_sign(uint8_t *sig, size_t *sig_len, const void *in, size_t in_len,
            const struct hr_sign_key *public, const struct hr_sign_options *options)
{
    const struct sign_key *key = (const struct sign_key *)public;
    const struct sign_input input = { in, in_len, options ? options : &sign_no_options };
    if (!sig_len || !key)
        return HR_EINVAL;
    int error = sign_check(sig, *sig_len, &input, key);
    if (!error)
        error = sign_impl(key->alg)->sign(sig, &input, key->part);
    if (!error)
        *sig_len = hr_algorithm(key->alg)->out_len;
    return error;
}

int sign_check_verify(const uint8_t *sig, size_t sig_len, const struct sign_input *message,
                      const struct sign_key *key)
{
    if ((sig_len && !sig) || (message->len && !message->in))
        return HR_EINVAL;
    const struct sign_impl *impl = sign_impl(key->alg);
    if (!impl)
        return HR_ESTATE;
    const int error = check_options(impl, message->options);
    if (error)
        return error;
    return sig_len != hr_algorithm(key->alg)->out_len ? HR_EMAC : 0;
}

int hr_verify(const uint8_t *sig, size_t sig_len, const void *in, size_t in_len,
              const struct hr_sign_key *public, const struct hr_sign_options *options)
{
    const struct sign_key *key = (const struct sign_key *)public;
    const struct sign_input input = { in, in_len, options ? options : &sign_no_options };
    if (!key)
        return HR_EINVAL;
    const int error = sign_check_verify(sig, sig_len, &input, key);
    return error ? error : sign_impl(key->alg)->verify(sig, &input, key->part);
}

static void forget(void)
{
#define HR_SIGN(number, sym, ...) \
    if (sym##_impl.forget)        \
        sym##_impl.forget();
#include <headrace/algorithms.def>
}

/* ---- jobs ---- */

static int run(struct hr_job *job, const void *key)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)job->alg);
    size_t len = job_tag_len(job, row->out_len);
    if (job->op == HR_JOB_VERIFY)
        return hr_verify(job->tag, len, job->in, job->len, key, job->options);
    return len == row->out_len ? hr_sign(job->tag, &len, job->in, job->len, key, job->options)
                               : HR_ETAGLEN;
}

static hr_alg key_alg(const void *key)
{
    return (hr_alg)((const struct sign_key *)key)->alg;
}

static int kernel_at(struct hr_kernel *out, const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    const struct hr_kernel *kernel = sign_impl(row->alg)->kernel(i);
    (void)op;
    return kernel ? (*out = *kernel, 0) : HR_EINVAL;
}

const struct class_calls sign_class = {
    .run = run,
    .key_alg = key_alg,
    .kind = sign_kind,
    .run_many = sign_run_many,
    .kernel_at = kernel_at,
    .forget = forget,
};
