/* SPDX-License-Identifier: Apache-2.0 */
/* evp_named FOLDER TYPE...: named keys of the accelerator's service through EVP, beside the public
 * keys as another provider has them.  The folder has the files that named_keys.py makes; the
 * service has keys of the types, too, named as they are. */
#include "evp_load.h"
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/store.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 5120 }; /* a signature of ML-DSA-87 has 4,627 bytes */

static struct loaded both;
static const char *folder;
static unsigned num_tests;
static const unsigned char message[] = "what is signed";

static void ok(const char *name, const char *what)
{
    printf("ok %u - %s: %s\n", ++num_tests, name, what);
    fflush(stdout);
}

/* ---- files ---- */

static FILE *open_file(const char *name, const char *suffix)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, suffix);
    FILE *f = fopen(path, "r");
    MUST(f);
    return f;
}

static EVP_PKEY *named(const char *name)
{
    FILE *f = open_file(name, "ref");
    EVP_PKEY *key = PEM_read_PrivateKey_ex(f, NULL, NULL, NULL, both.libctx, NULL);
    fclose(f);
    return key;
}

/* theirs reads the public key for the other provider. */
static EVP_PKEY *theirs(const char *name)
{
    FILE *f = open_file(name, "pub");
    EVP_PKEY *key = PEM_read_PUBKEY_ex(f, NULL, NULL, NULL, both.libctx, THEIRS);
    fclose(f);
    MUST(key);
    return key;
}

/* must_say requires that the last error has a text with this in it, and clears the errors. */
static void must_say(const char *text)
{
    const char *said = NULL;
    int flags = 0;
    while (ERR_get_error_all(NULL, NULL, NULL, &said, &flags))
        if (flags & ERR_TXT_STRING && strstr(said, text)) {
            ERR_clear_error();
            return;
        }
    printf("# no error says: %s\n", text);
    MUST(0);
}

/* ---- what a key is ---- */

static int same_number(const EVP_PKEY *a, const EVP_PKEY *b, const char *name)
{
    int x = -1, y = -2;
    return EVP_PKEY_get_int_param(a, name, &x) && EVP_PKEY_get_int_param(b, name, &y) && x == y;
}

static void check_key(const char *name, EVP_PKEY *key, EVP_PKEY *public)
{
    OSSL_PARAM *params = NULL;
    unsigned char *der = NULL;
    EVP_PKEY *copy = EVP_PKEY_dup(key);
    MUST(copy && EVP_PKEY_eq(key, public) == 1 && EVP_PKEY_eq(public, key) == 1);
    MUST(EVP_PKEY_eq(copy, public) == 1 && EVP_PKEY_eq(copy, key) == 1);
    MUST(same_number(key, public, OSSL_PKEY_PARAM_BITS));
    MUST(same_number(key, public, OSSL_PKEY_PARAM_SECURITY_BITS));
    MUST(same_number(key, public, OSSL_PKEY_PARAM_MAX_SIZE));
    MUST(EVP_PKEY_todata(key, EVP_PKEY_PUBLIC_KEY, &params) == 1);
    OSSL_PARAM_free(params);
    MUST(EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &params) != 1);
    MUST(i2d_PrivateKey(key, &der) <= 0 && !der);
    ERR_clear_error();
    EVP_PKEY_free(copy);
    ok(name, "compared, copied, exported");
}

/* ---- signatures ---- */

static const char *digest_of(const EVP_PKEY *key)
{
    return EVP_PKEY_is_a(key, "RSA") || EVP_PKEY_is_a(key, "EC") ? "SHA256" : NULL;
}

static int verifies(EVP_PKEY *key, const unsigned char *sig, size_t len, int padding)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *more = NULL;
    int good =
        EVP_DigestVerifyInit_ex(ctx, &more, digest_of(key), both.libctx, NULL, key, NULL) > 0;
    if (good && padding)
        good = EVP_PKEY_CTX_set_rsa_padding(more, padding) > 0;
    good = good && EVP_DigestVerify(ctx, sig, len, message, sizeof message) == 1;
    EVP_MD_CTX_free(ctx);
    return good;
}

