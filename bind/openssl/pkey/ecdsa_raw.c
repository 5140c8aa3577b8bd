/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA over a digest.  Signatures are Ecdsa-Sig-Value (RFC 3279 section 2.2.3) in DER, and in no
 * other form: OpenSSL refuses all others, too. */
#include "../custody/custody.h"
#include "ecdsa.h"
#include <headrace/algorithms.h>

/* ---- DER: hr_ecdsa_from_der would not tell what is no DER from numbers that are too large ---- */

enum { SEQUENCE = 0x30, INTEGER = 0x02, MAX_SCALARS = 2 * EC_MAX_BYTES };

struct bytes {
    const uint8_t *at;
    size_t len;
};

/* take returns the contents of the element of this tag at the start, with *in behind it; a NULL
 * pointer if there is none, or its length is longer than it need be. */
static struct bytes take(struct bytes *in, uint8_t tag)
{
    const uint8_t *at = in->at;
    const struct bytes none = { NULL, 0 };
    if (in->len < 2 || at[0] != tag)
        return none;
    size_t head = 2, len = at[1];
    if (len == 0x81 && in->len > 2 && at[2] > 127)
        head = 3, len = at[2];
    else if (len > 127)
        return none;
    if (len > in->len - head)
        return none;
    *in = (struct bytes){ at + head + len, in->len - head - len };
    return (struct bytes){ at + head, len };
}

/* take_scalar takes a positive DER integer, without its leading zero.  A NULL pointer: none. */
static struct bytes take_scalar(struct bytes *in)
{
    struct bytes number = take(in, INTEGER);
    const struct bytes none = { NULL, 0 };
    if (!number.len || number.at[0] >> 7)
        return none;
    if (number.len > 1 && !number.at[0]) {
        if (!(number.at[1] >> 7))
            return none;
        number.at++, number.len--;
    }
    return number;
}

/* from_der writes r and s, each with the curve's length.  It returns -1 if the signature is not
 * DER, and 0 if a scalar is out of range. */
static int from_der(uint8_t scalars[MAX_SCALARS], const struct ec_curve *curve, const uint8_t *sig,
                    size_t sig_len)
{
    struct bytes in = { sig, sig_len };
    struct bytes body = take(&in, SEQUENCE);
    const struct bytes r = take_scalar(&body), s = take_scalar(&body);
    const size_t bytes = curve->bytes;
    if (!r.at || !s.at || body.len || in.len)
        return -1;
    if (r.len > bytes || s.len > bytes)
        return 0;
    memset(scalars, 0, 2 * bytes);
    memcpy(scalars + bytes - r.len, r.at, r.len);
    memcpy(scalars + 2 * bytes - s.len, s.at, s.len);
    return ec_curve_has_scalar(curve, scalars) && ec_curve_has_scalar(curve, scalars + bytes);
}

/* ---- another provider's ---- */

/* foreign_params: the digest decides only how a nonce is made. */
static const OSSL_PARAM *foreign_params(struct ecdsa *e, OSSL_PARAM out[3])
{
    if (!e->nonce_type)
        return NULL;
    size_t i = 0;
    if (*e->md_name)
        out[i++] = (OSSL_PARAM){ OSSL_SIGNATURE_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, e->md_name,
                                 strlen(e->md_name), PARAM_NONE };
    out[i++] = (OSSL_PARAM){ PARAM_NONCE_TYPE, OSSL_PARAM_UNSIGNED_INTEGER, &e->nonce_type,
                             sizeof e->nonce_type, PARAM_NONE };
    out[i] = (OSSL_PARAM)PARAM_END;
    return out;
}

static int sign_foreign(struct ecdsa *e, uint8_t *sig, size_t *sig_len, const uint8_t *digest,
                        size_t digest_len)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    OSSL_PARAM params[3];
    EVP_PKEY *other = ec_foreign(e->key);
    EVP_PKEY_CTX *ctx = other ? other_with(e->provider, other) : NULL;
    *sig_len = ec_key_size(e->key);
    const int good = ctx && ssl->EVP_PKEY_sign_init_ex(ctx, foreign_params(e, params)) > 0 &&
                     ssl->EVP_PKEY_sign(ctx, sig, sig_len, digest, digest_len) > 0;
    ssl->EVP_PKEY_CTX_free(ctx);
    ssl->EVP_PKEY_free(other);
    return good;
}

