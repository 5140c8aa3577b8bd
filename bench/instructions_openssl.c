/* SPDX-License-Identifier: Apache-2.0 */
/* instructions_openssl LIBCRYPTO CIPHER OPERATION SIZE TIMES: OpenSSL's EVP_CipherUpdate on SIZE
 * bytes TIMES times, and nothing else that grows with TIMES, for an emulator that counts
 * instructions (bench/instructions_openssl.sh).  libcrypto is loaded at run time, since a cross
 * build has none. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 65536 };
static unsigned char bytes[MAX + 16], key[64], iv[16];

int main(int argc, char **argv)
{
    void *const crypto = argc == 6 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!crypto) {
        fprintf(stderr,
                "usage: instructions_openssl LIBCRYPTO CIPHER encrypt|decrypt SIZE TIMES\n");
        return 2;
    }
    void *(*const get)(const char *) =
        (void *(*)(const char *))dlsym(crypto, "EVP_get_cipherbyname");
    void *(*const new)(void) = (void *(*)(void))dlsym(crypto, "EVP_CIPHER_CTX_new");
    int (*const init)(void *, const void *, void *, const void *, const void *, int) =
        (int (*)(void *, const void *, void *, const void *, const void *, int))dlsym(
            crypto, "EVP_CipherInit_ex");
    int (*const update)(void *, void *, int *, const void *, int) =
        (int (*)(void *, void *, int *, const void *, int))dlsym(crypto, "EVP_CipherUpdate");
    int (*const padding)(void *, int) =
        (int (*)(void *, int))dlsym(crypto, "EVP_CIPHER_CTX_set_padding");
    const int encrypt = !strcmp(argv[3], "encrypt");
    const int size = atoi(argv[4]) < MAX ? atoi(argv[4]) : MAX;
    void *const ctx = new ();
    int len, ok;
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)i; /* XTS refuses two keys that are equal */
    ok = init(ctx, get(argv[2]), NULL, key, iv, encrypt);
    ok &= padding(ctx, 0); /* else a call would keep the last block for the next one */
    for (int times = atoi(argv[5]); times > 0; times--)
        ok &= update(ctx, bytes, &len, bytes, size);
    return !ok;
}
