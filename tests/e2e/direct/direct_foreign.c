/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a function of its own that has the name of one of OpenSSL's: calls of it must not
 * be answered by the preloaded library. */
#include <stdio.h>

int MD5(int x);
int scene_main(int argc, char **argv);

__attribute__((visibility("default"))) int MD5(int x)
{
    return x + 1;
}

__attribute__((visibility("default"))) int scene_main(int argc, char **argv)
{
    for (int x = 0; x < 100; x++)
        printf("%d\n", MD5(x));
    return 0;
}
