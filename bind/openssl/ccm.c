/* SPDX-License-Identifier: Apache-2.0 */
/* CCM through EVP.  A program sets the lengths of IV and tag, then the key, then the length of the
 * text (an update without input and output), then AAD in one piece (an update without output), then
 * the text in one piece.  Decryption verifies the tag in that update. */
#include "aead.h"
#include "params.h"

enum { FIXED_LEN = EVP_CCM_TLS_FIXED_IV_LEN, MIN_IV = 7, MAX_IV = 13 };

static int good_iv(const struct aead *a, size_t iv_len)
{
    return iv_len == a->iv_len;
}

/* changed: the default provider refuses most of what follows in an open message, and would take the
 * rest under the old IV, or under none.  Here the length of the text must be given again, and the
 * tag of a message before is gone. */
static void changed(struct aead *a, int iv, int key)
{
    if ((iv || key) && a->len_set)
        a->stage = CCM_SPENT;
    if ((iv || key) && a->op == HR_OP_ENCRYPT)
        a->tag_set = 0;
}

static int set_iv_len(struct aead *a, size_t iv_len)
{
    if (iv_len < MIN_IV || iv_len > MAX_IV)
        return 0;
    if (iv_len != a->iv_len)
        a->iv_state = IV_NONE;
    a->iv_len = iv_len;
    return 1;
}

static int set_fixed(struct aead *a, const uint8_t *fixed, size_t fixed_len)
{
    if (fixed_len != FIXED_LEN)
        return 0;
    memcpy(a->iv, fixed, fixed_len);
    return 1;
}

/* ---- data ---- */

/* begin uses the length that the IV had when the key was set, and ignores the end of a longer
 * IV. */
static int begin(struct aead *a, size_t aad_len)
{
    if (a->iv_len < a->key_iv_len || hr_aead_init(&a->stream, &a->key, a->op, a->iv, a->key_iv_len))
        return 0;
    return !hr_aead_lengths(&a->stream, aad_len, a->text_len, a->key_tag_len);
}

static void forget(struct aead *a)
{
    a->iv_state = IV_NONE;
    a->stage = CCM_NONE;
    a->tag_set = a->len_set = 0;
}

static int set_text_len(struct aead *a, size_t len)
{
    if (a->iv_len < a->key_iv_len)
        return 0;
    a->text_len = len;
    a->len_set = 1;
    a->stage = CCM_LENGTH;
    return 1;
}

/* aad replaces the AAD of a call before, as the default provider does. */
static int aad(struct aead *a, const uint8_t *in, size_t len)
{
    if (!len)
        return 1;
    if (!a->len_set || a->stage == CCM_SPENT || !begin(a, len))
        return 0;
    a->stage = CCM_AAD;
    return aead_aad(a, in, len);
}

static int encrypt(struct aead *a, uint8_t *out, const uint8_t *in, size_t len)
{
    if (!aead_update(a, out, in, len) || hr_aead_final(&a->stream, a->tag, a->key_tag_len))
        return 0;
    a->tag_set = 1;
    return 1;
}

static int decrypt(struct aead *a, uint8_t *out, const uint8_t *in, size_t len)
{
    if (!aead_update(a, out, in, len))
        return 0;
    if (a->tag_len != a->key_tag_len || hr_aead_verify(&a->stream, a->tag, a->tag_len)) {
        if (len)
            wipe_bytes(out, len);
        return 0;
    }
    forget(a);
    return 1;
}

/* text may be tried once: after a wrong length or tag the message is over. */
static int text(struct aead *a, uint8_t *out, const uint8_t *in, size_t len)
{
    if (!a->len_set && !set_text_len(a, len))
        return 0;
    if (a->op == HR_OP_DECRYPT && !a->tag_set)
        return aead_lacks_tag(a);
    const int stage = a->stage;
    a->stage = CCM_SPENT;
    if (a->op == HR_OP_ENCRYPT)
        a->tag_set = 0;
    if (stage == CCM_SPENT || len != a->text_len || (stage == CCM_LENGTH && !begin(a, 0)))
        return 0;
    return a->op == HR_OP_ENCRYPT ? encrypt(a, out, in, len) : decrypt(a, out, in, len);
}

