/* SPDX-License-Identifier: Apache-2.0 */
/* The provider as a hostile or confused program may use it: its entry points in any order, with
 * parameters of any type and size, and with a stub as libcrypto's core.  Buffers have exactly the
 * size that is announced, so that AddressSanitizer finds each byte too many. */
#include "provider_libcrypto.h"
#include <assert.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NUM_CONTEXTS = 4, MAX_FUNCTION = 32, MAX_PARAMS = 3, MAX_DATA = 320 };

typedef void any_fn(void);

struct context {
    void *ctx;
    int operation; /* OSSL_OP_... */
    any_fn *f[MAX_FUNCTION];
    size_t slack; /* bytes by which output may exceed the announced room (wrapped keys) */
};

/* ---- input, read byte by byte; zeros after its end ---- */

struct input {
    const uint8_t *at, *end;
};

static unsigned take(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static unsigned take_below(struct input *in, unsigned limit)
{
    return take(in) % limit;
}

/* ---- a stub of libcrypto's core ---- */

static void new_error(const OSSL_CORE_HANDLE *core)
{
    (void)core;
}

static void set_error_debug(const OSSL_CORE_HANDLE *core, const char *file, int line,
                            const char *function)
{
    assert(core && file && line && function);
}

static void vset_error(const OSSL_CORE_HANDLE *core, uint32_t reason, const char *text,
                       va_list args)
{
    assert(core && reason && (!text || !strcmp(text, "%s")));
    (void)args;
}

static OPENSSL_CORE_CTX *get_libctx(const OSSL_CORE_HANDLE *core)
{
    assert(core);
    return NULL;
}

static const OSSL_DISPATCH core_functions[] = {
    { OSSL_FUNC_CORE_GET_LIBCTX, (any_fn *)get_libctx },
    { OSSL_FUNC_CORE_NEW_ERROR, (any_fn *)new_error },
    { OSSL_FUNC_CORE_SET_ERROR_DEBUG, (any_fn *)set_error_debug },
    { OSSL_FUNC_CORE_VSET_ERROR, (any_fn *)vset_error },
    { 0, NULL },
};

static void *provctx;
static OSSL_FUNC_provider_query_operation_fn *query;
static OSSL_FUNC_provider_get_params_fn *provider_get_params;

/* load_alone loads the provider with a core that gives no way to find its libcrypto, and checks
 * that no key derivation is offered then. */
static void load_alone(void)
{
    static const int core = 0;
    const OSSL_DISPATCH *f;
    void *alone;
    int no_cache;
    assert(core_functions[0].function_id == OSSL_FUNC_CORE_GET_LIBCTX);
    assert(OSSL_provider_init((const OSSL_CORE_HANDLE *)&core, core_functions + 1, &f, &alone) ==
           1);
    OSSL_FUNC_provider_teardown_fn *teardown = NULL;
    OSSL_FUNC_provider_query_operation_fn *query_alone = NULL;
    for (; f->function_id; f++)
        if (f->function_id == OSSL_FUNC_PROVIDER_QUERY_OPERATION)
            query_alone = OSSL_FUNC_provider_query_operation(f);
        else if (f->function_id == OSSL_FUNC_PROVIDER_TEARDOWN)
            teardown = OSSL_FUNC_provider_teardown(f);
    const OSSL_ALGORITHM *rows = query_alone(alone, OSSL_OP_KDF, &no_cache);
    assert(rows && !rows->algorithm_names);
    teardown(alone);
}

static void load(void)
{
    static const int core = 0;
    const OSSL_DISPATCH *f;
    int no_cache;
    assert(OSSL_provider_init((const OSSL_CORE_HANDLE *)&core, core_functions, &f, &provctx) == 1);
    for (; f->function_id; f++)
        if (f->function_id == OSSL_FUNC_PROVIDER_QUERY_OPERATION)
            query = OSSL_FUNC_provider_query_operation(f);
        else if (f->function_id == OSSL_FUNC_PROVIDER_GET_PARAMS)
            provider_get_params = OSSL_FUNC_provider_get_params(f);
    assert(query && provider_get_params && !query(provctx, OSSL_OP_RAND, &no_cache));
}

/* ---- parameters ---- */

struct params {
    OSSL_PARAM list[MAX_PARAMS + 1];
};

/* fill_text fills in, mostly, a text that has a meaning, cut to the size that is announced. */
static void fill_text(struct input *in, OSSL_PARAM *param)
{
    static const char *const texts[] = {
        "SHA256",       "sha2-512/256",  "MD5",         "SHA3-256",
        "EXTRACT_ONLY", "expand_only",   "x=y",         "",
        "AES-128-GCM",  "id-aes192-gcm", "aes-256-gcm", "ARIA-128-GCM",
    };
    const char *text = texts[take_below(in, sizeof texts / sizeof *texts)];
    if (param->data_type == OSSL_PARAM_UTF8_STRING && take_below(in, 4))
        strncpy(param->data, text, param->data_size);
}

/* Reduces the number of iterations, because the time that many take is not an error. */
static void fill_number(OSSL_PARAM *param, size_t room)
{
    if (!strcmp(param->key, "iter") && room)
        memset((char *)param->data + 1, 0, room - 1);
}

/* Makes parameters.  Those of pointer types get room for a pointer, as with OpenSSL's own
 * constructors. */
static struct params make_params(struct input *in)
{
    static const char *const keys[] = {
        "padding",      "num",          "tls-version",
        "tls-mac-size", "tls-mac",      "keylen",
        "ivlen",        "iv",           "updated-iv",
        "mode",         "blocksize",    "size",
        "xof",          "algid-absent", "name",
        "version",      "status",       "headrace.stats",
        "digest",       "properties",   "pass",
        "key",          "salt",         "info",
        "iter",         "pkcs5",        "mode",
        "info",         "digest",       "nonsense",
        "tag",          "taglen",       "tlsaad",
        "tlsaadpad",    "tlsivfixed",   "tlsivgen",
        "tlsivinv",     "iv-generated", "",
        "randkey",      "has-randkey",  "count",
        "bearer",       "direction",    "fresh",
    };
    static const uint64_t values[] = {
        0, 1, 13, 20, 32, 48, 64, 65, 0x0300, 0x0301, 0x0303, 0xfeff
    };
    static const uint16_t sizes[] = { 0, 1, 2, 4, 8, 12, 13, 16, 64, 128, 4096 };
    struct params p = { 0 };
    const unsigned num = take_below(in, MAX_PARAMS + 1);
    for (unsigned i = 0; i < num; i++) {
        OSSL_PARAM *param = &p.list[i];
        param->key = keys[take_below(in, sizeof keys / sizeof keys[0])];
        param->data_type = take_below(in, 9);
        param->data_size = sizes[take_below(in, sizeof sizes / sizeof sizes[0])];
        const int pointer =
            param->data_type == OSSL_PARAM_OCTET_PTR || param->data_type == OSSL_PARAM_UTF8_PTR;
        const int ended = param->data_type == OSSL_PARAM_UTF8_STRING && !param->data_size;
        const int announced = param->data_size || strcmp(param->key, "randkey") != 0;
        const size_t room = pointer      ? sizeof(void *)
                            : ended      ? 1
                            : !announced ? 64 /* EVP_CIPHER_CTX_rand_key() announces no size */
                                         : param->data_size;
        if (take_below(in, 8)) {
            param->data = malloc(room);
            assert(param->data || !room);
            memset(param->data, ended ? 0 : (int)take(in), room);
            const uint64_t value = values[take_below(in, sizeof values / sizeof values[0])];
            if (take_below(in, 4))
                memcpy(param->data, &value, ended ? 0 : room < sizeof value ? room : sizeof value);
            fill_text(in, param);
            fill_number(param, room);
        }
    }
    return p;
}

static void free_params(struct params *p)
{
    for (int i = 0; i < MAX_PARAMS; i++)
        free(p->list[i].data);
}

/* ---- steps ---- */

static void free_context(struct context *c)
{
    static const int ids[] = {
        [OSSL_OP_DIGEST] = OSSL_FUNC_DIGEST_FREECTX,
        [OSSL_OP_CIPHER] = OSSL_FUNC_CIPHER_FREECTX,
        [OSSL_OP_KDF] = OSSL_FUNC_KDF_FREECTX,
        [OSSL_OP_MAC] = OSSL_FUNC_MAC_FREECTX,
    };
    if (c->ctx)
        ((OSSL_FUNC_cipher_freectx_fn *)c->f[ids[c->operation]])(c->ctx);
    c->ctx = NULL;
}

static void new_context(struct context *c, struct input *in)
{
    static const int operations[] = { OSSL_OP_DIGEST, OSSL_OP_CIPHER, OSSL_OP_CIPHER,
                                      OSSL_OP_CIPHER, OSSL_OP_KDF,    OSSL_OP_MAC };
    int no_cache = 1;
    free_context(c);
    c->operation = operations[take_below(in, sizeof operations / sizeof *operations)];
    const OSSL_ALGORITHM *rows = query(provctx, c->operation, &no_cache);
    assert(rows && !no_cache);
    unsigned num = 0;
    while (rows[num].algorithm_names)
        num++;
    memset(c->f, 0, sizeof c->f);
    const OSSL_ALGORITHM *row = &rows[take_below(in, num)];
    c->slack = strstr(row->algorithm_names, "WRAP") ? 16 : 0;
    for (const OSSL_DISPATCH *f = row->implementation; f->function_id; f++) {
        assert(f->function_id < MAX_FUNCTION);
        c->f[f->function_id] = f->function;
    }
    c->ctx = ((OSSL_FUNC_cipher_newctx_fn *)c->f[OSSL_FUNC_CIPHER_NEWCTX])(provctx);
    assert(c->ctx);
}

static void copy_context(struct context *c, struct context *from)
{
    static const int ids[] = {
        [OSSL_OP_DIGEST] = OSSL_FUNC_DIGEST_DUPCTX,
        [OSSL_OP_CIPHER] = OSSL_FUNC_CIPHER_DUPCTX,
        [OSSL_OP_KDF] = OSSL_FUNC_KDF_DUPCTX,
        [OSSL_OP_MAC] = OSSL_FUNC_MAC_DUPCTX,
    };
    if (c == from)
        return;
    free_context(c);
    *c = *from;
    c->ctx = ((OSSL_FUNC_cipher_dupctx_fn *)c->f[ids[c->operation]])(from->ctx);
    assert(c->ctx);
}

/* ---- steps of key derivation ---- */

static void kdf_set(struct context *c, struct input *in)
{
    struct params p = make_params(in);
    ((OSSL_FUNC_kdf_set_ctx_params_fn *)c->f[OSSL_FUNC_KDF_SET_CTX_PARAMS])(c->ctx, p.list);
    free_params(&p);
}

static void kdf_derive(struct context *c, struct input *in)
{
    struct params p = make_params(in);
    const size_t out_len = take_below(in, 4) ? take_below(in, 100) : 64 * take(in);
    uint8_t *out = malloc(out_len ? out_len : 1);
    assert(out);
    ((OSSL_FUNC_kdf_derive_fn *)c->f[OSSL_FUNC_KDF_DERIVE])(c->ctx, out, out_len,
                                                            take_below(in, 2) ? p.list : NULL);
    free(out);
    free_params(&p);
}

static void kdf_get(struct context *c, struct input *in)
{
    struct params p = make_params(in);
    ((OSSL_FUNC_kdf_get_ctx_params_fn *)c->f[OSSL_FUNC_KDF_GET_CTX_PARAMS])(c->ctx, p.list);
    free_params(&p);
}

static void kdf_reset(struct context *c, struct input *in)
{
    if (!take_below(in, 4))
        ((OSSL_FUNC_kdf_reset_fn *)c->f[OSSL_FUNC_KDF_RESET])(c->ctx);
}

/* ---- steps of MACs ---- */

static void mac_init(struct context *c, struct input *in)
{
    static const uint8_t key[32] = { 4, 5, 6 };
    static const uint8_t lengths[] = { 16, 24, 32, 0, 31 };
    struct params p = make_params(in);
    const unsigned kind = take_below(in, 8);
    ((OSSL_FUNC_mac_init_fn *)c->f[OSSL_FUNC_MAC_INIT])(c->ctx, kind < 5 ? key : NULL,
                                                        kind < 5 ? lengths[kind] : 0,
                                                        take_below(in, 4) ? p.list : NULL);
    free_params(&p);
}

static void mac_update(struct context *c, struct input *in)
{
    const size_t len = take_below(in, 4) ? take_below(in, 64) : 8 * take(in);
    uint8_t *bytes = malloc(len ? len : 1);
    assert(bytes);
    memset(bytes, (int)take(in), len);
    ((OSSL_FUNC_mac_update_fn *)c->f[OSSL_FUNC_MAC_UPDATE])(c->ctx, bytes, len);
    free(bytes);
}

static void mac_final(struct context *c, struct input *in)
{
    static const uint8_t sizes[] = { 16, 64, 15, 0 };
    const size_t out_size = sizes[take_below(in, sizeof sizes)];
    uint8_t *out = malloc(out_size ? out_size : 1);
    size_t out_len = 0;
    assert(out);
    if (((OSSL_FUNC_mac_final_fn *)c->f[OSSL_FUNC_MAC_FINAL])(c->ctx, out, &out_len, out_size))
        assert(out_len <= out_size);
    free(out);
}

static void mac_parameters(struct context *c, struct input *in)
{
    struct params p = make_params(in);
    if (take_below(in, 2))
        ((OSSL_FUNC_mac_set_ctx_params_fn *)c->f[OSSL_FUNC_MAC_SET_CTX_PARAMS])(c->ctx, p.list);
    else if (c->f[OSSL_FUNC_MAC_GET_PARAMS])
        ((OSSL_FUNC_mac_get_params_fn *)c->f[OSSL_FUNC_MAC_GET_PARAMS])(p.list);
    else
        ((OSSL_FUNC_mac_get_ctx_params_fn *)c->f[OSSL_FUNC_MAC_GET_CTX_PARAMS])(c->ctx, p.list);
    free_params(&p);
}

/* ---- steps of messages ---- */

static void init(struct context *c, struct input *in)
{
    static const uint8_t bytes[64] = { 1, 2, 3 };
    static const uint8_t lengths[] = { 16, 24, 32, 0, 1, 64, 8, 23 };
    static const uint8_t iv_lengths[] = { 16, 12, 7, 8 };
    struct params p = make_params(in);
    const OSSL_PARAM *params = take_below(in, 2) ? p.list : NULL;
    const unsigned key = take_below(in, 10), iv = take_below(in, 5), decrypt = take_below(in, 2);
    if (c->operation != OSSL_OP_CIPHER)
        ((OSSL_FUNC_digest_init_fn *)c->f[OSSL_FUNC_DIGEST_INIT])(c->ctx, params);
    else
        ((OSSL_FUNC_cipher_encrypt_init_fn *)
             c->f[decrypt ? OSSL_FUNC_CIPHER_DECRYPT_INIT : OSSL_FUNC_CIPHER_ENCRYPT_INIT])(
            c->ctx, key < 8 ? bytes : NULL, lengths[key % 8], iv ? bytes : NULL, iv_lengths[iv % 4],
            params);
    free_params(&p);
}

/* Calls an update function.  The announced room is enough for any update, exact, too short or zero;
 * the output is in place, separate, overlapping, or NULL; sometimes the input is NULL. */
static void update(struct context *c, struct input *in)
{
    const size_t len = take_below(in, 4) ? take_below(in, 64) * 4 : take(in);
    const size_t room[] = { len + 16, len, len / 2, 0 };
    const size_t out_size = room[take_below(in, 4)];
    const unsigned place = take_below(in, 4), shift = take_below(in, 33), whole = take_below(in, 4);
    const size_t total = len + out_size + 64, size = out_size + c->slack;
    uint8_t *buffer = calloc(1, total), *apart = malloc(size ? size : 1);
    assert(buffer && apart);
    uint8_t *source = buffer + 32;
    uint8_t *const outs[] = { apart, source, buffer + shift, NULL }, *out = outs[place];
    size_t out_len = 0;
    memset(source, (int)take(in), len);
    if (c->operation == OSSL_OP_CIPHER && !take_below(in, 16))
        source = NULL;
    if (c->operation != OSSL_OP_CIPHER) {
        ((OSSL_FUNC_digest_update_fn *)c->f[OSSL_FUNC_DIGEST_UPDATE])(c->ctx, source, len);
    } else if (((OSSL_FUNC_cipher_update_fn *)
                    c->f[whole || !c->f[OSSL_FUNC_CIPHER_CIPHER] ? OSSL_FUNC_CIPHER_UPDATE
                                                                 : OSSL_FUNC_CIPHER_CIPHER])(
                   c->ctx, out, &out_len, out_size, source, len)) {
        assert(out_len <= size);
    }
    free(apart);
    free(buffer);
}

static void final(struct context *c, struct input *in)
{
    static const uint8_t sizes[] = { 64, 48, 32, 28, 16, 15, 0 };
    const size_t out_size = sizes[take_below(in, sizeof sizes)];
    uint8_t *out = malloc(out_size ? out_size : 1);
    size_t out_len = 0;
    assert(out);
    if (((OSSL_FUNC_cipher_final_fn *)c
             ->f[c->operation == OSSL_OP_CIPHER ? OSSL_FUNC_CIPHER_FINAL : OSSL_FUNC_DIGEST_FINAL])(
            c->ctx, out, &out_len, out_size))
        assert(out_len <= out_size);
    free(out);
}

static void parameters(struct context *c, struct input *in)
{
    struct params p = make_params(in);
    const unsigned which = take_below(in, 4);
    if (which == 3)
        provider_get_params(provctx, p.list);
    else if (which == 2)
        ((OSSL_FUNC_cipher_get_params_fn *)
             c->f[c->operation == OSSL_OP_CIPHER ? OSSL_FUNC_CIPHER_GET_PARAMS
                                                 : OSSL_FUNC_DIGEST_GET_PARAMS])(p.list);
    else if (c->operation == OSSL_OP_CIPHER)
        ((OSSL_FUNC_cipher_get_ctx_params_fn *)
             c->f[which ? OSSL_FUNC_CIPHER_GET_CTX_PARAMS : OSSL_FUNC_CIPHER_SET_CTX_PARAMS])(
            c->ctx, p.list);
    free_params(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { NUM_STEPS = 9 };
    static void (*const ciphers[NUM_STEPS])(struct context *, struct input *) = {
        new_context, init, init, update, update, update, final, parameters, parameters
    };
    static void (*const kdfs[NUM_STEPS])(struct context *, struct input *) = {
        new_context, kdf_set, kdf_set, kdf_set, kdf_derive, kdf_derive, kdf_reset, kdf_get, kdf_set
    };
    static void (*const macs[NUM_STEPS])(struct context *, struct input *) = {
        new_context, mac_init,  mac_init,       mac_update,    mac_update,
        mac_update,  mac_final, mac_parameters, mac_parameters
    };
    struct input in = { data, data + size };
    struct context contexts[NUM_CONTEXTS] = { 0 };
    if (!provctx) {
        load_alone();
        load();
    }
    while (in.at < in.end) {
        struct context *c = &contexts[take_below(&in, NUM_CONTEXTS)];
        const unsigned step = take_below(&in, NUM_STEPS + 1);
        if (!c->ctx)
            new_context(c, &in);
        if (step < NUM_STEPS)
            (c->operation == OSSL_OP_KDF   ? kdfs
             : c->operation == OSSL_OP_MAC ? macs
                                           : ciphers)[step](c, &in);
        else
            copy_context(&contexts[take_below(&in, NUM_CONTEXTS)], c);
    }
    for (int i = 0; i < NUM_CONTEXTS; i++)
        free_context(&contexts[i]);
    assert(!other_live);
    return 0;
}