static int verify_foreign(struct ecdsa *e, const uint8_t *sig, size_t sig_len,
                          const uint8_t *digest, size_t digest_len)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    EVP_PKEY_CTX *ctx = other_with(e->provider, e->key->foreign);
    int result = 0;
    if (ctx && ssl->EVP_PKEY_verify_init_ex(ctx, NULL) > 0)
        result = ssl->EVP_PKEY_verify(ctx, sig, sig_len, digest, digest_len);
    ssl->EVP_PKEY_CTX_free(ctx);
    return result;
}

/* ---- ours ---- */

/* nonce_digest returns the row of the digest by whose HMAC RFC 6979 makes nonces, or HR_ALG_NONE.
 */
static hr_alg nonce_digest(const struct ecdsa *e)
{
    const struct hr_algorithm *hmac = hmac_over(e->md_name, strlen(e->md_name));
    return hmac ? hmac->digest : HR_ALG_NONE;
}

static int sign_ours(struct ecdsa *e, uint8_t *sig, size_t *sig_len, const uint8_t *digest,
                     size_t digest_len, const struct hr_sign_options *options)
{
    uint8_t scalars[MAX_SCALARS];
    size_t len = sizeof scalars;
    struct hr_sign_key *signer = ec_key_signer(e->key);
    if (!signer)
        return 0;
    const int error = hr_sign(scalars, &len, digest, digest_len, signer, options);
    if (error)
        return RAISE_HR(e->provider, error);
    *sig_len = e->key->curve->signature_max;
    served_add(&e->served, digest_len);
    return !hr_ecdsa_to_der(sig, sig_len, scalars, len);
}

/* sign_named lets the service sign, which draws the nonce. */
static int sign_named(struct ecdsa *e, uint8_t *sig, size_t *sig_len, const uint8_t *digest,
                      size_t digest_len)
{
    uint8_t scalars[MAX_SCALARS];
    size_t len = sizeof scalars;
    struct custody *named = e->key->head.custody;
    if (e->nonce_type)
        return custody_refuse(named, "no deterministic nonces");
    if (!custody_sign(named, scalars, &len, digest, digest_len, NULL))
        return 0;
    *sig_len = ec_key_size(e->key);
    if (e->key->curve)
        served_add(&e->served, digest_len);
    return !hr_ecdsa_to_der(sig, sig_len, scalars, len);
}

int ecdsa_sign_digest(struct ecdsa *e, uint8_t *sig, size_t *sig_len, const uint8_t *digest,
                      size_t digest_len)
{
    uint8_t fresh[32];
    struct hr_sign_options options = { .random = fresh };
    if (e->key->head.custody)
        return sign_named(e, sig, sig_len, digest, digest_len);
    if (e->nonce_type) {
        options =
            (struct hr_sign_options){ .flags = HR_SIGN_DETERMINISTIC, .digest = nonce_digest(e) };
    }
    if (e->key->foreign || e->nonce_type > 1 || (e->nonce_type && !options.digest))
        return sign_foreign(e, sig, sig_len, digest, digest_len);
    if (options.random && !random_secret(e->provider, fresh, sizeof fresh))
        return 0;
    const int good = sign_ours(e, sig, sig_len, digest, digest_len, &options);
    WIPE(&fresh);
    return good;
}

int ecdsa_verify_digest(struct ecdsa *e, const uint8_t *sig, size_t sig_len, const uint8_t *digest,
                        size_t digest_len)
{
    uint8_t scalars[MAX_SCALARS];
    if (e->key->foreign)
        return verify_foreign(e, sig, sig_len, digest, digest_len);
    struct hr_sign_key *verifier = ec_key_verifier(e->key);
    if (!verifier)
        return -1;
    const int form = from_der(scalars, e->key->curve, sig, sig_len);
    if (form < 1)
        return form < 0 ? -1 : RAISE_EC(e->provider, EC_R_BAD_SIGNATURE);
    served_add(&e->served, digest_len);
    return !hr_verify(scalars, 2 * (size_t)e->key->curve->bytes, digest, digest_len, verifier,
                      NULL);
}
