/* SPDX-License-Identifier: Apache-2.0 */
/* Digests in a library context of its own, which reads no configuration, as cryptsetup derives
 * keys. */
#include <openssl/evp.h>
#include <stdio.h>

int main(void)
{
    unsigned char md[EVP_MAX_MD_SIZE];
    size_t len;
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    if (!libctx || !EVP_Q_digest(libctx, "SHA256", NULL, "abc", 3, md, &len))
        return 1;
    printf("%02x\n", md[0]);
    OSSL_LIB_CTX_free(libctx);
    return 0;
}
