/* SPDX-License-Identifier: Apache-2.0 */
/* Digests after it has forbidden OpenSSL to read a configuration. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>

int main(void)
{
    unsigned char md[EVP_MAX_MD_SIZE];
    size_t len;
    if (!OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) ||
        !EVP_Q_digest(NULL, "SHA256", NULL, "abc", 3, md, &len))
        return 1;
    printf("%02x\n", md[0]);
    return 0;
}
