/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerator's client is a library that threads and sockets come with.  It is loaded when the
 * first such key is used: a program that has none neither needs nor maps it. */
#include "handle.h"
#include "params.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    int (*run)(struct hr_job *job);
    int (*key_import)(uint64_t *handle, hr_alg alg, const void *bytes, size_t bytes_len);
    int (*key_generate)(uint64_t *handle, hr_alg alg, size_t key_len);
    int (*key_open)(uint64_t *handle, const char *name);
    void (*key_close)(uint64_t handle);
} client;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int loaded;

static int find(void *library, void *function, const char *name)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* It stays: its threads' queues end with the threads. */
static void load(void)
{
    void *library = dlopen("libheadrace-accel.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    loaded = library && find(library, &client.run, "hr_accel_run") &&
             find(library, &client.key_import, "hr_accel_key_import") &&
             find(library, &client.key_generate, "hr_accel_key_generate") &&
             find(library, &client.key_open, "hr_accel_key_open") &&
             find(library, &client.key_close, "hr_accel_key_close");
}

static struct handle *handle_new(const struct provider *provider)
{
    pthread_once(&once, load);
    if (!loaded) {
        RAISE(provider, PROV_R_NOT_SUPPORTED);
        return NULL;
    }
    struct handle *handle = calloc(1, sizeof *handle);
    if (!handle)
        return NULL;
    handle->refs = 1;
    handle->provider = provider;
    return handle;
}

static struct handle *made(struct handle *handle, int error, const char *id)
{
    if (error) {
        RAISE_HR(handle->provider, error);
        free(handle);
        return NULL;
    }
    snprintf(handle->id, sizeof handle->id, "%s", id);
    return handle;
}

struct handle *handle_open(const struct provider *provider, const OSSL_PARAM *name)
{
    char text[sizeof((struct handle *)NULL)->id];
    const char *at;
    size_t len;
    if (!param_get_text(name, &at, &len) || !len || len >= sizeof text) {
        RAISE(provider, PROV_R_FAILED_TO_GET_PARAMETER);
        return NULL;
    }
    memcpy(text, at, len);
    text[len] = '\0';
    struct handle *handle = handle_new(provider);
    return handle ? made(handle, client.key_open(&handle->number, text), text) : NULL;
}

struct handle *handle_import(const struct provider *provider, hr_alg alg, const void *bytes,
                             size_t bytes_len)
{
    struct handle *handle = handle_new(provider);
    if (!handle)
        return NULL;
    return made(handle, client.key_import(&handle->number, alg, bytes, bytes_len), "imported");
}

struct handle *handle_generate(const struct provider *provider, hr_alg alg, size_t key_len)
{
    struct handle *handle = handle_new(provider);
    if (!handle)
        return NULL;
    return made(handle, client.key_generate(&handle->number, alg, key_len), "generated");
}

struct handle *handle_hold(struct handle *handle)
{
    if (handle)
        atomic_fetch_add_explicit(&handle->refs, 1, memory_order_relaxed);
    return handle;
}

void handle_release(struct handle *handle)
{
    if (!handle || atomic_fetch_sub_explicit(&handle->refs, 1, memory_order_acq_rel) != 1)
        return;
    client.key_close(handle->number);
    free(handle);
}

int handle_replace(struct handle **at, struct handle *handle)
{
    handle_release(*at);
    *at = handle;
    return handle != NULL;
}

int handle_run_quiet(const struct handle *handle, struct hr_job *job)
{
    job->key_form = HR_KEY_HANDLE;
    job->handle = handle->number;
    return client.run(job);
}

int handle_run(const struct handle *handle, struct hr_job *job)
{
    const int error = handle_run_quiet(handle, job);
    return !error || RAISE_HR(handle->provider, error);
}
