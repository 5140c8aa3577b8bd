/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions with CKF_ASYNC_SESSION: signatures and digests that C_AsyncComplete hands out.
 *
 * A call whose engine has `prepare` becomes a job in the slot's queue, and returns CKR_PENDING.  A
 * queue of the token's slot is local: whoever calls C_AsyncComplete computes, for all sessions,
 * side by side in vector registers; the module makes no threads.  That of the accelerator's slot
 * goes to the service.  Until it is handed out, an operation is in OP_PENDING, refers to its key,
 * and takes no other call; its end takes the job out of the queue first. */
#ifndef HR_P11_ASYNC_H
#define HR_P11_ASYNC_H

#include "op.h"
#include <headrace/queue.h>
#include <headrace/rsa.h>

/* A job as an engine prepares it; `digest` has room for what is signed. */
struct prepared {
    struct hr_job job;
    union {
        struct hr_sign_options sign;
        struct hr_rsa_options rsa;
    } options;
    uint8_t digest[HR_DIGEST_MAX_OUT];
};

enum async_call { ASYNC_DIGEST, ASYNC_SIGN, ASYNC_SIGN_FINAL, NUM_ASYNC_CALLS };

/* async_run does what the engine's `whole` does, or with `in` NULL its `final`, but in a session
 * that is asynchronous it may return CKR_PENDING: the operation then goes on. */
CK_RV async_run(struct op *op, enum async_call call, const CK_BYTE *in, size_t len, CK_BYTE *out,
                size_t *out_len);
/* async_drop takes the job of an operation in OP_PENDING out of its queue, and wipes it. */
void async_drop(struct op *op);
/* async_begin makes queues possible, async_end closes them. */
RV async_begin(void);
void async_end(void);

#endif
