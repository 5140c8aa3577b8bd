/* SPDX-License-Identifier: Apache-2.0 */
/* A message in segments gives what the whole message gives. */
#ifndef FUZZ_SEGMENTS_H
#define FUZZ_SEGMENTS_H

#include "fuzz.h"
#include <headrace/queue.h>

enum { SEGMENTS = 12 };

/* check_segments runs a job of a cipher or of XTS in segments, whose lengths the input has, each in
 * place in memory of its own. */
static inline void check_segments(const struct hr_job *whole, struct input *in)
{
    struct hr_segment parts[SEGMENTS];
    struct hr_job job = *whole, cut = *whole;
    uint8_t *want = malloc(whole->len + 1);
    const uint8_t *from = whole->in, *at = want;
    size_t left = whole->len;
    CHECK(want);
    job.out = want;
    for (size_t i = 0; i < SEGMENTS; i++) {
        const size_t some = take_byte(in), n = i + 1 == SEGMENTS || some > left ? left : some;
        uint8_t *bytes = malloc(n + !n);
        CHECK(bytes);
        memcpy(bytes, from, n);
        parts[i] = (struct hr_segment){ bytes, bytes, n };
        from += n;
        left -= n;
    }
    cut.in = NULL;
    cut.out = NULL;
    cut.len = 0;
    cut.segments = parts;
    cut.num_segments = SEGMENTS;
    const int error = hr_job_run(&job);
    CHECK(hr_job_run(&cut) == error);
    for (size_t i = 0; i < SEGMENTS; i++) {
        CHECK(error || !memcmp(parts[i].out, at, parts[i].len));
        at += parts[i].len;
        free(parts[i].out);
    }
    free(want);
}

#endif
