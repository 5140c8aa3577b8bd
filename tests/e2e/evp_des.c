/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the provider that only DES has: wrapped keys (RFC 3217), which the default provider and
 * ours unwrap of each other, and the strict mode, which leaves DES to OpenSSL. */
#include "evp.h"
#include <unistd.h>

enum { NUM_KEYS = 200, MAX_KEY = 160, EXTRA = 16 };

static struct loaded both;

/* ---- wrapped keys ---- */

static EVP_CIPHER_CTX *begin_wrap(const char *from, const unsigned char *key, int enc)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, "DES3-WRAP", from);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    MUST(cipher && ctx);
    EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    MUST(EVP_CipherInit_ex2(ctx, cipher, key, NULL, enc, NULL));
    EVP_CIPHER_free(cipher);
    return ctx;
}

static void same_cipher(void)
{
    EVP_CIPHER *a = EVP_CIPHER_fetch(both.libctx, "id-smime-alg-CMS3DESwrap", THEIRS);
    EVP_CIPHER *b = EVP_CIPHER_fetch(both.libctx, "1.2.840.113549.1.9.16.3.6", OURS);
    MUST(a && b);
    MUST(EVP_CIPHER_get_mode(a) == EVP_CIPHER_get_mode(b));
    MUST(EVP_CIPHER_get_flags(a) == EVP_CIPHER_get_flags(b));
    MUST(EVP_CIPHER_get_nid(a) == EVP_CIPHER_get_nid(b));
    MUST(EVP_CIPHER_get_block_size(a) == EVP_CIPHER_get_block_size(b));
    MUST(EVP_CIPHER_get_key_length(a) == EVP_CIPHER_get_key_length(b));
    MUST(EVP_CIPHER_get_iv_length(a) == EVP_CIPHER_get_iv_length(b));
    EVP_CIPHER_free(a);
    EVP_CIPHER_free(b);
}

/* wrap_and_unwrap wraps a key with one provider and unwraps it with the other, then with a bit
 * changed. It works in place only if both are ours: the default provider gets that wrong. */
static void wrap_and_unwrap(uint64_t *random, const char *one, const char *other)
{
    unsigned char kek[24], secret[MAX_KEY], wrapped[MAX_KEY + EXTRA], got[MAX_KEY + EXTRA];
    const int size = 8 * (int)(1 + next_random(random) % (MAX_KEY / 8)),
              in_place = size % 16 == 0 && !strcmp(one, OURS) && !strcmp(other, OURS);
    int len, last;
    random_bytes(random, kek, sizeof kek);
    random_bytes(random, secret, sizeof secret);
    EVP_CIPHER_CTX *wrap = begin_wrap(one, kek, 1), *unwrap = begin_wrap(other, kek, 0), *copy;
    MUST(EVP_CipherUpdate(wrap, NULL, &len, secret, size) && len == size + EXTRA);
    memcpy(wrapped, secret, (size_t)size);
    MUST(EVP_CipherUpdate(wrap, wrapped, &len, in_place ? wrapped : secret, size));
    MUST(len == size + EXTRA && EVP_CipherFinal_ex(wrap, wrapped + len, &last) && !last);
    MUST((copy = EVP_CIPHER_CTX_new()));
    if (!EVP_CIPHER_CTX_copy(copy, unwrap)) { /* the default provider cannot copy this context */
        MUST(strcmp(other, OURS));
        EVP_CIPHER_CTX_free(copy);
        copy = begin_wrap(other, kek, 0);
    }
    MUST(EVP_CipherUpdate(unwrap, NULL, &len, wrapped, size + EXTRA) && len == size);
    memcpy(got, wrapped, sizeof got);
    MUST(EVP_CipherUpdate(copy, got, &len, in_place ? got : wrapped, size + EXTRA));
    MUST(len == size && !memcmp(got, secret, (size_t)size));
    wrapped[next_random(random) % (unsigned)(size + EXTRA)] ^= 0x10;
    MUST(!EVP_CipherUpdate(unwrap, got, &len, wrapped, size + EXTRA));
    EVP_CIPHER_CTX_free(wrap);
    EVP_CIPHER_CTX_free(unwrap);
    EVP_CIPHER_CTX_free(copy);
    ERR_clear_error();
}

/* refused checks that lengths which no key has, wrapped or not, are refused. */
static void refused(const char *from)
{
    unsigned char bytes[64] = { 0 }, out[64];
    int len;
    EVP_CIPHER_CTX *wrap = begin_wrap(from, bytes, 1), *unwrap = begin_wrap(from, bytes, 0);
    MUST(!EVP_CipherUpdate(wrap, out, &len, bytes, 23));
    MUST(!EVP_CipherUpdate(unwrap, out, &len, bytes, 16));
    MUST(!EVP_CipherUpdate(unwrap, out, &len, bytes, 41));
    MUST(EVP_CipherUpdate(wrap, out, &len, bytes, 0) && len == 0);
    EVP_CIPHER_CTX_free(wrap);
    EVP_CIPHER_CTX_free(unwrap);
    ERR_clear_error();
}

/* ---- strict ---- */

static OSSL_LIB_CTX *configured(const char *option)
{
    char text[1024], path[] = "/tmp/headrace-conf-XXXXXX";
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    const int fd = mkstemp(path);
    const int len = snprintf(text, sizeof text,
                             "openssl_conf = init\n[init]\nproviders = list\n[list]\n"
                             "default = theirs\nheadrace = ours\n[theirs]\nactivate = 1\n"
                             "[ours]\nmodule = %s\nactivate = 1\nwin = all\n%s\n",
                             getenv("HEADRACE_MODULE"), option);
    MUST(fd >= 0 && write(fd, text, (size_t)len) == len);
    close(fd);
    MUST(OSSL_LIB_CTX_load_config(libctx, path));
    unlink(path);
    return libctx;
}

static int is_ours(OSSL_LIB_CTX *libctx, const char *name)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx, name, "?headrace.win=yes");
    MUST(cipher);
    const int ours = !strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), "headrace");
    EVP_CIPHER_free(cipher);
    return ours;
}

/* strict_leaves checks that in strict mode the DES ciphers that OpenSSL has are its own, and the
 * counter mode, which it lacks, is ours. */
static void strict_leaves(const char *option, int strict)
{
    OSSL_LIB_CTX *libctx = configured(option);
    MUST(is_ours(libctx, "DES-EDE3-CBC") == !strict);
    MUST(is_ours(libctx, "DES-EDE-ECB") == !strict);
    MUST(is_ours(libctx, "DES3-WRAP") == !strict);
    MUST(is_ours(libctx, "DES-EDE3-CTR") && is_ours(libctx, "AES-128-CBC"));
    OSSL_LIB_CTX_free(libctx);
}

int main(void)
{
    uint64_t random = 0x452821e638d01377u;
    both = load_both();
    same_cipher();
    for (int i = 0; i < NUM_KEYS; i++)
        wrap_and_unwrap(&random, i & 1 ? OURS : THEIRS, i & 2 ? OURS : THEIRS);
    refused(THEIRS);
    refused(OURS);
    puts("ok 1 - keys wrapped by triple DES");
    strict_leaves("", 0);
    strict_leaves("strict = no", 0);
    strict_leaves("strict = yes", 1);
    setenv("HEADRACE_STRICT", "1", 1);
    strict_leaves("", 1);
    puts("ok 2 - strict leaves DES to OpenSSL");
    unload_both(&both);
    puts("1..2");
    return 0;
}