/* sign returns the length of the signature, or 0. */
static size_t sign(EVP_PKEY *key, unsigned char sig[MOST], int padding)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *more = NULL;
    size_t len = 0, room = MOST;
    int good = EVP_DigestSignInit_ex(ctx, &more, digest_of(key), both.libctx, NULL, key, NULL) > 0;
    if (good && padding)
        good = EVP_PKEY_CTX_set_rsa_padding(more, padding) > 0;
    good = good && EVP_DigestSign(ctx, NULL, &len, message, sizeof message) > 0 && len <= room &&
           EVP_DigestSign(ctx, sig, &room, message, sizeof message) > 0 && room <= len;
    EVP_MD_CTX_free(ctx);
    return good ? room : 0;
}

static void check_message(const char *name, EVP_PKEY *key, EVP_PKEY *public, int padding)
{
    unsigned char sig[MOST];
    const size_t len = sign(key, sig, padding);
    MUST(len && verifies(public, sig, len, padding) && verifies(key, sig, len, padding));
    sig[len - 1] ^= 1;
    MUST(!verifies(public, sig, len, padding));
    ERR_clear_error();
    ok(name, padding == RSA_PKCS1_PSS_PADDING ? "signs messages by PSS" : "signs messages");
}

static EVP_PKEY_CTX *with(EVP_PKEY *key, int (*init)(EVP_PKEY_CTX *ctx))
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(both.libctx, key, NULL);
    MUST(ctx && init(ctx) > 0);
    return ctx;
}

static void set_padding(EVP_PKEY_CTX *ctx, int padding, int salt)
{
    MUST(EVP_PKEY_CTX_set_rsa_padding(ctx, padding) > 0);
    MUST(padding == RSA_NO_PADDING || EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0);
    MUST(padding != RSA_PKCS1_PSS_PADDING || EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, salt) > 0);
}

/* check_salts signs digests with salts of every kind. */
static void check_salts(EVP_PKEY *key, EVP_PKEY *public)
{
    static const int salts[] = { RSA_PSS_SALTLEN_DIGEST, RSA_PSS_SALTLEN_MAX, 0, 20 };
    const unsigned char digest[32] = { 1, 2, 3 };
    for (size_t i = 0; i < sizeof salts / sizeof *salts; i++) {
        unsigned char sig[MOST];
        size_t len = sizeof sig;
        EVP_PKEY_CTX *signer = with(key, EVP_PKEY_sign_init);
        EVP_PKEY_CTX *verifier = with(public, EVP_PKEY_verify_init);
        set_padding(signer, RSA_PKCS1_PSS_PADDING, salts[i]);
        set_padding(verifier, RSA_PKCS1_PSS_PADDING, salts[i]);
        MUST(EVP_PKEY_sign(signer, sig, &len, digest, sizeof digest) > 0);
        MUST(EVP_PKEY_verify(verifier, sig, len, digest, sizeof digest) == 1);
        EVP_PKEY_CTX_free(signer);
        EVP_PKEY_CTX_free(verifier);
    }
    ok("rsa", "salts of PSS");
}

/* check_raw: neither a number nor a DigestInfo of an unknown digest is signed. */
static void check_raw(EVP_PKEY *key)
{
    unsigned char sig[MOST], number[256] = { 0, 1 };
    size_t len = sizeof sig;
    EVP_PKEY_CTX *ctx = with(key, EVP_PKEY_sign_init);
    set_padding(ctx, RSA_NO_PADDING, 0);
    MUST(EVP_PKEY_sign(ctx, sig, &len, number, sizeof number) <= 0);
    must_say("named key rsa: no raw RSA");
    EVP_PKEY_CTX_free(ctx);
    ctx = with(key, EVP_PKEY_sign_init);
    MUST(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0);
    len = sizeof sig;
    MUST(EVP_PKEY_sign(ctx, sig, &len, number, 100) <= 0);
    must_say("named key rsa: ");
    EVP_PKEY_CTX_free(ctx);
    ctx = with(key, EVP_PKEY_decrypt_init);
    len = sizeof sig;
    MUST(EVP_PKEY_decrypt(ctx, sig, &len, number, sizeof number) <= 0);
    must_say("named key rsa: ");
    EVP_PKEY_CTX_free(ctx);
    ok("rsa", "neither raw, nor by a key that is not for it");
}

