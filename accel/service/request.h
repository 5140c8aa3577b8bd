/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes requests into jobs and encodes completions.  Nothing here has a state of its own. */
#ifndef HR_REQUEST_H
#define HR_REQUEST_H

#include "../ring.h"
#include "check.h"
#include <headrace/queue.h>

/* SETTLE is a compiler barrier: a value that was loaded before it is not loaded again after it. */
#define SETTLE() __asm__ volatile("" : : : "memory")

/* A sub-ring's window. */
struct view {
    uint8_t *base;
    uint32_t len;
};

/* Private memory, which is handed out from `used` on; the base lies at a multiple of 64. */
struct arena {
    uint8_t *base;
    size_t len, used;
};

/* REQUEST_MAX_PRIVATE is the most that a request takes from an arena, whatever it says. */
enum { REQUEST_MAX_PRIVATE = RING_MAX_BYTES + 16384, REQUEST_LATER = 1 };

/* The members alg to len of a request.  All checks depend on them alone, except those of struct
 * ring_far and of places in the window. */
struct ring_head {
    uint32_t words[3];
};
_Static_assert(offsetof(struct ring_request, seq) == sizeof(struct ring_head), "alg to len");

/* A checked request of a chain; its copies lie in the arena. */
struct link {
    struct ring_request q;
    struct rules rules;
    const struct ring_more *more; /* NULL: none */
    struct tag_place place;
    uint32_t row_tag; /* the row's longest */
    uint32_t cut;     /* parts whose lengths are multiples of it need no copy; 0: all need one */
    bool is_copied;   /* its data is processed in private memory */
    const uint8_t *key, *iv, *state_in;
};

/* A request that is being processed, with a copy of everything that the client must not change
 * meanwhile.  It begins as zeros.  If it is used again for a request with the same head, the head
 * is not checked again. */
struct request {
    struct hr_job job; /* of links[at] */
    int32_t result;
    uint32_t number;
    uint8_t at, num_links, state_len, returned;
    bool is_judged; /* links[0] had the head `judged`, no struct ring_more, and no error */
    struct ring_head judged;
    alignas(16) uint8_t bytes[RING_INLINE]; /* of the completion; zero behind `returned` */
    alignas(16) uint8_t tag[HR_DIGEST_MAX_OUT];
    struct hr_segment *segments;
    uint8_t *payload, *state;
    struct link links[RING_MAX_CHAIN];
};

/* request_copy copies a descriptor out of shared memory, once. */
void request_copy(struct request *r, const struct ring_request *slot);
/* request_decode checks the copy and everything that it refers to, and makes a job of its first
 * link.  Returns 0; HR_E...: the request is answered with that; REQUEST_LATER: the arena has too
 * little room. */
HR_MUST_CHECK int request_decode(struct request *r, const struct view *window, struct arena *arena);
/* request_step writes the outputs to the window after r->job has run.  Returns 1 if there is
 * another job to run, 0 if the request is done or the job failed. */
HR_MUST_CHECK int request_step(struct request *r, const struct view *window);
/* request_complete fills all of a completion but its seq. */
void request_complete(const struct request *r, struct ring_completion *out);
/* link_bytes returns the length of a link's data and AAD. */
static inline uint64_t link_bytes(const struct link *l)
{
    return (uint64_t)l->q.len + (l->q.flags & RING_FAR ? l->q.u.far.aad_len : 0);
}
/* request_bytes returns the length of all data and AAD of a request. */
uint64_t request_bytes(const struct request *r);
/* request_wipe wipes the secrets in the request itself: inline data, results and tags.  What was
 * taken from the arena, the arena's owner wipes. */
void request_wipe(struct request *r);

#endif
