/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's T4 code for DES and Camellia. No cipher that a program fetches reaches it, because
 * the providers are compiled without DES_ASM and CMLL_ASM. A copy of the old method does
 * (EVP_CIPHER_meth_dup), and its output must equal the provider's. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "peer.h"
#include <openssl/evp.h>
#include <openssl/provider.h>

enum { LENGTHS = 24, LONGEST = 1024, ROOM = LONGEST + 32 };

static const struct {
    const char *name;
    const EVP_CIPHER *(*method)(void);
} ciphers[] = {
    { "DES-ECB", EVP_des_ecb },
    { "DES-CBC", EVP_des_cbc },
    { "DES-EDE-CBC", EVP_des_ede_cbc },
    { "DES-EDE3-ECB", EVP_des_ede3_ecb },
    { "DES-EDE3-CBC", EVP_des_ede3_cbc },
    { "CAMELLIA-128-ECB", EVP_camellia_128_ecb },
    { "CAMELLIA-192-ECB", EVP_camellia_192_ecb },
    { "CAMELLIA-256-ECB", EVP_camellia_256_ecb },
    { "CAMELLIA-128-CBC", EVP_camellia_128_cbc },
    { "CAMELLIA-192-CBC", EVP_camellia_192_cbc },
    { "CAMELLIA-256-CBC", EVP_camellia_256_cbc },
    { "CAMELLIA-128-CTR", EVP_camellia_128_ctr },
    { "CAMELLIA-192-CTR", EVP_camellia_192_ctr },
    { "CAMELLIA-256-CTR", EVP_camellia_256_ctr },
    { "CAMELLIA-128-OFB", EVP_camellia_128_ofb },
    { "CAMELLIA-256-CFB", EVP_camellia_256_cfb128 },
};

struct message {
    uint8_t key[32], iv[16], in[ROOM];
    size_t len, in_offset, out_offset;
};

/* Processes a whole message in one call, at the message's alignments; 0 if a call fails. */
static int crypt_message(const EVP_CIPHER *cipher, const struct message *m, int encrypt,
                         uint8_t *out)
{
    uint8_t room[ROOM];
    int len = 0;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    const int good =
        ctx && EVP_CipherInit_ex(ctx, cipher, NULL, m->key, m->iv, encrypt) == 1 &&
        EVP_CIPHER_CTX_set_padding(ctx, 0) == 1 &&
        EVP_CipherUpdate(ctx, room + m->out_offset, &len, m->in + m->in_offset, (int)m->len) == 1 &&
        len == (int)m->len;
    memcpy(out, room + m->out_offset, m->len);
    EVP_CIPHER_CTX_free(ctx);
    return good;
}

/* The number of messages for which the two implementations differ. */
static unsigned count_differences(const EVP_CIPHER *ours, const EVP_CIPHER *theirs, int encrypt)
{
    unsigned differences = 0;
    for (unsigned i = 0; i < LENGTHS; i++) {
        const size_t most = i < LENGTHS / 2 ? 12 : LONGEST / 16;
        struct message m = { .len = 16 * (1 + random_word() % most),
                             .in_offset = random_word() % 9,
                             .out_offset = random_word() % 9 };
        uint8_t a[ROOM] = { 0 }, b[ROOM] = { 0 };
        random_bytes(m.key, sizeof m.key);
        random_bytes(m.iv, sizeof m.iv);
        random_bytes(m.in, sizeof m.in);
        differences += !crypt_message(ours, &m, encrypt, a) ||
                       !crypt_message(theirs, &m, encrypt, b) || memcmp(a, b, m.len) != 0;
    }
    return differences;
}

int main(void)
{
    OSSL_PROVIDER *providers[] = { OSSL_PROVIDER_load(NULL, "default"),
                                   OSSL_PROVIDER_load(NULL, "legacy") };
    for (size_t i = 0; i < COUNT_OF(ciphers); i++) {
        EVP_CIPHER *method = EVP_CIPHER_meth_dup(ciphers[i].method());
        EVP_CIPHER *fetched = EVP_CIPHER_fetch(NULL, ciphers[i].name, NULL);
        for (int encrypt = 0; encrypt < 2; encrypt++) {
            const unsigned n =
                method && fetched ? count_differences(method, fetched, encrypt) : LENGTHS;
            tap(n == 0, "%s %s: %u of %u messages differ from the provider's", ciphers[i].name,
                encrypt ? "encryption" : "decryption", n, LENGTHS);
        }
        EVP_CIPHER_meth_free(method);
        EVP_CIPHER_free(fetched);
    }
    for (size_t i = 0; i < COUNT_OF(providers); i++)
        OSSL_PROVIDER_unload(providers[i]);
    return tap_done();
}
