/* SPDX-License-Identifier: Apache-2.0 */
/* ChaCha20-Poly1305 through EVP: AAD comes in an update without output.  The tag is a parameter,
 * read after final for encryption and set before it for decryption.
 *
 * As in the default provider, an IV is zero if none was given, and until OpenSSL 4 it stays after
 * the end of a message and begins the next one.  Unlike there, a message needs a key, decryption
 * needs a tag, and AAD may not follow text. */
#include "aead.h"
#include "params.h"

enum { IV_LEN = 12, SEQUENCE_LEN = 8 };

/* ---- IVs ---- */

static int good_iv(const struct aead *a, size_t iv_len)
{
    return iv_len == IV_LEN;
}

/* over ends a message that has begun. */
static void over(struct aead *a)
{
    a->iv_state = IV_GIVEN;
}

static void changed(struct aead *a, int iv, int key)
{
    if (iv || key) {
        over(a);
        a->tls = 0;
    }
}

static int set_iv_len(struct aead *a, size_t iv_len)
{
    return iv_len == IV_LEN;
}

/* set_fixed takes the whole IV, to which the number of each record is added (RFC 7905 section 2).
 */
static int set_fixed(struct aead *a, const uint8_t *fixed, size_t fixed_len)
{
    if (fixed_len != IV_LEN)
        return 0;
    memcpy(a->iv, fixed, IV_LEN);
    over(a);
    return 1;
}

/* ---- data ---- */

/* record processes a record of TLS 1.2.  The header begins with the record's number. */
static int record(struct aead *a, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len)
{
    const uint8_t *const text_len = a->tls_aad + TLS_AAD_LEN - 2;
    uint8_t iv[IV_LEN];
    if (!in || !out || len != ((size_t)text_len[0] << 8 | text_len[1]) + HR_AEAD_MAX_TAG)
        return 0;
    a->tls = 0;
    over(a);
    memcpy(iv, a->iv, IV_LEN);
    for (size_t i = 0; i < SEQUENCE_LEN; i++)
        iv[IV_LEN - SEQUENCE_LEN + i] ^= a->tls_aad[i];
    if (out != in)
        memmove(out, in, len);
    return aead_tls_record(a, out, out_len, len, iv, HR_AEAD_MAX_TAG);
}

/* begin: an IV that began a message that ended well is spent, for OpenSSL 4. */
static int begin(struct aead *a)
{
    return !(a->iv_state == IV_SPENT && is_openssl_4(a->provider)) && short_begin(a);
}

static int finish(struct aead *a)
{
    const int good = short_finish(a);
    a->iv_state = good ? IV_SPENT : IV_GIVEN;
    return good;
}

static inline int step(struct aead *a, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len)
{
    *out_len = 0;
    if (UNLIKELY(!a->key_set))
        return 0;
    if (UNLIKELY(a->tls))
        return record(a, out, out_len, in, len);
    if (a->iv_state != IV_IN_USE && !begin(a))
        return 0;
    *out_len = len;
    if (!in)
        return finish(a);
    return out ? short_text(a, out, in, len) : short_aad(a, in, len);
}

int CHACHA_update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                  const unsigned char *in, size_t in_len)
{
    struct aead *a = ctx;
    if (!in_len) {
        *out_len = 0;
        return 1;
    }
    if (out_size < in_len)
        return RAISE(a->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    return step(a, out, out_len, in, in_len);
}

int CHACHA_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    const int good = step(ctx, out, out_len, NULL, 0);
    *out_len = 0;
    return good;
}

/* CHACHA_whole is EVP_Cipher(), with which libssl encrypts records; in OpenSSL 4 it is final if
 * there is no input. */
int CHACHA_whole(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                 const unsigned char *in, size_t in_len)
{
    const struct aead *a = ctx;
    return !in_len && is_openssl_4(a->provider)
               ? CHACHA_final(ctx, out, out_len, out_size)
               : CHACHA_update(ctx, out, out_len, out_size, in, in_len);
}

/* ---- the tag ---- */

/* set_tag sets only the length of the tag if the parameter has no data. */
static int set_tag(struct aead *a, const OSSL_PARAM *p)
{
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return RAISE(a->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    if (!p->data_size || p->data_size > HR_AEAD_MAX_TAG)
        return RAISE(a->provider, PROV_R_INVALID_TAG_LENGTH);
    if (p->data && a->op == HR_OP_ENCRYPT)
        return RAISE(a->provider, PROV_R_TAG_NOT_NEEDED);
    if (a->iv_state == IV_IN_USE && a->start.state == SHORT_DONE && !short_unfold(a))
        return 0; /* the text was verified with the tag before */
    if (p->data)
        memcpy(a->tag, p->data, p->data_size);
    a->tag_len = p->data_size;
    return 1;
}

static int get_tag(struct aead *a, OSSL_PARAM *p)
{
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return RAISE(a->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    if (a->op != HR_OP_ENCRYPT)
        return RAISE(a->provider, PROV_R_TAG_NOT_SET);
    if (!p->data_size || p->data_size > HR_AEAD_MAX_TAG)
        return RAISE(a->provider, PROV_R_INVALID_TAG_LENGTH);
    return param_set_octets(p, a->tag, p->data_size);
}

const struct aead_mode chacha_evp = {
    .iv_len = IV_LEN,
    .good_iv = good_iv,
    .changed = changed,
    .set_iv_len = set_iv_len,
    .set_tag = set_tag,
    .get_tag = get_tag,
    .set_fixed = set_fixed,
};
