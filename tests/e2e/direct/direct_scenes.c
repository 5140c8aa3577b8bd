/* SPDX-License-Identifier: Apache-2.0 */
/* The battery of one-shot calls (direct_calls.c) in scenes in which OpenSSL is as usual or is not.
 *
 *   direct_scenes SCENE     says what it saw
 *   direct_scenes           lists the scenes */
#include "direct.h"
#include <openssl/aes.h>
#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/objects.h>
#include <openssl/provider.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

int scene_main(int argc, char **argv);

/* ---- a provider whose SHA-256 is its own ---- */

static void *odd_new(void *provider)
{
    return malloc(1);
}

static void odd_free(void *ctx)
{
    free(ctx);
}

static int odd_init(void *ctx, const OSSL_PARAM params[])
{
    return 1;
}

static int odd_update(void *ctx, const unsigned char *in, size_t in_len)
{
    return 1;
}

static int odd_final(void *ctx, unsigned char *md, size_t *md_len, size_t md_size)
{
    memset(md, 0x0d, 32);
    *md_len = 32;
    return 1;
}

static int odd_params(OSSL_PARAM params[])
{
    OSSL_PARAM *p;
    if ((p = OSSL_PARAM_locate(params, "blocksize")))
        OSSL_PARAM_set_size_t(p, 64);
    if ((p = OSSL_PARAM_locate(params, "size")))
        OSSL_PARAM_set_size_t(p, 32);
    return 1;
}

#define FUNCTION(id, function)       \
    {                                \
        id, (void (*)(void))function \
    }
static const OSSL_DISPATCH odd_sha256[] = {
    FUNCTION(OSSL_FUNC_DIGEST_NEWCTX, odd_new),
    FUNCTION(OSSL_FUNC_DIGEST_FREECTX, odd_free),
    FUNCTION(OSSL_FUNC_DIGEST_INIT, odd_init),
    FUNCTION(OSSL_FUNC_DIGEST_UPDATE, odd_update),
    FUNCTION(OSSL_FUNC_DIGEST_FINAL, odd_final),
    FUNCTION(OSSL_FUNC_DIGEST_GET_PARAMS, odd_params),
    { 0, NULL },
};
static const OSSL_ALGORITHM odd_digests[] = {
    { "SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1", "provider=odd", odd_sha256, NULL },
    { NULL, NULL, NULL, NULL },
};

static const OSSL_ALGORITHM *odd_query(void *provider, int operation, int *no_cache)
{
    *no_cache = 0;
    return operation == OSSL_OP_DIGEST ? odd_digests : NULL;
}

static const OSSL_DISPATCH odd_functions[] = {
    FUNCTION(OSSL_FUNC_PROVIDER_QUERY_OPERATION, odd_query), { 0, NULL }
};

int odd_provider(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                 const OSSL_DISPATCH **functions, void **ctx)
{
    *functions = odd_functions;
    *ctx = (void *)handle;
    return 1;
}

/* ---- an engine, and a digest of the program's own ---- */

static int own_init(EVP_MD_CTX *ctx)
{
    return 1;
}

static int own_update(EVP_MD_CTX *ctx, const void *in, size_t in_len)
{
    return 1;
}

static int own_final(EVP_MD_CTX *ctx, unsigned char *md)
{
    memset(md, 0x0e, 32);
    return 1;
}

static EVP_MD *own_sha256(void)
{
    EVP_MD *md = EVP_MD_meth_new(NID_sha256, NID_sha256WithRSAEncryption);
    MUST(md && EVP_MD_meth_set_result_size(md, 32) && EVP_MD_meth_set_input_blocksize(md, 64) &&
         EVP_MD_meth_set_app_datasize(md, 8) && EVP_MD_meth_set_init(md, own_init) &&
         EVP_MD_meth_set_update(md, own_update) && EVP_MD_meth_set_final(md, own_final));
    return md;
}

static int engine_digests(ENGINE *engine, const EVP_MD **md, const int **nids, int nid)
{
    static const int mine[] = { NID_sha256 };
    static EVP_MD *sha256;
    if (!sha256)
        sha256 = own_sha256();
    if (md)
        *md = nid == NID_sha256 ? sha256 : NULL;
    else
        *nids = mine;
    return md ? *md != NULL : 1;
}