/* check_fork signs in a child, with a key that the parent has used. */
static void check_fork(const char *name, EVP_PKEY *key, EVP_PKEY *public)
{
    int status;
    const pid_t child = fork();
    MUST(child >= 0);
    if (!child) {
        unsigned char sig[MOST];
        const size_t len = sign(key, sig, 0);
        _exit(!len || !verifies(public, sig, len, 0));
    }
    MUST(waitpid(child, &status, 0) == child && !status);
    ok(name, "signs in the child of a fork");
}

static void *sign_often(void *key)
{
    unsigned char sig[MOST];
    size_t len = 1;
    for (int i = 0; i < 8 && len; i++) {
        len = sign(key, sig, 0);
        len = len && verifies(key, sig, len, 0);
    }
    return len ? key : NULL;
}

/* check_threads: four threads open a new key at once. */
static void check_threads(const char *name)
{
    pthread_t threads[4];
    EVP_PKEY *key = named(name);
    MUST(key);
    for (size_t i = 0; i < 4; i++)
        MUST(!pthread_create(&threads[i], NULL, sign_often, key));
    for (size_t i = 0; i < 4; i++) {
        void *result;
        MUST(!pthread_join(threads[i], &result) && result);
    }
    EVP_PKEY_free(key);
    ok(name, "signs in four threads");
}

static void check_signer(const char *name)
{
    EVP_PKEY *key = named(name), *public = theirs(name);
    MUST(key);
    check_key(name, key, public);
    check_message(name, key, public, 0);
    check_fork(name, key, public);
    check_threads(name);
    if (EVP_PKEY_is_a(key, "RSA")) {
        check_message(name, key, public, RSA_PKCS1_PSS_PADDING);
        check_salts(key, public);
        check_raw(key);
    }
    EVP_PKEY_free(key);
    EVP_PKEY_free(public);
}

/* ---- decryption ---- */

static size_t encrypt(EVP_PKEY *public, unsigned char out[MOST], int padding,
                      const unsigned char *in, size_t in_len)
{
    size_t len = MOST;
    EVP_PKEY_CTX *ctx = with(public, EVP_PKEY_encrypt_init);
    MUST(EVP_PKEY_CTX_set_rsa_padding(ctx, padding) > 0);
    MUST(EVP_PKEY_encrypt(ctx, out, &len, in, in_len) > 0);
    EVP_PKEY_CTX_free(ctx);
    return len;
}

/* decrypt returns the length, or 0.  `version` is for TLS. */
static size_t decrypt(EVP_PKEY *key, unsigned char out[MOST], int padding, unsigned version,
                      const unsigned char *in, size_t in_len)
{
    size_t len = MOST;
    EVP_PKEY_CTX *ctx = with(key, EVP_PKEY_decrypt_init);
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, &version),
        OSSL_PARAM_construct_end(),
    };
    MUST(EVP_PKEY_CTX_set_rsa_padding(ctx, padding) > 0);
    MUST(!version || EVP_PKEY_CTX_set_params(ctx, params) > 0);
    const int good = EVP_PKEY_decrypt(ctx, out, &len, in, in_len) > 0;
    EVP_PKEY_CTX_free(ctx);
    return good ? len : 0;
}

static void check_padding(EVP_PKEY *key, EVP_PKEY *public, int padding, const char *what)
{
    unsigned char text[MOST], out[MOST];
    const size_t len = encrypt(public, text, padding, message, sizeof message);
    MUST(decrypt(key, out, padding, 0, text, len) == sizeof message);
    MUST(!memcmp(out, message, sizeof message));
    ok("rsa-decrypt", what);
}

