/* SPDX-License-Identifier: Apache-2.0 */
/* XTS under keys of the service.  A data unit is one job: the client has no streams of them. */
#include "secret.h"

static RV xts_init(struct op *op, const CK_MECHANISM *mechanism)
{
    return engine_cipher.init(op, mechanism);
}

static size_t xts_size(const struct op *op, size_t len, enum op_stage stage)
{
    return len;
}

static int xts_work(void *what, uint64_t handle)
{
    struct work *w = what;
    const struct op *op = w->op;
    struct hr_job job = { .alg = (uint16_t)op->alg,
                          .op = op->decrypts ? HR_JOB_DECRYPT : HR_JOB_ENCRYPT,
                          .key_form = HR_KEY_HANDLE,
                          .handle = handle,
                          .iv = op->iv,
                          .iv_len = op->iv_len,
                          .in = w->in,
                          .out = w->out,
                          .len = w->len };
    w->written = w->len;
    return client_get()->hr_accel_run(&job);
}

static RV xts_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const CK_RV rv = secret_run_text(op, xts_work, in, len, out, out_len);
    return rv == CKR_DATA_LEN_RANGE && op->decrypts ? CKR_ENCRYPTED_DATA_LEN_RANGE : rv;
}

const struct engine engine_accel_xts = {
    .init = xts_init, .form = secret_form, .size = xts_size, .whole = xts_whole
};
