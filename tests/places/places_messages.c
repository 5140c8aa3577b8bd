/* SPDX-License-Identifier: Apache-2.0 */
/* Direct calls of AEADs, MACs with a nonce and XTS with every buffer at every place. */
#include "places.h"
#include <headrace/algorithms.h>

enum { BLOCK = 16, IV = 12, AAD = 21 };

static uint8_t message[LONGEST_MESSAGE], want[LONGEST_MESSAGE], want_tag[BLOCK],
    aad[LONGEST_MESSAGE], iv[BLOCK];
static uint8_t key_bytes[64];

/* struct call says where the buffers of one call are, as numbers of places. If `out` is NUM_PLACES,
 * the output overwrites the input. */
struct call {
    size_t len, aad_len;
    unsigned in, out, iv, tag;
};

struct subject {
    const struct hr_algorithm *row;
    enum hr_op op;
    struct hr_aead_key aead;
    struct hr_nmac_key nmac;
    struct hr_xts_key xts;
};

/* expect sets `want` and `want_tag` to the encryption of the message by definition; to decrypt,
 * `want` is the input and the message is the result. */
static void expect(const struct subject *s, const struct call *c)
{
    struct model_message m = { key_bytes, iv, aad, message, IV, c->aad_len, c->len, BLOCK };
    if (s->row->cls == HR_CLASS_AEAD) {
        model_aead(want, want_tag, s->row, &m);
    } else if (s->row->cls == HR_CLASS_XTS) {
        model_xts(want, message, c->len, s->row, HR_OP_ENCRYPT, key_bytes, iv);
    } else if (s->row->alg == HR_KASUMI_F9) {
        model_f9(want_tag, message, c->len, key_bytes, iv);
    } else if (s->row->alg == HR_POLY1305) {
        model_poly1305(want_tag, message, c->len, key_bytes, key_bytes + BLOCK);
    } else if (s->row->alg == HR_POLY1305_AES) {
        uint8_t nonce[BLOCK];
        model_block(nonce, iv, hr_algorithm(HR_AES_128_ECB), HR_OP_ENCRYPT, key_bytes);
        model_poly1305(want_tag, message, c->len, key_bytes + BLOCK, nonce);
    } else {
        m.aad = message, m.aad_len = c->len, m.len = 0;
        model_aead(NULL, want_tag, s->row, &m);
    }
}

static int call(const struct subject *s, const struct call *c, uint8_t *out, uint8_t *tag,
                const uint8_t *in, const uint8_t *at_iv)
{
    const hr_alg alg = s->row->alg;
    if (s->row->cls == HR_CLASS_NMAC)
        return direct_nmac(alg)(tag, in, c->len, &s->nmac, at_iv, s->row->iv_len);
    if (s->row->cls == HR_CLASS_XTS)
        return direct_xts(alg, s->op)(out, in, c->len, &s->xts, at_iv);
    if (s->op == HR_OP_ENCRYPT)
        return direct_seal(alg)(out, tag, BLOCK, in, c->len, aad, c->aad_len, &s->aead, at_iv, IV);
    return direct_open(alg)(out, tag, BLOCK, in, c->len, aad, c->aad_len, &s->aead, at_iv, IV);
}

static void check_call(const struct subject *s, const struct call *c)
{
    const int mac = s->row->cls == HR_CLASS_NMAC, same = !mac && c->out == NUM_PLACES;
    const size_t out_len = mac ? 0 : c->len, tag_len = s->row->cls == HR_CLASS_XTS ? 0
                                                       : mac                       ? s->row->out_len
                                                                                   : BLOCK;
    const uint8_t *const from = s->op == HR_OP_ENCRYPT || mac ? message : want;
    uint8_t *const in = place(in_page, c->len, c->in);
    uint8_t *const out = same ? in : place(out_page, out_len, c->out % NUM_PLACES);
    uint8_t *const at_iv = place(iv_page, BLOCK, c->iv), *const tag =
                                                             place(next_page, tag_len, c->tag);
    fill();
    memcpy(in, from, c->len);
    memcpy(at_iv, iv, BLOCK);
    if (s->op == HR_OP_DECRYPT && tag_len)
        memcpy(tag, want_tag, BLOCK);
    const int error = call(s, c, out, tag, in, at_iv);
    if (error)
        complain("%s", hr_strerror(error));
    if (memcmp(out, s->op == HR_OP_ENCRYPT ? want : message, out_len) ||
        memcmp(tag, want_tag, tag_len))
        complain("wrong bytes");
    if (!same && memcmp(in, from, c->len))
        complain("the input changed");
    spilled(in_page, in, c->len);
    spilled(iv_page, at_iv, BLOCK);
    spilled(next_page, tag, tag_len);
    if (!same)
        spilled(out_page, out, out_len);
    if (complaints_so_far())
        complain("%zu bytes, places %u, %u, %u, %u", c->len, c->in, c->out, c->iv, c->tag);
}

/* check_length tries all pairs of places of in and out, or each place of in with one of out. */
static void check_length(const struct subject *s, size_t len, int all_pairs)
{
    struct call c = { .len = len, .aad_len = len % 3 ? AAD : len };
    if (complaints_suffice())
        return;
    expect(s, &c);
    for (unsigned i = 0; i < NUM_PLACES * (NUM_PLACES + 1); i++) {
        c.in = i % NUM_PLACES, c.out = i / NUM_PLACES;
        c.iv = (c.in + c.out + 5 * (unsigned)len) % NUM_PLACES;
        c.tag = (c.in + 3 * c.out + 7 * (unsigned)len) % NUM_PLACES;
        if (!complaints_suffice() && (all_pairs || c.out == (c.in + len) % (NUM_PLACES + 1)))
            check_call(s, &c);
    }
}

static int make_key(struct subject *s, size_t i)
{
    const struct hr_algorithm *row = s->row;
    if (row->cls == HR_CLASS_AEAD)
        return aead_key_on_its_cpu(&s->aead, row->alg, i, key_bytes, row->key_len);
    if (row->cls == HR_CLASS_NMAC)
        return nmac_key_on_its_cpu(&s->nmac, row->alg, i, key_bytes, row->key_len);
    return xts_key_on_its_cpu(&s->xts, row->alg, s->op, i, key_bytes, row->key_len);
}

int messages_quick;

void check_messages(const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    struct subject s = { .row = row, .op = op };
    random_bytes(message, sizeof message);
    random_bytes(aad, sizeof aad);
    random_bytes(iv, sizeof iv);
    random_bytes(key_bytes, sizeof key_bytes);
    if (make_key(&s, i))
        complain("no key");
    for (size_t len = row->cls == HR_CLASS_XTS ? BLOCK : 0; len <= 5 * BLOCK; len++)
        check_length(&s, len, !messages_quick && len % 16 < 2);
    for (size_t near = 128; near <= (messages_quick ? 256 : 1024); near *= 2)
        for (size_t len = near - 2; len <= near + BLOCK + 1; len += 3)
            check_length(&s, len, 0);
}