ENGINE *own_engine(void)
{
    ENGINE *engine = ENGINE_new();
    MUST(engine && ENGINE_set_id(engine, "odd") && ENGINE_set_name(engine, "odd") &&
         ENGINE_set_digests(engine, engine_digests));
    return engine;
}

/* ---- scenes ---- */

/* first_calls calls SHA256 and HMAC once; some scenes begin with it, before OpenSSL has loaded
 * anything. */
static void first_calls(void)
{
    uint8_t md[64] = { 0 };
    SHA256((const uint8_t *)"abc", 3, md);
    HMAC(EVP_sha256(), "key", 3, (const uint8_t *)"abc", 3, md, NULL);
    fprintf(out, "first %016lx\n", (unsigned long)seen(md, 32));
    say_errors();
}

static void short_battery(const char *when, uint64_t with)
{
    fprintf(out, "-- %s\n", when);
    seed = with;
    digest_calls();
    mac_calls();
    hmac_calls();
}

static void plain(void)
{
    first_calls();
    types_init();
    for (uint64_t i = 1; i <= 4; i++)
        battery(i);
}

struct worker {
    pthread_t id;
    uint64_t seed;
    char *text;
};

static void *thread_main(void *p)
{
    struct worker *worker = p;
    size_t len;
    MUST((out = open_memstream(&worker->text, &len)));
    battery(worker->seed);
    fclose(out);
    return NULL;
}

static void threads(void)
{
    struct worker workers[6] = { { 0 } };
    types_init();
    threads_run = 1;
    for (size_t i = 0; i < COUNT(workers); i++) {
        workers[i].seed = i + 11;
        MUST(!pthread_create(&workers[i].id, NULL, thread_main, &workers[i]));
    }
    for (size_t i = 0; i < COUNT(workers); i++) {
        MUST(!pthread_join(workers[i].id, NULL));
        fputs(workers[i].text, out);
        free(workers[i].text);
    }
    threads_run = 0;
}

static void forks(void)
{
    int status;
    types_init();
    battery(21);
    fflush(out);
    const pid_t pid = fork();
    if (pid == 0) {
        battery(22);
        fflush(out);
        exit(0);
    }
    MUST(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
    battery(23);
}

static void legacy(void)
{
    first_calls();
    types_init();
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(NULL, "legacy"), *d = OSSL_PROVIDER_load(NULL, "default");
    MUST(p && d);
    battery(31);
    OSSL_PROVIDER_unload(p);
    short_battery("unloaded", 32);
    OSSL_PROVIDER_unload(d);
}

/* A provider that is loaded by name keeps the default one from coming by itself. */
static void none(void)
{
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(NULL, "null");
    MUST(p);
    first_calls();
    types_init();
    short_battery("no provider", 41);
    OSSL_PROVIDER *d = OSSL_PROVIDER_load(NULL, "default");
    short_battery("the default provider", 42);
    OSSL_PROVIDER_unload(d);
    OSSL_PROVIDER_unload(p);
    short_battery("none again", 43);
}

static void fips(void)
{
    types_init();
    short_battery("before", 51);
    MUST(EVP_default_properties_enable_fips(NULL, 1));
    battery(52);
    MUST(EVP_default_properties_enable_fips(NULL, 0));
    short_battery("after", 53);
}

static void queries(void)
{
    static const char *const list[] = { "provider=default", "?provider=none", "provider=none", "" };
    types_init();
    for (size_t i = 0; i < COUNT(list); i++) {
        MUST(EVP_set_default_properties(NULL, list[i]));
        short_battery(list[i], 61 + i);
    }
}

static void odd(void)
{
    types_init();
    first_calls();
    MUST(OSSL_PROVIDER_add_builtin(NULL, "odd", odd_provider));
    OSSL_PROVIDER *d = OSSL_PROVIDER_load(NULL, "default");
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(NULL, "odd");
    MUST(p && d);
    short_battery("loaded", 71);
    MUST(EVP_set_default_properties(NULL, "?provider=odd"));
    EVP_MD *md = EVP_MD_fetch(NULL, "SHA256", NULL);
    types[num_types++] = (struct type){ md, "odd" };
    short_battery("preferred", 72);
    MUST(EVP_set_default_properties(NULL, ""));
    short_battery("no longer", 73);
    num_types--;
    EVP_MD_free(md);
    OSSL_PROVIDER_unload(p);
    short_battery("unloaded", 74);
    OSSL_PROVIDER_unload(d);
}

/* contexts gives the thread a library context that has only the odd provider, and not the default
 * one. */
static void contexts(void)
{
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    types_init();
    short_battery("before", 81);
    MUST(OSSL_PROVIDER_add_builtin(libctx, "odd", odd_provider));
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(libctx, "odd");
    MUST(p);
    OSSL_LIB_CTX *before = OSSL_LIB_CTX_set0_default(libctx);
    short_battery("another context", 82);
    MUST(OSSL_LIB_CTX_set0_default(NULL) == libctx);
    short_battery("still", 83);
    MUST(OSSL_LIB_CTX_set0_default(before) == libctx);
    short_battery("the program's", 84);
    OSSL_PROVIDER_unload(p);
    OSSL_LIB_CTX_free(libctx);
}

static void engine(void)
{
    uint8_t md[64] = { 0 };
    unsigned len;
    types_init();
    first_calls();
    ENGINE *e = own_engine();
    fprintf(out, "named %d ", EVP_Digest("abc", 3, md, &len, EVP_sha256(), e));
    fprintf(out, "%016lx\n", (unsigned long)seen(md, 32));
    named_engine = e;
    short_battery("made", 91);
    MUST(ENGINE_set_default_digests(e));
    short_battery("registered", 92);
    ENGINE_unregister_digests(e);
    short_battery("unregistered", 93);
    MUST(ENGINE_set_default_string(e, "DIGESTS"));
    short_battery("by string", 94);
    ENGINE_unregister_digests(e);
    named_engine = NULL;
    ENGINE_free(e);
    ERR_clear_error();
}

static void iterated(void)
{
    types_init();
    iterated_hmac();
}

static void own_digest(void)
{
    EVP_MD *md = own_sha256();
    types_init();
    types[num_types++] = (struct type){ md, "of the program" };
    short_battery("own", 101);
    EVP_MD_meth_free(md);
}

/* configuration calls functions that load no configuration, forbids OpenSSL to load its own, and
 * then loads one explicitly. */
static void configuration(void)
{
    uint8_t md[64] = { 0 };
    seed = 111;
    MD5((const uint8_t *)"abc", 3, md);
    aes_calls();
    MUST(OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL));
    first_calls();
    fprintf(out, "-- loaded\n");
    MUST(CONF_modules_load_file(getenv("DIRECT_CONFIG"), NULL, 0) > 0);
    first_calls();
    types_init();
    short_battery("its query", 112);
}

