/* SPDX-License-Identifier: Apache-2.0 */
/* The streaming calls of AEADs, in any order and with any lengths: each call returns what a model
 * of the interface expects, and if there is a tag, tag and text are those of a single call with
 * another kernel. */
#include "fuzz.h"

enum { MAX = 4096, MAX_CALLS = 40 };
/* How far a message has come: an earlier phase does not come back. */
enum phase { LENGTHS, AAD, TEXT, DONE };

static uint8_t aad[MAX], text[MAX], out[MAX + 64], plain[MAX], again[MAX];

struct message {
    const struct hr_algorithm *row;
    enum hr_op op;
    enum phase phase;
    size_t aad_len, len;                 /* bytes that have been given */
    size_t said_aad, said_len, said_tag; /* the lengths announced by hr_aead_lengths */
    uint8_t key[32], iv[64];
    size_t iv_len, other_kernel;
    struct hr_aead_key expanded[2]; /* the second is used only within move() */
    struct hr_aead_ctx ctx;
};

static int is_ccm(const struct message *m)
{
    return m->row->mode == HR_MODE_CCM;
}

static int good_tag(const struct message *m, size_t tag_len)
{
    return tag_len >= 4 && tag_len <= 16 && (!is_ccm(m) || tag_len % 2 == 0);
}

static int good_iv(const struct message *m)
{
    if (m->row->mode == HR_MODE_POLY1305)
        return m->iv_len == 12;
    return is_ccm(m) ? m->iv_len >= 7 && m->iv_len <= 13 : m->iv_len > 0;
}

/* ---- calls ---- */

static void say_lengths(struct message *m, struct input *in)
{
    const size_t aad_len = take_byte(in), len = take_byte(in) * (take_byte(in) & 1 ? 1u : 300u),
                 tag_len = take_byte(in) % 20;
    const size_t most = m->iv_len == 13 ? 65535 : MAX * 300; /* CCM's length field has 2 bytes,
                                                              * or more */
    int expected = 0;
    if (m->phase == DONE)
        expected = HR_ESTATE;
    else if (is_ccm(m))
        expected = m->phase != LENGTHS     ? HR_ESTATE
                   : !good_tag(m, tag_len) ? HR_ETAGLEN
                   : len > most            ? HR_ELENGTH
                                           : 0;
    CHECK(hr_aead_lengths(&m->ctx, aad_len, len, tag_len) == expected);
    if (!expected && is_ccm(m)) {
        m->said_aad = aad_len, m->said_len = len, m->said_tag = tag_len;
        m->phase = AAD;
    }
}

static void give_aad(struct message *m, struct input *in)
{
    size_t n = take_byte(in) * (take_byte(in) & 7 ? 1u : 3u);
    int expected = 0;
    n = n < MAX - m->aad_len ? n : MAX - m->aad_len;
    if (m->phase != AAD)
        expected = HR_ESTATE;
    else if (is_ccm(m) && n > m->said_aad - m->aad_len)
        expected = HR_ELENGTH;
    CHECK(hr_aead_aad(&m->ctx, aad + m->aad_len, n) == expected);
    if (!expected)
        m->aad_len += n;
}

static void give_text(struct message *m, struct input *in)
{
    const uint8_t how = take_byte(in);
    size_t n = how & 1 ? m->said_len - m->len : take_byte(in) * (how & 2 ? 1u : 5u);
    uint8_t *const to = out + m->len;
    const uint8_t *from = text + m->len;
    int expected = 0;
    n = n < MAX - m->len ? n : MAX - m->len;
    if (how & 4) { /* in place, or at a distance that may overlap */
        uint8_t *const place = to + (how & 8 ? take_byte(in) % 40 : 0);
        memcpy(place, from, n);
        from = place;
    }
    if (m->phase == DONE || m->phase == LENGTHS)
        expected = HR_ESTATE;
    else if (is_ccm(m) && m->aad_len != m->said_aad)
        expected = HR_ESTATE;
    else if (is_ccm(m) && n > m->said_len - m->len)
        expected = HR_ELENGTH;
    else if (how & 4 && from != to && (size_t)(from - to) < n)
        expected = HR_EOVERLAP;
    const uint8_t behind = to[n];
    CHECK(hr_aead_update(&m->ctx, to, from, n) == expected);
    CHECK(to[n] == behind);
    if (!expected)
        m->phase = TEXT, m->len += n;
}

