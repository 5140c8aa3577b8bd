/* SPDX-License-Identifier: Apache-2.0 */
/* GCM through EVP: AAD comes in an update without output.  The tag is a parameter, read after final
 * for encryption and set before it for decryption. */
#include "aead.h"
#include "params.h"

enum { FIXED_MIN = 4, COUNTER_LEN = 8, RANDOM_MIN = 12 };

/* ---- IVs ---- */

static int good_iv(const struct aead *a, size_t iv_len)
{
    return iv_len >= 1 && iv_len <= MAX_AEAD_IV;
}

/* changed: the message that the old key began is over. */
static void changed(struct aead *a, int iv, int key)
{
    if (key && a->iv_state == IV_IN_USE)
        a->iv_state = IV_GIVEN;
}

/* set_iv_len: an IV that was given before, for another length, must not be used, nor a random one
 * in its place. */
static int set_iv_len(struct aead *a, size_t iv_len)
{
    if (!good_iv(a, iv_len))
        return 0;
    if (iv_len != a->iv_len && a->iv_state != IV_NONE)
        a->iv_state = IV_SPENT;
    a->iv_len = iv_len;
    return 1;
}

/* make_iv makes a random IV if the program has set none (SP 800-38D section 8.2.2). */
static int make_iv(struct aead *a)
{
    if (a->op != HR_OP_ENCRYPT || a->iv_len < RANDOM_MIN ||
        !random_bytes(a->provider, a->iv, a->iv_len))
        return 0;
    a->iv_random = 1;
    a->iv_state = IV_GIVEN;
    return 1;
}

int gcm_asks_size(const struct aead *a)
{
    return is_openssl_4(a->provider);
}

int gcm_has_iv(struct aead *a)
{
    return a->iv_state != IV_NONE || (!a->tls && is_openssl_4(a->provider) && make_iv(a));
}

/* set_fixed (SP 800-38D section 8.2.1) sets the IV's fixed field, and for encryption starts the
 * counter at a random number.  A length of -1 means that the whole IV is given. */
static int set_fixed(struct aead *a, const uint8_t *fixed, size_t fixed_len)
{
    if (fixed_len == SIZE_MAX) {
        fixed_len = a->iv_len;
    } else {
        if (fixed_len < FIXED_MIN || fixed_len > MAX_AEAD_IV || a->iv_len < fixed_len + COUNTER_LEN)
            return 0;
        if (a->op == HR_OP_ENCRYPT &&
            !random_bytes(a->provider, a->iv + fixed_len, a->iv_len - fixed_len))
            return 0;
    }
    memcpy(a->iv, fixed, fixed_len);
    a->iv_counts = 1;
    a->iv_state = IV_GIVEN;
    return 1;
}

int gcm_next_iv(struct aead *a, uint8_t *out, size_t out_len)
{
    if (!a->iv_counts || !a->key_set || !short_begin(a))
        return 0;
    if (!out_len || out_len > a->iv_len)
        out_len = a->iv_len;
    memcpy(out, a->iv + a->iv_len - out_len, out_len);
    hr_aead_iv_next(a->iv, a->iv_len, COUNTER_LEN);
    return 1;
}

int gcm_set_counter(struct aead *a, const uint8_t *in, size_t in_len)
{
    if (!a->iv_counts || !a->key_set || a->op == HR_OP_ENCRYPT || in_len > a->iv_len)
        return 0;
    memcpy(a->iv + a->iv_len - in_len, in, in_len);
    return short_begin(a);
}

/* ---- data ---- */

static int record(struct aead *a, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len)
{
    uint8_t iv[MAX_AEAD_IV];
    a->tls = 0;
    a->iv_state = IV_SPENT;
    if (!a->key_set || !a->iv_counts || a->iv_len < COUNTER_LEN || out != in ||
        len < TLS_EXPLICIT_IV + HR_AEAD_MAX_TAG)
        return 0;
    uint8_t *const counter = a->iv + a->iv_len - COUNTER_LEN;
    if (a->op == HR_OP_DECRYPT)
        memcpy(counter, in, COUNTER_LEN);
    memcpy(iv, a->iv, a->iv_len);
    if (a->op == HR_OP_ENCRYPT) {
        memcpy(out, counter, COUNTER_LEN);
        hr_aead_iv_next(a->iv, a->iv_len, COUNTER_LEN);
    }
    a->tag_len = HR_AEAD_MAX_TAG;
    return aead_tls_record(a, out, out_len, len, iv, HR_AEAD_MAX_TAG);
}

