/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "lent.h"
#include "../../public_key.h"
#include "../secrets.h"
#include <headrace/classes.h>
#include <headrace/headrace.h>
#include <headrace/rsa.h>
#include <string.h>

enum { MOST_PARTS = 8 };

struct parts {
    size_t num;
    struct hr_number at[MOST_PARTS];
};

/* ---- making a key ---- */

static int split(struct parts *p, const uint8_t *bytes, size_t len)
{
    const uint8_t *end = bytes + len;
    for (p->num = 0; bytes < end; p->num++) {
        if (p->num == MOST_PARTS || end - bytes < 2)
            return HR_EFORMAT;
        const size_t part = bytes[0] | (size_t)bytes[1] << 8;
        bytes += 2;
        if (part > (size_t)(end - bytes))
            return HR_EFORMAT;
        p->at[p->num] = (struct hr_number){ bytes, part };
        bytes += part;
    }
    return 0;
}

static int init_rsa(struct lent_made *m, const struct parts *p)
{
    struct hr_rsa_parts parts = { .n = p->at[0], .e = p->at[1] };
    if (p->num != 2 && p->num != 8)
        return HR_EFORMAT;
    m->is_slow = pk_is_slow(&parts.n, &parts.e);
    if (p->num == 2)
        return hr_rsa_key_init_public(m->object, &parts);
    parts = (struct hr_rsa_parts){ p->at[0], p->at[1], p->at[2], p->at[3],
                                   p->at[4], p->at[5], p->at[6], p->at[7] };
    return hr_rsa_key_init(m->object, &parts);
}

static int init_sign(struct lent_made *m, const struct parts *p)
{
    const struct hr_number *ours = &p->at[0], *theirs = &p->at[1];
    const hr_alg alg = (hr_alg)m->alg;
    if (!ours->len)
        return hr_sign_key_init_public(m->object, alg, theirs->bytes, theirs->len);
    if (!theirs->len)
        return hr_sign_key_init(m->object, alg, ours->bytes, ours->len);
    return hr_sign_key_init_pair(m->object, alg, ours->bytes, ours->len, theirs->bytes,
                                 theirs->len);
}

static int init_agree(struct lent_made *m, const struct parts *p)
{
    return p->at[1].len
               ? HR_EFORMAT
               : hr_agree_key_init(m->object, (hr_alg)m->alg, p->at[0].bytes, p->at[0].len);
}

static int init_kem(struct lent_made *m, const struct parts *p)
{
    const struct hr_number *ours = &p->at[0], *theirs = &p->at[1];
    if (ours->len && theirs->len)
        return HR_EFORMAT;
    return ours->len
               ? hr_kem_key_init(m->object, (hr_alg)m->alg, ours->bytes, ours->len)
               : hr_kem_key_init_public(m->object, (hr_alg)m->alg, theirs->bytes, theirs->len);
}

static size_t rsa_len(hr_alg alg)
{
    return sizeof(struct hr_rsa_key);
}

/* The classes whose keys can be lent. */
static const struct lender {
    unsigned cls;
    size_t (*len)(hr_alg alg);
    int (*init)(struct lent_made *m, const struct parts *p);
} lenders[] = {
    { HR_CLASS_RSA, rsa_len, init_rsa },
    { HR_CLASS_SIGN, hr_sign_key_size, init_sign },
    { HR_CLASS_AGREE, hr_agree_key_size, init_agree },
    { HR_CLASS_KEM, hr_kem_key_size, init_kem },
};

static const struct lender *lender_of(const struct hr_algorithm *row)
{
    for (size_t i = 0; row && i < sizeof lenders / sizeof *lenders; i++)
        if (lenders[i].cls == row->cls)
            return &lenders[i];
    return NULL;
}

int lent_make(struct lent_made *out, hr_alg alg, const uint8_t *bytes, size_t len)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    const struct lender *lender = lender_of(row);
    struct parts parts;
    memset(out, 0, sizeof *out);
    if (!lender || row->out_len > PK_RESULT)
        return HR_EALG;
    if (split(&parts, bytes, len) || parts.num < 2 || (row->cls != HR_CLASS_RSA && parts.num != 2))
        return HR_EFORMAT;
    out->alg = (uint16_t)alg;
    out->len = lender->len(alg);
    out->object = secrets_alloc(out->len);
    if (!out->object)
        return HR_ESYSTEM;
    const int error = lender->init(out, &parts);
    out->result_len =
        (uint32_t)(row->cls == HR_CLASS_RSA ? hr_rsa_size(out->object) : row->out_len);
    out->cipher_len = row->cls == HR_CLASS_KEM ? (uint32_t)hr_kem_ciphertext_len(alg) : 0;
    if (!error && out->result_len + out->cipher_len <= PK_RESULT)
        return 0;
    lent_unmake(out);
    return error ? error : HR_EKEYLEN;
}

void lent_unmake(struct lent_made *made)
{
    secrets_free(made->object, made->len);
    memset(made, 0, sizeof *made);
}

/* ---- a client's table ---- */

int lent_add(struct lent_keys *t, uint64_t *handle, const struct lent_made *made, uint32_t most)
{
    struct lent_key *k = t->keys;
    if (t->num >= most || made->len > LENT_BYTES - t->bytes)
        return HR_EBUFFER;
    while (k->live || k->leaving)
        if (++k == t->keys + LENT_MOST)
            return HR_EBUFFER;
    k->made = *made;
    k->live = true;
    k->generation++;
    t->num++;
    t->bytes += made->len;
    *handle = (uint64_t)k->generation << 32 | (uint64_t)(k - t->keys);
    return 0;
}

struct lent_key *lent_find(struct lent_keys *t, uint64_t handle, unsigned alg)
{
    const uint32_t i = (uint32_t)handle;
    struct lent_key *k = i < LENT_MOST ? &t->keys[i] : NULL;
    return k && k->live && k->generation == handle >> 32 && k->made.alg == alg ? k : NULL;
}

static void forget(struct lent_keys *t, struct lent_key *k, struct lent_made *out)
{
    *out = k->made;
    t->num--;
    t->bytes -= k->made.len;
    k->made = (struct lent_made){ .object = NULL };
    k->live = k->leaving = false;
}

int lent_remove(struct lent_keys *t, uint64_t handle, struct lent_made *out)
{
    const uint32_t i = (uint32_t)handle;
    struct lent_key *k = i < LENT_MOST ? lent_find(t, handle, t->keys[i].made.alg) : NULL;
    *out = (struct lent_made){ .object = NULL };
    if (!k)
        return HR_EHANDLE;
    k->live = false;
    k->leaving = true;
    if (!k->users)
        forget(t, k, out);
    return 0;
}

void lent_leave(struct lent_keys *t, struct lent_key *k, struct lent_made *out)
{
    *out = (struct lent_made){ .object = NULL };
    if (!--k->users && k->leaving)
        forget(t, k, out);
}

void lent_clear(struct lent_keys *t)
{
    for (size_t i = 0; i < LENT_MOST; i++)
        lent_unmake(&t->keys[i].made);
    memset(t, 0, sizeof *t);
}
