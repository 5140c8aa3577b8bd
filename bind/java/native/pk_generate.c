/* SPDX-License-Identifier: Apache-2.0 */
/* New keys. */
#include "pk.h"
#include <headrace/agree.h>
#include <headrace/dh.h>
#include <headrace/dsa.h>
#include <headrace/kem.h>
#include <headrace/rsa.h>
#include <headrace/sign.h>

/* Room for one part of the largest key, of ML-DSA-87. */
enum { PART_ROOM = 5120 };

int32_t pk_write_parts(uint8_t *out, size_t room, const struct hr_number *parts, size_t num)
{
    size_t at = 0;
    for (size_t i = 0; i < num; i++) {
        const size_t len = parts[i].len;
        if (len > UINT16_MAX || room - at < 2 + len)
            return HR_EBUFFER;
        out[at++] = (uint8_t)(len >> 8);
        out[at++] = (uint8_t)len;
        memcpy(out + at, parts[i].bytes, len);
        at += len;
    }
    return (int32_t)at;
}

static int32_t rsa(int32_t bits, int64_t e, uint8_t *out, size_t room)
{
    struct hr_rsa_key key;
    struct hr_rsa_numbers numbers;
    int32_t rv = hr_rsa_key_generate(&key, &numbers, (uint32_t)bits, (uint64_t)e);
    if (!rv) {
        const struct hr_rsa_parts *p = &numbers.parts;
        const struct hr_number parts[] = { p->n, p->e, p->d, p->p, p->q, p->dp, p->dq, p->qinv };
        rv = pk_write_parts(out, room, parts, COUNT(parts));
    }
    hr_rsa_key_wipe(&key);
    hr_rsa_numbers_wipe(&numbers);
    return rv;
}

/* The calls of a class that write a part of a key. */
typedef int part_call(uint8_t *out, size_t *out_len, const void *key);
#define PART_CALL(name, type)                                              \
    static int name##_part(uint8_t *out, size_t *out_len, const void *key) \
    {                                                                      \
        return hr_##name(out, out_len, (const struct type *)key);          \
    }
PART_CALL(sign_key_private, hr_sign_key)
PART_CALL(sign_key_public, hr_sign_key)
PART_CALL(sign_key_seed, hr_sign_key)
PART_CALL(agree_key_private, hr_agree_key)
PART_CALL(agree_key_public, hr_agree_key)
PART_CALL(kem_key_private, hr_kem_key)
PART_CALL(kem_key_public, hr_kem_key)
PART_CALL(kem_key_seed, hr_kem_key)

static int sign_new(void *key, hr_alg alg)
{
    return hr_sign_key_generate(key, alg, NULL);
}

static int agree_new(void *key, hr_alg alg)
{
    return hr_agree_key_generate(key, alg, NULL);
}

static int kem_new(void *key, hr_alg alg)
{
    return hr_kem_key_generate(key, alg, NULL);
}

enum { MOST_PARTS = 3 };
static const struct {
    enum hr_class cls;
    int (*new)(void *key, hr_alg alg);
    part_call *parts[MOST_PARTS];
} generators[] = {
    { HR_CLASS_SIGN,
      sign_new,
      { sign_key_private_part, sign_key_public_part, sign_key_seed_part } },
    { HR_CLASS_AGREE, agree_new, { agree_key_private_part, agree_key_public_part } },
    { HR_CLASS_KEM, kem_new, { kem_key_private_part, kem_key_public_part, kem_key_seed_part } },
};

static int32_t write_key(part_call *const *calls, const void *key, uint8_t *out, size_t room)
{
    uint8_t bytes[MOST_PARTS][PART_ROOM];
    struct hr_number parts[MOST_PARTS];
    size_t num = 0;
    int32_t rv = 0;
    for (; num < MOST_PARTS && calls[num] && !rv; num++) {
        parts[num] = (struct hr_number){ bytes[num], sizeof bytes[num] };
        rv = calls[num](bytes[num], &parts[num].len, key);
    }
    if (!rv)
        rv = pk_write_parts(out, room, parts, num);
    WIPE(&bytes);
    return rv;
}

