/* SPDX-License-Identifier: Apache-2.0 */
/* tls_static FOLDER: a program that is linked statically with libcrypto loads headrace.so from a
 * folder.  The provider then finds none of libcrypto's functions, and must leave the groups of TLS
 * as they are: handshakes succeed with each of them. */
#include "../test.h"
#include <openssl/err.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

static OSSL_LIB_CTX *libctx;

static X509 *self_signed(EVP_PKEY *key)
{
    X509 *cert = X509_new_ex(libctx, NULL);
    X509_NAME *name = X509_get_subject_name(cert);
    X509_set_version(cert, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), 0);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1, 0);
    X509_set_issuer_name(cert, name);
    X509_set_pubkey(cert, key);
    return X509_sign(cert, key, EVP_sha256()) ? cert : NULL;
}

static SSL *new_end(SSL_CTX *ctx, const char *group, BIO *end, int is_server)
{
    SSL *ssl = SSL_new(ctx);
    if (!ssl || SSL_set1_groups_list(ssl, group) != 1) {
        complain("no group %s", group);
        return ssl;
    }
    SSL_set_bio(ssl, end, end);
    (is_server ? SSL_set_accept_state : SSL_set_connect_state)(ssl);
    return ssl;
}

static void shake_hands(const char *group, EVP_PKEY *key, X509 *cert)
{
    SSL_CTX *server = SSL_CTX_new_ex(libctx, NULL, TLS_server_method());
    SSL_CTX *client = SSL_CTX_new_ex(libctx, NULL, TLS_client_method());
    BIO *ends[2];
    if (SSL_CTX_use_certificate(server, cert) != 1 || SSL_CTX_use_PrivateKey(server, key) != 1 ||
        BIO_new_bio_pair(&ends[0], 0, &ends[1], 0) != 1)
        complain("no certificate");
    SSL *accepts = new_end(server, group, ends[0], 1),
        *connects = new_end(client, group, ends[1], 0);
    for (int i = 0; i < 4; i++) {
        SSL_do_handshake(connects);
        SSL_do_handshake(accepts);
    }
    tap(SSL_is_init_finished(accepts) && SSL_is_init_finished(connects), "a handshake by %s",
        group);
    SSL_free(accepts);
    SSL_free(connects);
    SSL_CTX_free(server);
    SSL_CTX_free(client);
}

int main(int argc, char **argv)
{
    static const char *const groups[] = { "X25519", "P-256", "P-384", "X448" };
    libctx = OSSL_LIB_CTX_new();
    if (argc != 2 || !OSSL_PROVIDER_set_default_search_path(libctx, argv[1]) ||
        !OSSL_PROVIDER_load(libctx, "default") || !OSSL_PROVIDER_load(libctx, "headrace") ||
        !EVP_set_default_properties(libctx, "?provider=headrace")) {
        ERR_print_errors_fp(stderr);
        return 1;
    }
    EVP_PKEY *key = EVP_PKEY_Q_keygen(libctx, NULL, "EC", "P-256");
    X509 *cert = key ? self_signed(key) : NULL;
    tap(cert != NULL, "a certificate");
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        shake_hands(groups[i], key, cert);
    X509_free(cert);
    EVP_PKEY_free(key);
    return tap_done();
}
