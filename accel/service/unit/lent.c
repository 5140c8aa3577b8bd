/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "lent.h"
#include "../../config/pk_key.h"
#include "../../public_key.h"
#include "../secrets.h"
#include "custody.h"
#include <headrace/classes.h>
#include <headrace/headrace.h>
#include <headrace/rsa.h>
#include <string.h>

/* ---- making a key ---- */

int lent_make(struct lent_made *out, hr_alg alg, const uint8_t *bytes, size_t len)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    struct pk_parts parts;
    memset(out, 0, sizeof *out);
    const size_t size = pk_key_size(alg);
    if (!size || row->out_len > PK_RESULT)
        return HR_EALG;
    if (pk_split(&parts, bytes, len) || parts.num < 2)
        return HR_EFORMAT;
    const bool rsa = row->cls == HR_CLASS_RSA;
    out->alg = (uint16_t)alg;
    out->len = size;
    out->object = secrets_alloc(size);
    if (!out->object)
        return HR_ESYSTEM;
    const int error = pk_key_init(out->object, alg, &parts);
    out->is_slow = rsa && pk_is_slow(&parts.at[0], &parts.at[1]);
    out->result_len = (uint32_t)(rsa ? hr_rsa_size(out->object) : row->out_len);
    out->cipher_len = row->cls == HR_CLASS_KEM ? (uint32_t)hr_kem_ciphertext_len(alg) : 0;
    if (!error && out->result_len + out->cipher_len <= PK_RESULT)
        return 0;
    lent_unmake(out);
    return error ? error : HR_EKEYLEN;
}

void lent_unmake(struct lent_made *made)
{
    if (made->named)
        custody_put(made->named);
    else
        secrets_free(made->object, made->len);
    memset(made, 0, sizeof *made);
}

/* ---- a client's table ---- */

int lent_add(struct lent_keys *t, uint64_t *handle, const struct lent_made *made, uint32_t most)
{
    struct lent_key *k = t->keys;
    if (made->named ? t->num == LENT_MOST
                    : t->num - t->num_named >= most || made->len > LENT_BYTES - t->bytes)
        return HR_EBUFFER;
    while (k->live || k->leaving)
        if (++k == t->keys + LENT_MOST)
            return HR_EBUFFER;
    k->made = *made;
    k->live = true;
    k->generation++;
    t->num++;
    t->num_named += made->named != NULL;
    t->bytes += made->named ? 0 : made->len;
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
    t->num_named -= k->made.named != NULL;
    t->bytes -= k->made.named ? 0 : k->made.len;
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
