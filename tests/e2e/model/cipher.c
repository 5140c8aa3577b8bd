/* SPDX-License-Identifier: Apache-2.0 */
/* The model of ciphers: all that have an EVP_CIPHER, AEADs, XTS and wrapping included. */
#include "cipher.h"

enum { MAX_DATA = 300, ROOM = 64 };

static EVP_CIPHER_CTX *ctx(const struct run *r)
{
    return r->ctx[r->side];
}

/* ---- contexts ---- */

static size_t cipher_subjects(const struct loaded *both, struct subject out[], size_t most)
{
    const struct hr_algorithm *row;
    static const char *const more[] = { "DES3-WRAP" };
    size_t num = 0;
    for (size_t i = 0; (row = hr_algorithm_at(i)) && num < most; i++) {
        const int is_cipher = row->cls == HR_CLASS_CIPHER || row->cls == HR_CLASS_AEAD ||
                              row->cls == HR_CLASS_XTS || row->cls == HR_CLASS_WRAP;
        if (!is_cipher || !row_is_theirs(both, row))
            continue;
        row_name(row, out[num].name);
        out[num++].row = row;
    }
    for (size_t i = 0; i < sizeof more / sizeof *more && num < most; i++) {
        out[num].row = NULL;
        snprintf(out[num++].name, sizeof out->name, "%s", more[i]);
    }
    for (size_t i = 0; i < num; i++)
        for (int side = 0; side < 2; side++)
            MUST((out[i].alg[side] = EVP_CIPHER_fetch(both->libctx, out[i].name,
                                                      side == OUR_SIDE ? OURS : THEIRS)));
    return num;
}

static void *cipher_make(const struct subject *s, int side)
{
    EVP_CIPHER_CTX *made = EVP_CIPHER_CTX_new();
    MUST(made && EVP_CipherInit_ex2(made, s->alg[side], NULL, NULL, 1, NULL));
    if (is_poly(&(struct run){ .subject = s })) { /* else poly_lax() ends most sequences */
        static const unsigned char key[32];
        unsigned char tag[16] = { 0 };
        MUST(EVP_CipherInit_ex2(made, NULL, key, NULL, 0, NULL) &&
             EVP_CIPHER_CTX_ctrl(made, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag) > 0 &&
             EVP_CipherInit_ex2(made, NULL, key, NULL, 1, NULL));
    }
    return made;
}

static void cipher_unmake(void *made)
{
    EVP_CIPHER_CTX_free(made);
}

/* ---- parameters ---- */

static const int nums[] = { 0, 0, 0, 0, 0, 0, 1, 2, 7, 8, 15, 16, -1 };
static const int flags[] = { 0, 1, 2, -1 };
static const int key_lens[] = { 0, 8, 16, 24, 32, 64, -1 };
static const int iv_lens[] = { 0, 1, 7, 8, 11, 12, 12, 12, 13, 16, 128, 129, -1 };
static const int tag_lens[] = { 0, 1, 3, 4, 8, 12, 13, 16, 16, 17, -1 };
static const int headers[] = { 12, 13, 13, 13, 14, -1 };
static const int fixed_lens[] = { 0, 3, 4, 4, 12, -1 };
static const int counter_lens[] = { 1, 4, 8, 8, 12, 13, -1 };
static const int versions[] = { 0,     0,     0,     0,     0,     0,      0,      0,
                                0x300, 0x301, 0x302, 0x303, 0x304, 0xfeff, 0xfefd, -1 };
static const int mac_lens[] = { 0, 20, 32, 48, 64, -1 };
static const char *const cts_modes[] = { "CS1", "CS2", "CS3", "none", NULL };

