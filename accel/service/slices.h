/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a long job in pieces, so that other clients need not wait for its end.  A job that
 * cannot be cut is one piece. */
#ifndef HR_SLICES_H
#define HR_SLICES_H

#include <headrace/classes.h>
#include <stdbool.h>

struct method;

/* A job that is being computed.  It lies in memory of secrets.h. */
struct slices {
    struct hr_job *job; /* NULL: none */
    const struct method *method;
    size_t piece;    /* length of a piece, a multiple of SLICES_UNIT */
    size_t aad_at;   /* bytes of the AAD that have been absorbed */
    size_t part, at; /* the next byte: of which segment, and where in it */
    union {
        struct hr_cipher_ctx cipher;
        struct hr_aead_ctx aead;
        struct hr_nmac_ctx nmac;
        struct hr_cmac_ctx cmac;
        uint8_t state[HR_DIGEST_MAX_EXPORT]; /* of a digest or HMAC */
    } u;
    uint32_t state_len;   /* 0: the first piece of a digest or HMAC comes next */
    union hr_any_key own; /* if the job has only the bytes of its key, and for XTS */
};

enum { SLICES_UNIT = 128 }; /* whole blocks of every row */

/* slices_may_cut tells whether a job can be computed in pieces: not a copy, and none that
 * hr_job_run would refuse. */
bool slices_may_cut(const struct hr_job *job);
/* slices_begin begins a job, in pieces of about `piece` bytes.  The job and what it refers to stay
 * until it has ended, or slices_drop was called. */
void slices_begin(struct slices *s, struct hr_job *job, size_t piece);
/* slices_step computes the next piece.  It returns true if the job has ended, as hr_job_run would
 * have ended it; then its result is set. */
bool slices_step(struct slices *s);
/* slices_drop forgets the job, and wipes. */
void slices_drop(struct slices *s);

#endif