int32_t hrj_pk_generate(int32_t alg, int32_t bits, int64_t e, uint8_t *out, int32_t room)
{
    struct pk *pk = pk_new_memory((hr_alg)alg);
    int32_t rv = pk ? HR_EALG : HR_ESYSTEM;
    if (pk && pk->cls->cls == HR_CLASS_RSA)
        rv = rsa(bits, e, out, (size_t)room);
    for (size_t i = 0; pk && i < COUNT(generators); i++) {
        if (generators[i].cls != pk->cls->cls)
            continue;
        rv = generators[i].new(pk_key(pk), pk->alg);
        if (!rv)
            rv = write_key(generators[i].parts, pk_key(pk), out, (size_t)room);
    }
    if (pk && rv >= 0)
        pk_count(pk->index, 0);
    memory_free(pk);
    return rv;
}

int64_t hrj_pk_ephemeral(int32_t alg)
{
    struct pk *pk = pk_new_memory((hr_alg)alg);
    if (!pk)
        return HR_ESYSTEM;
    pk->out_len = hr_algorithm(pk->alg)->out_len;
    const int rv = pk->cls->cls == HR_CLASS_AGREE ? agree_new(pk_key(pk), pk->alg) : HR_EALG;
    if (!rv)
        return (int64_t)(uintptr_t)pk;
    memory_free(pk);
    return rv;
}

/* ---- groups modulo a prime ---- */

/* Room for a number of the largest group. */
enum { NUMBER_ROOM = 1024 };

static int new_of_dsa(struct pk *pk, const struct hr_number *parts, size_t num, int32_t bits)
{
    if (num != 3)
        return HR_EINVAL;
    const struct hr_dsa_parts dsa = { .p = parts[0], .q = parts[1], .g = parts[2] };
    return hr_dsa_key_generate(pk_key(pk), &dsa);
}

static int new_of_dh(struct pk *pk, const struct hr_number *parts, size_t num, int32_t bits)
{
    if (num != 2)
        return HR_EINVAL;
    const struct hr_dh_params dh = { .p = parts[0], .g = parts[1], .private_bits = (uint32_t)bits };
    return hr_dh_key_generate(pk_key(pk), &dh);
}

PART_CALL(dsa_private, hr_dsa_key)
PART_CALL(dsa_public, hr_dsa_key)
PART_CALL(dh_private, hr_dh_key)
PART_CALL(dh_public, hr_dh_key)

static const struct {
    enum hr_class cls;
    int (*new)(struct pk *pk, const struct hr_number *parts, size_t num, int32_t bits);
    part_call *private, *public;
} groups[] = {
    { HR_CLASS_DSA, new_of_dsa, dsa_private_part, dsa_public_part },
    { HR_CLASS_DH, new_of_dh, dh_private_part, dh_public_part },
};

static int32_t write_numbers(part_call *private, part_call *public, const void *key, uint8_t *out,
                             size_t room)
{
    uint8_t x[NUMBER_ROOM], y[NUMBER_ROOM];
    struct hr_number parts[] = { { x, sizeof x }, { y, sizeof y } };
    int32_t rv = private(x, &parts[0].len, key);
    if (!rv)
        rv = public(y, &parts[1].len, key);
    if (!rv)
        rv = pk_write_parts(out, room, parts, COUNT(parts));
    WIPE(&x);
    return rv;
}

int32_t hrj_pk_generate_in(int32_t alg, int32_t bits, const uint8_t *group, int32_t len,
                           uint8_t *out, int32_t room)
{
    struct hr_number parts[PK_MAX_PARTS];
    const int num = pk_read_parts(parts, group, (size_t)len);
    struct pk *pk = num < 0 ? NULL : pk_new_memory((hr_alg)alg);
    int32_t rv = num < 0 ? HR_EINVAL : pk ? HR_EALG : HR_ESYSTEM;
    for (size_t i = 0; pk && i < COUNT(groups); i++) {
        if (groups[i].cls != pk->cls->cls)
            continue;
        rv = groups[i].new(pk, parts, (size_t)num, bits);
        if (!rv)
            rv = write_numbers(groups[i].private, groups[i].public, pk_key(pk), out, (size_t)room);
    }
    if (pk && rv >= 0)
        pk_count(pk->index, 0);
    if (pk)
        hrj_pk_free(pk);
    return rv;
}
