/* SPDX-License-Identifier: Apache-2.0 */
/* Key agreement, with the code of any row: what every row checks is checked here. */
#include "agree.h"
#include "../class.h"

#define HR_AGREE(number, sym, ...) extern const struct agree_impl sym##_impl;
#include <headrace/algorithms.def>

const struct agree_impl *agree_impl(hr_alg alg)
{
    switch (alg) {
#define HR_AGREE(number, sym, ...) \
    case number:                   \
        return &sym##_impl;
#include <headrace/algorithms.def>
    default:
        return NULL;
    }
}

/* ---- keys ---- */

size_t hr_agree_key_size(hr_alg alg)
{
    const struct agree_impl *impl = agree_impl(alg);
    return impl ? offsetof(struct agree_key, part) + impl->key_size : 0;
}

static void wipe(struct agree_key *key, const struct agree_impl *impl)
{
    wipe_bytes(key, offsetof(struct agree_key, part) + impl->key_size);
}

/* Ends every way to make a key. */
static int finish(struct agree_key *key, hr_alg alg, int error)
{
    if (error)
        wipe(key, agree_impl(alg));
    else
        key->alg = alg;
    return error;
}

int hr_agree_key_init(struct hr_agree_key *public, hr_alg alg, const uint8_t *bytes,
                      size_t bytes_len)
{
    struct agree_key *key = (struct agree_key *)public;
    const struct agree_impl *impl = agree_impl(alg);
    if (!impl)
        return HR_EALG;
    if (!key || !bytes)
        return HR_EINVAL;
    const struct hr_algorithm *row = hr_algorithm(alg);
    if (bytes_len != row->key_len)
        return HR_EKEYLEN;
    return finish(key, alg, impl->init(key->part, row, bytes));
}

static int generate(struct agree_key *key, const struct agree_impl *impl,
                    const struct hr_algorithm *row, const uint8_t random[HR_KEY_RANDOM])
{
    return impl->generate ? impl->generate(key->part, row, random)
                          : impl->init(key->part, row, random);
}

int hr_agree_key_generate(struct hr_agree_key *public, hr_alg alg, const uint8_t *random)
{
    struct agree_key *key = (struct agree_key *)public;
    const struct agree_impl *impl = agree_impl(alg);
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
    return finish(key, alg, made);
}

void hr_agree_key_wipe(struct hr_agree_key *public)
{
    struct agree_key *key = (struct agree_key *)public;
    const struct agree_impl *impl = key ? agree_impl(key->alg) : NULL;
    if (impl)
        wipe(key, impl);
}

int hr_agree_key_private(uint8_t *out, size_t *out_len, const struct hr_agree_key *public)
{
    const struct agree_key *key = (const struct agree_key *)public;
    if (!out || !out_len || !key)
        return HR_EINVAL;
    const struct agree_impl *impl = agree_impl(key->alg);
    if (!impl)
        return HR_ESTATE;
    const size_t len = hr_algorithm(key->alg)->key_len;
    if (*out_len < len)
        return HR_EBUFFER;
    impl->private_bytes(out, key->part);
    *out_len = len;
    return 0;
}

int hr_agree_key_public(uint8_t *out, size_t *out_len, const struct hr_agree_key *public)
{
    const struct agree_key *key = (const struct agree_key *)public;
    if (!out || !out_len || !key)
        return HR_EINVAL;
    const struct agree_impl *impl = agree_impl(key->alg);
    if (!impl)
        return HR_ESTATE;
    const size_t len = hr_algorithm(key->alg)->public_len;
    if (*out_len < len)
        return HR_EBUFFER;
    *out_len = len;
    return impl->public_bytes(out, key->part);
}

/* ---- secrets ---- */

int agree_check(const uint8_t *out, size_t out_len, const uint8_t *peer, size_t peer_len,
                const struct agree_key *key)
{
    if (!out || !peer)
        return HR_EINVAL;
    if (!agree_impl(key->alg))
        return HR_ESTATE;
    const size_t len = hr_algorithm(key->alg)->out_len;
    if (out_len < len)
        return HR_EBUFFER;
    return out != peer && touch(out, len, peer, peer_len) ? HR_EOVERLAP : 0;
}

int hr_agree(uint8_t *out, size_t *out_len, const uint8_t *peer, size_t peer_len,
             const struct hr_agree_key *public)
{
    const struct agree_key *key = (const struct agree_key *)public;
    if (!out_len || !key)
        return HR_EINVAL;
    int error = agree_check(out, *out_len, peer, peer_len, key);
    if (!error)
        error = agree_impl(key->alg)->agree(out, peer, peer_len, key->part);
    if (!error)
        *out_len = hr_algorithm(key->alg)->out_len;
    return error;
}

int hr_agree_check(hr_alg alg, const uint8_t *peer, size_t peer_len)
{
    const struct agree_impl *impl = agree_impl(alg);
    if (!impl)
        return HR_EALG;
    return peer ? impl->check(hr_algorithm(alg), peer, peer_len) : HR_EINVAL;
}

static void forget(void)
{
#define HR_AGREE(number, sym, ...) \
    if (sym##_impl.forget)         \
        sym##_impl.forget();
#include <headrace/algorithms.def>
}

static int run(struct hr_job *job, const void *key)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)job->alg);
    size_t len = job_tag_len(job, row->out_len);
    return len == row->out_len ? hr_agree(job->tag, &len, job->in, job->len, key) : HR_ETAGLEN;
}

static hr_alg key_alg(const void *key)
{
    return (hr_alg)((const struct agree_key *)key)->alg;
}

static int kernel_at(struct hr_kernel *out, const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    const struct hr_kernel *kernel = agree_impl(row->alg)->kernel(i);
    (void)op;
    return kernel ? (*out = *kernel, 0) : HR_EINVAL;
}

const struct class_calls agree_class = {
    .run = run,
    .key_alg = key_alg,
    .kind = agree_kind,
    .run_many = agree_run_many,
    .kernel_at = kernel_at,
    .forget = forget,
};
