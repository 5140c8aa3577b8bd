/* SPDX-License-Identifier: Apache-2.0 */
/* CPU time of public-key operations through EVP, with Headrace and without, in turns.
 *
 * pkey FOLDER [TURNS [NAME...]]: for each key, or those whose names begin so, and each operation,
 * the median over TURNS (41) of the time of one operation with the default provider alone, of one
 * with Headrace, and their ratio.  "from DER" reads the key first and so counts its import, as a
 * program does that meets each key once.  FOLDER has headrace.so, which is configured as `headrace
 * enable` does; WIN is the win map instead of the shipped one.  LD_LIBRARY_PATH chooses another
 * libcrypto. */
#include "median.h"
#include <limits.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MUST(condition)                                                     \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            ERR_print_errors_fp(stderr);                                    \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

enum { OFF, ON, NUM_SIDES, MAX_TURNS = 1001, MAX_BYTES = 17408 };

struct state {
    OSSL_LIB_CTX *libctx;
    OSSL_PROVIDER *provider;
    const char *name;
    EVP_PKEY *key, *peer;
    EVP_PKEY_CTX *ctx;
    unsigned char in[64], out[MAX_BYTES], sig[MAX_BYTES], *private_der, *public_der;
    size_t sig_len;
    int private_len, public_len;
};

static const struct kind {
    const char *name, *digest; /* digest "": the algorithm hashes itself; NULL: no signatures */
    int agrees;
} kinds[] = {
    { "P-256", "SHA256", 1 },       { "P-384", "SHA384", 1 },
    { "P-521", "SHA512", 1 },       { "X25519", NULL, 1 },
    { "ED25519", "", 0 },           { "ML-DSA-65", "", 0 },
    { "SLH-DSA-SHA2-128f", "", 0 }, { "SLH-DSA-SHAKE-128f", "", 0 },
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- operations: each is one call of a program ---- */

static EVP_PKEY *generate(OSSL_LIB_CTX *libctx, const char *name)
{
    return *name == 'P' ? EVP_PKEY_Q_keygen(libctx, NULL, "EC", name)
                        : EVP_PKEY_Q_keygen(libctx, NULL, name);
}

static void run_generate(struct state *s)
{
    EVP_PKEY *key = generate(s->libctx, s->name);
    MUST(key);
    EVP_PKEY_free(key);
}

static const char *digest_of(const struct state *s)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, s->name))
            return *kinds[i].digest ? kinds[i].digest : NULL;
    return NULL;
}

static void sign_with(struct state *s, EVP_PKEY *key)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    s->sig_len = sizeof s->sig;
    MUST(EVP_DigestSignInit_ex(ctx, NULL, digest_of(s), s->libctx, NULL, key, NULL) > 0);
    MUST(EVP_DigestSign(ctx, s->sig, &s->sig_len, s->in, sizeof s->in) > 0);
    EVP_MD_CTX_free(ctx);
}

static void verify_with(struct state *s, EVP_PKEY *key)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    MUST(EVP_DigestVerifyInit_ex(ctx, NULL, digest_of(s), s->libctx, NULL, key, NULL) > 0);
    MUST(EVP_DigestVerify(ctx, s->sig, s->sig_len, s->in, sizeof s->in) == 1);
    EVP_MD_CTX_free(ctx);
}

static void derive_with(struct state *s, EVP_PKEY *key, EVP_PKEY *peer)
{
    size_t len = sizeof s->out;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(s->libctx, key, NULL);
    MUST(EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, peer) > 0);
    MUST(EVP_PKEY_derive(ctx, s->out, &len) > 0);
    EVP_PKEY_CTX_free(ctx);
}

static EVP_PKEY *read_private(struct state *s)
{
    const unsigned char *at = s->private_der;
    EVP_PKEY *key = d2i_AutoPrivateKey_ex(NULL, &at, s->private_len, s->libctx, NULL);
    MUST(key);
    return key;
}

static EVP_PKEY *read_public(struct state *s)
{
    const unsigned char *at = s->public_der;
    EVP_PKEY *key = d2i_PUBKEY_ex(NULL, &at, s->public_len, s->libctx, NULL);
    MUST(key);
    return key;
}

static void run_sign(struct state *s)
{
    sign_with(s, s->key);
}

static void run_verify(struct state *s)
{
    verify_with(s, s->key);
}

static void run_derive(struct state *s)
{
    derive_with(s, s->key, s->peer);
}

static void run_sign_der(struct state *s)
{
    EVP_PKEY *key = read_private(s);
    sign_with(s, key);
    EVP_PKEY_free(key);
}

static void run_verify_der(struct state *s)
{
    EVP_PKEY *key = read_public(s);
    verify_with(s, key);
    EVP_PKEY_free(key);
}

/* run_exchange is one side of an exchange in TLS: a new key, and a peer's by its bytes. */
static void run_exchange(struct state *s)
{
    unsigned char *bytes = NULL;
    const size_t len = EVP_PKEY_get1_encoded_public_key(s->peer, &bytes);
    EVP_PKEY *key = generate(s->libctx, s->name), *peer = EVP_PKEY_new();
    MUST(key && EVP_PKEY_copy_parameters(peer, key) > 0);
    MUST(EVP_PKEY_set1_encoded_public_key(peer, bytes, len) > 0);
    derive_with(s, key, peer);
    OPENSSL_free(bytes);
    EVP_PKEY_free(key);
    EVP_PKEY_free(peer);
}

