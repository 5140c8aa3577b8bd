/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of public key, and what is done with them. */
#include "pk.h"
#include "dhkem.h"
#include <headrace/agree.h>
#include <headrace/dh.h>
#include <headrace/dsa.h>
#include <headrace/kem.h>
#include <headrace/rsa.h>
#include <headrace/sign.h>

/* ---- RSA ---- */

static size_t rsa_key_size(hr_alg alg)
{
    return sizeof(struct hr_rsa_key);
}

/* rsa_index returns the row by whose name the key's size is counted. */
static uint16_t rsa_index(size_t bytes)
{
    uint16_t index = INDEX_rsa1024;
    for (uint16_t i = 0; i < NUM_ROWS; i++)
        if (hr_algorithm_at(i)->cls == HR_CLASS_RSA && hr_algorithm_at(i)->out_len <= bytes)
            index = i;
    return index;
}

/* row_of_size returns the row that jobs with a key of RSA or DSA have (lib/registry.c), whose
 * modulus has so many bytes: the least that is no shorter. */
static hr_alg row_of_size(enum hr_class cls, size_t bytes)
{
    hr_alg alg = HR_ALG_NONE;
    for (uint16_t i = NUM_ROWS; i-- > 0;) {
        const struct hr_algorithm *row = hr_algorithm_at(i);
        if (row->cls == cls && (!alg || row->public_len >= bytes))
            alg = row->alg;
    }
    return alg;
}

static int rsa_init(struct pk *pk, const struct hr_number *parts, size_t num, bool is_private)
{
    struct hr_rsa_key *key = pk_key(pk);
    if (num != (is_private ? PK_MAX_PARTS : 2))
        return HR_EINVAL;
    struct hr_rsa_parts rsa = { .n = parts[0], .e = parts[1] };
    if (is_private) {
        rsa = (struct hr_rsa_parts){ parts[0], parts[1], parts[2], parts[3],
                                     parts[4], parts[5], parts[6], parts[7] };
    }
    const int rv = (is_private ? hr_rsa_key_init : hr_rsa_key_init_public)(key, &rsa);
    pk->out_len = (uint32_t)hr_rsa_size(key);
    pk->index = rsa_index(pk->out_len);
    pk->alg = row_of_size(HR_CLASS_RSA, pk->out_len);
    return rv;
}

static void rsa_wipe(void *key)
{
    hr_rsa_key_wipe(key);
}

struct hr_rsa_options pk_rsa_options(const struct pk_options *o)
{
    return (struct hr_rsa_options){
        .padding = (enum hr_rsa_padding)o->padding,
        .digest = (hr_alg)o->digest,
        .mgf_digest = (hr_alg)o->mgf_digest,
        .salt_len = o->salt_len,
        .label = o->label,
        .label_len = o->label_len,
        .raise_errors = o->padding == HR_RSA_PKCS1,
    };
}

static int rsa_verify(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                      size_t *len, const uint8_t *in, size_t in_len)
{
    const struct hr_rsa_options o = pk_rsa_options(options);
    return hr_rsa_verify(out, *len, in, in_len, pk_key(pk), &o);
}

#define RSA_CALL(name, function)                                                         \
    static int name(const struct pk *pk, const struct pk_options *options, uint8_t *out, \
                    size_t *len, const uint8_t *in, size_t in_len)                       \
    {                                                                                    \
        const struct hr_rsa_options o = pk_rsa_options(options);                         \
        return function(out, len, in, in_len, pk_key(pk), &o);                           \
    }
RSA_CALL(rsa_sign, hr_rsa_sign)
RSA_CALL(rsa_encrypt, hr_rsa_encrypt)
RSA_CALL(rsa_decrypt, hr_rsa_decrypt)
RSA_CALL(rsa_recover, hr_rsa_recover)

/* ---- signatures ---- */

