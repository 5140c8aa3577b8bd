/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of AEADs in pieces, under a handle (SP 800-38D, SP 800-38C, RFC 8439).  The service
 * computes whole messages only, so the context collects the AAD, and the text is one update.
 *
 * A program may decrypt before it has the tag.  AEADs encrypt by adding a keystream, so the
 * service can decrypt the text by encrypting it.  It then encrypts the result, which yields the tag
 * to compare with the program's. */
#define _GNU_SOURCE
#include "stream.h"
#include <stdlib.h>

enum { LEAST_TAG = 4 };

enum phase { AAD, TEXT /* AAD is complete */, DONE };

struct aead_stream {
    uint64_t handle;
    uint64_t said_aad, said_len; /* announced by hr_accel_aead_lengths, if said_tag is not 0 */
    struct stream_bytes aad;
    uint16_t alg; /* HR_ALG_NONE: no message */
    uint8_t op, phase;
    uint8_t iv_len;
    uint8_t said_tag; /* the announced length of the tag; 0: not announced */
    uint8_t tag_len;  /* the length of `tag`; 0: the tag is not known */
    uint8_t iv[HR_ACCEL_MAX_IV];
    uint8_t tag[HR_AEAD_MAX_TAG]; /* computed by the service, or announced for decryption */
};
_Static_assert(sizeof(struct aead_stream) <= sizeof(struct hr_accel_aead_ctx), "a context");

static int lengths_first(const struct aead_stream *s)
{
    return hr_algorithm((hr_alg)s->alg)->flags & HR_LENGTH_FIRST;
}

int hr_accel_aead_init(struct hr_accel_aead_ctx *ctx, hr_alg alg, uint64_t handle, enum hr_op op,
                       const uint8_t *iv, size_t iv_len)
{
    struct aead_stream *s = (struct aead_stream *)ctx;
    if (!ctx || (iv_len && !iv) || (unsigned)op > HR_OP_DECRYPT)
        return HR_EINVAL;
    if (!hr_aead_size(alg))
        return HR_EALG;
    if (!iv_len || iv_len > sizeof s->iv)
        return HR_EIVLEN;
    memset(ctx, 0, sizeof *ctx);
    s->handle = handle;
    s->alg = (uint16_t)alg;
    s->op = (uint8_t)op;
    s->iv_len = (uint8_t)iv_len;
    memcpy(s->iv, iv, iv_len);
    return 0;
}

int hr_accel_aead_lengths(struct hr_accel_aead_ctx *ctx, uint64_t aad_len, uint64_t len,
                          size_t tag_len)
{
    struct aead_stream *s = (struct aead_stream *)ctx;
    if (!ctx)
        return HR_EINVAL;
    if (!s->alg)
        return HR_ESTATE;
    if (!lengths_first(s))
        return 0;
    if (s->said_tag || s->phase != AAD)
        return HR_ESTATE;
    if (!tag_len || tag_len > HR_AEAD_MAX_TAG)
        return HR_ETAGLEN;
    if (aad_len < s->aad.len)
        return HR_ELENGTH;
    s->said_aad = aad_len;
    s->said_len = len;
    s->said_tag = (uint8_t)tag_len;
    return 0;
}

int hr_accel_aead_expect(struct hr_accel_aead_ctx *ctx, const uint8_t *tag, size_t tag_len)
{
    struct aead_stream *s = (struct aead_stream *)ctx;
    if (!ctx || !tag)
        return HR_EINVAL;
    if (!s->alg || s->op != HR_OP_DECRYPT || s->phase == DONE)
        return HR_ESTATE;
    if (!tag_len || tag_len > sizeof s->tag)
        return HR_ETAGLEN;
    memcpy(s->tag, tag, tag_len);
    s->tag_len = (uint8_t)tag_len;
    return 0;
}

int hr_accel_aead_aad(struct hr_accel_aead_ctx *ctx, const uint8_t *aad, size_t aad_len)
{
    struct aead_stream *s = (struct aead_stream *)ctx;
    if (!ctx || (aad_len && !aad))
        return HR_EINVAL;
    if (!s->alg || s->phase != AAD)
        return HR_ESTATE;
    if (s->said_tag && aad_len > s->said_aad - s->aad.len)
        return HR_ELENGTH;
    return stream_bytes_add(&s->aad, aad, aad_len, HR_ACCEL_MAX_AAD);
}

/* ---- the text ---- */

static int ask(struct aead_stream *s, enum hr_op op, uint8_t *out, uint8_t *tag, size_t tag_len,
               const uint8_t *in, size_t len)
{
    struct hr_job job = { .alg = s->alg,
                          .op = (uint8_t)op,
                          .tag_len = (uint8_t)tag_len,
                          .iv = s->iv,
                          .iv_len = s->iv_len,
                          .aad = s->aad.at,
                          .aad_len = (uint32_t)s->aad.len,
                          .tag = tag,
                          .in = in,
                          .out = out,
                          .len = len };
    return stream_run(&job, s->handle);
}

static int encrypt(struct aead_stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    const size_t tag_len = s->said_tag ? s->said_tag : HR_AEAD_MAX_TAG;
    const int error = ask(s, HR_OP_ENCRYPT, out, s->tag, tag_len, in, len);
    s->tag_len = (uint8_t)(error ? 0 : tag_len);
    return error;
}

/* If the second request fails, `out` is zeroed: nobody can verify its text. */
static int decrypt_before_tag(struct aead_stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    int error = encrypt(s, out, in, len);
    if (error || !len)
        return error;
    uint8_t *again = malloc(len);
    error = again ? encrypt(s, again, out, len) : HR_ESYSTEM;
    if (again)
        explicit_bzero(again, len);
    free(again);
    if (error) {
        explicit_bzero(out, len);
        s->tag_len = 0;
    }
    return error;
}

