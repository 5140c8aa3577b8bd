/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads input ahead, and writes output behind, by threads of their own while the caller computes. A
 * slot of a ring goes from the reader to the caller, from there to the writer, and back, so that
 * memory is constant. The caller changes its bytes in place.
 *
 *     struct stream *s = stream_new(STREAM_SLOT, 0);      NULL: no memory
 *     stream_start(s, fd, STREAM_NO_OUTPUT);              again for each file
 *     while ((got = stream_next(s, &slot)) > 0) {
 *         ... slot->data, slot->len, slot->last ...
 *         stream_pass(s, slot);
 *     }
 *     if (stream_finish(s) < 0)
 *         ... errno; stream_side(s): which side failed ...
 *     stream_free(s);
 *
 * An input that fits into one slot is read without a thread.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STREAM_SLOT = 256 * 1024, /* some slots of this size fit into a core's second-level cache */
    STREAM_NO_OUTPUT = -1,
};

struct stream_slot {
    uint8_t *data; /* aligned to 64; the caller changes data and len, and then they are written */
    size_t len;    /* the full length, except for the last slot, which may be empty */
    bool last;
};

enum stream_side { STREAM_FINE, STREAM_INPUT, STREAM_OUTPUT };

struct stream;

/* Allocates a ring of slots of slot_len bytes, each followed by `room` more bytes. Returns NULL
 * with errno without memory. */
struct stream *stream_new(size_t slot_len, size_t room);
/* Begins to read from `in`, and to write slots that were passed on to `out`. May be called again
 * after stream_finish. */
void stream_start(struct stream *s, int in, int out);
/* Gets the next slot. Returns 1; 0 after the last slot; -1 with errno if reading failed, or
 * writing an earlier slot did. An empty input has one empty slot. */
int stream_next(struct stream *s, struct stream_slot **slot);
/* Passes a slot on, which is then written. */
void stream_pass(struct stream *s, struct stream_slot *slot);
/* Waits until all slots that were passed on are written. Returns 0, or -1 with errno, also if
 * stream_next failed. If the caller stopped, or the output failed, before the end of the input,
 * a thread that waits for input may remain: then the stream cannot be started again, and
 * stream_free does nothing. */
int stream_finish(struct stream *s);
/* The side that has failed. */
enum stream_side stream_side(const struct stream *s);
/* Wipes and frees a stream that is finished or was never started. NULL is allowed. */
void stream_free(struct stream *s);

#endif
