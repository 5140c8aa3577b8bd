/* SPDX-License-Identifier: Apache-2.0
 *
 * dlopen LIBCRYPTO MODE SECONDS: opens the library only after it has computed something else, and
 * encrypts with it in a thread that is started then.  UNLINK set: the file is removed once open.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef void *object_fn(const char *);
typedef void *new_fn(void);
typedef int init_fn(void *, const void *, void *, const void *, const void *);
typedef int update_fn(void *, void *, int *, const void *, int);

static void *library;
static const char *mode;
static double seconds;
static unsigned char data[16384 + 32];

static void *symbol(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found;
}

static void *work(void *unused)
{
    object_fn *by_name = (object_fn *)(size_t)symbol("EVP_get_cipherbyname");
    init_fn *init = (init_fn *)(size_t)symbol("EVP_EncryptInit_ex");
    update_fn *update = (update_fn *)(size_t)symbol("EVP_EncryptUpdate");
    void *ctx = ((new_fn *)(size_t)symbol("EVP_CIPHER_CTX_new"))();
    int len;
    if (!init(ctx, by_name(mode), NULL, data, data))
        exit(1);
    while ((double)clock() / CLOCKS_PER_SEC < seconds)
        for (int i = 0; i < 100; i++)
            update(ctx, data, &len, data, 16384);
    return unused;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    unsigned long x = 1;
    for (int i = 0; i < 20000000; i++)
        x = x * 6364136223846793005 + (unsigned)argc;
    data[0] = (unsigned char)(x >> 60);
    mode = argv[2];
    seconds = atof(argv[3]);
    if (!(library = dlopen(argv[1], RTLD_NOW))) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    if (getenv("UNLINK") && unlink(argv[1]))
        return 1;
    pthread_t thread;
    return pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL);
}
