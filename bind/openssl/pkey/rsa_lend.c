/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of programs that the accelerator's service signs with, where that is faster: `lend` of
 * provider(7).  The client decides that for each signature, and checks it; what it does not sign is
 * signed as without it.  A key that few signatures are made with is not worth the way. */
#include "../handle.h"
#include "rsa.h"
#include <stdlib.h>

enum { LEND_AFTER = 8 }; /* signatures before the key is lent */

/* lend is an rsa_parts_user. */
static int lend(const struct hr_rsa_parts *parts, void *arg, const struct shadow_key *key)
{
    struct rsa_loan *loan = arg;
    struct shadow_ready ready = { .size = 0 };
    uint64_t handle = 0;
    (void)shadow_is_served(&ready, key, parts->n.bytes, parts->n.len);
    loan->row = ready.row;
    loan->bits = rsa_bits(&parts->n);
    if (client.hr_accel_offer_rsa(&handle, parts))
        return 0;
    atomic_store_explicit(&loan->handle, handle, memory_order_release);
    return 1;
}

void rsa_loan_drop(void *at)
{
    struct rsa_loan *loan = at;
    const uint64_t handle = loan ? atomic_load(&loan->handle) : 0;
    if (handle)
        client.hr_accel_take_back(handle);
    free(loan);
}

const struct rsa_loan *rsa_loan(struct shadow_key *key)
{
    struct rsa_loan *loan = atomic_load_explicit(&key->loan, memory_order_acquire);
    if (!loan)
        loan = pkey_keep(&key->loan, calloc(1, sizeof *loan), rsa_loan_drop);
    if (!loan)
        return NULL;
    if (atomic_load_explicit(&loan->handle, memory_order_acquire))
        return loan;
    if (atomic_load(&loan->uses) > LEND_AFTER || atomic_fetch_add(&loan->uses, 1) != LEND_AFTER ||
        !client_there())
        return NULL;
    return rsa_with_parts(key, lend, loan) ? loan : NULL;
}

int rsa_loan_sign(const struct rsa_loan *loan, uint8_t *sig, size_t *sig_len, const uint8_t *in,
                  size_t in_len, const struct hr_rsa_options *options)
{
    const size_t len = (loan->bits + 7) / 8;
    struct hr_job job = { .op = HR_JOB_SIGN,
                          .handle = atomic_load(&loan->handle),
                          .in = in,
                          .len = in_len,
                          .tag = sig,
                          .options = options };
    if (*sig_len < len || client.hr_accel_try(&job))
        return 0;
    *sig_len = len;
    return 1;
}