/* Computes the tag, and in `plain` the text that a decryption has to write. */
static void expect(const struct message *m, uint8_t tag[16], size_t tag_len)
{
    struct hr_aead_key key;
    CHECK(!hr_aead_key_init_kernel(&key, m->row->alg, m->other_kernel, m->key, m->row->key_len));
    if (m->op == HR_OP_DECRYPT) { /* encrypting ciphertext gives the plaintext, since both
                                   * directions add keystream */
        CHECK(!hr_aead_encrypt(plain, tag, tag_len, text, m->len, aad, m->aad_len, &key, m->iv,
                               m->iv_len));
        CHECK(!hr_aead_encrypt(again, tag, tag_len, plain, m->len, aad, m->aad_len, &key, m->iv,
                               m->iv_len));
        CHECK(!memcmp(again, text, m->len) && !memcmp(out, plain, m->len));
        CHECK(!hr_aead_decrypt(again, tag, tag_len, again, m->len, aad, m->aad_len, &key, m->iv,
                               m->iv_len));
        CHECK(!memcmp(again, plain, m->len));
    } else {
        CHECK(!hr_aead_encrypt(again, tag, tag_len, text, m->len, aad, m->aad_len, &key, m->iv,
                               m->iv_len));
        CHECK(!memcmp(again, out, m->len));
    }
}

static void end(struct message *m, struct input *in, enum hr_op op)
{
    const size_t tag_len = take_byte(in) & 1 && m->said_tag ? m->said_tag : take_byte(in) % 20;
    const uint8_t forge = take_byte(in);
    uint8_t tag[32] = { 0 }, expected_tag[16];
    int expected = 0;
    if (m->phase == DONE || m->phase == LENGTHS || op != m->op)
        expected = HR_ESTATE;
    else if (is_ccm(m) && (m->aad_len != m->said_aad || m->len != m->said_len))
        expected = HR_ESTATE;
    else if (!good_tag(m, tag_len) || (is_ccm(m) && tag_len != m->said_tag))
        expected = HR_ETAGLEN;
    else
        expect(m, expected_tag, tag_len);
    if (op == HR_OP_ENCRYPT) {
        CHECK(hr_aead_final(&m->ctx, tag, tag_len) == expected);
        CHECK(expected || !memcmp(tag, expected_tag, tag_len));
    } else {
        if (!expected)
            memcpy(tag, expected_tag, tag_len);
        const int forged = forge & 1 && !expected;
        if (forged)
            tag[forge / 8 % tag_len] ^= (uint8_t)(1 << (forge & 7));
        CHECK(hr_aead_verify(&m->ctx, tag, tag_len) == (forged ? HR_EMAC : expected));
    }
    if (!expected) {
        m->phase = DONE;
        CHECK(all_zero(&m->ctx, hr_aead_size(m->row->alg)));
    }
}

/* Overwrites the context and restores it, then moves its key to another place, overwrites the first
 * place, which the context must not use any more, and moves the key back. */
static void move(struct message *m)
{
    const struct hr_aead_ctx copy = m->ctx;
    m->expanded[1] = m->expanded[0];
    memset(&m->ctx, 0xff, sizeof m->ctx);
    m->ctx = copy;
    CHECK(hr_aead_set_key(&m->ctx, &m->expanded[1]) == (m->phase == DONE ? HR_ESTATE : 0));
    memset(&m->expanded[0], 0xff, sizeof m->expanded[0]);
    m->expanded[0] = m->expanded[1];
    CHECK(hr_aead_set_key(&m->ctx, &m->expanded[0]) == (m->phase == DONE ? HR_ESTATE : 0));
}

static void call(struct message *m, struct input *in)
{
    switch (take_byte(in) % 8) {
    case 0:
        say_lengths(m, in);
        break;
    case 1:
    case 2:
        give_aad(m, in);
        break;
    case 3:
        end(m, in, HR_OP_ENCRYPT);
        break;
    case 4:
        end(m, in, HR_OP_DECRYPT);
        break;
    case 5:
        move(m);
        break;
    default:
        give_text(m, in);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct message m;
    struct input in = { data, size };
    memset(&m, 0, sizeof m);
    m.row = take_row(&in, HR_CLASS_AEAD);
    m.op = take_byte(&in) & 1 ? HR_OP_DECRYPT : HR_OP_ENCRYPT;
    const size_t kernel = take_kernel(&in, m.row, m.op);
    m.other_kernel = take_kernel(&in, m.row, m.op);
    take(&in, m.key, m.row->key_len);
    const uint8_t iv_len = take_byte(&in);
    m.iv_len = iv_len & 1 ? 12 : iv_len / 2 % sizeof m.iv;
    take_many(&in, m.iv, m.iv_len);
    take_many(&in, aad, sizeof aad);
    take_many(&in, text, sizeof text);
    m.phase = m.row->flags & HR_LENGTH_FIRST ? LENGTHS : AAD;
    CHECK(!hr_aead_key_init_kernel(&m.expanded[0], m.row->alg, kernel, m.key, m.row->key_len));
    const int error = hr_aead_init(&m.ctx, &m.expanded[0], m.op, m.iv, m.iv_len);
    CHECK(error == (good_iv(&m) ? 0 : HR_EIVLEN));
    if (error)
        return 0;
    for (int i = 0; i < MAX_CALLS && in.len; i++)
        call(&m, &in);
    end(&m, &in, m.op);
    return 0;
}
