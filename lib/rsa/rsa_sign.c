/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures.  Signing and verification make the same encoded message (RFC 8017 section 9), but for
 * PSS, which is taken apart, as its salt is in the signature. */
#include "../pk/copy_out.h"
#include "../pk/oids.h"
#include "rsa.h"
#include <headrace/algorithms.h>

/* ---- PKCS#1 v1.5 ---- */

/* The object identifier of a digest, in DER without its first two bytes (RFC 8017 appendix B.1, RFC
 * 3447, NIST's register of algorithms). */
struct digest_oid {
    hr_alg alg;
    uint8_t len;
    uint8_t oid[9];
};
#define NIST(alg, x) { alg, NIST_OID_LEN, { NIST_DIGEST_OID(x) } },
static const struct digest_oid digest_oids[] = {
    NIST_DIGESTS(NIST){ HR_SHA1, 5, { 0x2b, 0x0e, 0x03, 0x02, 0x1a } },
    { HR_MD5, 8, { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x05 } },
};

enum { MOST_PREFIX = 19 };

/* Writes what stands before a digest in DigestInfo: SEQUENCE { SEQUENCE { OID, NULL }, OCTET
 * STRING }.  Returns its length, or 0 if the digest has no identifier. */
static size_t digest_prefix(uint8_t out[MOST_PREFIX], hr_alg alg, size_t digest_len)
{
    for (size_t i = 0; i < COUNT(digest_oids); i++) {
        const struct digest_oid *const d = &digest_oids[i];
        if (d->alg != alg)
            continue;
        const uint8_t head[] = { 0x30, (uint8_t)(d->len + 8 + digest_len),
                                 0x30, (uint8_t)(d->len + 4),
                                 0x06, d->len };
        const uint8_t tail[] = { 0x05, 0x00, 0x04, (uint8_t)digest_len };
        memcpy(out, head, sizeof head);
        memcpy(out + sizeof head, d->oid, d->len);
        memcpy(out + sizeof head + d->len, tail, sizeof tail);
        return sizeof head + d->len + sizeof tail;
    }
    return 0;
}

/* 00 01 FF ... FF 00, DigestInfo or the input itself. */
static int encode_pkcs1(uint8_t *em, const uint8_t *in, size_t in_len, const struct rsa_key *key,
                        const struct hr_rsa_options *options)
{
    uint8_t prefix[MOST_PREFIX];
    size_t prefix_len = 0;
    if (options->digest) {
        const struct hr_algorithm *row = rsa_digest(options->digest, 0);
        prefix_len = row ? digest_prefix(prefix, row->alg, row->out_len) : 0;
        if (!prefix_len)
            return HR_EALG;
        if (in_len != row->out_len)
            return HR_ELENGTH;
    }
    if (in_len > key->bytes || in_len + prefix_len + 3 + RSA_LEAST_PS > key->bytes)
        return HR_EKEYLEN;
    const size_t ps = key->bytes - 3 - prefix_len - in_len;
    em[0] = 0, em[1] = 1, em[2 + ps] = 0;
    memset(em + 2, 0xff, ps);
    memcpy(em + 3 + ps, prefix, prefix_len);
    if (in_len)
        memcpy(em + 3 + ps + prefix_len, in, in_len);
    return 0;
}

static int encode_none(uint8_t *em, const uint8_t *in, size_t in_len, const struct rsa_key *key)
{
    if (in_len != key->bytes)
        return HR_ELENGTH;
    memcpy(em, in, in_len);
    return 0;
}

/* ---- PSS: EM = maskedDB || H || BC, DB = 0 ... 0 1 || salt ---- */

struct pss {
    hr_alg digest, mgf;
    size_t h_len, em_len; /* em_len may be a byte less than the key's */
    uint8_t top;          /* which bits of the first byte of EM are used */
};

static int pss_of(struct pss *pss, size_t in_len, const struct rsa_key *key,
                  const struct hr_rsa_options *options)
{
    const struct hr_algorithm *digest = rsa_digest(options->digest, 0);
    const struct hr_algorithm *mgf = rsa_digest(options->mgf_digest, options->digest);
    if (!digest || !mgf)
        return HR_EALG;
    if (in_len != digest->out_len)
        return HR_ELENGTH;
    const size_t bits = bn_bits(key->n, key->num) - 1;
    pss->digest = digest->alg;
    pss->mgf = mgf->alg;
    pss->h_len = digest->out_len;
    pss->em_len = (bits + 7) / 8;
    pss->top = (uint8_t)(0xff >> (8 * pss->em_len - bits));
    return pss->em_len < pss->h_len + 2 ? HR_EKEYLEN : 0;
}

/* H = Hash(8 zeros || digest || salt) */
static int pss_hash(uint8_t *h, const uint8_t *in, const uint8_t *salt, size_t salt_len,
                    const struct pss *pss)
{
    static const uint8_t zeros[8];
    struct hr_digest_ctx ctx;
    int error = hr_digest_init(&ctx, pss->digest);
    if (!error)
        error = hr_digest_update(&ctx, zeros, sizeof zeros);
    if (!error)
        error = hr_digest_update(&ctx, in, pss->h_len);
    if (!error)
        error = hr_digest_update(&ctx, salt, salt_len);
    return error ? error : hr_digest_final(&ctx, h);
}

