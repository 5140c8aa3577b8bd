/* SPDX-License-Identifier: Apache-2.0 */
#include "pk_key.h"
#include <headrace/classes.h>
#include <headrace/rsa.h>

int pk_split(struct pk_parts *p, const uint8_t *bytes, size_t len)
{
    const uint8_t *end = bytes + len;
    for (p->num = 0; bytes < end; p->num++) {
        if (p->num == PK_PARTS || end - bytes < 2)
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

static int init_rsa(void *key, hr_alg alg, const struct pk_parts *p)
{
    const struct hr_rsa_parts parts = { p->at[0], p->at[1], p->at[2], p->at[3],
                                        p->at[4], p->at[5], p->at[6], p->at[7] };
    const struct hr_rsa_parts public = { .n = p->at[0], .e = p->at[1] };
    if (p->num != 2 && p->num != 8)
        return HR_EFORMAT;
    return p->num == 2 ? hr_rsa_key_init_public(key, &public) : hr_rsa_key_init(key, &parts);
}

static int init_sign(void *key, hr_alg alg, const struct pk_parts *p)
{
    const struct hr_number *ours = &p->at[0], *theirs = &p->at[1];
    if (!ours->len)
        return hr_sign_key_init_public(key, alg, theirs->bytes, theirs->len);
    if (!theirs->len)
        return hr_sign_key_init(key, alg, ours->bytes, ours->len);
    return hr_sign_key_init_pair(key, alg, ours->bytes, ours->len, theirs->bytes, theirs->len);
}

static int init_agree(void *key, hr_alg alg, const struct pk_parts *p)
{
    return p->at[1].len ? HR_EFORMAT : hr_agree_key_init(key, alg, p->at[0].bytes, p->at[0].len);
}

static int init_kem(void *key, hr_alg alg, const struct pk_parts *p)
{
    const struct hr_number *ours = &p->at[0], *theirs = &p->at[1];
    if (ours->len && theirs->len)
        return HR_EFORMAT;
    return ours->len ? hr_kem_key_init(key, alg, ours->bytes, ours->len)
                     : hr_kem_key_init_public(key, alg, theirs->bytes, theirs->len);
}

static size_t rsa_len(hr_alg alg)
{
    return sizeof(struct hr_rsa_key);
}

/* The classes whose keys the service takes. */
static const struct maker {
    unsigned cls;
    size_t (*len)(hr_alg alg);
    int (*init)(void *key, hr_alg alg, const struct pk_parts *p);
} makers[] = {
    { HR_CLASS_RSA, rsa_len, init_rsa },
    { HR_CLASS_SIGN, hr_sign_key_size, init_sign },
    { HR_CLASS_AGREE, hr_agree_key_size, init_agree },
    { HR_CLASS_KEM, hr_kem_key_size, init_kem },
};

static const struct maker *maker_of(const struct hr_algorithm *row)
{
    for (size_t i = 0; row && i < sizeof makers / sizeof *makers; i++)
        if (makers[i].cls == row->cls)
            return &makers[i];
    return NULL;
}

size_t pk_key_size(hr_alg alg)
{
    const struct maker *maker = maker_of(hr_algorithm(alg));
    return maker ? maker->len(alg) : 0;
}

int pk_key_init(void *key, hr_alg alg, const struct pk_parts *parts)
{
    const struct maker *maker = maker_of(hr_algorithm(alg));
    if (!maker)
        return HR_EALG;
    if (parts->num < 2 || (maker->cls != HR_CLASS_RSA && parts->num != 2))
        return HR_EFORMAT;
    return maker->init(key, alg, parts);
}

hr_alg pk_rsa_row(size_t bytes)
{
    const struct hr_algorithm *row, *found = NULL;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_RSA && (!found || found->out_len < bytes))
            found = row;
    return found->alg;
}
