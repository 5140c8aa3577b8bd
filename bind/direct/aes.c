/* SPDX-License-Identifier: Apache-2.0 */
/* AES_encrypt(), AES_decrypt() and AES_cbc_encrypt() with the caller's AES_KEY, whose round keys
 * may be of any origin.  An AES_KEY holds the round keys of FIPS 197, section 5.2 or 5.3.5, and at
 * its end the number of rounds.  Implementations of OpenSSL differ in whether a word of a round key
 * is stored as bytes or as a number in the machine's byte order: the first call finds out by
 * experiment. */
#include "direct.h"
#include <headrace/algorithms.h>

enum { MAX_SCHEDULE = sizeof((AES_KEY *)0)->rd_key };
static_assert(MAX_SCHEDULE == 240, "AES_KEY");

/* sizes is indexed by (rounds - 10) / 2. */
#define SIZE(bits)                                                            \
    {                                                                         \
        { HR_AES_##bits##_ECB, HR_AES_##bits##_CBC },                         \
            { INDEX_aes_##bits##_ecb, INDEX_aes_##bits##_cbc },               \
            { { hr_aes_##bits##_ecb_encrypt, hr_aes_##bits##_ecb_decrypt },   \
              { hr_aes_##bits##_cbc_encrypt, hr_aes_##bits##_cbc_decrypt } }, \
    }

enum { ECB, CBC };

static const struct size {
    hr_alg alg[2];
    enum row_index index[2];
    int (*fn[2][2])(uint8_t *out, const uint8_t *in, size_t len, const struct hr_cipher_key *key,
                    const uint8_t *iv);
} sizes[] = { SIZE(128), SIZE(192), SIZE(256) };

static const struct size *size_of(const AES_KEY *key)
{
    const unsigned place = (unsigned)key->rounds - 10;
    return place & 1 || place / 2 >= COUNT(sizes) ? NULL : &sizes[place / 2];
}

static int import_key(struct hr_cipher_key *out, const AES_KEY *key, hr_alg alg, enum hr_op op,
                      enum aes_layout layout)
{
    const size_t len = 16 * ((size_t)key->rounds + 1);
    uint8_t bytes[MAX_SCHEDULE];
    if (LIKELY(layout == AES_BYTES))
        return hr_cipher_key_import(out, alg, op, (const uint8_t *)key->rd_key, len);
    for (size_t i = 0; i < len; i++) /* the first byte is the highest one of its number */
        bytes[i] = (uint8_t)(key->rd_key[i / 4] >> (24 - 8 * (i % 4)));
    const int error = hr_cipher_key_import(out, alg, op, bytes, len);
    WIPE(&bytes);
    return error;
}

/* answer computes `len` bytes of whole blocks.  It returns 0, or another value if libcrypto has to
 * answer. */
static int answer(uint8_t *out, const uint8_t *in, size_t len, const AES_KEY *aes,
                  enum aes_layout layout, int mode, enum hr_op op, const uint8_t *iv)
{
    const struct size *size = size_of(aes);
    struct hr_cipher_key key;
    if (UNLIKELY(!size || import_key(&key, aes, size->alg[mode], op, layout)))
        return -1;
    const int error = size->fn[mode][op](out, in, len, &key, iv);
    hr_cipher_key_wipe(&key);
    return error;
}

/* ---- the layout ---- */

/* agrees compares libcrypto's result for one block with ours, once under the round keys in *aes,
 * and once after it has changed them to bytes that no key expands to. */
static int agrees(struct crypto *c, AES_KEY *aes, enum aes_layout layout, enum hr_op op)
{
    uint8_t in[16], out[2][16];
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof in; i++)
            in[i] = (uint8_t)(i * 29 + (size_t)round);
        (op == HR_OP_ENCRYPT ? REAL(c, AES_encrypt) : REAL(c, AES_decrypt))(in, out[0], aes);
        if (answer(out[1], in, sizeof in, aes, layout, ECB, op, NULL) || memcmp(out[0], out[1], 16))
            return 0;
        for (size_t i = 0; i < COUNT(aes->rd_key); i++)
            aes->rd_key[i] ^= 0x9e3779b9u * (unsigned)(i + 1);
    }
    return 1;
}

static int layout_fits(struct crypto *c, enum aes_layout layout)
{
    static const uint8_t key[32] = "the layout of a schedule: none  ";
    AES_KEY aes;
    for (int bits = 128; bits <= 256; bits += 64) {
        if (REAL(c, AES_set_encrypt_key)(key, bits, &aes) || aes.rounds != bits / 32 + 6 ||
            !agrees(c, &aes, layout, HR_OP_ENCRYPT) ||
            REAL(c, AES_set_decrypt_key)(key, bits, &aes) || aes.rounds != bits / 32 + 6 ||
            !agrees(c, &aes, layout, HR_OP_DECRYPT))
            return 0;
    }
    return 1;
}

static enum aes_layout learn(struct crypto *c)
{
    enum aes_layout layout = AES_BYTES;
    if (!c->fn[F_AES_set_encrypt_key] || !c->fn[F_AES_set_decrypt_key])
        layout = AES_OTHER;
    while (layout < AES_OTHER && !layout_fits(c, layout))
        layout++;
    atomic_store(&c->aes, layout);
    return layout;
}

/* layout_of returns AES_OTHER also if the call is not plain. */
static enum aes_layout layout_of(struct crypto *c)
{
    if (UNLIKELY(!plain_unasked(c, INDEX_aes_128_ecb)))
        return AES_OTHER;
    const enum aes_layout layout =
        (enum aes_layout)atomic_load_explicit(&c->aes, memory_order_relaxed);
    return LIKELY(layout != AES_UNKNOWN) ? layout : learn(c);
}

/* ---- the calls ---- */

static int apart(const void *a, size_t a_len, const void *b, size_t b_len)
{
    return (uintptr_t)a - (uintptr_t)b >= b_len && (uintptr_t)b - (uintptr_t)a >= a_len;
}

static int one_block(struct crypto *c, const uint8_t *in, uint8_t *out, const AES_KEY *key,
                     enum hr_op op)
{
    if (UNLIKELY(!in || !out || !key || !apart(key, sizeof *key, out, 16)))
        return -1;
    const enum aes_layout layout = layout_of(c);
    if (UNLIKELY(layout == AES_OTHER || answer(out, in, 16, key, layout, ECB, op, NULL)))
        return -1;
    count(size_of(key)->index[ECB], 16);
    return 0;
}

EXPORT void AES_encrypt(const unsigned char *in, unsigned char *out, const AES_KEY *key)
{
    struct crypto *crypto = crypto_of(F_AES_encrypt, CALLER);
    if (LIKELY(crypto) && UNLIKELY(one_block(crypto, in, out, key, HR_OP_ENCRYPT)))
        REAL(crypto, AES_encrypt)(in, out, key);
}

EXPORT void AES_decrypt(const unsigned char *in, unsigned char *out, const AES_KEY *key)
{
    struct crypto *crypto = crypto_of(F_AES_decrypt, CALLER);
    if (LIKELY(crypto) && UNLIKELY(one_block(crypto, in, out, key, HR_OP_DECRYPT)))
        REAL(crypto, AES_decrypt)(in, out, key);
}

/* whole_blocks leaves to libcrypto messages that end in a part of a block, and buffers that overlap
 * with the key or the IV, for both of which libcrypto has its own behaviour.  It returns 0, or -1
 * if libcrypto has to answer. */
static int whole_blocks(struct crypto *c, const uint8_t *in, uint8_t *out, size_t len,
                        const AES_KEY *key, uint8_t *iv, enum hr_op op)
{
    uint8_t next[16];
    if (UNLIKELY(!in || !out || !key || !iv || !len || len % 16 || !apart(iv, 16, out, len) ||
                 !apart(iv, 16, in, len) || !apart(key, sizeof *key, out, len)))
        return -1;
    const enum aes_layout layout = layout_of(c);
    memcpy(next, in + len - 16, 16);
    if (UNLIKELY(layout == AES_OTHER || answer(out, in, len, key, layout, CBC, op, iv)))
        return -1;
    memcpy(iv, op == HR_OP_ENCRYPT ? out + len - 16 : next, 16);
    count(size_of(key)->index[CBC], len);
    return 0;
}

EXPORT void AES_cbc_encrypt(const unsigned char *in, unsigned char *out, size_t len,
                            const AES_KEY *key, unsigned char *iv, const int enc)
{
    struct crypto *crypto = crypto_of(F_AES_cbc_encrypt, CALLER);
    const enum hr_op op = enc ? HR_OP_ENCRYPT : HR_OP_DECRYPT;
    if (LIKELY(crypto) && UNLIKELY(whole_blocks(crypto, in, out, len, key, iv, op)))
        REAL(crypto, AES_cbc_encrypt)(in, out, len, key, iv, enc);
}