static const struct kind kinds[] = {
    { OSSL_CIPHER_PARAM_PADDING, OSSL_PARAM_UNSIGNED_INTEGER, flags, NULL, 0 },
    { OSSL_CIPHER_PARAM_PADDING, OSSL_PARAM_UNSIGNED_INTEGER, flags, NULL, 0 },
    { OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_PARAM_OCTET_STRING, tag_lens, NULL, 0 },
    { OSSL_CIPHER_PARAM_IVLEN, OSSL_PARAM_UNSIGNED_INTEGER, iv_lens, NULL, 0 },
    { OSSL_CIPHER_PARAM_PADDING, OSSL_PARAM_UNSIGNED_INTEGER, flags, NULL, 0 },
    { OSSL_CIPHER_PARAM_NUM, OSSL_PARAM_UNSIGNED_INTEGER, nums, NULL, 0 },
    { OSSL_CIPHER_PARAM_KEYLEN, OSSL_PARAM_UNSIGNED_INTEGER, key_lens, NULL, 0 },
    { OSSL_CIPHER_PARAM_IVLEN, OSSL_PARAM_UNSIGNED_INTEGER, iv_lens, NULL, 0 },
    { OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_PARAM_OCTET_STRING, tag_lens, NULL, 0 },
    { OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, OSSL_PARAM_OCTET_STRING, headers, NULL, 0 },
    { OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, OSSL_PARAM_OCTET_STRING, fixed_lens, NULL, 0 },
    { OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, OSSL_PARAM_OCTET_STRING, counter_lens, NULL, 0 },
    { OSSL_CIPHER_PARAM_AEAD_MAC_KEY, OSSL_PARAM_OCTET_STRING, mac_lens, NULL, 0 },
    { OSSL_CIPHER_PARAM_TLS_VERSION, OSSL_PARAM_UNSIGNED_INTEGER, versions, NULL, 0 },
    { OSSL_CIPHER_PARAM_TLS_MAC_SIZE, OSSL_PARAM_UNSIGNED_INTEGER, mac_lens, NULL, 0 },
    { OSSL_CIPHER_PARAM_CTS_MODE, OSSL_PARAM_UTF8_STRING, nums, cts_modes, 0 },
    { OSSL_CIPHER_PARAM_USE_BITS, OSSL_PARAM_UNSIGNED_INTEGER, flags, NULL, 0 },
    { OSSL_CIPHER_PARAM_ROUNDS, OSSL_PARAM_UNSIGNED_INTEGER, nums, NULL, 0 },
    { NULL, 0, NULL, NULL, 0 },
};

static int has(const OSSL_PARAM *list, const char *key)
{
    return list && OSSL_PARAM_locate_const(list, key);
}

/* overflows tells whether a parameter is longer than the IV of which it is a part: OpenSSL's GCM
 * writes outside of its buffer then, which could harm our side, and so it is not asked. */
static int overflows(const struct run *r, const OSSL_PARAM *list)
{
    static const char *const parts[] = { OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED,
                                         OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV };
    size_t room = (size_t)EVP_CIPHER_CTX_get_iv_length(r->ctx[OUR_SIDE]);
    if (mode(r) != EVP_CIPH_GCM_MODE || !list)
        return 0;
    if (has(list, OSSL_CIPHER_PARAM_IVLEN))
        room = 1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const OSSL_PARAM *p = OSSL_PARAM_locate_const(list, parts[i]);
        if (p && p->data_size > room)
            return 1;
    }
    return 0;
}

static void learn(struct run *r, const OSSL_PARAM *list)
{
    if (has(list, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED))
        r->facts |= RANDOM;
    if (has(list, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD))
        r->facts |= RECORDS;
    if (has(list, OSSL_CIPHER_PARAM_TLS_VERSION) || has(list, OSSL_CIPHER_PARAM_TLS_MAC_SIZE))
        r->facts |= TLS_CBC;
    if (has(list, OSSL_CIPHER_PARAM_AEAD_TAG))
        r->facts |= TAGGED;
    if (has(list, OSSL_CIPHER_PARAM_IVLEN) && (has(list, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED) ||
                                               has(list, OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV)))
        r->facts |= PARTIAL; /* releases take them in another order */
    if (has(list, OSSL_CIPHER_PARAM_NUM))
        r->facts |= NUMBERED;
}

/* ---- steps ---- */

/* text fills the input, and the output as well: what a call leaves alone must be left alone. */
static size_t text(struct run *r, struct result *out, unsigned char in[MAX_DATA])
{
    static const uint16_t lens[] = { 0, 1, 7, 8, 15, 16, 17, 24, 31, 32, 48, 64, 128, 256 };
    const size_t len =
        below(r, 3) ? lens[below(r, sizeof lens / sizeof *lens)] : below(r, MAX_DATA);
    random_bytes(&r->random, in, len);
    memset(out->out, 0xa5, sizeof out->out);
    return len;
}

