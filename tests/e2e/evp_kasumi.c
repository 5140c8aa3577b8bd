/* SPDX-License-Identifier: Apache-2.0 */
/* KASUMI through EVP: f8 and f9 with the parameters of 3GPP give what the library's calls with
 * these parameters give; a COUNT, BEARER, FRESH or DIRECTION that cannot be is refused. */
#include "evp.h"
#include <headrace/kasumi.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

enum { NUM_MESSAGES = 200, MAX_LEN = 300 };

static struct loaded both;
static uint64_t seed = 0x082efa98ec4e6c89u;

static void f8(void)
{
    unsigned char key[16], in[MAX_LEN], out[MAX_LEN], want[MAX_LEN], iv[8], got_iv[8];
    uint32_t count = (uint32_t)next_random(&seed);
    unsigned bearer = next_random(&seed) % 32, direction = next_random(&seed) % 2;
    const int len = (int)(next_random(&seed) % MAX_LEN), first = len / 3;
    const int parts = next_random(&seed) & 1;
    int n;
    OSSL_PARAM params[] = { OSSL_PARAM_uint("bearer", &bearer), OSSL_PARAM_uint32("count", &count),
                            OSSL_PARAM_uint("direction", &direction), OSSL_PARAM_END };
    random_bytes(&seed, key, sizeof key);
    random_bytes(&seed, in, sizeof in);
    MUST(!hr_kasumi_f8_bits(want, in, 8u * (unsigned)len, key, count, bearer, direction));
    hr_kasumi_f8_iv(iv, count, bearer, direction);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, "KASUMI-F8", NULL);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    MUST(cipher &&
         EVP_CipherInit_ex2(ctx, cipher, key, parts ? NULL : iv, 1, parts ? params : NULL));
    MUST(EVP_CipherUpdate(ctx, out, &n, in, first) && n == first);
    MUST(EVP_CipherUpdate(ctx, out + first, &n, in + first, len - first) && n == len - first);
    MUST(!memcmp(out, want, (size_t)len));
    MUST(EVP_CIPHER_CTX_get_updated_iv(ctx, got_iv, 8) && !memcmp(got_iv, iv, 8));
    MUST(EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, 0, params)); /* the same key, back again */
    MUST(EVP_CipherUpdate(ctx, out, &n, out, len) && !memcmp(out, in, (size_t)len));
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
}

static void f9(void)
{
    unsigned char key[16], in[MAX_LEN], mac[16], want[4], iv[9];
    uint32_t count = (uint32_t)next_random(&seed), fresh = (uint32_t)next_random(&seed);
    unsigned direction = next_random(&seed) % 2;
    const size_t len = next_random(&seed) % MAX_LEN;
    size_t mac_len;
    OSSL_PARAM params[] = { OSSL_PARAM_uint32("count", &count), OSSL_PARAM_uint32("fresh", &fresh),
                            OSSL_PARAM_uint("direction", &direction), OSSL_PARAM_END };
    random_bytes(&seed, key, sizeof key);
    random_bytes(&seed, in, sizeof in);
    hr_kasumi_f9_iv(iv, count, fresh, direction);
    OSSL_PARAM nonce[] = { OSSL_PARAM_octet_string(OSSL_MAC_PARAM_IV, iv, sizeof iv),
                           OSSL_PARAM_END };
    MUST(!hr_kasumi_f9_bits(want, in, 8 * len, key, count, fresh, direction));
    EVP_MAC *f9 = EVP_MAC_fetch(both.libctx, "KASUMI-F9", NULL);
    EVP_MAC_CTX *ctx = f9 ? EVP_MAC_CTX_new(f9) : NULL;
    MUST(ctx && EVP_MAC_CTX_get_mac_size(ctx) == sizeof want);
    MUST(EVP_MAC_init(ctx, key, sizeof key, next_random(&seed) & 1 ? params : nonce));
    MUST(EVP_MAC_update(ctx, in, len / 2) && EVP_MAC_update(ctx, in + len / 2, len - len / 2));
    EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(ctx);
    MUST(!EVP_MAC_final(ctx, mac, &mac_len, 3)); /* no room */
    MUST(copy && EVP_MAC_final(copy, mac, &mac_len, sizeof mac));
    MUST(mac_len == sizeof want && !memcmp(mac, want, sizeof want));
    MUST(!EVP_MAC_update(copy, in, 1)); /* the nonce is spent */
    ERR_clear_error();
    EVP_MAC_CTX_free(copy);
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(f9);
}

static void refused(void)
{
    static const struct {
        const char *name;
        uint64_t value;
    } bad[] = { { "count", UINT64_C(1) << 32 }, { "bearer", 32 }, { "direction", 2 } };
    static const unsigned char key[16];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, "KASUMI-F8", NULL);
    EVP_MAC *mac = EVP_MAC_fetch(both.libctx, "KASUMI-F9", NULL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t value = bad[i].value;
        OSSL_PARAM params[] = { OSSL_PARAM_uint64(bad[i].name, &value), OSSL_PARAM_END };
        EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
        EVP_MAC_CTX *mctx = EVP_MAC_CTX_new(mac);
        MUST(ctx && mctx && !EVP_CipherInit_ex2(ctx, cipher, key, NULL, 1, params));
        MUST(!strcmp(bad[i].name, "bearer") || !EVP_MAC_init(mctx, key, sizeof key, params));
        EVP_CIPHER_CTX_free(ctx);
        EVP_MAC_CTX_free(mctx);
    }
    unsigned char iv[9] = { 0, 0, 0, 0, 0, 0, 0, 0, 2 };
    OSSL_PARAM nonce[] = { OSSL_PARAM_octet_string(OSSL_MAC_PARAM_IV, iv, sizeof iv),
                           OSSL_PARAM_END };
    EVP_MAC_CTX *mctx = EVP_MAC_CTX_new(mac);
    MUST(mctx && !EVP_MAC_init(mctx, key, sizeof key, nonce));
    MUST(!EVP_MAC_update(mctx, key, sizeof key));
    EVP_MAC_CTX_free(mctx);
    ERR_clear_error();
    EVP_CIPHER_free(cipher);
    EVP_MAC_free(mac);
}

int main(void)
{
    both = load_both();
    for (int i = 0; i < NUM_MESSAGES; i++)
        f8();
    puts("ok 1 - f8 by COUNT, BEARER and DIRECTION, and by its IV");
    for (int i = 0; i < NUM_MESSAGES; i++)
        f9();
    puts("ok 2 - f9 by COUNT, FRESH and DIRECTION, and by its nonce");
    refused();
    puts("ok 3 - what is none of them");
    unload_both(&both);
    puts("1..3");
    return 0;
}
