/* SPDX-License-Identifier: Apache-2.0 */
/* AES in portable C without tables: the S-box computed, FIPS 197 section 5.1.1. */
#include "aes.h"

static uint8_t xtime(uint8_t x)
{
    return (uint8_t)(x << 1 ^ (0x1b & (0 - (x >> 7))));
}

static uint8_t mul(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (unsigned i = 0; i < 8; i++, a = xtime(a))
        product ^= a & (uint8_t)(0 - (b >> i & 1));
    return product;
}

static uint8_t inverse(uint8_t x) /* x^254 */
{
    uint8_t result = 1;
    for (unsigned i = 0; i < 7; i++) {
        x = mul(x, x);
        result = mul(result, x);
    }
    return result;
}

static uint8_t rotl8(uint8_t x, unsigned n)
{
    return (uint8_t)(x << n | x >> (8 - n));
}

static uint8_t sub(uint8_t x)
{
    x = inverse(x);
    return x ^ rotl8(x, 1) ^ rotl8(x, 2) ^ rotl8(x, 3) ^ rotl8(x, 4) ^ 0x63;
}

static uint8_t inv_sub(uint8_t x)
{
    return inverse(rotl8(x, 1) ^ rotl8(x, 3) ^ rotl8(x, 6) ^ 0x05);
}

static void inv_mix(uint8_t s[16])
{
    for (unsigned c = 0; c < 16; c += 4) {
        uint8_t t[4];
        memcpy(t, s + c, 4);
        for (unsigned i = 0; i < 4; i++)
            s[c + i] = mul(t[i], 14) ^ mul(t[(i + 1) & 3], 11) ^ mul(t[(i + 2) & 3], 13) ^
                       mul(t[(i + 3) & 3], 9);
    }
}

static void encrypt(uint8_t s[16], const struct aes_key *key)
{
    for (unsigned i = 0; i < 16; i++)
        s[i] ^= key->enc[0][i];
    for (unsigned r = 1; r <= key->rounds; r++) {
        uint8_t t[16];
        for (unsigned i = 0; i < 16; i++)
            t[i] = sub(s[(i * 5) & 15]);
        for (unsigned i = 0; i < 16; i++) {
            const uint8_t *c = t + (i & 12u);
            s[i] = r == key->rounds ? t[i]
                                    : xtime(c[i & 3] ^ c[(i + 1) & 3]) ^ c[(i + 1) & 3] ^
                                          c[(i + 2) & 3] ^ c[(i + 3) & 3];
            s[i] ^= key->enc[r][i];
        }
    }
}

static void decrypt(uint8_t s[16], const struct aes_key *key)
{
    for (unsigned i = 0; i < 16; i++)
        s[i] ^= key->dec[0][i];
    for (unsigned r = 1; r <= key->rounds; r++) {
        uint8_t t[16];
        for (unsigned i = 0; i < 16; i++)
            t[i] = inv_sub(s[(i * 13) & 15]);
        if (r != key->rounds)
            inv_mix(t);
        for (unsigned i = 0; i < 16; i++)
            s[i] = t[i] ^ key->dec[r][i];
    }
}

void aes_expand_c(struct aes_key *key, const uint8_t *bytes, size_t bytes_len, int want_decrypt)
{
    const size_t num = bytes_len / 4;
    key->rounds = (uint32_t)num + 6;
    uint8_t(*w)[4] = (uint8_t(*)[4])key->enc;
    uint8_t rcon = 1;
    memcpy(w, bytes, bytes_len);
    for (size_t i = num; i < 4 * (key->rounds + 1); i++) {
        uint8_t t[4];
        const unsigned turn = i % num == 0, again = num == 8 && i % num == 4;
        for (unsigned b = 0; b < 4; b++) {
            t[b] = w[i - 1][(b + turn) & 3];
            if (turn || again)
                t[b] = sub(t[b]);
        }
        if (turn) {
            t[0] ^= rcon;
            rcon = xtime(rcon);
        }
        for (unsigned b = 0; b < 4; b++)
            w[i][b] = w[i - num][b] ^ t[b];
    }
    for (unsigned r = 0; want_decrypt && r <= key->rounds; r++) {
        memcpy(key->dec[r], key->enc[key->rounds - r], 16);
        if (r && r < key->rounds)
            inv_mix(key->dec[r]);
    }
}

static void xor16(uint8_t out[16], const uint8_t a[16], const uint8_t b[16])
{
    for (unsigned i = 0; i < 16; i++)
        out[i] = a[i] ^ b[i];
}

#define KERNEL(name, body)                                                                  \
    int name(uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aes_key *key, \
             const uint8_t first_iv[16], uint8_t next[16])                                  \
    {                                                                                       \
        uint8_t iv[16] = { 0 };                                                             \
        if (first_iv)                                                                       \
            memcpy(iv, first_iv, 16);                                                       \
        for (; num_blocks; num_blocks--, in += 16, out += 16) {                             \
            uint8_t s[16];                                                                  \
            body                                                                            \
        }                                                                                   \
        if (next && first_iv)                                                               \
            memcpy(next, iv, 16);                                                           \
        return 0;                                                                           \
    }

KERNEL(aes_ecb_encrypt_c, memcpy(s, in, 16); encrypt(s, key); memcpy(out, s, 16);)
KERNEL(aes_ecb_decrypt_c, memcpy(s, in, 16); decrypt(s, key); memcpy(out, s, 16);)
KERNEL(aes_cbc_encrypt_c, xor16(iv, iv, in); encrypt(iv, key); memcpy(s, iv, 16);
       memcpy(out, s, 16);)
KERNEL(aes_cbc_decrypt_c, uint8_t c[16]; memcpy(c, in, 16); memcpy(s, c, 16); decrypt(s, key);
       xor16(out, s, iv); memcpy(iv, c, 16);)
KERNEL(aes_cfb_encrypt_c, memcpy(s, iv, 16); encrypt(s, key); xor16(iv, s, in);
       memcpy(out, iv, 16);)
KERNEL(aes_cfb_decrypt_c, uint8_t c[16]; memcpy(c, in, 16); memcpy(s, iv, 16); encrypt(s, key);
       xor16(out, s, c); memcpy(iv, c, 16);)
KERNEL(aes_ctr_c, memcpy(s, iv, 16); encrypt(s, key); xor16(out, s, in);
       uint64_t low = load_be64(iv + 8) + 1; store_be64(iv + 8, low);
       store_be64(iv, load_be64(iv) + (low == 0));)
