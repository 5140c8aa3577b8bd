/* SPDX-License-Identifier: Apache-2.0 */
/* Encryption and decryption.  A decrypted number is looked at without branches: who could tell one
 * kind of bad padding from another would decrypt any ciphertext (Bleichenbacher 1998, Manger 2001).
 */
#include "../pk/copy_out.h"
#include "../pk/random.h"
#include "rsa.h"
#include <headrace/algorithms.h>

enum { PREMASTER = 48 };

/* ---- OAEP: EM = 0 || maskedSeed || maskedDB, DB = lHash || 0 ... 0 1 || message ---- */

struct oaep {
    hr_alg digest, mgf;
    size_t h_len, db_len;
    uint8_t l_hash[HR_DIGEST_MAX_OUT];
};

static int oaep_of(struct oaep *oaep, const struct rsa_key *key,
                   const struct hr_rsa_options *options)
{
    const struct hr_algorithm *digest = rsa_digest(options->digest, HR_SHA1);
    if (!digest)
        return HR_EALG;
    const struct hr_algorithm *mgf = rsa_digest(options->mgf_digest, digest->alg);
    if (!mgf)
        return HR_EALG;
    oaep->digest = digest->alg;
    oaep->mgf = mgf->alg;
    oaep->h_len = digest->out_len;
    if (key->bytes < 2 * oaep->h_len + 2)
        return HR_EKEYLEN;
    oaep->db_len = key->bytes - oaep->h_len - 1;
    return hr_digest(oaep->l_hash, oaep->digest, options->label_len ? options->label : NULL,
                     options->label_len);
}

static int encode_oaep(uint8_t *em, const uint8_t *in, size_t in_len, const struct rsa_key *key,
                       const struct hr_rsa_options *options)
{
    struct oaep o;
    int error = oaep_of(&o, key, options);
    if (error)
        return error;
    if (in_len > o.db_len - o.h_len - 1)
        return HR_ELENGTH;
    uint8_t *const seed = em + 1, *const db = seed + o.h_len;
    em[0] = 0;
    memset(db, 0, o.db_len);
    memcpy(db, o.l_hash, o.h_len);
    db[o.db_len - in_len - 1] = 1;
    if (in_len)
        memcpy(db + o.db_len - in_len, in, in_len);
    error = rsa_random(seed, o.h_len, options->random);
    if (!error)
        error = rsa_mgf1(db, o.db_len, seed, o.h_len, o.mgf);
    return error ? error : rsa_mgf1(seed, o.h_len, db, o.db_len, o.mgf);
}

/* All wrong forms are one error, of which only the fact becomes public. */
static int decode_oaep(uint8_t *out, size_t *out_len, uint8_t *em, const struct rsa_key *key,
                       const struct hr_rsa_options *options)
{
    struct oaep o;
    int error = oaep_of(&o, key, options);
    if (error)
        return error;
    uint8_t *const seed = em + 1, *const db = seed + o.h_len;
    error = rsa_mgf1(seed, o.h_len, db, o.db_len, o.mgf);
    if (!error)
        error = rsa_mgf1(db, o.db_len, seed, o.h_len, o.mgf);
    if (error)
        return error;
    uint32_t wrong = em[0], searching = UINT32_MAX, one = 0;
    for (size_t i = 0; i < o.h_len; i++)
        wrong |= db[i] ^ o.l_hash[i];
    for (size_t i = o.h_len; i < o.db_len; i++) {
        const uint32_t is_zero = ct_is_zero(db[i]), found = searching & ~is_zero;
        one = ct_select(found, (uint32_t)i, one);
        wrong |= found & (db[i] ^ 1u);
        searching &= is_zero;
    }
    uint32_t good = ct_is_zero(wrong) & ~searching;
    CT_PUBLIC(&good, sizeof good);
    if (!good)
        return HR_EPADDING;
    CT_PUBLIC(&one, sizeof one); /* the length of the message, which the caller gets */
    return copy_out(out, out_len, db + one + 1, o.db_len - one - 1);
}

/* ---- PKCS#1 v1.5: EM = 0 || 2 || at least 8 bytes that are not zero || 0 || message ---- */

static int fill_nonzero(uint8_t *out, size_t len, const uint8_t *random)
{
    int error = rsa_random(out, len, random);
    for (size_t i = 0; !error && i < len; i++) {
        uint8_t is_zero = !out[i];
        CT_PUBLIC(&is_zero, sizeof is_zero); /* a byte that is thrown away */
        while (!error && is_zero) {
            error = random ? HR_EINVAL : system_random(out + i, 1);
            is_zero = !out[i];
            CT_PUBLIC(&is_zero, sizeof is_zero);
        }
    }
    return error;
}

static int encode_pkcs1(uint8_t *em, const uint8_t *in, size_t in_len, const struct rsa_key *key,
                        const struct hr_rsa_options *options)
{
    if (in_len + 3 + RSA_LEAST_PS > key->bytes)
        return HR_ELENGTH;
    const size_t ps = key->bytes - 3 - in_len;
    em[0] = 0, em[1] = 2, em[2 + ps] = 0;
    if (in_len)
        memcpy(em + 3 + ps, in, in_len);
    return fill_nonzero(em + 2, ps, options->random);
}

