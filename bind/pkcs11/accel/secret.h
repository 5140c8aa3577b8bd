/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of the engines of secret keys of the service. */
#ifndef HR_P11_ACCEL_SECRET_H
#define HR_P11_ACCEL_SECRET_H

#include "../session.h"
#include "accel.h"

/* A message under a handle, and what comes of it. */
struct work {
    const struct op *op;
    const uint8_t *in;
    size_t len, room, written;
    uint8_t *out;
    const uint8_t *sig; /* of a verification */
    size_t sig_len;
    const struct message *msg; /* of message-based encryption */
    const uint8_t *aad;
    size_t aad_len;
};

engine_form_fn secret_form;
/* secret_run_text processes a text in memory of its own, so that the caller's is written only if
 * all is well, and may be that of the text. */
RV secret_run_text(struct op *op, accel_use_fn *use, const uint8_t *in, size_t len, CK_BYTE *out,
                   size_t *out_len);

#endif
