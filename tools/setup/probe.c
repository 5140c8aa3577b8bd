/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "probe.h"
#include "../../cli/algorithm.h"
#include "../../cli/tool.h"
#include <dlfcn.h>
#include <errno.h>
#include <headrace/headrace.h>
#include <headrace/stats.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int add_provider(OSSL_PROVIDER *provider, void *arg)
{
    struct probe *out = ((void **)arg)[0];
    const struct openssl *ssl = ((void **)arg)[1];
    const char *name = ssl->OSSL_PROVIDER_get0_name(provider);
    const size_t used = strlen(out->providers);
    snprintf(out->providers + used, sizeof out->providers - used, "%s ", name);
    out->has_default |= !strcmp(name, "default");
    if (strcmp(name, "headrace"))
        return 1;
    char *title = NULL, *version = NULL;
    uint64_t strict = 0, lends = 0, map = 0;
    OSSL_PARAM request[] = {
        ssl->OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_NAME, &title, 0),
        ssl->OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_VERSION, &version, 0),
        ssl->OSSL_PARAM_construct_uint64("headrace.strict", &strict),
        ssl->OSSL_PARAM_construct_uint64("headrace.lend", &lends),
        ssl->OSSL_PARAM_construct_uint64("headrace.map", &map),
        ssl->OSSL_PARAM_construct_end(),
    };
    out->has_headrace = true;
    if (ssl->OSSL_PROVIDER_get_params(provider, request) == 1) {
        snprintf(out->name, sizeof out->name, "%s", title ? title : "");
        snprintf(out->version, sizeof out->version, "%s", version ? version : "");
        out->strict = strict != 0;
        out->lends = lends != 0;
        out->map = (unsigned)map;
    }
    return 1;
}

/* The name of the provider that serves a row, or "". */
static void who_serves(char out[32], const struct openssl *ssl, OSSL_LIB_CTX *context,
                       const struct hr_algorithm *row, const char *properties)
{
    char name[32];
    const OSSL_PROVIDER *provider = NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(row->openssl_names, ":"), row->openssl_names);
    const bool is_mac = tool_is_mac(row) && !row->digest;
    const char *const mac_name = algorithm_mac_of_cipher(row, NULL);
    if (mac_name)
        snprintf(name, sizeof name, "%s", mac_name);
    EVP_MD *md = NULL;
    EVP_CIPHER *cipher = NULL;
    EVP_KDF *kdf = NULL;
    EVP_MAC *mac = NULL;
    if (tool_is_digest(row) && (md = ssl->EVP_MD_fetch(context, name, properties)))
        provider = ssl->EVP_MD_get0_provider(md);
    if (row->mode && (cipher = ssl->EVP_CIPHER_fetch(context, name, properties)))
        provider = ssl->EVP_CIPHER_get0_provider(cipher);
    if (row->cls == HR_CLASS_KDF && (kdf = ssl->EVP_KDF_fetch(context, name, properties)))
        provider = ssl->EVP_KDF_get0_provider(kdf);
    if (is_mac && (mac = ssl->EVP_MAC_fetch(context, name, properties)))
        provider = ssl->EVP_MAC_get0_provider(mac);
    snprintf(out, 32, "%s", provider ? ssl->OSSL_PROVIDER_get0_name(provider) : "");
    ssl->EVP_MD_free(md);
    ssl->EVP_CIPHER_free(cipher);
    ssl->EVP_KDF_free(kdf);
    ssl->EVP_MAC_free(mac);
}

/* Lists the types of public keys whose key management is ours; a set of SLH-DSA stands for those of
 * its hash. */
