/* SPDX-License-Identifier: Apache-2.0 */
/* GCM (SP 800-38D), CCM (SP 800-38C) and XTS (IEEE 1619), implemented literally, one bit or one
 * block at a time, with the portable kernel of ECB.  Every kernel of these modes is compared with
 * this model. */
#include "test.h"

enum { BLOCK = 16 };

static void xor_into(uint8_t *x, const uint8_t *y, size_t len)
{
    for (size_t i = 0; i < len; i++)
        x[i] ^= y[i];
}

/* put_number writes `number` big-endian to the `len` bytes before `end`. */
static void put_number(uint8_t *end, uint64_t number, size_t len)
{
    for (size_t i = 1; i <= len; i++, number >>= 8)
        end[0 - (ptrdiff_t)i] = (uint8_t)number;
}

void model_count(uint8_t *out, const uint8_t *in, size_t len, const struct hr_algorithm *row,
                 const uint8_t *key, uint8_t ctr[16], size_t ctr_len)
{
    for (size_t at = 0; at < len; at += BLOCK) {
        const size_t n = len - at < BLOCK ? len - at : BLOCK;
        uint8_t stream[BLOCK];
        model_block(stream, ctr, row, HR_OP_ENCRYPT, key);
        for (size_t i = 0; i < n; i++)
            out[at + i] = in[at + i] ^ stream[i];
        for (size_t i = 1; i <= ctr_len && ++ctr[BLOCK - i] == 0; i++)
            ;
    }
}

/* ---- GCM ---- */

/* multiply sets x to the product of x and y by SP 800-38D section 6.3, algorithm 1: bit 0 is the
 * highest bit of byte 0. */
static void multiply(uint8_t x[BLOCK], const uint8_t y[BLOCK])
{
    uint64_t z[2] = { 0, 0 }, v[2] = { 0, 0 };
    for (size_t i = 0; i < BLOCK; i++)
        v[i / 8] = v[i / 8] << 8 | y[i];
    for (size_t i = 0; i < 8 * BLOCK; i++) {
        if (x[i / 8] >> (7 - i % 8) & 1) {
            z[0] ^= v[0];
            z[1] ^= v[1];
        }
        const uint64_t last = v[1] & 1;
        v[1] = v[1] >> 1 | v[0] << 63;
        v[0] = v[0] >> 1 ^ (last ? UINT64_C(0xe1) << 56 : 0);
    }
    put_number(x + 8, z[0], 8);
    put_number(x + 16, z[1], 8);
}

static void ghash(uint8_t y[16], const uint8_t *in, size_t len, const uint8_t h[16])
{
    for (size_t at = 0; at < len; at += BLOCK) {
        xor_into(y, in + at, len - at < BLOCK ? len - at : BLOCK);
        multiply(y, h);
    }
}

static void gcm(uint8_t *out, uint8_t tag[BLOCK], const struct hr_algorithm *row,
                const struct model_message *m)
{
    uint8_t h[BLOCK] = { 0 }, j0[BLOCK] = { 0 }, ctr[BLOCK], y[BLOCK] = { 0 },
            lengths[BLOCK] = { 0 };
    model_block(h, h, row, HR_OP_ENCRYPT, m->key);
    if (m->iv_len == 12) {
        memcpy(j0, m->iv, 12);
        j0[15] = 1;
    } else {
        put_number(lengths + 16, 8 * m->iv_len, 8);
        ghash(j0, m->iv, m->iv_len, h);
        ghash(j0, lengths, BLOCK, h);
    }
    memcpy(ctr, j0, BLOCK);
    for (size_t i = 1; i <= 4 && ++ctr[BLOCK - i] == 0; i++)
        ;
    model_count(out, m->in, m->len, row, m->key, ctr, 4);
    put_number(lengths + 8, 8 * m->aad_len, 8);
    put_number(lengths + 16, 8 * m->len, 8);
    ghash(y, m->aad, m->aad_len, h);
    ghash(y, out, m->len, h);
    ghash(y, lengths, BLOCK, h);
    model_block(tag, j0, row, HR_OP_ENCRYPT, m->key);
    xor_into(tag, y, BLOCK);
}

/* ---- CCM ---- */

static void chain(uint8_t y[BLOCK], const uint8_t *in, size_t len, const struct hr_algorithm *row,
                  const uint8_t *key)
{
    for (size_t at = 0; at < len; at += BLOCK) {
        xor_into(y, in + at, len - at < BLOCK ? len - at : BLOCK);
        model_block(y, y, row, HR_OP_ENCRYPT, key);
    }
}