/* Returns the length of the salt in DB's last bytes, or HR_EINVAL, HR_EKEYLEN. */
static int64_t salt_length(int32_t wanted, const struct pss *pss)
{
    const int64_t most = (int64_t)(pss->em_len - pss->h_len - 2);
    int64_t len = wanted;
    if (wanted == HR_RSA_SALT_DIGEST)
        len = (int64_t)pss->h_len;
    if (wanted == HR_RSA_SALT_MAX)
        len = most;
    if (len < 0)
        return HR_EINVAL;
    return len > most ? HR_EKEYLEN : len;
}

static int encode_pss(uint8_t *em, const uint8_t *in, size_t in_len, const struct rsa_key *key,
                      const struct hr_rsa_options *options)
{
    struct pss pss;
    int error = pss_of(&pss, in_len, key, options);
    if (error)
        return error;
    const int64_t salt_len = salt_length(options->salt_len, &pss);
    if (salt_len < 0)
        return (int)salt_len;
    em[0] = 0;
    em += key->bytes - pss.em_len;
    const size_t db_len = pss.em_len - pss.h_len - 1;
    uint8_t *const salt = em + db_len - salt_len, *const h = em + db_len;
    memset(em, 0, db_len);
    error = rsa_random(salt, (size_t)salt_len, options->random);
    CT_PUBLIC(salt, (size_t)salt_len); /* whoever has the public key sees it */
    if (!error)
        error = pss_hash(h, in, salt, (size_t)salt_len, &pss);
    salt[-1] = 1;
    if (!error)
        error = rsa_mgf1(em, db_len, h, pss.h_len, pss.mgf);
    em[0] &= pss.top;
    em[pss.em_len - 1] = 0xbc;
    return error;
}

/* Checks what can be checked without a signature. */
static int check_pss(size_t in_len, const struct rsa_key *key, const struct hr_rsa_options *options)
{
    struct pss pss;
    const int error = pss_of(&pss, in_len, key, options);
    if (error)
        return error;
    const int any = options->salt_len == HR_RSA_SALT_ANY;
    const int64_t wanted = any ? 0 : salt_length(options->salt_len, &pss);
    if (wanted < 0)
        return wanted == HR_EKEYLEN ? HR_EMAC : (int)wanted;
    return 0;
}

static int compare_pss_vartime(uint8_t *em, const uint8_t *in, size_t in_len,
                               const struct rsa_key *key, const struct hr_rsa_options *options)
{
    struct pss pss;
    uint8_t hash[HR_DIGEST_MAX_OUT];
    int error = pss_of(&pss, in_len, key, options);
    if (error)
        return error;
    const int any = options->salt_len == HR_RSA_SALT_ANY;
    const int64_t wanted = any ? 0 : salt_length(options->salt_len, &pss);
    if (pss.em_len < key->bytes && *em++)
        return HR_EMAC;
    const size_t db_len = pss.em_len - pss.h_len - 1;
    const uint8_t *const h = em + db_len;
    if (em[pss.em_len - 1] != 0xbc || em[0] & ~pss.top)
        return HR_EMAC;
    error = rsa_mgf1(em, db_len, h, pss.h_len, pss.mgf);
    if (error)
        return error;
    em[0] &= pss.top;
    size_t one = 0;
    while (one < db_len && !em[one])
        one++;
    if (one == db_len || em[one] != 1)
        return HR_EMAC;
    const size_t salt_len = db_len - one - 1;
    if (!any && salt_len != (size_t)wanted)
        return HR_EMAC;
    error = pss_hash(hash, in, em + one + 1, salt_len, &pss);
    return error ? error : memcmp(hash, h, pss.h_len) ? HR_EMAC : 0;
}

/* ---- the calls ---- */

static int encode(uint8_t *em, const uint8_t *in, size_t in_len, const struct rsa_key *key,
                  const struct hr_rsa_options *options)
{
    switch (options->padding) {
    case HR_RSA_PKCS1:
        return encode_pkcs1(em, in, in_len, key, options);
    case HR_RSA_PSS:
        return encode_pss(em, in, in_len, key, options);
    case HR_RSA_NONE:
        return encode_none(em, in, in_len, key);
    default:
        return HR_EINVAL;
    }
}

int rsa_encode(uint8_t em[RSA_PRIVATE_BYTES], size_t sig_len, const uint8_t *in, size_t in_len,
               const struct rsa_key *key, const struct hr_rsa_options *options)
{
    if (!options || (in_len && !in))
        return HR_EINVAL;
    if (key->kind != RSA_PRIVATE)
        return HR_ESTATE;
    return sig_len < key->bytes ? HR_EBUFFER : encode(em, in, in_len, key, options);
}