static const struct operation {
    const char *name;
    void (*run)(struct state *s);
    int signs, agrees;
} operations[] = {
    { "generate", run_generate, 0, 0 },           { "sign", run_sign, 1, 0 },
    { "sign, from DER", run_sign_der, 1, 0 },     { "verify", run_verify, 1, 0 },
    { "verify, from DER", run_verify_der, 1, 0 }, { "derive", run_derive, 0, 1 },
    { "exchange", run_exchange, 0, 1 },
};

/* ---- turns ---- */

static double take(struct state *s, const struct operation *operation, int calls)
{
    const double before = now();
    for (int i = 0; i < calls; i++)
        operation->run(s);
    return (now() - before) / calls;
}

static void measure(struct state sides[NUM_SIDES], const struct operation *operation, int turns)
{
    static double us[NUM_SIDES][MAX_TURNS], ratio[MAX_TURNS];
    const double slow = take(&sides[OFF], operation, 3);
    const int calls = slow > 1000 ? 1 : (int)(1000 / slow);
    take(&sides[ON], operation, 3);
    for (int turn = 0; turn < turns; turn++)
        for (int i = 0; i < NUM_SIDES; i++) {
            const int side = turn & 1 ? !i : i;
            us[side][turn] = take(&sides[side], operation, calls);
        }
    for (int t = 0; t < turns; t++)
        ratio[t] = us[OFF][t] / us[ON][t];
    printf("%-10s %-18s %9.1f %9.1f %7.2f\n", sides[OFF].name, operation->name,
           median(us[OFF], (size_t)turns), median(us[ON], (size_t)turns),
           median(ratio, (size_t)turns));
    fflush(stdout);
}

/* ---- set-up ---- */

static struct state load(const char *folder)
{
    struct state s = { .libctx = OSSL_LIB_CTX_new() };
    MUST(s.libctx && (s.provider = OSSL_PROVIDER_load(s.libctx, "default")));
    if (folder) {
        char path[] = "/tmp/headrace-pkey-XXXXXX", absolute[PATH_MAX];
        const char *const win = getenv("WIN");
        FILE *const config = fdopen(mkstemp(path), "w");
        MUST(config && realpath(folder, absolute));
        fprintf(config,
                "openssl_conf = all\n[all]\nproviders = list\nalg_section = query\n[query]\n"
                "default_properties = ?headrace.win=yes\n[list]\nheadrace = ours\n[ours]\n"
                "module = %s/headrace.so\nactivate = 1\nwithout = lost_pkey\n%s%s\n",
                absolute, win ? "win = " : "", win ? win : "");
        MUST(!fclose(config) && OSSL_LIB_CTX_load_config(s.libctx, path));
        MUST(OSSL_PROVIDER_available(s.libctx, "headrace") && !unlink(path));
    }
    return s;
}

/* begin gives both sides the same keys, each read by the side itself. */
static void begin(struct state sides[NUM_SIDES], const struct kind *kind)
{
    EVP_PKEY *key = generate(sides[OFF].libctx, kind->name);
    EVP_PKEY *peer = generate(sides[OFF].libctx, kind->name);
    MUST(key && peer);
    for (int i = 0; i < NUM_SIDES; i++) {
        struct state *s = &sides[i];
        s->name = kind->name;
        s->private_der = s->public_der = NULL;
        s->public_len = i2d_PUBKEY(peer, &s->public_der);
        s->peer = read_public(s);
        OPENSSL_free(s->public_der);
        s->public_der = NULL;
        s->private_len = i2d_PrivateKey(key, &s->private_der);
        s->public_len = i2d_PUBKEY(key, &s->public_der);
        s->key = read_private(s);
        memset(s->in, 7, sizeof s->in);
        if (kind->digest)
            run_sign(s);
    }
    EVP_PKEY_free(key);
    EVP_PKEY_free(peer);
}

static void end(struct state *s)
{
    OPENSSL_free(s->private_der);
    OPENSSL_free(s->public_der);
    EVP_PKEY_free(s->key);
    EVP_PKEY_free(s->peer);
}

static int is_asked(const char *name, int argc, char **argv)
{
    for (int i = 3; i < argc; i++)
        if (!strncmp(name, argv[i], strlen(argv[i])))
            return 1;
    return argc < 4;
}

int main(int argc, char **argv)
{
    MUST(argc > 1);
    const int turns = argc > 2 ? atoi(argv[2]) : 41;
    MUST(turns > 0 && turns < MAX_TURNS);
    struct state sides[NUM_SIDES] = { load(NULL), load(argv[1]) };
    printf("%s\n%-10s %-18s %9s %9s %7s\n", OpenSSL_version(OPENSSL_VERSION), "key",
           "operation, us", "off", "on", "ratio");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        EVP_PKEY *known =
            is_asked(kinds[k].name, argc, argv) ? generate(sides[OFF].libctx, kinds[k].name) : NULL;
        ERR_clear_error();
        if (!known)
            continue;
        EVP_PKEY_free(known);
        begin(sides, &kinds[k]);
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
            if ((!operations[i].signs || kinds[k].digest) &&
                (!operations[i].agrees || kinds[k].agrees))
                measure(sides, &operations[i], turns);
        end(&sides[OFF]);
        end(&sides[ON]);
    }
    for (int i = 0; i < NUM_SIDES; i++) {
        OSSL_PROVIDER_unload(sides[i].provider);
        OSSL_LIB_CTX_free(sides[i].libctx);
    }
    return 0;
}
