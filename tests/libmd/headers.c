/* SPDX-License-Identifier: Apache-2.0 */
/* Is compiled with libmd-dev's headers and linked with its libmd.so, and checks that it runs on our
 * libmd.so.0, whose path is the argument. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <md2.h>
#include <md4.h>
#include <md5.h>
#include <rmd160.h>
#include <sha1.h>
#include <sha2.h>

#include "test.h"
#include <assert.h>

static_assert(sizeof(MD2_CTX) == 68 && sizeof(MD4_CTX) == 88 && sizeof(MD5_CTX) == 88, "size");
static_assert(sizeof(RMD160_CTX) == 96 && sizeof(SHA1_CTX) == 96, "size");
static_assert(sizeof(SHA2_CTX) == 208, "size");

/* ABC checks the digest of "abc", in two pieces and at once. */
#define ABC(NAME, type, hex)                                                                   \
    do {                                                                                       \
        type ctx;                                                                              \
        uint8_t out[NAME##_DIGEST_LENGTH];                                                     \
        char text[NAME##_DIGEST_STRING_LENGTH], stream[NAME##_DIGEST_STRING_LENGTH];           \
        NAME##Init(&ctx);                                                                      \
        NAME##Update(&ctx, (const uint8_t *)"a", 1);                                           \
        NAME##Update(&ctx, (const uint8_t *)"bc", 2);                                          \
        NAME##Final(out, &ctx);                                                                \
        for (size_t i = 0; i < sizeof out; i++)                                                \
            snprintf(stream + 2 * i, 3, "%02x", out[i]);                                       \
        tap(!strcmp(stream, hex) && !strcmp(NAME##Data((const uint8_t *)"abc", 3, text), hex), \
            #NAME " of \"abc\"");                                                              \
    } while (0)

int main(int argc, char **argv)
{
    Dl_info info;
    char *found = dladdr((void *)MD5Init, &info) ? realpath(info.dli_fname, NULL) : NULL;
    char *ours = argc > 1 ? realpath(argv[1], NULL) : NULL;
    tap(found && ours && !strcmp(found, ours), "the program runs on %s", found);
    free(found);
    free(ours);
    ABC(MD2, MD2_CTX, "da853b0d3f88d99b30283a69e6ded6bb");
    ABC(MD4, MD4_CTX, "a448017aaf21d8525fc10ae87aa6729d");
    ABC(MD5, MD5_CTX, "900150983cd24fb0d6963f7d28e17f72");
    ABC(RMD160, RMD160_CTX, "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc");
    ABC(SHA1, SHA1_CTX, "a9993e364706816aba3e25717850c26c9cd0d89d");
    ABC(SHA256, SHA2_CTX, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ABC(SHA384, SHA2_CTX,
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
        "8086072ba1e7cc2358baeca134c825a7");
    ABC(SHA512, SHA2_CTX,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
    return tap_done();
}
