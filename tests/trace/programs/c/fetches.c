/* SPDX-License-Identifier: Apache-2.0 */
/* fetches N: so many look-ups of SHA-256 in OpenSSL, each for one short message. */
#include <openssl/evp.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    unsigned char out[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    for (long i = argc > 1 ? atol(argv[1]) : 0; i > 0; i--) {
        EVP_MD *md = EVP_MD_fetch(NULL, "SHA256", NULL);
        if (!md || !EVP_DigestInit_ex(ctx, md, NULL) || !EVP_DigestUpdate(ctx, "", 0) ||
            !EVP_DigestFinal_ex(ctx, out, NULL))
            return EXIT_FAILURE;
        EVP_MD_free(md);
    }
    EVP_MD_CTX_free(ctx);
    return EXIT_SUCCESS;
}