/* Returns all ones if the padding is right; *len gets the length of the message. */
static uint32_t look_at_pkcs1(uint32_t *len, const uint8_t *em, uint32_t bytes)
{
    uint32_t good = ct_is_zero(em[0]) & ct_eq(em[1], 2), searching = UINT32_MAX, zero = 0;
    for (uint32_t i = 2; i < bytes; i++) {
        const uint32_t is_zero = ct_is_zero(em[i]);
        zero = ct_select(searching & is_zero, i, zero);
        searching &= ~is_zero;
    }
    good &= ~searching & ~ct_lt(zero, 2 + RSA_LEAST_PS);
    *len = bytes - zero - 1;
    return good;
}

static int decode_pkcs1(uint8_t *out, size_t *out_len, uint8_t *em, const uint8_t *in,
                        const struct rsa_key *key, const struct hr_rsa_options *options)
{
    uint8_t other[RSA_PRIVATE_BYTES];
    uint32_t len, other_len = 0;
    int error = rsa_reject(other, &other_len, in, key);
    uint32_t good = look_at_pkcs1(&len, em, key->bytes);
    if (options->raise_errors) {
        CT_PUBLIC(&good, sizeof good);
        error = !error && !good ? HR_EPADDING : error;
    }
    len = ct_select(good, len, other_len);
    CT_PUBLIC(&len, sizeof len); /* the caller gets it */
    for (size_t i = 0; i < key->bytes; i++)
        em[i] = (uint8_t)ct_select(good, em[i], other[i]);
    WIPE(&other);
    return error ? error : copy_out(out, out_len, em + key->bytes - len, len);
}

static uint32_t is_version(const uint8_t *at, uint16_t version)
{
    return ct_eq(load_be16(at), version);
}

static int decode_tls(uint8_t *out, size_t *out_len, const uint8_t *em, const struct rsa_key *key,
                      const struct hr_rsa_options *options)
{
    uint8_t other[PREMASTER];
    const uint8_t *const secret = em + key->bytes - PREMASTER;
    uint32_t len;
    const int error = system_random(other, sizeof other);
    if (error)
        return error;
    uint32_t good = look_at_pkcs1(&len, em, key->bytes) & ct_eq(len, PREMASTER);
    uint32_t version = is_version(secret, options->client_version);
    if (options->negotiated_version)
        version |= is_version(secret, options->negotiated_version);
    good &= version;
    for (size_t i = 0; i < PREMASTER; i++)
        other[i] = (uint8_t)ct_select(good, secret[i], other[i]);
    const int copied = copy_out(out, out_len, other, sizeof other);
    WIPE(&other);
    return copied;
}

/* ---- the calls ---- */

static int encode(uint8_t *em, const uint8_t *in, size_t in_len, const struct rsa_key *key,
                  const struct hr_rsa_options *options)
{
    switch (options->padding) {
    case HR_RSA_PKCS1:
        return encode_pkcs1(em, in, in_len, key, options);
    case HR_RSA_OAEP:
        return encode_oaep(em, in, in_len, key, options);
    case HR_RSA_NONE:
        if (in_len != key->bytes)
            return HR_ELENGTH;
        memcpy(em, in, in_len);
        return 0;
    default:
        return HR_EINVAL;
    }
}

int hr_rsa_encrypt(uint8_t *out, size_t *out_len, const uint8_t *in, size_t in_len,
                   const struct hr_rsa_key *public, const struct hr_rsa_options *options)
{
    const struct rsa_key *key = (const struct rsa_key *)public;
    uint8_t em[RSA_BYTES];
    if (!out || !out_len || !key || !options || (in_len && !in) ||
        (options->label_len && !options->label))
        return HR_EINVAL;
    if (!key->kind)
        return HR_ESTATE;
    if (*out_len < key->bytes)
        return HR_EBUFFER;
    if (in_len > key->bytes)
        return HR_ELENGTH;
    int error = encode(em, in, in_len, key, options);
    if (!error)
        error = rsa_public_vartime(em, key);
    if (!error) {
        CT_PUBLIC(em, key->bytes);
        memcpy(out, em, key->bytes);
        *out_len = key->bytes;
    }
    WIPE(&em);
    return error;
}

static int decode(uint8_t *out, size_t *out_len, uint8_t *em, const uint8_t *in,
                  const struct rsa_key *key, const struct hr_rsa_options *options)
{
    switch (options->padding) {
    case HR_RSA_PKCS1:
        return decode_pkcs1(out, out_len, em, in, key, options);
    case HR_RSA_OAEP:
        return decode_oaep(out, out_len, em, key, options);
    case HR_RSA_TLS:
        return decode_tls(out, out_len, em, key, options);
    case HR_RSA_NONE:
        return copy_out(out, out_len, em, key->bytes);
    default:
        return HR_EINVAL;
    }
}

int hr_rsa_decrypt(uint8_t *out, size_t *out_len, const uint8_t *in, size_t in_len,
                   const struct hr_rsa_key *public, const struct hr_rsa_options *options)
{
    const struct rsa_key *key = (const struct rsa_key *)public;
    uint8_t em[RSA_PRIVATE_BYTES], number[RSA_PRIVATE_BYTES] = { 0 };
    if (!out || !out_len || !in || !key || !options || (options->label_len && !options->label))
        return HR_EINVAL;
    if (key->kind != RSA_PRIVATE)
        return HR_ESTATE;
    if (!in_len || in_len > key->bytes || (options->padding == HR_RSA_OAEP && in_len != key->bytes))
        return HR_ELENGTH;
    memcpy(number + key->bytes - in_len, in, in_len);
    memcpy(em, number, key->bytes);
    int error = rsa_private(em, key, options->strict);
    if (!error)
        error = decode(out, out_len, em, number, key, options);
    WIPE(&em);
    return error;
}
