/* SPDX-License-Identifier: Apache-2.0 */
/* Clients of an accelerator whose turns the test's own thread runs. */
#ifndef HR_SIDES_H
#define HR_SIDES_H

#include "../test.h"
#include "service/schedule_parts.h"
#include <headrace/algorithms.h>

enum { RINGS = 8, WINDOW = 1 << 18, HMAC_KEY = 32 };

struct side {
    struct client client;
    uint32_t num_rings;
    uint32_t sent[RINGS], got[RINGS];
    uint64_t served;
    int32_t last_result;
    struct ring_request request;
};

extern struct schedule *schedule;

/* side_of makes a client of a user; side_new makes one of a user of its own. */
struct side *side_of(uint32_t uid, uint32_t num_rings, uint32_t weight);
struct side *side_new(uint32_t num_rings, uint32_t weight);
void side_free(struct side *s);
void side_send(struct side *s, uint32_t ring);
void side_collect(struct side *s);
/* side_fill sends as many requests as the client's sub-rings hold. */
void side_fill(struct side *s);
void sides_turn(struct side *const *sides, size_t num);
void side_drain(struct side *s);
/* side_ask sends one request and returns its result, with its completion. */
int side_ask(struct side *s, struct ring_completion *done);

struct ring_request sides_inline_ctr(void);
struct ring_request sides_far(hr_alg alg, uint32_t len);

/* ---- shares_keys.c ---- */

void shares_keys(void);

#endif
