/* SPDX-License-Identifier: Apache-2.0 */
/* Times OpenSSL's one-shot and deprecated calls; prints "CALL NS" lines. bench/direct.py runs it
 * with the preloaded library and without, alternately. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/aes.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned char in[1024], out[1024], iv[16];
static AES_KEY enc, dec;

static void md5_64(void)
{
    MD5(in, 64, out);
}

static void sha1_64(void)
{
    SHA1(in, 64, out);
}

static void sha256_64(void)
{
    SHA256(in, 64, out);
}

static void sha512_64(void)
{
    SHA512(in, 64, out);
}

static void evp_digest_64(void)
{
    EVP_Digest(in, 64, out, NULL, EVP_sha256(), NULL);
}

static void evp_q_digest_64(void)
{
    if (!EVP_Q_digest(NULL, "SHA256", NULL, in, 64, out, NULL))
        abort();
}

static void hmac_64(void)
{
    HMAC(EVP_sha256(), in, 32, in, 64, out, NULL);
}

static void hmac_ctx_64(void)
{
    HMAC_CTX *ctx = HMAC_CTX_new();
    HMAC_Init_ex(ctx, in, 32, EVP_sha256(), NULL);
    HMAC_Update(ctx, in, 64);
    HMAC_Final(ctx, out, NULL);
    HMAC_CTX_free(ctx);
}

/* scram_32 is an iteration of SCRAM, as PostgreSQL makes it. */
static void scram_32(void)
{
    static HMAC_CTX *ctx;
    if (!ctx)
        ctx = HMAC_CTX_new();
    HMAC_Init_ex(ctx, in, 20, EVP_sha256(), NULL);
    HMAC_Update(ctx, out, 32);
    HMAC_Final(ctx, out, NULL);
}

static void evp_q_mac_64(void)
{
    EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, in, 32, in, 64, out, sizeof out, NULL);
}

static void pbkdf2_1000(void)
{
    PKCS5_PBKDF2_HMAC((char *)in, 16, in, 16, 1000, EVP_sha256(), 32, out);
}

static void aes_encrypt_16(void)
{
    AES_encrypt(in, out, &enc);
}

static void aes_decrypt_16(void)
{
    AES_decrypt(in, out, &dec);
}

static void aes_cbc_encrypt_1k(void)
{
    AES_cbc_encrypt(in, out, 1024, &enc, iv, AES_ENCRYPT);
}

static void aes_cbc_decrypt_1k(void)
{
    AES_cbc_encrypt(in, out, 1024, &dec, iv, AES_DECRYPT);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Returns the shortest time of several short stretches, because other programs on the machine can
 * only make them longer. */
static double time_of(void (*call)(void))
{
    const double stretch = 2e6;
    size_t calls = 1;
    double best = 0;
    for (double took = 0; took < stretch; calls *= 2) {
        const double start = now();
        for (size_t i = 0; i < calls; i++)
            call();
        took = now() - start;
    }
    for (int i = 0; i < 15; i++) {
        const double start = now();
        for (size_t k = 0; k < calls; k++)
            call();
        const double one = (now() - start) / (double)calls;
        best = i == 0 || one < best ? one : best;
    }
    return best;
}

int main(void)
{
    static const struct {
        const char *name;
        void (*call)(void);
    } table[] = {
        { "MD5()/64", md5_64 },
        { "SHA1()/64", sha1_64 },
        { "SHA256()/64", sha256_64 },
        { "SHA512()/64", sha512_64 },
        { "EVP_Digest(SHA256)/64", evp_digest_64 },
        { "EVP_Q_digest(SHA256)/64", evp_q_digest_64 },
        { "HMAC(SHA256)/64", hmac_64 },
        { "EVP_Q_mac(HMAC,SHA256)/64", evp_q_mac_64 },
        { "HMAC_CTX(SHA256)/64", hmac_ctx_64 },
        { "HMAC_Init_ex(SHA256)/32", scram_32 },
        { "PKCS5_PBKDF2_HMAC(SHA256)/1000", pbkdf2_1000 },
        { "AES_encrypt(128)/16", aes_encrypt_16 },
        { "AES_decrypt(128)/16", aes_decrypt_16 },
        { "AES_cbc_encrypt(128,enc)/1024", aes_cbc_encrypt_1k },
        { "AES_cbc_encrypt(128,dec)/1024", aes_cbc_decrypt_1k },
    };
    AES_set_encrypt_key(in, 128, &enc);
    AES_set_decrypt_key(in, 128, &dec);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        printf("%s %.2f\n", table[i].name, time_of(table[i].call));
    return 0;
}
