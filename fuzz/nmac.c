/* SPDX-License-Identifier: Apache-2.0 */
/* MACs with a nonce: a message in any pieces, a single call, another kernel and a verification
 * agree.  Poly1305 is also compared with its definition, computed in small digits, and with the
 * functions of Bernstein's package. */
#include "fuzz.h"

#include <headrace/algorithms.h>
#include <headrace/poly1305aes.h>

enum { MAX = 4096 };

struct setting {
    const struct hr_algorithm *row;
    uint8_t key[32], iv[64];
    size_t iv_len;
};

static int is_poly1305(const struct setting *s)
{
    return s->row->alg == HR_POLY1305 || s->row->alg == HR_POLY1305_AES;
}

/* Returns the IV's length: that of the row, or for GMAC any length. */
static size_t iv_len_of(const struct hr_algorithm *row, uint8_t pick)
{
    return row->iv_len != 12 || pick & 1 ? row->iv_len : 1u + pick / 2 % 63;
}

/* Poly1305 in digits of 8 bits: out = ((c_1 r^n + ... + c_n r) mod 2^130 - 5) + s mod 2^128. */
static void poly1305_by_digits(uint8_t out[16], const uint8_t *in, size_t len, const uint8_t r[16],
                               const uint8_t s[16])
{
    uint32_t h[18] = { 0 }, clamped[16];
    for (int i = 0; i < 16; i++)
        clamped[i] = r[i] & (i % 4 == 3 ? 15u : i % 4 == 0 && i ? 252u : 255u);
    for (size_t at = 0; at < len; at += 16) {
        const size_t n = len - at < 16 ? len - at : 16;
        uint32_t x[40] = { 0 };
        for (size_t i = 0; i < n; i++)
            h[i] += in[at + i];
        h[n] += 1;
        for (int i = 0; i < 18; i++)
            for (int j = 0; j < 16; j++)
                x[i + j] += h[i] * clamped[j];
        for (int pass = 0; pass < 3; pass++) { /* reduces by 2^130 = 5, and carries 2^8 to the
                                                * next digit */
            for (int i = 0; i < 39; i++)
                x[i + 1] += x[i] >> 8, x[i] &= 255;
            uint32_t above[24] = { 0 };
            for (int i = 0; i < 22; i++)
                above[i] = x[i + 16] >> 2 | (x[i + 17] & 3) << 6;
            x[16] &= 3;
            memset(x + 17, 0, 23 * sizeof x[0]);
            for (int i = 0; i < 22; i++)
                x[i] += 5 * above[i];
        }
        memcpy(h, x, sizeof h);
    }
    for (int pass = 0; pass < 2; pass++) { /* reduces below 2^130, then below 2^130 - 5 */
        uint32_t plus[18], carry = 5;
        for (int i = 0; i < 17; i++)
            h[i + 1] += h[i] >> 8, h[i] &= 255;
        for (int i = 0; i < 18; i++) {
            plus[i] = (h[i] + carry) & 255;
            carry = (h[i] + carry) >> 8;
        }
        if (plus[16] >= 4) {
            plus[16] -= 4;
            memcpy(h, plus, sizeof h);
        }
    }
    uint32_t carry = 0;
    for (int i = 0; i < 16; i++) {
        carry += h[i] + s[i];
        out[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

static void one_call(uint8_t mac[16], const struct setting *s, size_t kernel, struct input message)
{
    struct hr_nmac_key key;
    CHECK(!hr_nmac_key_init_kernel(&key, s->row->alg, kernel, s->key, s->row->key_len));
    CHECK(!hr_nmac(mac, message.p, message.len, &key, s->iv, s->iv_len));
}

/* Computes the MAC in pieces.  At each piece whose length is a multiple of 4, context and key move
 * to another place. */
static void in_pieces(uint8_t mac[16], const struct setting *s, size_t kernel, struct input message,
                      struct input splits)
{
    struct hr_nmac_key keys[2];
    struct hr_nmac_ctx ctxs[2], *ctx = &ctxs[0];
    int at = 0;
    CHECK(!hr_nmac_key_init_kernel(&keys[0], s->row->alg, kernel, s->key, s->row->key_len));
    keys[1] = keys[0];
    CHECK(!hr_nmac_init(ctx, &keys[0], s->iv, s->iv_len));
    while (message.len) {
        size_t n = splits.len ? take_byte(&splits) * (splits.len & 1 ? 1u : 3u) : message.len;
        n = n < message.len ? n : message.len;
        CHECK(!hr_nmac_update(ctx, message.p, n));
        message.p += n;
        message.len -= n;
        if (n % 4 == 0) {
            ctxs[!at] = ctxs[at];
            memset(&ctxs[at], 0xff, sizeof ctxs[at]);
            at = !at, ctx = &ctxs[at];
            CHECK(!hr_nmac_set_key(ctx, &keys[at]));
        }
    }
    CHECK(!hr_nmac_final(ctx, mac));
    CHECK(all_zero(ctx, hr_nmac_size(s->row->alg)));
    CHECK(hr_nmac_update(ctx, mac, 1) == HR_ESTATE && hr_nmac_final(ctx, mac) == HR_ESTATE);
}

static void verify(const struct setting *s, size_t kernel, struct input message,
                   const uint8_t mac[16], uint8_t len, uint8_t bit)
{
    struct hr_nmac_key key;
    uint8_t given[18] = { 0 };
    const size_t mac_len = len % sizeof given;
    const int bad = mac_len < 1 || mac_len > s->row->out_len;
    CHECK(!hr_nmac_key_init_kernel(&key, s->row->alg, kernel, s->key, s->row->key_len));
    memcpy(given, mac, s->row->out_len);
    CHECK(hr_nmac_verify(given, mac_len, message.p, message.len, &key, s->iv, s->iv_len) ==
          (bad ? HR_ETAGLEN : 0));
    if (bad)
        return;
    given[bit / 8 % mac_len] ^= (uint8_t)(1 << (bit & 7));
    CHECK(hr_nmac_verify(given, mac_len, message.p, message.len, &key, s->iv, s->iv_len) ==
          HR_EMAC);
}

/* Compares with the functions of Bernstein's package.  The MAC of an empty message gives s. */
static void by_other_names(const struct setting *s, struct input message, const uint8_t mac[16])
{
    uint8_t by_digits[16], nothing[16], theirs[16];
    if (s->row->alg == HR_POLY1305) {
        poly1305_by_digits(by_digits, message.p, message.len, s->key, s->key + 16);
    } else {
        poly1305aes_authenticate(nothing, s->key, s->iv, NULL, 0);
        poly1305_by_digits(by_digits, message.p, message.len, s->key + 16, nothing);
        poly1305aes_authenticate(theirs, s->key, s->iv, message.p, message.len);
        CHECK(!memcmp(theirs, mac, 16));
        CHECK(poly1305aes_verify(mac, s->key, s->iv, message.p, message.len));
        theirs[mac[0] & 15] ^= 1;
        CHECK(!poly1305aes_verify(theirs, s->key, s->iv, message.p, message.len));
    }
    CHECK(!memcmp(by_digits, mac, 16));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    struct setting s = { .row = take_row(&in, HR_CLASS_NMAC) };
    uint8_t a[16] = { 0 }, b[16] = { 0 };
    static uint8_t stretched[MAX];
    const size_t first = take_kernel(&in, s.row, HR_OP_MAC);
    const size_t second = take_kernel(&in, s.row, HR_OP_MAC);
    const uint8_t iv_len = take_byte(&in), mac_len = take_byte(&in), bit = take_byte(&in);
    take(&in, s.key, s.row->key_len);
    s.iv_len = iv_len_of(s.row, iv_len);
    take_many(&in, s.iv, s.iv_len);
    struct input splits = { in.p, in.len < 16 ? in.len : 16 };
    in.p += splits.len;
    in.len -= splits.len;
    if (iv_len & 128 && in.len >= 18) { /* makes a long message of a few bytes */
        const size_t len = (size_t)take_byte(&in) * 16 + take_byte(&in) % 16;
        take_many(&in, stretched, sizeof stretched);
        in = (struct input){ stretched, len };
    }
    if (in.len > MAX)
        in.len = MAX;
    one_call(a, &s, first, in);
    one_call(b, &s, second, in);
    CHECK(!memcmp(a, b, 16));
    in_pieces(b, &s, first, in, splits);
    CHECK(!memcmp(a, b, 16));
    verify(&s, second, in, a, mac_len, bit);
    if (is_poly1305(&s))
        by_other_names(&s, in, a);
    return 0;
}
