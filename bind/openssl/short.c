/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of GCM and ChaCha20-Poly1305 that may be short (struct short_message in aead.h). */
#include "aead.h"

enum { MIN_TAG = 4 };

/* short_begin begins a message.  With an IV of 12 bytes it may be a short one, which waits
 * for its text (struct short_message in aead.h); else it is a stream at once. */
int short_begin(struct aead *a)
{
    struct short_message *m = &a->start;
    a->refused = 0;
    m->op = a->op;
    m->state = a->iv_len == sizeof m->iv ? SHORT_WAITS : SHORT_NOT;
    if (m->state == SHORT_NOT) {
        if (hr_aead_init(&a->stream, &a->key, a->op, a->iv, a->iv_len))
            return 0;
    } else {
        m->aad_len = 0;
        m->len = 0;
        memcpy(m->iv, a->iv, sizeof m->iv); /* a->iv may be counted on meanwhile */
    }
    a->iv_state = IV_IN_USE;
    return 1;
}

/* short_unfold turns a short message into a stream, which takes the AAD and text so far. */
COLD int short_unfold(struct aead *a)
{
    uint8_t out[SHORT_TEXT];
    struct short_message *m = &a->start;
    const int done = m->state == SHORT_DONE;
    m->state = SHORT_NOT;
    int error = hr_aead_init(&a->stream, &a->key, m->op, m->iv, sizeof m->iv);
    if (!error && m->aad_len)
        error = hr_aead_aad(&a->stream, m->aad, m->aad_len);
    if (!error && done) {
        error = hr_aead_update(&a->stream, out, m->first, m->len);
        wipe_bytes(out, m->len);
        wipe_bytes(m->first, m->len);
    }
    return !error;
}

int short_aad(struct aead *a, const uint8_t *in, size_t len)
{
    struct short_message *m = &a->start;
    if (m->state == SHORT_WAITS && len <= (size_t)SHORT_AAD - m->aad_len) {
        memcpy(m->aad + m->aad_len, in, len);
        m->aad_len = (uint8_t)(m->aad_len + len);
        served_add(&a->served, len);
        return 1;
    }
    return (m->state == SHORT_NOT || short_unfold(a)) && aead_aad(a, in, len);
}

/* whole_text processes the text as if it were the whole message.  If decryption finds that the tag
 * does not fit, more text must come: the message becomes a stream. */
static int whole_text(struct aead *a, uint8_t *out, const uint8_t *in, size_t len)
{
    struct short_message *m = &a->start;
    memcpy(m->first, in, len);
    m->len = (uint16_t)len;
    const int error = m->op == HR_OP_ENCRYPT
                          ? hr_aead_encrypt(out, m->tag, HR_AEAD_MAX_TAG, m->first, len, m->aad,
                                            m->aad_len, &a->key, m->iv, sizeof m->iv)
                          : hr_aead_decrypt(out, a->tag, a->tag_len, m->first, len, m->aad,
                                            m->aad_len, &a->key, m->iv, sizeof m->iv);
    if (UNLIKELY(error))
        return short_unfold(a) && aead_update(a, out, m->first, len);
    m->state = SHORT_DONE;
    served_add(&a->served, len);
    return 1;
}

int short_text(struct aead *a, uint8_t *out, const uint8_t *in, size_t len)
{
    struct short_message *m = &a->start;
    if (UNLIKELY(!len)) /* of EVP_Cipher(): AAD may follow */
        return 1;
    if (m->state == SHORT_WAITS && len <= SHORT_TEXT &&
        (m->op == HR_OP_ENCRYPT || a->tag_len >= MIN_TAG))
        return whole_text(a, out, in, len);
    return (m->state == SHORT_NOT || short_unfold(a)) && aead_update(a, out, in, len);
}

/* verify_stream keeps the stream if the tag is wrong: as with the default provider, more text may
 * then be decrypted, but the message never ends well. */
static int verify_stream(struct aead *a)
{
    if (!a->tag_len)
        return aead_lacks_tag(a);
    if (a->refused)
        return 0;
    struct hr_aead_ctx before = a->stream;
    if (!hr_aead_verify_short(&a->stream, a->tag, a->tag_len)) {
        WIPE(&before);
        return 1;
    }
    a->stream = before;
    a->refused = 1;
    WIPE(&before);
    return 0;
}

/* finish_stream computes the tag, or verifies it. */
static int finish_stream(struct aead *a)
{
    if (a->op == HR_OP_DECRYPT)
        return verify_stream(a);
    return !hr_aead_final(&a->stream, a->tag, HR_AEAD_MAX_TAG);
}

int short_finish(struct aead *a)
{
    struct short_message *m = &a->start;
    if (m->op != a->op || (m->state == SHORT_WAITS && !short_unfold(a)))
        return 0;
    if (m->state == SHORT_NOT)
        return finish_stream(a);
    if (m->op == HR_OP_ENCRYPT) {
        memcpy(a->tag, m->tag, sizeof a->tag);
        wipe_bytes(m->first, m->len);
    }
    m->state = SHORT_NOT;
    return 1;
}
