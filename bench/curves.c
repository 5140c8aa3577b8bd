/* SPDX-License-Identifier: Apache-2.0 */
/* curves LIBCRYPTO...: microseconds of thread CPU time for ECDSA, ECDH and key generation by direct
 * calls, and by EVP of each libcrypto, in turns; medians and their ratio. */
#define _GNU_SOURCE
#include "median.h"
#include <dlfcn.h>
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TURNS = 15, MAX = 256 };

static const struct {
    const char *name, *group;
    hr_alg sign, agree;
    int calls;
} curves[] = {
    { "P-256", "P-256", HR_ECDSA_P256, HR_ECDH_P256, 100 },
    { "P-384", "P-384", HR_ECDSA_P384, HR_ECDH_P384, 20 },
    { "P-521", "P-521", HR_ECDSA_P521, HR_ECDH_P521, 10 },
};
enum { SIGN, VERIFY, AGREE, KEY, NUM_OPS };
static const char *const op_names[] = { "sign", "verify", "ECDH", "key" };

/* ---- ours ---- */

static struct hr_sign_key sign_key, verify_key;
static struct hr_agree_key agree_key;
static uint8_t digest[32], sig[MAX], point[MAX], secret[MAX];
static size_t sig_len, point_len;

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "curves: %s failed\n", what);
        exit(1);
    }
}

static void ours_start(size_t i)
{
    point_len = sizeof point;
    must(!hr_sign_key_generate(&sign_key, curves[i].sign, NULL) &&
             !hr_sign_key_public(point, &point_len, &sign_key) &&
             !hr_sign_key_init_public(&verify_key, curves[i].sign, point, point_len) &&
             !hr_agree_key_generate(&agree_key, curves[i].agree, NULL),
         "a key");
}

static void ours(int op, size_t i)
{
    size_t len = MAX;
    uint8_t out[MAX];
    int error = 0;
    if (op == SIGN) {
        sig_len = sizeof sig;
        error = hr_sign(sig, &sig_len, digest, sizeof digest, &sign_key, NULL);
    } else if (op == VERIFY) {
        error = hr_verify(sig, sig_len, digest, sizeof digest, &verify_key, NULL);
    } else if (op == AGREE) {
        error = hr_agree(secret, &len, point, point_len, &agree_key);
    } else {
        error = hr_agree_key_generate(&agree_key, curves[i].agree, NULL);
        if (!error)
            error = hr_agree_key_public(out, &len, &agree_key);
    }
    must(!error, op_names[op]);
}

/* ---- libcrypto's ---- */

static void *handle;
#define CALL(name) ((__typeof__(&name))(uintptr_t)dlsym(handle, #name))

static EVP_PKEY *own, *peer;
static EVP_PKEY_CTX *sign_ctx, *verify_ctx, *derive_ctx, *key_ctx;
static uint8_t their_sig[MAX];
static size_t their_len;

static EVP_PKEY *new_key(const char *group)
{
    EVP_PKEY *key = CALL(EVP_PKEY_Q_keygen)(NULL, NULL, "EC", group);
    must(key != NULL, "EVP_PKEY_Q_keygen");
    return key;
}

static void theirs_start(size_t i)
{
    own = new_key(curves[i].group);
    peer = new_key(curves[i].group);
    sign_ctx = CALL(EVP_PKEY_CTX_new)(own, NULL);
    verify_ctx = CALL(EVP_PKEY_CTX_new)(own, NULL);
    derive_ctx = CALL(EVP_PKEY_CTX_new)(own, NULL);
    key_ctx = CALL(EVP_PKEY_CTX_new_from_name)(NULL, "EC", NULL);
    must(CALL(EVP_PKEY_sign_init)(sign_ctx) > 0 && CALL(EVP_PKEY_verify_init)(verify_ctx) > 0 &&
             CALL(EVP_PKEY_derive_init)(derive_ctx) > 0 &&
             CALL(EVP_PKEY_derive_set_peer)(derive_ctx, peer) > 0 &&
             CALL(EVP_PKEY_keygen_init)(key_ctx) > 0 &&
             CALL(EVP_PKEY_CTX_set_group_name)(key_ctx, curves[i].group) > 0,
         "a context");
}

static void theirs(int op, size_t i)
{
    size_t len = sizeof secret;
    int good;
    (void)i;
    if (op == SIGN) {
        their_len = sizeof their_sig;
        good = CALL(EVP_PKEY_sign)(sign_ctx, their_sig, &their_len, digest, sizeof digest);
    } else if (op == VERIFY) {
        good = CALL(EVP_PKEY_verify)(verify_ctx, their_sig, their_len, digest, sizeof digest);
    } else if (op == AGREE) {
        good = CALL(EVP_PKEY_derive)(derive_ctx, secret, &len);
    } else {
        EVP_PKEY *key = NULL;
        good = CALL(EVP_PKEY_generate)(key_ctx, &key);
        CALL(EVP_PKEY_free)(key);
    }
    must(good == 1, op_names[op]);
}

static void theirs_end(void)
{
    CALL(EVP_PKEY_CTX_free)(sign_ctx);
    CALL(EVP_PKEY_CTX_free)(verify_ctx);
    CALL(EVP_PKEY_CTX_free)(derive_ctx);
    CALL(EVP_PKEY_CTX_free)(key_ctx);
    CALL(EVP_PKEY_free)(own);
    CALL(EVP_PKEY_free)(peer);
}

/* ---- time ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double turn(void (*run)(int op, size_t i), int op, size_t i)
{
    run(op, i);
    const double start = now();
    for (int n = 0; n < curves[i].calls; n++)
        run(op, i);
    return (now() - start) / curves[i].calls;
}

int main(int argc, char **argv)
{
    for (int arg = 1; arg < argc; arg++) {
        handle = dlopen(argv[arg], RTLD_NOW | RTLD_LOCAL);
        must(handle != NULL, argv[arg]);
        printf("%s\n", CALL(OpenSSL_version)(OPENSSL_VERSION));
        for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++) {
            ours_start(i);
            theirs_start(i);
            for (int op = 0; op < NUM_OPS; op++) {
                double us[TURNS], them[TURNS];
                for (int n = 0; n < TURNS; n++) {
                    us[n] = turn(ours, op, i);
                    them[n] = turn(theirs, op, i);
                }
                const double a = median(us, TURNS), b = median(them, TURNS);
                printf("%s %-6s %8.1f %8.1f  %.2f\n", curves[i].name, op_names[op], a, b, b / a);
            }
            theirs_end();
        }
    }
    return 0;
}
