/* SPDX-License-Identifier: Apache-2.0 */
/* CPU time of full TLS handshakes in memory, with Headrace and without, in turns.
 *
 * handshake FOLDER [TURNS [CERTIFICATE GROUP [VERSION]]]: for each pair of a certificate's key and
 * a key-exchange group, the median over TURNS (41) of the time of one handshake, each turn being of
 * some twenty, on the server's and on the client's side: of the default provider alone, of Headrace
 * beside it with the win map, and their ratio.  FOLDER has headrace.so.  LD_LIBRARY_PATH chooses
 * another libssl, PROPERTIES another query than ?headrace.win=yes. */
#include "median.h"
#include <openssl/err.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MUST(condition)                                                     \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            ERR_print_errors_fp(stderr);                                    \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

enum { OFF, ON, NUM_SIDES, SERVER = 0, CLIENT, NUM_ENDS, HANDSHAKES = 20, MAX_TURNS = 1001 };

struct side {
    OSSL_LIB_CTX *libctx;
    OSSL_PROVIDER *providers[2];
    SSL_CTX *ctx[NUM_ENDS];
};

static const struct pair {
    const char *certificate, *group;
    int version;
} pairs[] = {
    { "P-384", "P-384", TLS1_3_VERSION },          { "P-384", "P-384", TLS1_2_VERSION },
    { "P-256", "X25519", TLS1_3_VERSION },         { "P-256", "P-256", TLS1_3_VERSION },
    { "P-256", "P-256", TLS1_2_VERSION },          { "P-521", "P-521", TLS1_3_VERSION },
    { "ED25519", "X25519", TLS1_3_VERSION },       { "RSA", "X25519", TLS1_3_VERSION },
    { "P-256", "X25519MLKEM768", TLS1_3_VERSION },
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- set-up ---- */

static struct side load(const char *folder)
{
    struct side side = { .libctx = OSSL_LIB_CTX_new() };
    MUST(side.libctx);
    MUST((side.providers[0] = OSSL_PROVIDER_load(side.libctx, "default")));
    if (folder) {
        MUST(OSSL_PROVIDER_set_default_search_path(side.libctx, folder));
        MUST((side.providers[1] = OSSL_PROVIDER_load(side.libctx, "headrace")));
        const char *asked = getenv("PROPERTIES");
        MUST(EVP_set_default_properties(side.libctx, asked ? asked : "?headrace.win=yes"));
    }
    return side;
}

static EVP_PKEY *make_key(OSSL_LIB_CTX *libctx, const char *kind)
{
    if (!strncmp(kind, "P-", 2))
        return EVP_PKEY_Q_keygen(libctx, NULL, "EC", kind);
    if (!strcmp(kind, "RSA"))
        return EVP_PKEY_Q_keygen(libctx, NULL, "RSA", (size_t)2048);
    return EVP_PKEY_Q_keygen(libctx, NULL, kind);
}

static X509 *make_certificate(EVP_PKEY *key, const char *kind)
{
    X509 *certificate = X509_new();
    X509_NAME *name = X509_get_subject_name(certificate);
    const EVP_MD *md =
        strcmp(kind, "ED25519") ? strcmp(kind, "P-384") ? EVP_sha256() : EVP_sha384() : NULL;
    MUST(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost",
                                    -1, -1, 0));
    MUST(X509_set_issuer_name(certificate, name) && X509_set_version(certificate, 2));
    MUST(X509_gmtime_adj(X509_getm_notBefore(certificate), -60));
    MUST(X509_gmtime_adj(X509_getm_notAfter(certificate), 86400));
    MUST(X509_set_pubkey(certificate, key) && X509_sign(certificate, key, md));
    return certificate;
}

/* through_der makes the key as a program has it that read a file. */
static EVP_PKEY *through_der(OSSL_LIB_CTX *libctx, const EVP_PKEY *key)
{
    unsigned char *der = NULL;
    const int len = i2d_PrivateKey(key, &der);
    const unsigned char *at = der;
    EVP_PKEY *read = d2i_AutoPrivateKey_ex(NULL, &at, len, libctx, NULL);
    MUST(len > 0 && read);
    OPENSSL_clear_free(der, (size_t)len);
    return read;
}

static void begin(struct side *side, const struct pair *pair, const EVP_PKEY *made,
                  X509 *certificate)
{
    EVP_PKEY *key = through_der(side->libctx, made);
    for (int end = 0; end < NUM_ENDS; end++) {
        SSL_CTX *ctx = side->ctx[end] = SSL_CTX_new_ex(side->libctx, NULL, TLS_method());
        MUST(ctx && SSL_CTX_set_min_proto_version(ctx, pair->version));
        MUST(SSL_CTX_set_max_proto_version(ctx, pair->version));
        MUST(SSL_CTX_set1_groups_list(ctx, pair->group));
        SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
        SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
    }
    MUST(SSL_CTX_use_certificate(side->ctx[SERVER], certificate));
    MUST(SSL_CTX_use_PrivateKey(side->ctx[SERVER], key));
    MUST(SSL_CTX_set_num_tickets(side->ctx[SERVER], 0));
    X509_STORE_add_cert(SSL_CTX_get_cert_store(side->ctx[CLIENT]), certificate);
    SSL_CTX_set_verify(side->ctx[CLIENT], SSL_VERIFY_PEER, NULL);
    EVP_PKEY_free(key);
}