static void list_key_types(struct probe *out, const struct openssl *ssl, OSSL_LIB_CTX *context)
{
    static const char types[][20] = { "EC",
                                      "X25519",
                                      "ED25519",
                                      "ML-KEM-512",
                                      "ML-KEM-768",
                                      "ML-KEM-1024",
                                      "ML-DSA-44",
                                      "ML-DSA-65",
                                      "ML-DSA-87",
                                      "SLH-DSA-SHA2-128s",
                                      "SLH-DSA-SHAKE-128s" };
    for (size_t i = 0; i < COUNT(types); i++) {
        EVP_KEYMGMT *keys = ssl->EVP_KEYMGMT_fetch(context, types[i], NULL);
        const size_t used = strlen(out->key_types);
        if (keys &&
            !strcmp(ssl->OSSL_PROVIDER_get0_name(ssl->EVP_KEYMGMT_get0_provider(keys)), "headrace"))
            snprintf(out->key_types + used, sizeof out->key_types - used, "%s%s", used ? ", " : "",
                     types[i]);
        ssl->EVP_KEYMGMT_free(keys);
    }
    ssl->ERR_clear_error();
}

/* Finds out why a module cannot be loaded, in the loader's words. */
static void try_module(struct probe *out, const char *module)
{
    void *handle = dlopen(module, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        snprintf(out->module_reason, sizeof out->module_reason, "%s", dlerror());
    else if (!dlsym(handle, "OSSL_provider_init"))
        snprintf(out->module_reason, sizeof out->module_reason, "%s is no OpenSSL provider",
                 module);
}

static void child(struct probe *out, const struct openssl *ssl, const char *config,
                  const char *module, bool clean)
{
    void *both[] = { out, (void *)(uintptr_t)ssl };
    const struct hr_algorithm *row;
    char other[32];
    if (clean)
        unsetenv("OPENSSL_MODULES");
    setenv("OPENSSL_CONF", config, 1);
    unsetenv(HR_STATS_ENV); /* a trial must not appear in statistics */
    OSSL_LIB_CTX *context = ssl->OSSL_LIB_CTX_new();
    if (!context) {
        openssl_reason(ssl, out->reason, sizeof out->reason);
        return;
    }
    out->loaded = ssl->OSSL_LIB_CTX_load_config(context, config) == 1;
    if (!out->loaded)
        openssl_reason(ssl, out->reason, sizeof out->reason);
    for (size_t i = 0; i < PROBE_ALGORITHMS && (row = hr_algorithm_at(i)); i++) {
        who_serves(out->served_by[i], ssl, context, row, NULL);
        who_serves(other, ssl, context, row, "provider!=headrace,headrace.keys!=accelerator");
        out->has_other[i] = *other != '\0';
    }
    list_key_types(out, ssl, context);
    ssl->OSSL_PROVIDER_do_all(context, add_provider, both);
    if (!out->has_headrace)
        try_module(out, module);
}

static bool read_all(int fd, void *out, size_t len)
{
    for (size_t n = 0; n < len;) {
        const ssize_t got = read(fd, (char *)out + n, len - n);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        n += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool failed(struct probe *out, const char *what)
{
    snprintf(out->reason, sizeof out->reason, "%s: %s", what, strerror(errno));
    return false;
}

bool probe_config(struct probe *out, const struct openssl *ssl, const char *config,
                  const char *module, bool clean)
{
    int ends[2], status = 0;
    struct stat st;
    *out = (struct probe){ 0 };
    if (!stat(config, &st) && S_ISFIFO(st.st_mode)) {
        errno = ENOTSUP; /* OpenSSL would wait for a writer */
        return failed(out, "a pipe");
    }
    if (pipe(ends))
        return failed(out, "pipe");
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return failed(out, "fork");
    }
    if (pid == 0) {
        close(ends[0]);
        child(out, ssl, config, module, clean);
        _exit(write(ends[1], out, sizeof *out) != sizeof *out);
    }
    close(ends[1]);
    const bool complete = read_all(ends[0], out, sizeof *out);
    close(ends[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (complete && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    *out = (struct probe){ 0 };
    snprintf(out->reason, sizeof out->reason, "OpenSSL crashed on it (signal %d)",
             WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return false;
}
