/* SPDX-License-Identifier: Apache-2.0 */
/* unload_host MODULE: loads libcrypto and our provider, uses them, and unloads libcrypto while the
 * provider is loaded or after it, in the default library context or in one of its own, many times.
 * It prints "gone" whenever libcrypto was unloaded. Without MODULE it succeeds if the loader runs
 * it in secure-execution mode. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/opensslv.h>
#include <openssl/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OWN_CONTEXT = 1, UNLOAD_FIRST = 2, TIMES = 20 };

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define LIBCRYPTO "libcrypto.so." TEXT(OPENSSL_SHLIB_VERSION)
#define MUST(condition)                                                    \
    do {                                                                   \
        if (!(condition)) {                                                \
            fprintf(stderr, "unload_host:%d: %s\n", __LINE__, #condition); \
            exit(2);                                                       \
        }                                                                  \
    } while (0)

/* FUNCTION declares a function pointer with the name and address of a function of libcrypto. */
#define FUNCTION(type, name, ...) \
    type (*name)(__VA_ARGS__) = (type(*)(__VA_ARGS__))dlsym(lib, #name)

static void use(void *lib, const char *module, unsigned how)
{
    static const unsigned char want[] = { 0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea };
    FUNCTION(OSSL_LIB_CTX *, OSSL_LIB_CTX_new, void);
    FUNCTION(void, OSSL_LIB_CTX_free, OSSL_LIB_CTX *);
    FUNCTION(OSSL_PROVIDER *, OSSL_PROVIDER_load, OSSL_LIB_CTX *, const char *);
    FUNCTION(int, OSSL_PROVIDER_unload, OSSL_PROVIDER *);
    FUNCTION(EVP_MD *, EVP_MD_fetch, OSSL_LIB_CTX *, const char *, const char *);
    FUNCTION(void, EVP_MD_free, EVP_MD *);
    FUNCTION(int, EVP_Digest, const void *, size_t, unsigned char *, unsigned *, const EVP_MD *,
             ENGINE *);
    OSSL_LIB_CTX *libctx = how & OWN_CONTEXT ? OSSL_LIB_CTX_new() : NULL;
    OSSL_PROVIDER *theirs = OSSL_PROVIDER_load(libctx, "default");
    OSSL_PROVIDER *ours = OSSL_PROVIDER_load(libctx, module);
    MUST(theirs && ours);
    EVP_MD *md = EVP_MD_fetch(libctx, "SHA256", "provider=headrace");
    unsigned char out[64];
    MUST(md && EVP_Digest("abc", 3, out, NULL, md, NULL) && !memcmp(out, want, sizeof want));
    EVP_MD_free(md);
    if (how & UNLOAD_FIRST) {
        MUST(OSSL_PROVIDER_unload(ours) && OSSL_PROVIDER_unload(theirs));
        OSSL_LIB_CTX_free(libctx);
    }
}

/* close_all closes libcrypto until it is unloaded, although it may have opened itself. */
static int close_all(void *lib)
{
    for (int i = 0; i < 5; i++) {
        dlclose(lib);
        void *still = dlopen(LIBCRYPTO, RTLD_NOW | RTLD_NOLOAD);
        if (!still)
            return 1;
        dlclose(still);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int status;
    if (argc < 2)
        return !getauxval(AT_SECURE);
    for (unsigned i = 0; i < TIMES; i++) {
        void *lib = dlopen(LIBCRYPTO, RTLD_NOW | RTLD_LOCAL);
        MUST(lib);
        use(lib, argv[1], i % 4);
        if (close_all(lib))
            puts("gone");
        fflush(stdout);
        const pid_t pid = fork(); /* runs the handlers of what is left */
        if (pid == 0)
            _exit(0);
        MUST(waitpid(pid, &status, 0) == pid && status == 0);
    }
    return 0;
}