int hr_rsa_sign(uint8_t *sig, size_t *sig_len, const uint8_t *in, size_t in_len,
                const struct hr_rsa_key *public, const struct hr_rsa_options *options)
{
    const struct rsa_key *key = (const struct rsa_key *)public;
    uint8_t em[RSA_PRIVATE_BYTES];
    if (!sig || !sig_len || !key)
        return HR_EINVAL;
    int error = rsa_encode(em, *sig_len, in, in_len, key, options);
    if (!error)
        error = rsa_private(em, key, options->strict);
    if (!error) {
        CT_PUBLIC(em, key->bytes);
        memcpy(sig, em, key->bytes);
        *sig_len = key->bytes;
    }
    WIPE(&em);
    return error;
}

int rsa_verify_start(uint8_t *wanted, const uint8_t *sig, size_t sig_len, const uint8_t *in,
                     size_t in_len, const struct rsa_key *key, const struct hr_rsa_options *options)
{
    if (!options || (sig_len && !sig) || (in_len && !in))
        return HR_EINVAL;
    if (!key->kind)
        return HR_ESTATE;
    const int error = options->padding == HR_RSA_PSS ? check_pss(in_len, key, options)
                                                     : encode(wanted, in, in_len, key, options);
    return error || sig_len == key->bytes ? error : HR_EMAC;
}

int rsa_verify_end_vartime(uint8_t *em, const uint8_t *wanted, const uint8_t *in, size_t in_len,
                           const struct rsa_key *key, const struct hr_rsa_options *options)
{
    if (options->padding == HR_RSA_PSS)
        return compare_pss_vartime(em, in, in_len, key, options);
    return memcmp(em, wanted, key->bytes) ? HR_EMAC : 0;
}

int hr_rsa_verify(const uint8_t *sig, size_t sig_len, const uint8_t *in, size_t in_len,
                  const struct hr_rsa_key *public, const struct hr_rsa_options *options)
{
    const struct rsa_key *key = (const struct rsa_key *)public;
    uint8_t em[RSA_BYTES], wanted[RSA_BYTES];
    if (!key)
        return HR_EINVAL;
    const int error = rsa_verify_start(wanted, sig, sig_len, in, in_len, key, options);
    if (error)
        return error;
    memcpy(em, sig, sig_len);
    if (rsa_public_vartime(em, key))
        return HR_EMAC;
    return rsa_verify_end_vartime(em, wanted, in, in_len, key, options);
}

/* ---- recovery ---- */

/* Raises a signature to e; HR_EMAC if its length or its value is none of the key's. */
static int open_vartime(uint8_t em[RSA_BYTES], const uint8_t *sig, size_t sig_len,
                        const struct rsa_key *key)
{
    if (sig_len != key->bytes)
        return HR_EMAC;
    memcpy(em, sig, sig_len);
    return rsa_public_vartime(em, key) ? HR_EMAC : 0;
}

/* Finds what a PKCS#1 signature contains by encoding it again. */
static int recover_vartime(uint8_t *out, size_t *out_len, const uint8_t *em,
                           const struct rsa_key *key, const struct hr_rsa_options *options)
{
    uint8_t again[RSA_BYTES];
    const struct hr_algorithm *row = rsa_digest(options->digest, 0);
    size_t at = 2;
    while (at < key->bytes && em[at] == 0xff)
        at++;
    size_t len = at + 1 < key->bytes ? key->bytes - at - 1 : 0;
    if (options->padding == HR_RSA_NONE)
        len = key->bytes;
    else if (row)
        len = row->out_len;
    const uint8_t *const from = em + key->bytes - len;
    const int error = encode(again, from, len, key, options);
    if (error)
        return error == HR_EKEYLEN ? HR_EMAC : error;
    if (memcmp(em, again, key->bytes))
        return HR_EMAC;
    return copy_out(out, out_len, from, len);
}

/* Whether these options can be recovered by, whatever the signature is. */
static int check_recover(const struct hr_rsa_options *options)
{
    uint8_t prefix[MOST_PREFIX];
    const struct hr_algorithm *row = rsa_digest(options->digest, 0);
    if (options->padding == HR_RSA_NONE)
        return 0;
    if (options->padding != HR_RSA_PKCS1)
        return HR_EINVAL;
    return options->digest && !(row && digest_prefix(prefix, row->alg, row->out_len)) ? HR_EALG : 0;
}

int hr_rsa_recover(uint8_t *out, size_t *out_len, const uint8_t *sig, size_t sig_len,
                   const struct hr_rsa_key *public, const struct hr_rsa_options *options)
{
    const struct rsa_key *key = (const struct rsa_key *)public;
    uint8_t em[RSA_BYTES];
    if (!out || !out_len || !key || !options || (sig_len && !sig))
        return HR_EINVAL;
    if (!key->kind)
        return HR_ESTATE;
    int error = check_recover(options);
    if (!error)
        error = open_vartime(em, sig, sig_len, key);
    return error ? error : recover_vartime(out, out_len, em, key, options);
}
