/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "evp_pipeline.h"
#include <dlfcn.h>
#include <openssl/core_names.h>
#include <stdarg.h>

/* ---- as a core ---- */

static int last_reason;

static void core_new_error(const OSSL_CORE_HANDLE *core)
{
    last_reason = 0;
}

static void core_set_error_debug(const OSSL_CORE_HANDLE *core, const char *file, int line,
                                 const char *function)
{
}

static void core_vset_error(const OSSL_CORE_HANDLE *core, uint32_t reason, const char *format,
                            va_list args)
{
    last_reason = ERR_GET_REASON(reason);
}

static const OSSL_DISPATCH core_functions[] = {
    { OSSL_FUNC_CORE_NEW_ERROR, (void (*)(void))core_new_error },
    { OSSL_FUNC_CORE_SET_ERROR_DEBUG, (void (*)(void))core_set_error_debug },
    { OSSL_FUNC_CORE_VSET_ERROR, (void (*)(void))core_vset_error },
    { 0, NULL },
};

static const OSSL_DISPATCH *provider;
static void *provctx;

static void (*find(const OSSL_DISPATCH *functions, int id))(void)
{
    while (functions->function_id && functions->function_id != id)
        functions++;
    MUST(functions->function);
    return functions->function;
}
#define FIND(functions, id, name) ((OSSL_FUNC_##name##_fn *)find(functions, OSSL_FUNC_##id))

static void *module_handle;

void core_load(const char *module)
{
    OSSL_provider_init_fn *init;
    module_handle = dlopen(module, RTLD_NOW | RTLD_LOCAL);
    MUST(module_handle);
    *(void **)&init = dlsym(module_handle, "OSSL_provider_init");
    MUST(init && init(NULL, core_functions, &provider, &provctx));
}

void core_unload(void)
{
    FIND(provider, PROVIDER_TEARDOWN, provider_teardown)(provctx);
    dlclose(module_handle);
}

void core_stats(char *out, size_t out_size)
{
    OSSL_PARAM params[] = { OSSL_PARAM_utf8_string("headrace.stats", out, out_size),
                            OSSL_PARAM_END };
    MUST(FIND(provider, PROVIDER_GET_PARAMS, provider_get_params)(provctx, params));
}

/* struct core_ctx is a provider's context with the functions of its cipher. */
struct core_ctx {
    void *ctx;
    const OSSL_DISPATCH *functions;
};

void *core_context(void *ctx)
{
    return ((struct core_ctx *)ctx)->ctx;
}

void (*core_function(void *ctx, int id))(void)
{
    return find(((struct core_ctx *)ctx)->functions, id);
}

static const OSSL_DISPATCH *functions_of(const struct hr_algorithm *row)
{
    int no_store;
    const OSSL_ALGORITHM *list = FIND(provider, PROVIDER_QUERY_OPERATION,
                                      provider_query_operation)(provctx, OSSL_OP_CIPHER, &no_store);
    while (list->algorithm_names && strcmp(list->algorithm_names, row->openssl_names))
        list++;
    MUST(list->algorithm_names);
    return list->implementation;
}

static void *core_open(const struct hr_algorithm *row)
{
    struct core_ctx *c = malloc(sizeof *c);
    MUST(c);
    c->functions = functions_of(row);
    c->ctx = FIND(c->functions, CIPHER_NEWCTX, cipher_newctx)(provctx);
    MUST(c->ctx);
    return c;
}

static void core_close(void *ctx)
{
    struct core_ctx *c = ctx;
    FIND(c->functions, CIPHER_FREECTX, cipher_freectx)(c->ctx);
    free(c);
}

static int core_encrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t num,
                             const unsigned char **iv, size_t iv_len, const OSSL_PARAM params[])
{
    struct core_ctx *c = ctx;
    return ((init_fn *)find(c->functions, 15))(c->ctx, key, key_len, num, iv, iv_len, params);
}

static int core_decrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t num,
                             const unsigned char **iv, size_t iv_len, const OSSL_PARAM params[])
{
    struct core_ctx *c = ctx;
    return ((init_fn *)find(c->functions, 16))(c->ctx, key, key_len, num, iv, iv_len, params);
}

static int core_update(void *ctx, size_t num, unsigned char **out, size_t *out_len,
                       const size_t *out_size, const unsigned char **in, const size_t *in_len)
{
    struct core_ctx *c = ctx;
    return ((update_fn *)find(c->functions, 17))(c->ctx, num, out, out_len, out_size, in, in_len);
}

static int core_final(void *ctx, size_t num, unsigned char **out, size_t *out_len,
                      const size_t *out_size)
{
    struct core_ctx *c = ctx;
    return ((final_fn *)find(c->functions, 18))(c->ctx, num, out, out_len, out_size);
}

