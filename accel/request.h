/* SPDX-License-Identifier: Apache-2.0 */
/* From a descriptor to jobs, and from jobs to a completion.  Nothing here has a state of its own.
 */
#ifndef HR_REQUEST_H
#define HR_REQUEST_H

#include "check.h"
#include "ring.h"
#include <headrace/queue.h>

/* A sub-ring's window. */
struct window {
    uint8_t *base;
    uint32_t len;
};

/* Private memory, which grows from `used`; the base lies at a multiple of 64. */
struct arena {
    uint8_t *base;
    size_t len, used;
};

/* What one request takes from an arena at most, whatever it says. */
enum { REQUEST_MAX_PRIVATE = RING_MAX_BYTES + 16384, REQUEST_LATER = 1 };

/* What a request is judged by, but for the places in its window. */
struct ring_head {
    uint32_t words[3];
};
_Static_assert(offsetof(struct ring_request, seq) == sizeof(struct ring_head), "alg to len");

/* A request of a chain, judged; what was copied for it lies in the arena. */
struct link {
    struct ring_request q;
    const struct rules *rules;
    const struct ring_more *more; /* NULL: none */
    struct plan plan;
    uint32_t row_tag; /* the row's longest */
    const uint8_t *key, *iv, *state_in;
};

/* A request on its way, with everything in it that the client must not change meanwhile.  Zero at
 * first; used again, it need not judge a second time what it judged last. */
struct request {
    struct hr_job job; /* of links[at] */
    int32_t result;
    uint32_t number;
    uint8_t at, num_links, state_len, returned;
    bool is_judged; /* links[0] is inline, and `judged` was its head */
    struct ring_head judged;
    alignas(16) uint8_t bytes[RING_INLINE]; /* of the completion; zero behind `returned` */
    alignas(16) uint8_t tag[HR_DIGEST_MAX_OUT];
    struct hr_segment *segments;
    uint8_t *payload, *state;
    struct link links[RING_MAX_CHAIN];
};

/* Copies a descriptor out of shared memory, once. */
void request_copy(struct request *r, const struct ring_request *slot);
/* Judges what was copied and all that it names, and makes a job of its first link.  0; HR_E...: the
 * request is answered by that; REQUEST_LATER: the arena has too little left. */
HR_MUST_CHECK int request_decode(struct request *r, const struct window *window,
                                 struct arena *arena);
/* After r->job has run: its outputs go to the window.  1: there is another job to run; 0: the
 * request is done. */
HR_MUST_CHECK int request_step(struct request *r, const struct window *window);
/* Fills all of a completion but its seq. */
void request_complete(const struct request *r, struct ring_completion *out);
/* Bytes of data that it works on. */
uint64_t request_bytes(const struct request *r);
/* Forgets what is secret, outside the arena. */
void request_wipe(struct request *r);

#endif