static void end(struct side *side)
{
    SSL_CTX_free(side->ctx[SERVER]);
    SSL_CTX_free(side->ctx[CLIENT]);
}

/* ---- handshakes ---- */

/* take adds the CPU time of one end's turn to *us, and returns whether it is done. */
static int take(SSL *ssl, double *us)
{
    const double before = now();
    const int result = SSL_do_handshake(ssl);
    *us += now() - before;
    MUST(result == 1 || SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ);
    return result == 1;
}

static void handshake(const struct side *side, double us[NUM_ENDS])
{
    SSL *ssl[NUM_ENDS];
    BIO *bio[NUM_ENDS];
    MUST(BIO_new_bio_pair(&bio[SERVER], 65536, &bio[CLIENT], 65536));
    for (int i = 0; i < NUM_ENDS; i++) {
        const double before = now();
        MUST((ssl[i] = SSL_new(side->ctx[i])));
        SSL_set_bio(ssl[i], bio[i], bio[i]);
        us[i] += now() - before;
    }
    SSL_set_connect_state(ssl[CLIENT]);
    SSL_set_accept_state(ssl[SERVER]);
    for (int done = 0; done < 2;) {
        const int client = take(ssl[CLIENT], &us[CLIENT]);
        done = client + take(ssl[SERVER], &us[SERVER]);
    }
    for (int i = 0; i < NUM_ENDS; i++) {
        const double before = now();
        SSL_free(ssl[i]);
        us[i] += now() - before;
    }
}

/* ---- results ---- */

static void measure(struct side sides[NUM_SIDES], const struct pair *pair, int turns)
{
    static double us[NUM_ENDS][NUM_SIDES][MAX_TURNS], ratio[NUM_ENDS][MAX_TURNS];
    EVP_PKEY *key = make_key(sides[OFF].libctx, pair->certificate);
    X509 *certificate = make_certificate(key, pair->certificate);
    for (int i = 0; i < NUM_SIDES; i++)
        begin(&sides[i], pair, key, certificate);
    for (int turn = -2; turn < turns; turn++)
        for (int i = 0; i < NUM_SIDES; i++) {
            const int side = turn & 1 ? !i : i;
            double sum[NUM_ENDS] = { 0, 0 };
            for (int n = 0; n < HANDSHAKES; n++)
                handshake(&sides[side], sum);
            for (int e = 0; e < NUM_ENDS && turn >= 0; e++)
                us[e][side][turn] = sum[e] / HANDSHAKES;
        }
    printf("%-8s %-15s %s", pair->certificate, pair->group,
           pair->version == TLS1_3_VERSION ? "1.3" : "1.2");
    for (int e = 0; e < NUM_ENDS; e++) {
        for (int t = 0; t < turns; t++)
            ratio[e][t] = us[e][OFF][t] / us[e][ON][t];
        const double off = median(us[e][OFF], (size_t)turns), on = median(us[e][ON], (size_t)turns);
        printf("  %8.0f %8.0f %6.2f", off, on, median(ratio[e], (size_t)turns));
    }
    printf("\n");
    fflush(stdout);
    for (int i = 0; i < NUM_SIDES; i++)
        end(&sides[i]);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static int has_group(OSSL_LIB_CTX *libctx, const char *group)
{
    SSL_CTX *ctx = SSL_CTX_new_ex(libctx, NULL, TLS_method());
    const int good = SSL_CTX_set1_groups_list(ctx, group) > 0;
    SSL_CTX_free(ctx);
    ERR_clear_error();
    return good;
}

int main(int argc, char **argv)
{
    MUST(argc > 1);
    struct side sides[NUM_SIDES] = { load(NULL), load(argv[1]) };
    const int turns = argc > 2 ? atoi(argv[2]) : 41;
    MUST(turns > 0 && turns < MAX_TURNS);
    printf("%s\n%-28s  %24s  %24s\n%-28s  %8s %8s %6s  %8s %8s %6s\n",
           OpenSSL_version(OPENSSL_VERSION), "", "server, us", "client, us",
           "certificate, group, TLS", "off", "on", "ratio", "off", "on", "ratio");
    const struct pair asked = { argc > 3 ? argv[3] : NULL, argc > 4 ? argv[4] : NULL,
                                argc > 5 && !strcmp(argv[5], "1.2") ? TLS1_2_VERSION
                                                                    : TLS1_3_VERSION };
    if (asked.group)
        measure(sides, &asked, turns);
    for (size_t i = 0; !asked.group && i < sizeof pairs / sizeof *pairs; i++)
        if (has_group(sides[OFF].libctx, pairs[i].group))
            measure(sides, &pairs[i], turns);
    for (int i = 0; i < NUM_SIDES; i++) {
        for (int p = 1; p >= 0; p--)
            if (sides[i].providers[p])
                OSSL_PROVIDER_unload(sides[i].providers[p]);
        OSSL_LIB_CTX_free(sides[i].libctx);
    }
    return 0;
}
