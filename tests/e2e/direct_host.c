/* SPDX-License-Identifier: Apache-2.0 */
/* direct_host MODULE SCENE: a program that is not linked with libcrypto, but loads a module that
 * is, as Python does. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*scene_main)(int, char **) =
        module ? (int (*)(int, char **))dlsym(module, "scene_main") : NULL;
    if (!scene_main) {
        fprintf(stderr, "direct_host: %s\n", dlerror());
        return 2;
    }
    return scene_main(argc - 1, argv + 1);
}