/* environment has the configuration named by the environment, which the first call that needs one
 * loads. */
static void environment(void)
{
    first_calls();
    types_init();
    battery(121);
}

static void after_cleanup(void)
{
    first_calls();
    OPENSSL_cleanup();
    fprintf(out, "-- cleaned up\n");
    seed = 131;
    aes_calls();
}

/* unasked makes calls that ask no provider, after which libcrypto can still be unloaded. */
static void unasked(void)
{
    uint8_t in[200], md[16], block[16];
    AES_KEY key;
    seed = 141;
    for (size_t i = 0; i < 50; i++) {
        random_bytes(in, sizeof in);
        MD5(in, 4 * i, md);
        MUST(!AES_set_encrypt_key(in, 128, &key));
        AES_encrypt(md, block, &key);
        fprintf(out, "unasked %016lx %016lx\n", (unsigned long)seen(md, sizeof md),
                (unsigned long)seen(block, sizeof block));
    }
}

static const struct {
    const char *name;
    void (*scene)(void);
} scenes[] = {
    { "plain", plain },
    { "threads", threads },
    { "forks", forks },
    { "legacy", legacy },
    { "none", none },
    { "fips", fips },
    { "queries", queries },
    { "odd", odd },
    { "contexts", contexts },
    { "engine", engine },
    { "iterated", iterated },
    { "own_digest", own_digest },
    { "configuration", configuration },
    { "environment", environment },
    { "after_cleanup", after_cleanup },
    { "unasked", unasked },
    { "random", random_states },
};

__attribute__((visibility("default"))) int scene_main(int argc, char **argv)
{
    out = stdout;
    for (size_t i = 0; i < COUNT(scenes); i++) {
        if (argc < 2)
            puts(scenes[i].name);
        else if (!strcmp(argv[1], scenes[i].name))
            scenes[i].scene();
    }
    return fflush(stdout) ? 2 : 0;
}