static int sign_init(struct pk *pk, const struct hr_number *parts, size_t num, bool is_private)
{
    struct hr_sign_key *key = pk_key(pk);
    pk->out_len = hr_algorithm(pk->alg)->out_len;
    if (!is_private)
        return hr_sign_key_init_public(key, pk->alg, parts[0].bytes, parts[0].len);
    return num == 1 ? hr_sign_key_init(key, pk->alg, parts[0].bytes, parts[0].len)
                    : hr_sign_key_init_pair(key, pk->alg, parts[0].bytes, parts[0].len,
                                            parts[1].bytes, parts[1].len);
}

static void sign_wipe(void *key)
{
    hr_sign_key_wipe(key);
}

struct hr_sign_options pk_sign_options(const struct pk_options *o)
{
    return (struct hr_sign_options){
        .flags = (uint32_t)o->padding,
        .digest = (hr_alg)o->digest,
        .context = o->label,
        .context_len = o->label_len,
    };
}

static int sign_sign(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                     size_t *len, const uint8_t *in, size_t in_len)
{
    const struct hr_sign_options o = pk_sign_options(options);
    return hr_sign(out, len, in, in_len, pk_key(pk), &o);
}

static int sign_verify(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                       size_t *len, const uint8_t *in, size_t in_len)
{
    const struct hr_sign_options o = pk_sign_options(options);
    return hr_verify(out, *len, in, in_len, pk_key(pk), &o);
}

#define PART(name, function)                                                             \
    static int name(const struct pk *pk, const struct pk_options *options, uint8_t *out, \
                    size_t *len, const uint8_t *in, size_t in_len)                       \
    {                                                                                    \
        return function(out, len, pk_key(pk));                                           \
    }
PART(sign_private, hr_sign_key_private)
PART(sign_public, hr_sign_key_public)

/* ---- key agreement ---- */

static int agree_init(struct pk *pk, const struct hr_number *parts, size_t num, bool is_private)
{
    pk->out_len = hr_algorithm(pk->alg)->out_len;
    return is_private ? hr_agree_key_init(pk_key(pk), pk->alg, parts[0].bytes, parts[0].len)
                      : HR_EINVAL;
}

static void agree_wipe(void *key)
{
    hr_agree_key_wipe(key);
}

static int agree_derive(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                        size_t *len, const uint8_t *in, size_t in_len)
{
    return hr_agree(out, len, in, in_len, pk_key(pk));
}

PART(agree_public, hr_agree_key_public)

/* ---- DSA, and key agreement modulo a prime ---- */

static size_t dsa_key_size(hr_alg alg)
{
    return sizeof(struct hr_dsa_key);
}

static int dsa_init(struct pk *pk, const struct hr_number *parts, size_t num, bool is_private)
{
    struct hr_dsa_parts dsa = { .p = parts[0], .q = parts[1], .g = parts[2] };
    size_t zeros = 0; /* before p */
    if (num != 4)
        return HR_EINVAL;
    while (zeros < dsa.p.len && !dsa.p.bytes[zeros])
        zeros++;
    pk->alg = row_of_size(HR_CLASS_DSA, dsa.p.len - zeros);
    pk->index = (uint16_t)index_of(pk->alg);
    *(is_private ? &dsa.x : &dsa.y) = parts[3];
    const int rv = (is_private ? hr_dsa_key_init : hr_dsa_key_init_public)(pk_key(pk), &dsa);
    pk->out_len = (uint32_t)hr_dsa_size(pk_key(pk));
    return rv;
}

static void dsa_wipe(void *key)
{
    hr_dsa_key_wipe(key);
}

static int dsa_sign(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                    size_t *len, const uint8_t *in, size_t in_len)
{
    return hr_dsa_sign(out, len, in, in_len, pk_key(pk), NULL);
}

static int dsa_verify(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                      size_t *len, const uint8_t *in, size_t in_len)
{
    return hr_dsa_verify(out, *len, in, in_len, pk_key(pk));
}

static size_t dh_key_size(hr_alg alg)
{
    return sizeof(struct hr_dh_key);
}

static int dh_init(struct pk *pk, const struct hr_number *parts, size_t num, bool is_private)
{
    const struct hr_dh_params params = { .p = parts[0], .g = parts[1] };
    if (num != 3 || !is_private)
        return HR_EINVAL;
    const int rv = hr_dh_key_init(pk_key(pk), &params, &parts[2]);
    pk->out_len = (uint32_t)hr_dh_size(pk_key(pk));
    return rv;
}