static int core_set_padding(void *ctx, unsigned on)
{
    struct core_ctx *c = ctx;
    const OSSL_PARAM params[] = { OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, &on), OSSL_PARAM_END };
    return FIND(c->functions, CIPHER_SET_CTX_PARAMS, cipher_set_ctx_params)(c->ctx, params);
}

static int core_reason(void)
{
    const int reason = last_reason;
    last_reason = 0;
    return reason;
}

const struct way as_core = { "as a core",      core_open,
                             core_close,       { core_encrypt_init, core_decrypt_init },
                             core_update,      core_final,
                             core_set_padding, core_reason };

/* ---- through EVP ---- */

struct loaded both;
static int (*evp_can)(const EVP_CIPHER *cipher, int enc);
static int (*evp_init[2])(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, const unsigned char *key,
                          size_t key_len, size_t num, const unsigned char **iv, size_t iv_len);
static int (*evp_update)(EVP_CIPHER_CTX *ctx, unsigned char **out, size_t *out_len,
                         const size_t *out_size, const unsigned char **in, const size_t *in_len);
static int (*evp_final)(EVP_CIPHER_CTX *ctx, unsigned char **out, size_t *out_len,
                        const size_t *out_size);

/* EVP's pipeline functions are looked up by name, since the program may be built with older
 * headers. */
int find_evp(void)
{
    *(void **)&evp_can = dlsym(RTLD_DEFAULT, "EVP_CIPHER_can_pipeline");
    *(void **)&evp_init[HR_OP_ENCRYPT] = dlsym(RTLD_DEFAULT, "EVP_CipherPipelineEncryptInit");
    *(void **)&evp_init[HR_OP_DECRYPT] = dlsym(RTLD_DEFAULT, "EVP_CipherPipelineDecryptInit");
    *(void **)&evp_update = dlsym(RTLD_DEFAULT, "EVP_CipherPipelineUpdate");
    *(void **)&evp_final = dlsym(RTLD_DEFAULT, "EVP_CipherPipelineFinal");
    return evp_can && evp_init[0] && evp_init[1] && evp_update && evp_final;
}

struct evp_ctx {
    EVP_CIPHER_CTX *ctx;
    EVP_CIPHER *cipher;
};

static void *evp_open(const struct hr_algorithm *row)
{
    char name[64];
    struct evp_ctx *e = malloc(sizeof *e);
    MUST(e && (e->ctx = EVP_CIPHER_CTX_new()));
    e->cipher = EVP_CIPHER_fetch(both.libctx, row_name(row, name), OURS);
    MUST(e->cipher && evp_can(e->cipher, 1) && evp_can(e->cipher, 0));
    return e;
}

static void evp_close(void *ctx)
{
    struct evp_ctx *e = ctx;
    EVP_CIPHER_CTX_free(e->ctx);
    EVP_CIPHER_free(e->cipher);
    free(e);
}

/* evp_any_init names the cipher only with a key, or the first time: naming it again makes EVP
 * forget everything. */
static int evp_any_init(struct evp_ctx *e, enum hr_op op, const unsigned char *key, size_t key_len,
                        size_t num, const unsigned char **iv, size_t iv_len)
{
    const EVP_CIPHER *cipher = key || !EVP_CIPHER_CTX_get0_cipher(e->ctx) ? e->cipher : NULL;
    return evp_init[op](e->ctx, cipher, key, key_len, num, iv, iv_len);
}

static int evp_encrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t num,
                            const unsigned char **iv, size_t iv_len, const OSSL_PARAM params[])
{
    return evp_any_init(ctx, HR_OP_ENCRYPT, key, key_len, num, iv, iv_len);
}

static int evp_decrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t num,
                            const unsigned char **iv, size_t iv_len, const OSSL_PARAM params[])
{
    return evp_any_init(ctx, HR_OP_DECRYPT, key, key_len, num, iv, iv_len);
}

static int evp_pipes_update(void *ctx, size_t num, unsigned char **out, size_t *out_len,
                            const size_t *out_size, const unsigned char **in, const size_t *in_len)
{
    return evp_update(((struct evp_ctx *)ctx)->ctx, out, out_len, out_size, in, in_len);
}

static int evp_pipes_final(void *ctx, size_t num, unsigned char **out, size_t *out_len,
                           const size_t *out_size)
{
    return evp_final(((struct evp_ctx *)ctx)->ctx, out, out_len, out_size);
}

static int evp_set_padding(void *ctx, unsigned on)
{
    return EVP_CIPHER_CTX_set_padding(((struct evp_ctx *)ctx)->ctx, (int)on);
}

static int evp_reason(void)
{
    const int reason = ERR_GET_REASON(ERR_peek_last_error());
    ERR_clear_error();
    return reason;
}

const struct way through_evp = { "through EVP",    evp_open,
                                 evp_close,        { evp_encrypt_init, evp_decrypt_init },
                                 evp_pipes_update, evp_pipes_final,
                                 evp_set_padding,  evp_reason };