static void do_init(struct run *r, struct result *out)
{
    struct random_params memory;
    const int with_key = below(r, 3) > 0, with_iv = below(r, 3) > 0,
              enc = below(r, 4) ? r->enc : (int)below(r, 2);
    const OSSL_PARAM *list = NULL;
    if (with_key)
        random_bytes(&r->random, r->key, sizeof r->key);
    if (with_iv)
        random_bytes(&r->random, r->iv, sizeof r->iv);
    note(r, " %s%s%s", enc ? "encrypt" : "decrypt", with_key ? " key" : "", with_iv ? " IV" : "");
    if (!below(r, 8))
        list = pick_params(r, &memory, kinds);
    if (overflows(r, list))
        list = NULL;
    learn(r, list);
    out->ok = EVP_CipherInit_ex2(ctx(r), NULL, with_key ? r->key : NULL, with_iv ? r->iv : NULL,
                                 enc, list);
    if (!out->ok)
        r->facts |= PARTIAL;
    if (with_key)
        r->facts &= ~(unsigned)TURNED;
    else if (enc != r->enc)
        r->facts |= TURNED;
    r->enc = enc;
    if (r->waiting && !with_iv)
        r->facts |= CARRIED;
    r->waiting = 0;
    r->facts &= ~(unsigned)WAITING;
    if (with_key || mode(r) != EVP_CIPH_CCM_MODE)
        r->facts &= ~(unsigned)(FAILED | WRONG);
    if (with_iv)
        r->facts &= ~(unsigned)REKEYED;
    else if (with_key)
        r->facts |= REKEYED | GARBAGE;
    r->facts |= (with_key ? KEYED : 0u) | (with_iv ? PLACED : 0u);
}

/* do_again sets the cipher again, which makes the context a new one. */
static void do_again(struct run *r, struct result *out)
{
    r->enc = (int)below(r, 2);
    r->facts = 0;
    r->waiting = 0;
    out->ok = EVP_CipherInit_ex2(ctx(r), r->subject->alg[r->side], NULL, NULL, r->enc, NULL);
}

static void do_update(struct run *r, struct result *out)
{
    unsigned char in[MAX_DATA];
    const size_t len = text(r, out, in);
    if (r->side == THEIR_SIDE)
        r->facts = r->facts & WAITING ? r->facts | WAITED : r->facts & ~(unsigned)WAITED;
    const int records = r->facts & (RECORDS | TLS_CBC),
              safe = !is_block(r) || !(r->facts & WAITED) || !below(r, 16),
              in_place = records || (below(r, 2) && safe);
    int out_len = 0;
    if (in_place)
        memcpy(out->out, in, len);
    note(r, " %zu bytes%s", len, in_place ? " in place" : "");
    out->ok = EVP_CipherUpdate(ctx(r), out->out, &out_len, in_place ? out->out : in, (int)len);
    out->len = (size_t)out_len;
    if (r->side == THEIR_SIDE) {
        r->facts = in_place ? r->facts | IN_PLACE : r->facts & ~(unsigned)IN_PLACE;
        if (out->ok)
            r->waiting += len - (size_t)out_len;
        r->facts = r->waiting ? r->facts | WAITING : r->facts & ~(unsigned)WAITING;
        if (!out->ok && mode(r) == EVP_CIPH_CCM_MODE)
            r->facts |= FAILED;
    }
}

static void do_aad(struct run *r, struct result *out)
{
    unsigned char in[MAX_DATA];
    const size_t len = text(r, out, in);
    int out_len = 0;
    if (!is_aead(r))
        return;
    note(r, " %zu bytes", len);
    out->ok = EVP_CipherUpdate(ctx(r), NULL, &out_len, in, (int)len);
    out->len = 0;
}

/* do_length tells CCM the length of the text. */
static void do_length(struct run *r, struct result *out)
{
    int out_len = 0;
    const int len = (int)below(r, 70);
    if (mode(r) != EVP_CIPH_CCM_MODE)
        return;
    note(r, " %d", len);
    out->ok = EVP_CipherUpdate(ctx(r), NULL, &out_len, NULL, len);
    if (out->ok)
        r->facts &= ~(unsigned)FAILED;
}

/* do_final compares what lies behind the output as well. */
static void do_final(struct run *r, struct result *out)
{
    int out_len = 0;
    memset(out->out, 0xa5, ROOM);
    out->ok = EVP_CipherFinal_ex(ctx(r), out->out, &out_len);
    out->len = ROOM;
    note(r, " %d bytes", out_len);
    r->facts |= ENDED;
    if (out->ok) {
        out->out[ROOM - 1] = (unsigned char)out_len;
        r->waiting = 0;
        r->facts &= ~(unsigned)WAITING;
    } else if (is_block(r)) {
        r->facts |= FAILED;
    } else if (mode(r) == EVP_CIPH_GCM_MODE) {
        r->facts |= WRONG;
    }
}

