/* SPDX-License-Identifier: Apache-2.0 */
/* Where OpenSSL's CBC, CTR and XTS code reads and writes, shown by two defects that it had or has
 * on a T4:
 *
 *   bounds short      a length below one block must not be taken for 2^64 blocks
 *   bounds overread   nothing behind an input that ends at a guard page may be read
 *
 * The defects are not the emulator's: they occur on a real T4. */
#include "peer.h"
#include <openssl/evp.h>
#include <setjmp.h>
#include <signal.h>

/* CLOSE: bytes before the guard page, few, so that an overrun ends soon */
enum { ROOM = 65536, BLOCK = 16, CLOSE = 4 * BLOCK };

static const char *const ciphers[] = { "AES-128-CBC", "AES-192-CBC", "AES-256-CBC", "AES-128-CTR",
                                       "AES-256-CTR", "AES-128-XTS", "AES-256-XTS" };

static sigjmp_buf before;
static void on_fault(int number)
{
    siglongjmp(before, number);
}

static EVP_CIPHER_CTX *start(const char *name, int encrypt)
{
    uint8_t key[64], iv[BLOCK];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    random_bytes(key, sizeof key);
    random_bytes(iv, sizeof iv);
    if (!cipher || !ctx || EVP_CipherInit_ex2(ctx, cipher, key, iv, encrypt, NULL) != 1 ||
        EVP_CIPHER_CTX_set_padding(ctx, 0) != 1)
        abort();
    EVP_CIPHER_free(cipher);
    return ctx;
}

/* Makes one call. Returns 1 if it touched a guard page; the call's own result does not matter. */
static int faults(const char *name, int encrypt, uint8_t *out, const uint8_t *in, size_t len)
{
    EVP_CIPHER_CTX *ctx = start(name, encrypt);
    const int fault = sigsetjmp(before, 1);
    if (!fault)
        EVP_Cipher(ctx, out, in, (unsigned)len);
    EVP_CIPHER_CTX_free(ctx);
    return fault != 0;
}

/* EVP_Cipher passes any length to the implementation, as `openssl speed -bytes 1` does. */
static int test_short(uint8_t *in, uint8_t *out)
{
    in += ROOM - CLOSE;
    out += ROOM - CLOSE;
    for (int encrypt = 0; encrypt < 2; encrypt++)
        for (size_t i = 0; i < 3; i++) {
            unsigned broken = 0;
            for (size_t len = 1; len < BLOCK; len++) {
                memset(out, 0x5a, CLOSE);
                broken += faults(ciphers[i], encrypt, out, in, len) || out[0] != 0x5a ||
                          memcmp(out, out + 1, CLOSE - 1) != 0;
            }
            tap(broken == 0, "%s %s: %u of 15 lengths below a block went wild", ciphers[i],
                encrypt ? "encryption" : "decryption", broken);
        }
    return tap_done();
}

/* Prints the ciphers that read behind their input; the caller decides whether that is an error. */
static int test_overread(uint8_t *in, uint8_t *out)
{
    unsigned all = 0;
    for (size_t i = 0; i < COUNT_OF(ciphers); i++)
        for (int encrypt = 0; encrypt < 2; encrypt++) {
            unsigned aligned = 0, unaligned = 0, cases = 0;
            for (size_t offset = 0; offset < 8; offset++)
                for (size_t blocks = 1; blocks <= 9; blocks++, cases++) {
                    const size_t len = blocks * BLOCK;
                    const int fault =
                        faults(ciphers[i], encrypt, out + offset, in + ROOM - len, len);
                    *(offset ? &unaligned : &aligned) += (unsigned)fault;
                }
            printf("%s %s: reads beyond an aligned input, output aligned: %u, unaligned: %u "
                   "(of %u)\n",
                   ciphers[i], encrypt ? "encryption" : "decryption", aligned, unaligned, cases);
            all += aligned + unaligned;
        }
    printf("overreads: %u\n", all);
    return 0;
}

int main(int argc, char **argv)
{
    const struct sigaction action = { .sa_handler = on_fault };
    uint8_t *in = guarded_new(ROOM), *out = guarded_new(ROOM);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    random_bytes(in, ROOM);
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "short") == 0)
        return test_short(in, out);
    if (strcmp(what, "overread") == 0)
        return test_overread(in, out);
    return 2;
}
