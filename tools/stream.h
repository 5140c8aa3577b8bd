/* SPDX-License-Identifier: Apache-2.0
 *
 * Input that is read ahead, and output that is written behind, by threads of their own while the
 * caller computes.  A slot of a ring goes from the reader to the caller, from there to the writer,
 * and back, so that memory is constant; its bytes are changed in place.
 *
 *     struct stream *s = stream_new(STREAM_SLOT, 0);      NULL: no memory
 *     stream_start(s, fd, STREAM_NO_OUTPUT);              again for each file
 *     while ((got = stream_next(s, &slot)) > 0) {
 *         ... slot->data, slot->len, slot->last ...
 *         stream_pass(s, slot);
 *     }
 *     if (stream_finish(s) < 0)
 *         ... errno; stream_side(s): what failed ...
 *     stream_free(s);
 *
 * An input of one slot at most is read without any thread.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STREAM_SLOT = 256 * 1024, /* some slots of it stay in a core's second-level cache */
    STREAM_NO_OUTPUT = -1,
};

struct stream_slot {
    uint8_t *data; /* aligned to 64; what the caller leaves here and in len is written */
    size_t len;    /* the slot's whole length but for the last one, which may have none */
    bool last;
};

enum stream_side { STREAM_FINE, STREAM_INPUT, STREAM_OUTPUT };

struct stream;

/* A ring of slots of slot_len bytes, each with room for `room` bytes more behind; NULL with errno
 * where there is no memory. */
struct stream *stream_new(size_t slot_len, size_t room);
/* Begins to read `in`, and to write what is passed on to `out`.  After stream_finish, again. */
void stream_start(struct stream *s, int in, int out);
/* The next slot: 1; 0 after the last one; -1 with errno where reading, or writing what was passed
 * on before, has failed.  An empty input is one empty slot. */
int stream_next(struct stream *s, struct stream_slot **slot);
/* Has done with the slot, which is then written. */
void stream_pass(struct stream *s, struct stream_slot *slot);
/* Waits until everything that was passed on is written.  0; or -1 with errno, that of stream_next
 * too.  Where the caller, or the output, ends before the input does, a thread may be left that
 * waits for input: then the stream is not started again, and stream_free does nothing. */
int stream_finish(struct stream *s);
/* Which side has failed. */
enum stream_side stream_side(const struct stream *s);
/* Wipes and frees a stream that is finished, or was never started.  NULL is allowed. */
void stream_free(struct stream *s);

#endif