static int decrypt(struct aead_stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    if (!s->tag_len)
        return decrypt_before_tag(s, out, in, len);
    if (s->said_tag && s->tag_len != s->said_tag)
        return HR_ETAGLEN;
    return ask(s, HR_OP_DECRYPT, out, s->tag, s->tag_len, in, len);
}

/* run_text processes the whole message, which is complete now. */
static int run_text(struct aead_stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    if (lengths_first(s) && (!s->said_tag || s->aad.len != s->said_aad))
        return HR_ESTATE;
    if (lengths_first(s) && len != s->said_len)
        return HR_ELENGTH;
    if (out != in && stream_touch(out, len, in, len))
        return HR_EOVERLAP;
    const int error = (s->op == HR_OP_ENCRYPT ? encrypt : decrypt)(s, out, in, len);
    if (error)
        return error;
    s->phase = DONE;
    stream_bytes_end(&s->aad);
    return 0;
}

int hr_accel_aead_update(struct hr_accel_aead_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    struct aead_stream *s = (struct aead_stream *)ctx;
    if (!ctx || (len && (!in || !out)))
        return HR_EINVAL;
    if (!s->alg || s->phase == DONE)
        return HR_ESTATE;
    if (!len && !lengths_first(s)) {
        s->phase = TEXT;
        return 0;
    }
    const int error = run_text(s, out, in, len);
    if (error == HR_EMAC)
        hr_accel_aead_wipe(ctx);
    return error;
}

/* ---- the tag ---- */

/* finish processes an empty text if there was no update. */
static int finish(struct aead_stream *s)
{
    uint8_t none = 0;
    if (s->phase == DONE)
        return 0;
    if (lengths_first(s) && s->said_len)
        return HR_ESTATE;
    return run_text(s, &none, &none, 0);
}

static int good_tag_len(const struct aead_stream *s, size_t tag_len, size_t least)
{
    return s->said_tag ? tag_len == s->said_tag : tag_len >= least && tag_len <= HR_AEAD_MAX_TAG;
}

int hr_accel_aead_final(struct hr_accel_aead_ctx *ctx, uint8_t *tag, size_t tag_len)
{
    struct aead_stream *s = (struct aead_stream *)ctx;
    if (!ctx || !tag)
        return HR_EINVAL;
    if (!s->alg || s->op != HR_OP_ENCRYPT || (lengths_first(s) && !s->said_tag))
        return HR_ESTATE;
    if (!good_tag_len(s, tag_len, LEAST_TAG))
        return HR_ETAGLEN;
    const int error = finish(s);
    if (error)
        return error;
    memcpy(tag, s->tag, tag_len);
    hr_accel_aead_wipe(ctx);
    return 0;
}

/* differs runs in constant time: the right tag of a forged message is a secret. */
static int differs(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint32_t differ = 0;
    for (size_t i = 0; i < len; i++)
        differ |= a[i] ^ b[i];
    __asm__("" : "+r"(differ));
    return differ != 0;
}

static int verify(struct hr_accel_aead_ctx *ctx, const uint8_t *tag, size_t tag_len, size_t least)
{
    struct aead_stream *s = (struct aead_stream *)ctx;
    if (!ctx || !tag)
        return HR_EINVAL;
    if (!s->alg || s->op != HR_OP_DECRYPT || (lengths_first(s) && !s->said_tag))
        return HR_ESTATE;
    if (!good_tag_len(s, tag_len, least))
        return HR_ETAGLEN;
    const int announces = s->phase != DONE && !s->tag_len && tag_len >= LEAST_TAG;
    int error = announces ? hr_accel_aead_expect(ctx, tag, tag_len) : 0;
    if (!error)
        error = finish(s);
    if (!error && (tag_len > s->tag_len || differs(tag, s->tag, tag_len)))
        error = HR_EMAC;
    if (!error || error == HR_EMAC)
        hr_accel_aead_wipe(ctx);
    else if (announces)
        s->tag_len = 0; /* the context is as it was before the call */
    return error;
}

int hr_accel_aead_verify(struct hr_accel_aead_ctx *ctx, const uint8_t *tag, size_t tag_len)
{
    return verify(ctx, tag, tag_len, LEAST_TAG);
}

int hr_accel_aead_verify_short(struct hr_accel_aead_ctx *ctx, const uint8_t *tag, size_t tag_len)
{
    return verify(ctx, tag, tag_len, 1);
}

/* ---- contexts ---- */

int hr_accel_aead_set_key(struct hr_accel_aead_ctx *ctx, uint64_t handle)
{
    struct aead_stream *s = (struct aead_stream *)ctx;
    if (!ctx)
        return HR_EINVAL;
    if (!s->alg)
        return HR_ESTATE;
    s->handle = handle;
    return 0;
}

int hr_accel_aead_copy(struct hr_accel_aead_ctx *out, const struct hr_accel_aead_ctx *ctx)
{
    if (!out || !ctx)
        return HR_EINVAL;
    if (out == ctx)
        return 0;
    *out = *ctx;
    const int error = stream_bytes_copy(&((struct aead_stream *)out)->aad,
                                        &((const struct aead_stream *)ctx)->aad);
    if (error)
        WIPE(out);
    return error;
}

void hr_accel_aead_wipe(struct hr_accel_aead_ctx *ctx)
{
    if (!ctx)
        return;
    stream_bytes_end(&((struct aead_stream *)ctx)->aad);
    WIPE(ctx);
}