static void dh_wipe(void *key)
{
    hr_dh_key_wipe(key);
}

static int dh_derive(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                     size_t *len, const uint8_t *in, size_t in_len)
{
    return hr_dh_agree(out, len, in, in_len, pk_key(pk), 0);
}

/* ---- key encapsulation ---- */

static int kem_init(struct pk *pk, const struct hr_number *parts, size_t num, bool is_private)
{
    pk->out_len = (uint32_t)hr_kem_ciphertext_len(pk->alg);
    return (is_private ? hr_kem_key_init : hr_kem_key_init_public)(pk_key(pk), pk->alg,
                                                                   parts[0].bytes, parts[0].len);
}

static void kem_wipe(void *key)
{
    hr_kem_key_wipe(key);
}

static int kem_encapsulate(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                           size_t *len, const uint8_t *in, size_t in_len)
{
    size_t ct_len = pk->out_len;
    if (*len < ct_len + HR_KEM_SECRET_LEN)
        return HR_EBUFFER;
    *len = ct_len + HR_KEM_SECRET_LEN;
    return hr_kem_encapsulate(out, &ct_len, out + ct_len, pk_key(pk),
                              in_len == HR_KEM_RANDOM_LEN ? in : NULL);
}

static int kem_decapsulate(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                           size_t *len, const uint8_t *in, size_t in_len)
{
    if (*len < HR_KEM_SECRET_LEN)
        return HR_EBUFFER;
    *len = HR_KEM_SECRET_LEN;
    return hr_kem_decapsulate(out, in, in_len, pk_key(pk));
}

PART(kem_private, hr_kem_key_private)
PART(kem_public, hr_kem_key_public)

/* clang-format off */
static const struct pk_class classes[] = {
    { HR_CLASS_RSA, rsa_key_size, rsa_init, rsa_wipe,
      { [PK_SIGN] = rsa_sign, [PK_VERIFY] = rsa_verify,
        [PK_ENCRYPT] = rsa_encrypt, [PK_DECRYPT] = rsa_decrypt, [PK_RECOVER] = rsa_recover } },
    { HR_CLASS_SIGN, hr_sign_key_size, sign_init, sign_wipe,
      { [PK_SIGN] = sign_sign, [PK_VERIFY] = sign_verify, [PK_PRIVATE] = sign_private,
        [PK_PUBLIC] = sign_public } },
    { HR_CLASS_AGREE, hr_agree_key_size, agree_init, agree_wipe,
      { [PK_DERIVE] = agree_derive, [PK_ENCAPSULATE] = dhkem_encapsulate,
        [PK_DECAPSULATE] = dhkem_decapsulate, [PK_PUBLIC] = agree_public } },
    { HR_CLASS_DSA, dsa_key_size, dsa_init, dsa_wipe,
      { [PK_SIGN] = dsa_sign, [PK_VERIFY] = dsa_verify } },
    { HR_CLASS_DH, dh_key_size, dh_init, dh_wipe, { [PK_DERIVE] = dh_derive } },
    { HR_CLASS_KEM, hr_kem_key_size, kem_init, kem_wipe,
      { [PK_ENCAPSULATE] = kem_encapsulate, [PK_DECAPSULATE] = kem_decapsulate,
        [PK_PRIVATE] = kem_private, [PK_PUBLIC] = kem_public } },
};
/* clang-format on */

const struct pk_class *pk_class_of(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    for (size_t i = 0; row && i < COUNT(classes); i++)
        if (classes[i].cls == row->cls)
            return &classes[i];
    return NULL;
}

/* ---- keys ---- */

struct pk *pk_new_memory(hr_alg alg)
{
    const struct pk_class *cls = pk_class_of(alg);
    struct pk *pk = cls ? memory_new(OBJECT_KEY_AT + cls->key_size(alg)) : NULL;
    if (pk)
        *pk = (struct pk){ .cls = cls, .alg = alg, .index = (uint16_t)index_of(alg) };
    return pk;
}

