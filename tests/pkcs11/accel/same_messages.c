/* SPDX-License-Identifier: Apache-2.0 */
/* Message-based encryption on both sides. */
#include "same.h"

/* The parameter of one message, whose IV and tag lie here. */
struct parameter {
    uint8_t iv[64], tag[16];
    union {
        CK_GCM_MESSAGE_PARAMS gcm;
        CK_CCM_MESSAGE_PARAMS ccm;
        CK_SALSA20_CHACHA20_POLY1305_MSG_PARAMS chacha;
    } u;
    CK_ULONG len;
};

/* A message, which is the same on both sides. */
struct letter {
    CK_MECHANISM_TYPE type;
    CK_ULONG iv_len, tag_len, data_len, aad_len, len, parameter_len;
    bool has_iv, has_tag;
    uint8_t iv[64], tag[16], aad[100], text[MAX_TEXT];
};

static void set_parameter(struct parameter *p, const struct letter *m)
{
    memset(p, 0, sizeof *p);
    memcpy(p->iv, m->iv, sizeof p->iv);
    memcpy(p->tag, m->tag, sizeof p->tag);
    CK_BYTE *const iv = m->has_iv ? p->iv : NULL, *const tag = m->has_tag ? p->tag : NULL;
    p->len = m->parameter_len;
    if (m->type == CKM_AES_GCM)
        p->u.gcm = (CK_GCM_MESSAGE_PARAMS){ iv, m->iv_len, 0, CKG_NO_GENERATE, tag, m->tag_len };
    else if (m->type == CKM_AES_CCM)
        p->u.ccm = (CK_CCM_MESSAGE_PARAMS){ m->data_len,     iv,  m->iv_len, 0,
                                            CKG_NO_GENERATE, tag, m->tag_len };
    else
        p->u.chacha = (CK_SALSA20_CHACHA20_POLY1305_MSG_PARAMS){ iv, m->iv_len, tag };
}

static CK_RV run_whole(struct outcome *o, const struct side *x, bool decrypts,
                       const struct way *way, struct parameter *p, struct letter *m)
{
    o->len = way->room < m->len ? way->room : sizeof o->bytes;
    return (decrypts ? p11->C_DecryptMessage : p11->C_EncryptMessage)(
        x->session, &p->u, p->len, m->aad, m->aad_len, m->text, m->len, o->bytes, &o->len);
}

static CK_RV run_pieces(struct outcome *o, const struct side *x, bool decrypts,
                        const struct way *way, struct parameter *p, struct letter *m)
{
    CK_ULONG at = 0, part;
    CK_RV rv = (decrypts ? p11->C_DecryptMessageBegin : p11->C_EncryptMessageBegin)(
        x->session, &p->u, p->len, m->aad, m->aad_len);
    for (size_t i = 0; i < way->num_cuts && rv == CKR_OK; at = way->cuts[i++]) {
        part = sizeof o->bytes - o->len;
        rv = (decrypts ? p11->C_DecryptMessageNext : p11->C_EncryptMessageNext)(
            x->session, &p->u, p->len, m->text + at, way->cuts[i] - at, o->bytes + o->len, &part,
            i + 1 == way->num_cuts ? CKF_END_OF_MESSAGE : 0);
        o->len += rv == CKR_OK ? part : 0;
    }
    return rv;
}

static void run(struct outcome *o, const struct side *x, bool decrypts, const struct way *way,
                struct letter *m)
{
    CK_MECHANISM mechanism = { m->type, NULL, 0 };
    struct parameter p;
    memset(o, 0, sizeof *o);
    set_parameter(&p, m);
    o->init = (decrypts ? p11->C_MessageDecryptInit
                        : p11->C_MessageEncryptInit)(x->session, &mechanism, x->key);
    o->rv = (way->is_whole ? run_whole : run_pieces)(o, x, decrypts, way, &p, m);
    if (o->rv == CKR_OK && !decrypts) {
        memcpy(o->bytes + o->len, p.tag, sizeof p.tag);
        o->len += sizeof p.tag;
    }
    o->after = (decrypts ? p11->C_MessageDecryptFinal : p11->C_MessageEncryptFinal)(x->session);
}

static void make_letter(struct letter *m, CK_MECHANISM_TYPE type)
{
    const bool is_ccm = type == CKM_AES_CCM, is_gcm = type == CKM_AES_GCM;
    random_bytes(m, sizeof *m);
    m->type = type;
    m->len = m->data_len = some_len();
    m->aad_len = random_below(sizeof m->aad);
    m->iv_len = is_ccm ? 7 + random_below(7) : !is_gcm || one_in(2) ? 12 : 1 + random_below(64);
    if (one_in(10))
        m->iv_len = random_below(70);
    m->tag_len = is_ccm ? 4 + 2 * random_below(7) : 8 * (4 + random_below(13));
    if (one_in(10))
        m->tag_len = random_below(150);
    if (one_in(20))
        m->data_len++;
    m->has_iv = !one_in(30);
    m->has_tag = !one_in(30);
    m->parameter_len = is_gcm   ? sizeof(CK_GCM_MESSAGE_PARAMS)
                       : is_ccm ? sizeof(CK_CCM_MESSAGE_PARAMS)
                                : sizeof(CK_SALSA20_CHACHA20_POLY1305_MSG_PARAMS);
    if (one_in(30))
        m->parameter_len -= 8;
}

void try_messages(const struct twin *twin)
{
    static struct outcome o[SIDES];
    static struct letter m;
    make_letter(&m, twin->family->types[0]);
    struct way way = some_way(m.len);
    for (int i = 0; i < SIDES; i++)
        run(&o[i], &sides[i], false, &way, &m);
    if (same(twin->row->name, m.type, o)) {
        memcpy(m.text, o[THERE].bytes, m.len);
        memcpy(m.tag, o[THERE].bytes + m.len, sizeof m.tag);
    }
    if (one_in(4))
        m.tag[random_below(4)] ^= 1;
    way = some_way(m.len);
    for (int i = 0; i < SIDES; i++)
        run(&o[i], &sides[i], true, &way, &m);
    (void)same(twin->row->name, m.type, o);
}
