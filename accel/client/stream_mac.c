/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of HMACs (FIPS 198-1), NMACs and CMACs in pieces, under a handle.  The context collects
 * the message, because the service gives no state of a MAC away. */
#define _GNU_SOURCE
#include "stream.h"

struct mac_stream {
    uint64_t handle;
    struct stream_bytes message;
    uint16_t alg; /* HR_ALG_NONE: no message */
    uint8_t iv_len;
    uint8_t iv[HR_ACCEL_MAX_IV];
};
_Static_assert(sizeof(struct mac_stream) <= sizeof(struct hr_accel_mac_ctx), "a context");

int hr_accel_mac_init(struct hr_accel_mac_ctx *ctx, hr_alg alg, uint64_t handle, const uint8_t *iv,
                      size_t iv_len)
{
    struct mac_stream *s = (struct mac_stream *)ctx;
    if (!ctx || (iv_len && !iv))
        return HR_EINVAL;
    if (!hr_hmac_size(alg) && !hr_nmac_size(alg) && !hr_cmac_size(alg))
        return HR_EALG;
    if (iv_len > (hr_nmac_size(alg) ? sizeof s->iv : 0))
        return HR_EIVLEN;
    memset(ctx, 0, sizeof *ctx);
    s->handle = handle;
    s->alg = (uint16_t)alg;
    s->iv_len = (uint8_t)iv_len;
    if (iv_len)
        memcpy(s->iv, iv, iv_len);
    return 0;
}

int hr_accel_mac_update(struct hr_accel_mac_ctx *ctx, const void *in, size_t in_len)
{
    struct mac_stream *s = (struct mac_stream *)ctx;
    if (!ctx || (in_len && !in))
        return HR_EINVAL;
    return s->alg ? stream_bytes_add(&s->message, in, in_len, HR_ACCEL_MAX_MESSAGE) : HR_ESTATE;
}

/* finish sends the message.  If that fails, the context keeps it. */
static int finish(struct hr_accel_mac_ctx *ctx, enum hr_job_op op, uint8_t *tag, size_t tag_len)
{
    struct mac_stream *s = (struct mac_stream *)ctx;
    struct hr_job job = { .alg = s->alg,
                          .op = (uint8_t)op,
                          .tag_len = (uint8_t)tag_len,
                          .iv = s->iv,
                          .iv_len = s->iv_len,
                          .tag = tag,
                          .in = s->message.at,
                          .len = s->message.len };
    const int error = stream_run(&job, s->handle);
    if (!error || error == HR_EMAC)
        hr_accel_mac_wipe(ctx);
    return error;
}

int hr_accel_mac_final(struct hr_accel_mac_ctx *ctx, uint8_t *out)
{
    const struct mac_stream *s = (const struct mac_stream *)ctx;
    if (!ctx || !out)
        return HR_EINVAL;
    return s->alg ? finish(ctx, HR_JOB_MAC, out, 0) : HR_ESTATE;
}

int hr_accel_mac_verify(struct hr_accel_mac_ctx *ctx, const uint8_t *mac, size_t mac_len)
{
    const struct mac_stream *s = (const struct mac_stream *)ctx;
    uint8_t tag[HR_DIGEST_MAX_OUT];
    if (!ctx || !mac)
        return HR_EINVAL;
    if (!s->alg)
        return HR_ESTATE;
    if (!mac_len || mac_len > hr_algorithm((hr_alg)s->alg)->out_len)
        return HR_ETAGLEN;
    memcpy(tag, mac, mac_len);
    return finish(ctx, HR_JOB_VERIFY, tag, mac_len);
}

int hr_accel_mac_set_key(struct hr_accel_mac_ctx *ctx, uint64_t handle)
{
    struct mac_stream *s = (struct mac_stream *)ctx;
    if (!ctx)
        return HR_EINVAL;
    if (!s->alg)
        return HR_ESTATE;
    s->handle = handle;
    return 0;
}

int hr_accel_mac_copy(struct hr_accel_mac_ctx *out, const struct hr_accel_mac_ctx *ctx)
{
    if (!out || !ctx)
        return HR_EINVAL;
    if (out == ctx)
        return 0;
    *out = *ctx;
    const int error = stream_bytes_copy(&((struct mac_stream *)out)->message,
                                        &((const struct mac_stream *)ctx)->message);
    if (error)
        WIPE(out);
    return error;
}

void hr_accel_mac_wipe(struct hr_accel_mac_ctx *ctx)
{
    if (!ctx)
        return;
    stream_bytes_end(&((struct mac_stream *)ctx)->message);
    WIPE(ctx);
}
