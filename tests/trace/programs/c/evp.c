/* SPDX-License-Identifier: Apache-2.0
 *
 * evp MODE SECONDS: one algorithm of OpenSSL, again and again, for so much CPU
 * time.  Linked in several ways: statically
 * and stripped; with its section headers cut off; or opening libcrypto while it runs.
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned char data[16384 + 32];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void encrypt(const EVP_CIPHER *cipher, double end)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int len;
    while (now() < end)
        for (int i = 0; i < 20; i++)
            if (!EVP_EncryptInit_ex(ctx, cipher, NULL, data, data) ||
                !EVP_EncryptUpdate(ctx, data, &len, data, 16384))
                abort();
    EVP_CIPHER_CTX_free(ctx);
}

static void hash(const EVP_MD *md, double end)
{
    while (now() < end)
        for (int i = 0; i < 20; i++)
            if (!EVP_Digest(data, 16384, data, NULL, md, NULL))
                abort();
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const double end = now() + atof(argv[2]);
    const EVP_CIPHER *cipher = EVP_get_cipherbyname(argv[1]);
    const EVP_MD *md = EVP_get_digestbyname(argv[1]);
    if (cipher)
        encrypt(cipher, end);
    else if (md)
        hash(md, end);
    else
        return 2;
    return 0;
}
