/* SPDX-License-Identifier: Apache-2.0 */
#include "custody.h"
#include "../handle.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- life ---- */

static unsigned row_of(hr_alg alg)
{
    unsigned i = 0;
    while (i + 1 < NUM_ROWS && hr_algorithm_at(i)->alg != alg)
        i++;
    return i;
}

struct custody *custody_new(const struct provider *provider, const struct reference *reference)
{
    struct custody *c = calloc(1, sizeof *c + reference->spki.len);
    if (!c)
        return NULL;
    client_prepare();
    atomic_init(&c->refs, 1);
    c->provider = provider;
    c->alg = reference->alg;
    c->row = row_of(reference->alg);
    c->bits = reference->bits;
    memcpy(c->name, reference->name, sizeof c->name);
    c->spki_len = reference->spki.len;
    memcpy(c->spki, reference->spki.at, c->spki_len);
    return c;
}

struct custody *custody_hold(struct custody *custody)
{
    if (custody)
        atomic_fetch_add_explicit(&custody->refs, 1, memory_order_relaxed);
    return custody;
}

void custody_release(struct custody *custody)
{
    if (!custody || atomic_fetch_sub_explicit(&custody->refs, 1, memory_order_acq_rel) != 1)
        return;
    const uint64_t handle = atomic_load(&custody->handle);
    if (handle)
        client.hr_accel_key_close(handle);
    free(custody);
}

/* ---- errors ---- */

enum { RAISED = 1 }; /* an error that has been raised already */

int custody_refuse(const struct custody *custody, const char *why)
{
    char text[REFERENCE_NAME + 128];
    snprintf(text, sizeof text, "named key %s: %s", custody->name, why);
    return RAISE_TEXT(custody->provider, PROV_R_INVALID_KEY, text);
}

/* failed returns the error, which it raises. */
static int failed(const struct provider *provider, const char *name, int error)
{
    char text[REFERENCE_NAME + 128];
    snprintf(text, sizeof text, "named key %s: %s", name, hr_strerror(error));
    RAISE_TEXT(provider, error_reason(error), text);
    return error;
}

/* ---- keys ---- */

int custody_public(const struct provider *provider, const char *name, uint8_t *spki, size_t *len)
{
    if (!client_loaded(provider))
        return 0;
    const int error = client.hr_accel_key_public(name, spki, len);
    if (error)
        failed(provider, name, error);
    return !error;
}

/* open_once opens the key and compares the service's public key with the reference's. */
static int open_once(const struct custody *c, uint64_t *handle)
{
    uint8_t spki[REFERENCE_MAX];
    size_t len = sizeof spki;
    int error = client.hr_accel_key_open(handle, c->name);
    if (error)
        return error;
    error = client.hr_accel_key_public(c->name, spki, &len);
    if (!error && (len != c->spki_len || memcmp(spki, c->spki, len))) {
        custody_refuse(c, "the service has another key of this name: its public key is not the "
                          "reference's");
        error = RAISED;
    }
    if (error)
        client.hr_accel_key_close(*handle);
    return error;
}

/* open_key opens the key, instead of `before`, which another thread may do meanwhile.  A thread
 * that still has a job under `before` gets HR_EHANDLE, and comes here, too. */
static int open_key(struct custody *c, uint64_t before)
{
    uint64_t handle = 0;
    const int error = open_once(c, &handle);
    if (error)
        return error;
    if (!atomic_compare_exchange_strong(&c->handle, &before, handle))
        client.hr_accel_key_close(handle);
    else if (before)
        client.hr_accel_key_close(before);
    return 0;
}

/* run_once opens the key if the process has not, or anew after HR_EHANDLE: the name has got another
 * key since, and an open finds out whether that is the reference's. */
static int run_once(struct custody *c, struct hr_job *job)
{
    const uint64_t before = atomic_load(&c->handle);
    int error = HR_EHANDLE;
    job->handle = before;
    if (before)
        error = client.hr_accel_run(job);
    if (error != HR_EHANDLE)
        return error;
    error = open_key(c, before);
    if (error)
        return error;
    job->handle = atomic_load(&c->handle);
    return client.hr_accel_run(job);
}

/* run runs a job of which everything but the algorithm and the key is set. */
static int run(struct custody *custody, struct hr_job *job)
{
    if (!client_loaded(custody->provider)) {
        custody_refuse(custody, "the accelerator's client cannot be used");
        return HR_EGONE;
    }
    job->alg = (uint16_t)custody->alg;
    job->key_form = HR_KEY_HANDLE;
    const int error = run_once(custody, job);
    if (!error || error == HR_EPADDING)
        return error;
    return error == RAISED ? HR_EHANDLE : failed(custody->provider, custody->name, error);
}

int custody_sign(struct custody *custody, uint8_t *sig, size_t *sig_len, const uint8_t *in,
                 size_t in_len, const void *options)
{
    const size_t len =
        custody->bits ? (custody->bits + 7) / 8 : hr_algorithm(custody->alg)->out_len;
    struct hr_job job = {
        .op = HR_JOB_SIGN,
        .in = in,
        .len = in_len,
        .tag = sig,
        .tag_len = (uint32_t)len,
        .options = options,
    };
    if (*sig_len < len)
        return custody_refuse(custody, "no room for the signature");
    if (run(custody, &job))
        return 0;
    *sig_len = len;
    return 1;
}

int custody_decrypt(struct custody *custody, uint8_t *out, size_t *out_len, const uint8_t *in,
                    size_t in_len, const struct hr_rsa_options *options)
{
    struct hr_job job = {
        .op = HR_JOB_PK_DECRYPT,
        .in = in,
        .len = in_len,
        .tag = out,
        .tag_len = (uint32_t)*out_len,
        .options = options,
    };
    const int error = run(custody, &job);
    if (!error)
        *out_len = job.tag_len;
    return error;
}
