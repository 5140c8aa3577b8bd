/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerator's client is a library of its own, which uses threads and sockets.  It is loaded
 * when the first key of the accelerator is read or used: a program that has no such key neither
 * needs nor maps it. */
#include "handle.h"
#include "params.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define LIBRARY "libheadrace-accel.so.0"

struct client client;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256]; /* why the library cannot be used; "" if it can */

/* FUNCTION_NAME is the size of a function's name in the table. */
enum { FUNCTION_NAME = 32 };
#define X(name) static_assert(sizeof #name <= FUNCTION_NAME, "too long");
CLIENT_FUNCTIONS(X)
#undef X

static const struct function {
    char name[FUNCTION_NAME]; /* no pointer, which would be relocated when a process starts */
    size_t at;                /* of struct client */
} functions[] = {
#define X(name) { #name, offsetof(struct client, name) },
    CLIENT_FUNCTIONS(X)
#undef X
};

/* The texts of dlerror() contain paths, and programs print OpenSSL's errors as they are. */
static void hide_controls(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

/* load loads the library for good (RTLD_NODELETE), since each thread's queue is closed at the end
 * of the thread only. */
static void load(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        snprintf(problem, sizeof problem, "%s", dlerror());
    hide_controls(problem);
    for (size_t i = 0; library && !*problem && i < COUNT(functions); i++) {
        void *symbol = dlsym(library, functions[i].name);
        memcpy((char *)&client + functions[i].at, &symbol, sizeof symbol);
        if (!symbol)
            snprintf(problem, sizeof problem, "%s is too old: it has no %.*s", LIBRARY,
                     FUNCTION_NAME, functions[i].name);
    }
}

void client_prepare(void)
{
    pthread_once(&once, load);
}

int client_there(void)
{
    client_prepare();
    return !*problem;
}

int client_loaded(const struct provider *provider)
{
    return client_there() || RAISE_TEXT(provider, PROV_R_NOT_SUPPORTED, problem);
}

static struct handle *handle_new(const struct provider *provider)
{
    struct handle *handle = client_loaded(provider) ? calloc(1, sizeof *handle) : NULL;
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
    return handle ? made(handle, client.hr_accel_key_open(&handle->number, text), text) : NULL;
}

struct handle *handle_import(const struct provider *provider, hr_alg alg, const void *bytes,
                             size_t bytes_len)
{
    struct handle *handle = handle_new(provider);
    if (!handle)
        return NULL;
    return made(handle, client.hr_accel_key_import(&handle->number, alg, bytes, bytes_len),
                "imported");
}

struct handle *handle_generate(const struct provider *provider, hr_alg alg, size_t key_len)
{
    struct handle *handle = handle_new(provider);
    if (!handle)
        return NULL;
    return made(handle, client.hr_accel_key_generate(&handle->number, alg, key_len), "generated");
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
    client.hr_accel_key_close(handle->number);
    free(handle);
}

int handle_replace(struct handle **at, struct handle *handle)
{
    handle_release(*at);
    *at = handle;
    return handle != NULL;
}

int handle_take_bytes(struct handle **at, const struct provider *provider, hr_alg alg,
                      const void *bytes, size_t bytes_len)
{
    return !bytes || handle_replace(at, handle_import(provider, alg, bytes, bytes_len));
}

int handle_take_object(struct handle **at, void *key)
{
    return !key || handle_replace(at, handle_hold(key));
}

int handle_result(const struct provider *provider, int error)
{
    if (error == HR_ELENGTH)
        return RAISE(provider, PROV_R_INVALID_INPUT_LENGTH);
    return !error || RAISE_HR(provider, error);
}
