/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that stay in the accelerator's service.  Its client's library is loaded for good, since each
 * thread's queue is closed when the thread ends. */
#define _GNU_SOURCE
#include "../pk.h"
#include "client.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define LIBRARY "libheadrace-accel.so.0"
enum { MAX_NAME = 63, LINE = 160 };

static struct client client;
static bool has_client;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const struct {
        char name[32];
        size_t at;
    } functions[] = {
#define X(name) { #name, (size_t)((char *)&client.name - (char *)&client) },
        CLIENT_FUNCTIONS(X)
#undef X
    };
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    has_client = library;
    for (size_t i = 0; library && i < COUNT(functions); i++) {
        void *function = dlsym(library, functions[i].name);
        memcpy((char *)&client + functions[i].at, &function, sizeof function);
        has_client &= function != NULL;
    }
}

const struct client *client_get(void)
{
    pthread_once(&once, load);
    return has_client ? &client : NULL;
}

static bool is_there(void)
{
    return client_get() != NULL;
}

/* ---- the list ---- */

struct text {
    char *at;
    size_t room, len;
};

static void write_line(struct text *text, const struct hr_accel_key *key)
{
    const size_t left = text->room - text->len;
    int len = snprintf(text->at + text->len, left, "%s %d %u %u", key->name, (int)key->alg,
                       key->uses, key->paddings);
    for (uint32_t i = 0; i < key->num_digests && len >= 0 && (size_t)len < left; i++)
        len +=
            snprintf(text->at + text->len + len, left - (size_t)len, " %d", (int)key->digests[i]);
    if (len >= 0 && (size_t)len < left) {
        text->at[text->len + (size_t)len] = '\n';
        text->len += (size_t)len + 1;
    } else {
        text->len = text->room + 1;
    }
}

static int take_key(void *arg, const struct hr_accel_key *key)
{
    struct text *text = arg;
    if (text->len <= text->room)
        write_line(text, key);
    return text->len > text->room ? HR_EBUFFER : 0;
}

int32_t hrj_accel_list(uint8_t *out, int32_t room)
{
    struct text text = { (char *)out, (size_t)room, 0 };
    if (!is_there())
        return HR_EGONE;
    const int rv = client.hr_accel_key_list(take_key, &text);
    return rv ? rv : (int32_t)text.len;
}

/* copy_name copies a name of Java, which no zero follows, and returns whether it can be one. */
static bool copy_name(char out[MAX_NAME + 1], const uint8_t *name, int32_t len)
{
    if (len < 1 || len > MAX_NAME || memchr(name, 0, (size_t)len))
        return false;
    memcpy(out, name, (size_t)len);
    out[len] = 0;
    return true;
}

int32_t hrj_accel_public(const uint8_t *name, int32_t name_len, uint8_t *out, int32_t room)
{
    char text[MAX_NAME + 1];
    size_t len = (size_t)room;
    if (!copy_name(text, name, name_len))
        return HR_EHANDLE;
    const int rv = is_there() ? client.hr_accel_key_public(text, out, &len) : HR_EGONE;
    return rv ? rv : (int32_t)len;
}

/* ---- keys ---- */

int64_t hrj_accel_open(const uint8_t *name, int32_t name_len, int32_t alg, int32_t out_len)
{
    char text[MAX_NAME + 1];
    if (!copy_name(text, name, name_len))
        return HR_EHANDLE;
    if (!is_there())
        return HR_EGONE;
    struct pk *pk = memory_new(sizeof *pk);
    if (!pk)
        return HR_ESYSTEM;
    *pk = (struct pk){ .cls = pk_class_of((hr_alg)alg), /* NULL: a secret key */
                       .alg = (hr_alg)alg,
                       .index = (uint16_t)index_of((hr_alg)alg),
                       .is_named = true,
                       .out_len = (uint32_t)out_len };
    const int rv = client.hr_accel_key_open(&pk->handle, text);
    if (!rv)
        return (int64_t)(uintptr_t)pk;
    memory_free(pk);
    return rv;
}

void accel_close(struct pk *pk)
{
    client.hr_accel_key_close(pk->handle);
}

int accel_call(const struct pk *pk, enum pk_op op, const struct pk_options *options, uint8_t *out,
               size_t *len, const uint8_t *in, size_t in_len)
{
    struct hr_rsa_options rsa = pk_rsa_options(options);
    rsa.raise_errors = 0; /* no key of the service tells what a decrypted padding was */
    const struct hr_sign_options sign = pk_sign_options(options);
    const bool has_sign = sign.flags || sign.context_len;
    const int job_op = op == PK_SIGN      ? HR_JOB_SIGN
                       : op == PK_DECRYPT ? HR_JOB_PK_DECRYPT
                       : op == PK_MAC     ? HR_JOB_MAC
                                          : -1;
    if (job_op < 0 || (op == PK_MAC) == (pk->cls != NULL))
        return HR_ESTATE;
    if (*len < pk->out_len)
        return HR_EBUFFER;
    struct hr_job job = {
        .alg = (uint16_t)pk->alg,
        .op = (uint8_t)job_op,
        .key_form = HR_KEY_HANDLE,
        .handle = pk->handle,
        .in = in,
        .len = in_len,
        .tag = out,
        .tag_len = pk->out_len,
        .options = !pk->cls                       ? NULL
                   : pk->cls->cls == HR_CLASS_RSA ? (const void *)&rsa
                   : has_sign                     ? &sign
                                                  : NULL,
    };
    const int rv = client.hr_accel_run(&job);
    *len = op == PK_DECRYPT ? job.tag_len : pk->out_len;
    return rv;
}
