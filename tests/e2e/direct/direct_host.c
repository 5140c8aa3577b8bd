/* SPDX-License-Identifier: Apache-2.0 */
/* direct_host MODULE SCENE...: a program that is not linked with libcrypto, but loads a module that
 * is, as Python does. It plays the scenes one after the other, and unloads the module after each,
 * and libcrypto with it, unless OpenSSL keeps itself loaded. Pages that stay where they were make
 * the next ones come to other addresses. */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static int play(const char *file, char **scene, void **libcrypto)
{
    void *module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    int (*scene_main)(int, char **) =
        module ? (int (*)(int, char **))dlsym(module, "scene_main") : NULL;
    if (!scene_main) {
        fprintf(stderr, "direct_host: %s\n", dlerror());
        return 2;
    }
    *libcrypto = dlsym(module, "OPENSSL_version_major");
    const int status = scene_main(scene[0] ? 2 : 1, scene - 1);
    return dlclose(module) ? 2 : status;
}

int main(int argc, char **argv)
{
    int status = 2;
    for (int i = 2; i == 2 || i < argc; i++) {
        void *code = NULL;
        status = play(argv[1], argv + i, &code);
        if (status)
            break;
        /* where libcrypto was, unless it is still there */
        (void)!mmap((void *)((unsigned long)code & ~(PAGE - 1ul)), PAGE, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    }
    return status;
}