int pk_read_parts(struct hr_number parts[PK_MAX_PARTS], const uint8_t *at, size_t len)
{
    int num = 0;
    for (; len >= 2 && num < PK_MAX_PARTS; num++) {
        const size_t part = (size_t)at[0] << 8 | at[1];
        if (part > len - 2)
            return -1;
        parts[num] = (struct hr_number){ at + 2, part };
        at += 2 + part;
        len -= 2 + part;
    }
    return len ? -1 : num;
}

int64_t hrj_pk_new(int32_t alg, int32_t is_private, const uint8_t *parts, int32_t len)
{
    struct hr_number numbers[PK_MAX_PARTS];
    const int num = pk_read_parts(numbers, parts, (size_t)len);
    if (num < 1)
        return HR_EINVAL;
    struct pk *pk = pk_new_memory((hr_alg)alg);
    if (!pk)
        return HR_ESYSTEM;
    const int rv = pk->cls->init(pk, numbers, (size_t)num, is_private);
    if (!rv)
        return (int64_t)(uintptr_t)pk;
    memory_free(pk);
    return rv;
}

void hrj_pk_free(struct pk *pk)
{
    if (pk->is_named)
        accel_close(pk);
    else
        pk->cls->wipe(pk_key(pk));
    memory_free(pk);
}

int32_t hrj_pk_out_len(const struct pk *pk)
{
    return (int32_t)pk->out_len;
}

/* ---- operations ---- */

void pk_count(enum row_index index, size_t bytes)
{
    struct served served;
    served_init(&served, index);
    served_add(&served, bytes);
    stats_fold(&served);
}

static int run(const struct pk *pk, enum pk_op op, const struct pk_options *options, uint8_t *out,
               size_t *len, const uint8_t *in, size_t in_len)
{
    if (pk->is_named)
        return accel_call(pk, op, options, out, len, in, in_len);
    pk_call *call = pk->cls->calls[op];
    return call ? call(pk, options, out, len, in, in_len) : HR_ESTATE;
}

static int sign_der(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                    size_t *len, const uint8_t *in, size_t in_len)
{
    uint8_t plain[MAX_ECDSA_SIGNATURE];
    size_t plain_len = pk->out_len;
    if (plain_len > sizeof plain)
        return HR_EALG;
    const int rv = run(pk, PK_SIGN, options, plain, &plain_len, in, in_len);
    return rv ? rv : hr_ecdsa_to_der(out, len, plain, plain_len);
}

static int verify_der(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                      size_t *len, const uint8_t *in, size_t in_len)
{
    uint8_t plain[MAX_ECDSA_SIGNATURE];
    size_t plain_len = pk->out_len;
    if (plain_len > sizeof plain)
        return HR_EALG;
    const int rv = hr_ecdsa_from_der(plain, plain_len, out, *len);
    return rv ? rv : run(pk, PK_VERIFY, options, plain, &plain_len, in, in_len);
}

int32_t hrj_pk_run(const struct pk *pk, int32_t op, int32_t padding, int32_t digest,
                   int32_t mgf_digest, int32_t salt_len, const uint8_t *label, int32_t label_len,
                   uint8_t *out, int32_t room, const uint8_t *in, int32_t len)
{
    const struct pk_options options = { padding,  digest, mgf_digest,
                                        salt_len, label,  (size_t)label_len };
    size_t out_len = (size_t)room;
    int rv;
    if (op == PK_SIGN_DER)
        rv = sign_der(pk, &options, out, &out_len, in, (size_t)len);
    else if (op == PK_VERIFY_DER)
        rv = verify_der(pk, &options, out, &out_len, in, (size_t)len);
    else
        rv = run(pk, (enum pk_op)op, &options, out, &out_len, in, (size_t)len);
    if (rv)
        return rv;
    pk_count(pk->index, (size_t)len);
    return op == PK_VERIFY || op == PK_VERIFY_DER ? 0 : (int32_t)out_len;
}