/* The explicit part of the IV comes with the record; for encryption it is the sequence number in
 * the header (RFC 6655 section 3). */
static int record(struct aead *a, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len)
{
    if (!in || out != in || len < (size_t)TLS_EXPLICIT_IV + a->key_tag_len ||
        a->key_iv_len != FIXED_LEN + TLS_EXPLICIT_IV || a->iv_len != a->key_iv_len ||
        a->tag_len != a->key_tag_len)
        return 0;
    if (a->op == HR_OP_ENCRYPT)
        memcpy(out, a->tls_aad, TLS_EXPLICIT_IV);
    memcpy(a->iv + FIXED_LEN, in, TLS_EXPLICIT_IV);
    return aead_tls_record(a, out, out_len, len, a->iv, a->key_tag_len);
}

static int step(struct aead *a, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len)
{
    *out_len = 0;
    if (!a->key_set)
        return 0;
    if (UNLIKELY(a->tls))
        return record(a, out, out_len, in, len);
    if (a->iv_state == IV_NONE)
        return 0;
    *out_len = len;
    if (out)
        return text(a, out, in, len);
    return in ? aad(a, in, len) : set_text_len(a, len);
}

int CCM_update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
               const unsigned char *in, size_t in_len)
{
    struct aead *a = ctx;
    if (out_size < in_len)
        return RAISE(a->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    return LIKELY(step(a, out, out_len, in, in_len)) ||
           RAISE(a->provider, PROV_R_CIPHER_OPERATION_FAILED);
}

/* CCM_final: to encrypt, it does nothing, as in OpenSSL; a message of no text needs an update of no
 * bytes.  To decrypt, OpenSSL would say that a message is good before its text came, or after it
 * was refused; here it is a message of no text, or an error. */
int CCM_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct aead *a = ctx;
    *out_len = 0;
    if (!a->key_set || a->tls)
        return 0;
    return a->op == HR_OP_ENCRYPT || a->iv_state == IV_NONE || text(a, out, out, 0);
}

int CCM_whole(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
              const unsigned char *in, size_t in_len)
{
    struct aead *a = ctx;
    if (out_size < in_len)
        return RAISE(a->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    return step(a, out, out_len, in, in_len);
}

/* ---- the tag ---- */

/* set_tag sets only the length of tags if the parameter has no data. */
static int set_tag(struct aead *a, const OSSL_PARAM *p)
{
    const size_t len = p->data_size;
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return RAISE(a->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    if (len & 1 || len < 4 || len > HR_AEAD_MAX_TAG)
        return RAISE(a->provider, PROV_R_INVALID_TAG_LENGTH);
    if (p->data) {
        if (a->op == HR_OP_ENCRYPT)
            return RAISE(a->provider, PROV_R_TAG_NOT_NEEDED);
        memcpy(a->tag, p->data, len);
        a->tag_set = 1;
    }
    a->tag_len = len;
    return 1;
}

/* get_tag ends the message, so that its IV cannot be used again. */
static int get_tag(struct aead *a, OSSL_PARAM *p)
{
    if (a->op != HR_OP_ENCRYPT || !a->tag_set)
        return RAISE(a->provider, PROV_R_TAG_NOT_SET);
    if (p->data_type != OSSL_PARAM_OCTET_STRING || p->data_size != a->key_tag_len ||
        !param_set_octets(p, a->tag, a->key_tag_len))
        return 0;
    forget(a);
    return 1;
}

const struct aead_mode ccm_evp = {
    .iv_len = 7,
    .tag_len = 12,
    .tls_explicit = TLS_EXPLICIT_IV,
    .good_iv = good_iv,
    .changed = changed,
    .set_iv_len = set_iv_len,
    .set_tag = set_tag,
    .get_tag = get_tag,
    .set_fixed = set_fixed,
};
