/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with an AES_KEY in several layouts: OpenSSL's own, and others that its functions are made
 * to seem to have by a change of every schedule. This program is linked with our calls. */
#include "../../../bind/direct/direct.h"
#include "../../test.h"

static struct crypto *theirs;
static unsigned handed_on;

/* ---- layouts ---- */

/* swap_words reverses the bytes of each word of a schedule: words as bytes become words as numbers,
 * or the other way round. */
static void swap_words(AES_KEY *key)
{
    for (size_t i = 0; i < COUNT_OF(key->rd_key); i++)
        key->rd_key[i] = __builtin_bswap32(key->rd_key[i]);
}

/* rotate_words makes a layout that no OpenSSL has. */
static void rotate_words(AES_KEY *key)
{
    for (size_t i = 0; i < COUNT_OF(key->rd_key); i++)
        key->rd_key[i] = key->rd_key[i] << 8 | key->rd_key[i] >> 24;
}

static void rotate_back(AES_KEY *key)
{
    for (int i = 0; i < 3; i++)
        rotate_words(key);
}

static struct {
    void (*to)(AES_KEY *key), (*back)(AES_KEY *key);
} change;

static int set_encrypt(const unsigned char *bytes, const int bits, AES_KEY *key)
{
    const int result = REAL(theirs, AES_set_encrypt_key)(bytes, bits, key);
    change.to(key);
    return result;
}

static int set_decrypt(const unsigned char *bytes, const int bits, AES_KEY *key)
{
    const int result = REAL(theirs, AES_set_decrypt_key)(bytes, bits, key);
    change.to(key);
    return result;
}

static void encrypt(const unsigned char *in, unsigned char *out, const AES_KEY *key)
{
    AES_KEY copy = *key;
    handed_on++;
    change.back(&copy);
    REAL(theirs, AES_encrypt)(in, out, &copy);
}

static void decrypt(const unsigned char *in, unsigned char *out, const AES_KEY *key)
{
    AES_KEY copy = *key;
    handed_on++;
    change.back(&copy);
    REAL(theirs, AES_decrypt)(in, out, &copy);
}

static void cbc_encrypt(const unsigned char *in, unsigned char *out, size_t len, const AES_KEY *key,
                        unsigned char *iv, const int enc)
{
    AES_KEY copy = *key;
    handed_on++;
    change.back(&copy);
    REAL(theirs, AES_cbc_encrypt)(in, out, len, &copy, iv, enc);
}

/* ---- the test ---- */

static void check_direction(int bits, int enc)
{
    uint8_t bytes[32], in[64], got[64], want[64], iv[2][16];
    AES_KEY key;
    random_bytes(bytes, sizeof bytes);
    random_bytes(in, sizeof in);
    random_bytes(iv[0], 16);
    memcpy(iv[1], iv[0], 16);
    (enc ? set_encrypt : set_decrypt)(bytes, bits, &key);
    (enc ? AES_encrypt : AES_decrypt)(in, got, &key);
    (enc ? encrypt : decrypt)(in, want, &key);
    if (memcmp(got, want, 16))
        complain("%d bits, one block: wrong bytes", bits);
    AES_cbc_encrypt(in, got, sizeof in, &key, iv[0], enc);
    cbc_encrypt(in, want, sizeof in, &key, iv[1], enc);
    if (memcmp(got, want, sizeof in) || memcmp(iv[0], iv[1], 16))
        complain("%d bits, CBC: wrong bytes or IV", bits);
}

/* check tests one layout. For each key length four calls are made, of which `calls` must be handed
 * on to OpenSSL's functions; the test itself calls these four times more. */
static void check(const char *name, void (*to)(AES_KEY *key), void (*back)(AES_KEY *key),
                  int layout, unsigned calls)
{
    static struct crypto changed;
    memcpy(&changed, theirs, sizeof changed);
    change.to = to;
    change.back = back;
    changed.fn[F_AES_set_encrypt_key] = (void *)set_encrypt;
    changed.fn[F_AES_set_decrypt_key] = (void *)set_decrypt;
    changed.fn[F_AES_encrypt] = (void *)encrypt;
    changed.fn[F_AES_decrypt] = (void *)decrypt;
    changed.fn[F_AES_cbc_encrypt] = (void *)cbc_encrypt;
    atomic_store(&changed.aes, AES_UNKNOWN);
    atomic_store(&program_crypto, &changed);
    check_direction(128, 1); /* the first call finds the layout out */
    handed_on = 0;
    for (int bits = 128; bits <= 256; bits += 64) {
        check_direction(bits, 1);
        check_direction(bits, 0);
    }
    if (atomic_load(&changed.aes) != layout)
        complain("layout %d is taken for %d", layout, atomic_load(&changed.aes));
    if (handed_on != 3 * (4 + calls))
        complain("%u calls reached OpenSSL", handed_on);
    tap(!complaints_so_far(), "%s", name);
}

static void same(AES_KEY *key) {}

int main(void)
{
    uint8_t bytes[16] = { 0 };
    AES_KEY key;
    theirs = atomic_load(&program_crypto);
    if (OPENSSL_version_major() < 3 || !theirs || !atomic_load(&theirs->usable))
        complain("no OpenSSL found");
    tap(!complaints_so_far(), "the libcrypto of this program is found");
    if (!theirs)
        return tap_done();
    /* the first word of a schedule is the first word of the key */
    bytes[3] = 1;
    REAL(theirs, AES_set_encrypt_key)(bytes, 128, &key);
    const int is_bytes = !memcmp(key.rd_key, bytes, 4);
    check("OpenSSL's own layout", same, same, is_bytes ? AES_BYTES : AES_WORDS, 0);
    check("the other order of a word's bytes", swap_words, swap_words,
          is_bytes ? AES_WORDS : AES_BYTES, 0);
    check("a layout of no kind is left to OpenSSL", rotate_words, rotate_back, AES_OTHER, 4);
    return tap_done();
}
