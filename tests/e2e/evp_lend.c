/* SPDX-License-Identifier: Apache-2.0 */
/* evp_lend KEY CHILDREN COUNT: signs with the RSA key of a file as a server with processes does.
 * Its parent reads the key and signs, so that the key may be lent; then each child signs COUNT
 * messages, and OpenSSL's own provider verifies each signature.  Without children it signs one for
 * each line of its input, frees the key after that, and waits for the end of the input.
 * OPENSSL_CONF loads Headrace. */
#include "evp_load.h"
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST = 20, MOST = 1024 };

static EVP_PKEY *read_key(const char *path, OSSL_LIB_CTX *libctx)
{
    FILE *f = fopen(path, "r");
    MUST(f);
    EVP_PKEY *key = PEM_read_PrivateKey_ex(f, NULL, NULL, NULL, libctx, NULL);
    fclose(f);
    MUST(key);
    return key;
}

static void set_padding(EVP_PKEY_CTX *ctx, unsigned i)
{
    if (i % 2)
        MUST(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0);
}

/* sign signs message i, and every second one by PSS.  MUST is true of a signature that is right. */
static void sign(EVP_PKEY *key, EVP_PKEY *theirs, OSSL_LIB_CTX *libctx, unsigned i)
{
    unsigned char sig[MOST];
    size_t len = sizeof sig;
    EVP_PKEY_CTX *with = NULL;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    MUST(EVP_DigestSignInit_ex(ctx, &with, "SHA256", NULL, NULL, key, NULL) > 0);
    set_padding(with, i);
    MUST(EVP_DigestSign(ctx, sig, &len, (unsigned char *)&i, sizeof i) > 0);
    EVP_MD_CTX_free(ctx);
    ctx = EVP_MD_CTX_new();
    with = NULL;
    MUST(EVP_DigestVerifyInit_ex(ctx, &with, "SHA256", libctx, NULL, theirs, NULL) > 0);
    set_padding(with, i);
    MUST(EVP_DigestVerify(ctx, sig, len, (unsigned char *)&i, sizeof i) == 1);
    EVP_MD_CTX_free(ctx);
}

/* answer waits for a line, and writes one after it.  It returns 0 for "free". */
static int answer(EVP_PKEY *key, EVP_PKEY *theirs, OSSL_LIB_CTX *libctx)
{
    char line[8];
    MUST(fgets(line, sizeof line, stdin));
    const int signs = strcmp(line, "free\n") != 0;
    if (signs)
        sign(key, theirs, libctx, 0);
    else
        EVP_PKEY_free(key);
    printf("%s", line);
    fflush(stdout);
    return signs;
}

int main(int argc, char **argv)
{
    MUST(argc == 4);
    const unsigned children = (unsigned)atoi(argv[2]), count = (unsigned)atoi(argv[3]);
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    MUST(libctx && OSSL_PROVIDER_load(libctx, "default"));
    EVP_PKEY *key = read_key(argv[1], NULL), *theirs = read_key(argv[1], libctx);
    for (unsigned i = 0; i < FIRST; i++)
        sign(key, theirs, libctx, i);
    for (unsigned n = 0; n < children; n++)
        if (!fork()) {
            for (unsigned i = 0; i < count; i++)
                sign(key, theirs, libctx, i);
            EVP_PKEY_free(key);
            exit(0);
        }
    for (int status; wait(&status) > 0;)
        MUST(!status);
    if (children) {
        sign(key, theirs, libctx, 0);
        EVP_PKEY_free(key);
    } else {
        while (answer(key, theirs, libctx))
            ;
        while (getchar() != EOF)
            ;
    }
    EVP_PKEY_free(theirs);
    printf("all are right\n");
    return 0;
}