static int finish(struct aead *a)
{
    if (!short_finish(a))
        return 0;
    if (a->op == HR_OP_ENCRYPT)
        a->tag_len = HR_AEAD_MAX_TAG;
    a->iv_state = IV_SPENT;
    return 1;
}

static int COLD take_iv(struct aead *a)
{
    if (!a->key_set || a->iv_state == IV_SPENT || (a->iv_state == IV_NONE && !make_iv(a)))
        return 0;
    return short_begin(a);
}

/* step is every call of EVP's: AAD comes without `out`, and the end of a message without `in`. */
static inline int step(struct aead *a, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len)
{
    *out_len = 0;
    if (UNLIKELY(a->tls))
        return record(a, out, out_len, in, len);
    if (a->iv_state != IV_IN_USE && !take_iv(a))
        return 0;
    *out_len = len;
    if (!in)
        return finish(a);
    return out ? short_text(a, out, in, len) : short_aad(a, in, len);
}

int GCM_update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
               const unsigned char *in, size_t in_len)
{
    struct aead *a = ctx;
    if (!in_len) {
        *out_len = 0;
        return 1;
    }
    if (out_size < in_len)
        return RAISE(a->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    return LIKELY(step(a, out, out_len, in, in_len)) ||
           RAISE(a->provider, PROV_R_CIPHER_OPERATION_FAILED);
}

/* GCM_final raises no error for a wrong tag: programs tell a wrong tag from failures by that. */
int GCM_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    const int good = step(ctx, out, out_len, NULL, 0);
    *out_len = 0;
    return good;
}

/* GCM_whole is EVP_Cipher(), with which libssl encrypts records; without input it is final. */
int GCM_whole(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
              const unsigned char *in, size_t in_len)
{
    struct aead *a = ctx;
    if (out_size < in_len)
        return RAISE(a->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    return step(a, out, out_len, in, in_len);
}

/* ---- the tag ---- */

static int set_tag(struct aead *a, const OSSL_PARAM *p)
{
    const void *tag;
    size_t len;
    if (!param_get_octets(p, &tag, &len) || len > HR_AEAD_MAX_TAG)
        return RAISE(a->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    if (!len || a->op == HR_OP_ENCRYPT)
        return RAISE(a->provider, PROV_R_INVALID_TAG);
    if (a->iv_state == IV_IN_USE && a->start.state == SHORT_DONE && !short_unfold(a))
        return 0; /* the text was verified with the tag before */
    memcpy(a->tag, tag, len);
    a->tag_len = len;
    return 1;
}

static int get_tag(struct aead *a, OSSL_PARAM *p)
{
    const size_t len = p->data || !gcm_asks_size(a) ? p->data_size : a->tag_len;
    if (!len || len > HR_AEAD_MAX_TAG || a->op != HR_OP_ENCRYPT || !a->tag_len)
        return RAISE(a->provider, PROV_R_INVALID_TAG);
    return (p->data_type == OSSL_PARAM_OCTET_STRING && param_set_octets(p, a->tag, len)) ||
           RAISE(a->provider, PROV_R_FAILED_TO_SET_PARAMETER);
}

const struct aead_mode gcm_evp = {
    .iv_len = 12,
    .tls_explicit = TLS_EXPLICIT_IV,
    .most_tag = HR_AEAD_MAX_TAG,
    .good_iv = good_iv,
    .changed = changed,
    .set_iv_len = set_iv_len,
    .set_tag = set_tag,
    .get_tag = get_tag,
    .set_fixed = set_fixed,
};