/* check_tls: a premaster secret of the wrong version gives another one. */
static void check_tls(void)
{
    EVP_PKEY *key = named("rsa-tls"), *public = theirs("rsa-tls");
    enum { LEN = 48, TLS12 = 0x0303, TLS11 = 0x0302, PADDING = RSA_PKCS1_WITH_TLS_PADDING };
    unsigned char secret[LEN] = { 3, 3, 7 }, text[MOST], out[MOST];
    const size_t len = encrypt(public, text, RSA_PKCS1_PADDING, secret, LEN);
    MUST(key);
    MUST(decrypt(key, out, PADDING, TLS12, text, len) == LEN && !memcmp(out, secret, LEN));
    MUST(decrypt(key, out, PADDING, TLS11, text, len) == LEN && memcmp(out, secret, LEN));
    MUST(!decrypt(key, out, RSA_PKCS1_PADDING, 0, text, len));
    must_say("named key rsa-tls: ");
    EVP_PKEY_free(key);
    EVP_PKEY_free(public);
    ok("rsa-tls", "TLS, with its version, and nothing else");
}

static void check_decrypter(void)
{
    unsigned char text[MOST], out[MOST], number[256] = { 0, 2, 1 };
    EVP_PKEY *key = named("rsa-decrypt"), *public = theirs("rsa-decrypt");
    MUST(key);
    check_key("rsa-decrypt", key, public);
    check_padding(key, public, RSA_PKCS1_OAEP_PADDING, "OAEP");
    check_padding(key, public, RSA_PKCS1_PADDING, "PKCS#1");
    check_tls();
    /* implicit rejection: bad padding is no error (its message may be empty) */
    const size_t len = encrypt(public, text, RSA_NO_PADDING, number, sizeof number);
    (void)!decrypt(key, out, RSA_PKCS1_PADDING, 0, text, len);
    MUST(!ERR_peek_error());
    MUST(!decrypt(key, out, RSA_PKCS1_OAEP_PADDING, 0, text, len));
    ERR_clear_error();
    MUST(!decrypt(key, out, RSA_NO_PADDING, 0, text, len));
    must_say("named key rsa-decrypt: no raw RSA");
    MUST(!sign(key, out, 0));
    must_say("named key rsa-decrypt: ");
    ok("rsa-decrypt", "tells nothing of PKCS#1, and refuses the rest");
    EVP_PKEY_free(key);
    EVP_PKEY_free(public);
}

/* ---- stores, and what is wrong ---- */

static EVP_PKEY *from_store(const char *uri)
{
    EVP_PKEY *key = NULL;
    OSSL_STORE_CTX *store =
        OSSL_STORE_open_ex(uri, both.libctx, NULL, NULL, NULL, NULL, NULL, NULL);
    MUST(store);
    while (!key && !OSSL_STORE_eof(store)) {
        OSSL_STORE_INFO *info = OSSL_STORE_load(store);
        if (info && OSSL_STORE_INFO_get_type(info) == OSSL_STORE_INFO_PKEY)
            key = OSSL_STORE_INFO_get1_PKEY(info);
        OSSL_STORE_INFO_free(info);
    }
    OSSL_STORE_close(store);
    MUST(key);
    return key;
}

static void check_store(const char *uri, const char *name)
{
    EVP_PKEY *public = theirs(name), *key = from_store(uri);
    unsigned char sig[MOST];
    MUST(EVP_PKEY_eq(key, public) == 1);
    const size_t len = sign(key, sig, 0);
    MUST(len && verifies(public, sig, len, 0));
    EVP_PKEY_free(key);
    EVP_PKEY_free(public);
    ok(name, strncmp(uri, "file:", 5) ? uri : "file:");
}

