/* SPDX-License-Identifier: Apache-2.0 */
/* Checks with buffers at many places, for calls whose output is a digest, a MAC, or as many bytes
 * as the message has. */
#ifndef HR_KERNELS_CALLS_H
#define HR_KERNELS_CALLS_H

#include "kernels.h"

typedef int call_fn(const void *subject, uint8_t *out, const uint8_t *in, size_t len);

struct calls {
    const void *subject; /* passed to the functions */
    call_fn *direct, *generic;
    /* the right output for the first len bytes of the message */
    const uint8_t *(*want)(const void *subject, size_t len);
    size_t out_len; /* 0: as many bytes as the message has */
    const struct effort *effort;
    const uint8_t *message;
    struct guarded in, out;
};

/* check_alignments makes the direct call at every alignment of input and output, and in place. */
void check_alignments(const struct calls *c, size_t len);
/* check_short makes direct calls of first, first + step ... bytes, whose buffers end near a guard
 * page. */
void check_short(const struct calls *c, size_t first, size_t step);
/* check_out_inside_in checks that a digest or MAC may be written anywhere inside the message. */
void check_out_inside_in(const struct calls *c, size_t len);
/* check_overlap checks that output and input may be the same buffer, and that any other overlap is
 * refused with nothing written. */
void check_overlap(const struct calls *c, size_t len);

#endif