static void do_whole(struct run *r, struct result *out)
{
    unsigned char in[MAX_DATA];
    size_t len = text(r, out, in);
    if (is_block(r) && below(r, 8))
        len &= ~(size_t)15;
    const int in_place = r->facts & RECORDS;
    if (in_place)
        memcpy(out->out, in, len);
    note(r, " %zu bytes", len);
    out->ok = EVP_Cipher(ctx(r), out->out, in_place ? out->out : in, (unsigned)len);
    out->len = out->ok > 0 ? (size_t)out->ok : 0;
    if (r->side == THEIR_SIDE && out->ok <= 0 && mode(r) == EVP_CIPH_CCM_MODE)
        r->facts |= FAILED;
}

static void do_set(struct run *r, struct result *out)
{
    struct random_params memory;
    const OSSL_PARAM *list = pick_params(r, &memory, kinds);
    if (overflows(r, list))
        return;
    learn(r, list);
    out->ok = EVP_CIPHER_CTX_set_params(ctx(r), list) > 0;
    if (!out->ok && list[1].key)
        r->facts |= PARTIAL;
}

static void do_ctrl(struct run *r, struct result *out)
{
    static const struct {
        int type, least, most;
    } ctrls[] = {
        { EVP_CTRL_AEAD_SET_IVLEN, 0, 17 },    { EVP_CTRL_AEAD_SET_TAG, 0, 17 },
        { EVP_CTRL_AEAD_SET_IV_FIXED, -1, 5 }, { EVP_CTRL_GCM_IV_GEN, 0, 13 },
        { EVP_CTRL_GCM_SET_IV_INV, 0, 9 },     { EVP_CTRL_AEAD_TLS1_AAD, 13, 13 },
        { EVP_CTRL_AEAD_GET_TAG, 0, 17 },      { EVP_CTRL_SET_KEY_LENGTH, 0, 33 },
    };
    unsigned char bytes[160];
    const size_t i = below(r, sizeof ctrls / sizeof *ctrls);
    const int arg = ctrls[i].least + (int)below(r, (size_t)(ctrls[i].most - ctrls[i].least + 1));
    random_bytes(&r->random, bytes, sizeof bytes);
    memcpy(out->out, bytes, sizeof bytes);
    if (ctrls[i].type == EVP_CTRL_AEAD_SET_IV_FIXED)
        r->facts |= RANDOM;
    if (ctrls[i].type == EVP_CTRL_AEAD_SET_TAG)
        r->facts |= TAGGED;
    if (ctrls[i].type == EVP_CTRL_AEAD_TLS1_AAD)
        r->facts |= RECORDS;
    note(r, " 0x%x, %d", (unsigned)ctrls[i].type, arg);
    if (ctrls[i].type == EVP_CTRL_GCM_SET_IV_INV &&
        arg > EVP_CIPHER_CTX_get_iv_length(r->ctx[OUR_SIDE]))
        return; /* as in overflows() */
    out->ok = EVP_CIPHER_CTX_ctrl(ctx(r), ctrls[i].type, arg, out->out);
    out->len = sizeof bytes;
}

static void do_lengths(struct run *r, struct result *out)
{
    out->ok = 1;
    const int values[] = { EVP_CIPHER_CTX_get_iv_length(ctx(r)),
                           EVP_CIPHER_CTX_get_key_length(ctx(r)),
                           is_aead(r) ? EVP_CIPHER_CTX_get_tag_length(ctx(r)) : 0 };
    memcpy(out->out, values, out->len = sizeof values);
}

static void do_get_iv(struct run *r, struct result *out)
{
    const int iv_len = is_aead(r) ? EVP_CIPHER_CTX_get_iv_length(ctx(r))
                                  : EVP_CIPHER_get_iv_length(r->subject->alg[r->side]),
              updated = (int)below(r, 2);
    if (iv_len <= 0 || iv_len > 128)
        return;
    memset(out->out, 0, (size_t)iv_len); /* ChaCha20-Poly1305 says yes, and writes none */
    out->ok = (updated ? EVP_CIPHER_CTX_get_updated_iv
                       : EVP_CIPHER_CTX_get_original_iv)(ctx(r), out->out, (size_t)iv_len);
    out->len = (size_t)iv_len;
    note(r, updated ? " updated" : " original");
}

static void do_get_num(struct run *r, struct result *out)
{
    out->ok = 1;
    const int num = EVP_CIPHER_CTX_get_num(ctx(r));
    memcpy(out->out, &num, out->len = sizeof num);
}