/* as_theirs makes the public key again for the other provider. */
static EVP_PKEY *as_theirs(EVP_PKEY *key, const char *type)
{
    EVP_PKEY *public = NULL;
    OSSL_PARAM *params = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(both.libctx, type, THEIRS);
    MUST(ctx && EVP_PKEY_fromdata_init(ctx) > 0);
    MUST(EVP_PKEY_todata(key, EVP_PKEY_PUBLIC_KEY, &params));
    MUST(EVP_PKEY_fromdata(ctx, &public, EVP_PKEY_PUBLIC_KEY, params) > 0);
    OSSL_PARAM_free(params);
    EVP_PKEY_CTX_free(ctx);
    return public;
}

/* check_lattice: only the service has such a key, and its reference is made of what it tells. */
static void check_lattice(const char *type)
{
    char uri[64];
    if (OpenSSL_version_num() < 0x30500000) {
        ok(type, "# SKIP OpenSSL has it from 3.5 on");
        return;
    }
    snprintf(uri, sizeof uri, "headrace:%s", type);
    EVP_PKEY *key = from_store(uri), *public = as_theirs(key, type);
    check_message(type, key, public, 0);
    check_fork(type, key, public);
    EVP_PKEY_free(public);
    EVP_PKEY_free(key);
}

/* check_type asks for a key of one type, as few programs do.  Before 3.2 that finds keys of RSA
 * only (custody_has_one_decoder), or of another type than RSA, which is then the program's to see.
 */
static void check_type(const char *name, const char *type)
{
    FILE *f = open_file(name, "ref");
    EVP_PKEY *key = NULL;
    OSSL_DECODER_CTX *decoder =
        OSSL_DECODER_CTX_new_for_pkey(&key, "PEM", NULL, type, EVP_PKEY_KEYPAIR, both.libctx, NULL);
    MUST(decoder);
    const int found = OSSL_DECODER_from_fp(decoder, f) == 1 && key;
    const int is_its_own = !strcmp(type, "RSA") == !strcmp(name, "rsa");
    if (OpenSSL_version_num() >= 0x30200000 || !strcmp(name, "rsa"))
        MUST(found == is_its_own);
    OSSL_DECODER_CTX_free(decoder);
    EVP_PKEY_free(key);
    fclose(f);
    ERR_clear_error();
    ok(name, found ? "is found by type" : "is not found by type");
}

static void check_wrong(void)
{
    static const char *const forms[] = { "version", "name", "more", "cut", "digit" };
    unsigned char sig[MOST];
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        MUST(!named(forms[i]));
        must_say("HEADRACE KEY REFERENCE");
        ok(forms[i], "is refused");
    }
    EVP_PKEY *nobody = named("nobody"), *changed = named("changed");
    MUST(nobody && changed);
    MUST(!sign(nobody, sig, 0));
    must_say("named key nobody: no such key on the accelerator");
    MUST(!sign(changed, sig, 0));
    must_say("named key p384: the service has another key of this name");
    EVP_PKEY_free(nobody);
    EVP_PKEY_free(changed);
    ok("nobody, p384", "no key, and another key of this name");
}

int main(int argc, char **argv)
{
    static const char *const signers[] = { "rsa", "p256", "p384", "p521", "ed25519" };
    char uri[512];
    MUST(argc >= 2);
    folder = argv[1];
    both = load_both();
    for (size_t i = 0; i < sizeof signers / sizeof *signers; i++)
        check_signer(signers[i]);
    check_decrypter();
    check_store("headrace:p256", "p256");
    check_store("headrace:rsa", "rsa");
    snprintf(uri, sizeof uri, "file:%s/ed25519.ref", folder);
    check_store(uri, "ed25519");
    for (int i = 2; i < argc; i++)
        check_lattice(argv[i]);
    check_type("rsa", "RSA");
    check_type("rsa", "EC");
    check_type("p256", "EC");
    check_type("p256", "RSA");
    check_wrong();
    unload_both(&both);
    printf("1..%u\n", num_tests);
    return 0;
}