/* chain_aad chains the AAD as in SP 800-38C appendix A.2.2, for AAD of less than 2^32 bytes. */
static void chain_aad(uint8_t y[BLOCK], const struct hr_algorithm *row,
                      const struct model_message *m)
{
    uint8_t *text = calloc(1, m->aad_len + 6);
    const size_t before = m->aad_len < 0xff00 ? 2 : 6;
    put_number(text + before, m->aad_len, before == 2 ? 2 : 4);
    if (before == 6)
        text[0] = 0xff, text[1] = 0xfe;
    memcpy(text + before, m->aad, m->aad_len);
    chain(y, text, before + m->aad_len, row, m->key);
    free(text);
}

static void ccm(uint8_t *out, uint8_t tag[BLOCK], const struct hr_algorithm *row,
                const struct model_message *m)
{
    const size_t q = 15 - m->iv_len;
    uint8_t y[BLOCK] = { 0 }, ctr[BLOCK] = { 0 };
    y[0] = (uint8_t)(64 * (m->aad_len != 0) + 8 * ((m->tag_len - 2) / 2) + (q - 1));
    memcpy(y + 1, m->iv, m->iv_len);
    put_number(y + 16, m->len, q);
    model_block(y, y, row, HR_OP_ENCRYPT, m->key);
    if (m->aad_len)
        chain_aad(y, row, m);
    chain(y, m->in, m->len, row, m->key);
    ctr[0] = (uint8_t)(q - 1);
    memcpy(ctr + 1, m->iv, m->iv_len);
    model_count(tag, y, BLOCK, row, m->key, ctr, q);
    model_count(out, m->in, m->len, row, m->key, ctr, q);
}

void model_hash(uint8_t y[16], const uint8_t *in, size_t len, const struct hr_algorithm *row,
                const uint8_t *key)
{
    uint8_t h[BLOCK] = { 0 };
    if (row->mode == HR_MODE_CCM) {
        chain(y, in, len, row, key);
        return;
    }
    model_block(h, h, row, HR_OP_ENCRYPT, key);
    ghash(y, in, len, h);
}

void model_aead(uint8_t *out, uint8_t tag[16], const struct hr_algorithm *row,
                const struct model_message *m)
{
    if (row->mode == HR_MODE_POLY1305)
        model_chacha_poly1305(out, tag, m);
    else
        (row->mode == HR_MODE_CCM ? ccm : gcm)(out, tag, row, m);
}

/* ---- XTS ---- */

static void xts_block(uint8_t out[BLOCK], const uint8_t in[BLOCK], const uint8_t t[BLOCK],
                      const struct hr_algorithm *row, enum hr_op op, const uint8_t *key)
{
    uint8_t x[BLOCK];
    memcpy(x, in, BLOCK);
    xor_into(x, t, BLOCK);
    model_block(x, x, row, op, key);
    xor_into(x, t, BLOCK);
    memcpy(out, x, BLOCK);
}

/* next_tweak multiplies the tweak as in IEEE 1619 section 5.2: the bytes are a little-endian
 * number. */
static void next_tweak(uint8_t t[BLOCK])
{
    unsigned carry = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        const unsigned twice = 2u * t[i] + carry;
        t[i] = (uint8_t)twice;
        carry = twice >> 8;
    }
    t[0] ^= carry ? 0x87 : 0;
}

/* model_xts is IEEE 1619 sections 5.3.2 and 5.4.2; the key's second half encrypts the tweak. */
void model_xts(uint8_t *out, const uint8_t *in, size_t len, const struct hr_algorithm *row,
               enum hr_op op, const uint8_t *key, const uint8_t iv[16])
{
    const size_t part = len % BLOCK, whole = len - part - (part ? BLOCK : 0);
    uint8_t t[BLOCK], last[BLOCK], tail[BLOCK] = { 0 };
    model_block(t, iv, row, HR_OP_ENCRYPT, key + row->key_len / 2);
    for (size_t at = 0; at < whole; at += BLOCK, next_tweak(t))
        xts_block(out + at, in + at, t, row, op, key);
    if (!part)
        return;
    memcpy(last, t, BLOCK);
    next_tweak(last);
    memcpy(tail, in + whole + BLOCK, part);
    xts_block(out + whole, in + whole, op == HR_OP_ENCRYPT ? t : last, row, op, key);
    memcpy(out + whole + BLOCK, out + whole, part);
    memcpy(out + whole, tail, part);
    xts_block(out + whole, out + whole, op == HR_OP_ENCRYPT ? last : t, row, op, key);
}