static void do_copy(struct run *r, struct result *out)
{
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    MUST(copy);
    const int good = EVP_CIPHER_CTX_copy(copy, ctx(r));
    out->ok = good || r->side == THEIR_SIDE; /* some of OpenSSL's cannot be copied */
    EVP_CIPHER_CTX_free(good ? ctx(r) : copy);
    if (good)
        r->ctx[r->side] = copy;
}

/* seal encrypts with the cipher of this side, under the key and IV of the sequence. */
static int seal(struct run *r, unsigned char *out, unsigned char *tag, size_t tag_len,
                const unsigned char *in, size_t len, const unsigned char *aad, size_t aad_len)
{
    EVP_CIPHER_CTX *own = EVP_CIPHER_CTX_new();
    const int ccm = mode(r) == EVP_CIPH_CCM_MODE;
    int n = EVP_CIPHER_CTX_get_iv_length(ctx(r));
    int good = EVP_CipherInit_ex2(own, r->subject->alg[r->side], NULL, NULL, 1, NULL) &&
               EVP_CIPHER_CTX_ctrl(own, EVP_CTRL_AEAD_SET_IVLEN, n, NULL) > 0 &&
               (!ccm || EVP_CIPHER_CTX_ctrl(own, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, NULL) > 0) &&
               EVP_CipherInit_ex2(own, NULL, r->key, r->iv, 1, NULL) &&
               (!ccm || EVP_CipherUpdate(own, NULL, &n, NULL, (int)len)) &&
               (!aad_len || EVP_CipherUpdate(own, NULL, &n, aad, (int)aad_len)) &&
               EVP_CipherUpdate(own, out, &n, in, (int)len) && EVP_CipherFinal_ex(own, out, &n) &&
               EVP_CIPHER_CTX_ctrl(own, EVP_CTRL_AEAD_GET_TAG, (int)tag_len, tag) > 0;
    EVP_CIPHER_CTX_free(own);
    return good;
}

/* do_open decrypts a message of an AEAD up to its final, most of them with the right tag. */
static void do_open(struct run *r, struct result *out)
{
    unsigned char in[MAX_DATA], sealed[MAX_DATA], tag[16] = { 0 };
    const size_t len = text(r, out, in), aad_len = below(r, 3) ? below(r, 30) : 0;
    const int ccm = mode(r) == EVP_CIPH_CCM_MODE, spoilt = !below(r, 4);
    int n = 0, tag_len = EVP_CIPHER_CTX_get_tag_length(ctx(r));
    if (!is_aead(r) || tag_len <= 0 || tag_len > 16)
        return;
    random_bytes(&r->random, r->key, sizeof r->key);
    random_bytes(&r->random, r->iv, sizeof r->iv);
    r->facts |= TAGGED;
    if (!seal(r, sealed, tag, (size_t)tag_len, in, len, r->key, aad_len))
        return;
    tag[0] ^= (unsigned char)spoilt;
    r->enc = 0;
    r->facts |= KEYED | PLACED;
    note(r, " %zu bytes, AAD %zu%s", len, aad_len, spoilt ? ", wrong tag" : "");
    out->ok = EVP_CipherInit_ex2(ctx(r), NULL, r->key, r->iv, 0, NULL) &&
              EVP_CIPHER_CTX_ctrl(ctx(r), EVP_CTRL_AEAD_SET_TAG, tag_len, tag) > 0 &&
              (!ccm || EVP_CipherUpdate(ctx(r), NULL, &n, NULL, (int)len)) &&
              (!aad_len || EVP_CipherUpdate(ctx(r), NULL, &n, r->key, (int)aad_len)) &&
              EVP_CipherUpdate(ctx(r), out->out, &n, sealed, (int)len);
    out->len = len;
    if (out->ok && !ccm)
        out->ok = EVP_CipherFinal_ex(ctx(r), sealed, &n) + 1;
}

static const struct step steps[] = {
    { "init", do_init, 6 },
    { "init with cipher", do_again, 1 },
    { "update", do_update, 8 },
    { "AAD", do_aad, 3 },
    { "length", do_length, 2 },
    { "final", do_final, 3 },
    { "EVP_Cipher", do_whole, 2 },
    { "set", do_set, 5 },
    { "ctrl", do_ctrl, 3 },
    { "lengths", do_lengths, 1 },
    { "get IV", do_get_iv, 2 },
    { "get num", do_get_num, 1 },
    { "copy", do_copy, 1 },
    { "open", do_open, 2 },
    { NULL, NULL, 0 },
};

const struct model cipher_model = {
    .name = "cipher",
    .subjects = cipher_subjects,
    .make = cipher_make,
    .unmake = cipher_unmake,
    .steps = steps,
    .differences = cipher_differences,
};
