/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes requests of public key into jobs, and publishes their results.  As in request.h, all
 * that a client wrote is copied once, and the copies are checked. */
#ifndef HR_PK_REQUEST_H
#define HR_PK_REQUEST_H

#include "../../public_key.h"
#include "../../ring.h"
#include "../request.h"
#include "lent.h"
#include <headrace/headrace.h>
#include <headrace/rsa.h>

/* A request that was taken.  It lies in memory of secrets.h. */
struct pk_request {
    struct hr_job job;
    struct ring_request q; /* a copy */
    struct lent_key *key;
    uint32_t number; /* of the request */
    union {
        struct hr_rsa_options rsa;
        struct hr_sign_options sign;
    } options;
    uint8_t message[PK_MESSAGE], context[PK_CONTEXT], tag[PK_RESULT], out[PK_RESULT];
};

/* pk_request_judge checks a private copy of a descriptor: everything but its key and the places in
 * its window.  Returns 0 or HR_E.... */
HR_MUST_CHECK int pk_request_judge(const struct ring_request *q);
/* pk_request_decode makes the job of r->q, which was judged, under r->key.  Returns 0 or HR_E...,
 * as r->job.result. */
int pk_request_decode(struct pk_request *r, const struct view *window);
/* pk_request_publish copies the results of a job that has run to the window. */
void pk_request_publish(const struct pk_request *r, const struct view *window);
/* pk_request_complete fills all of a completion but its seq. */
void pk_request_complete(struct ring_completion *out, uint32_t number, int32_t result, uint32_t len,
                         uint32_t load);
/* pk_request_result_len returns the length of the results of a job that has run. */
uint32_t pk_request_result_len(const struct pk_request *r);
/* pk_request_wipe wipes what may be secret. */
void pk_request_wipe(struct pk_request *r);

#endif
