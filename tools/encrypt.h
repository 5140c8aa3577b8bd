/* SPDX-License-Identifier: Apache-2.0
 *
 * `headrace encrypt` and `headrace decrypt`: what their formats share.
 */
#ifndef ENCRYPT_H
#define ENCRYPT_H

#include "encrypt_key.h"
#include "output.h"
#include "stream.h"

struct crypt {
    bool encrypting;
    const char *in_path; /* for messages */
    int in;
    struct output out;
    struct key_source source;
    bool to_terminal; /* which is given text only */
};

/* What a format does with a slot, in place.  NULL; or what is wrong, after "FILE: ". */
typedef const char *crypt_slot(void *state, struct stream_slot *slot);

/* A format's whole work from open input to written output.  0; or -1, and an error was printed. */
int chunks_run(struct crypt *c);
int solaris_run(struct crypt *c);
/* Solaris's name for the algorithm of the next run: false where there is none. */
bool solaris_choose(const char *name);

/* Of the formats: reads out_size bytes, fewer at the end of the input; writes all; takes the rest
 * of the input through `each`.  Errors are printed: -1. */
ssize_t crypt_read(struct crypt *c, uint8_t *out, size_t out_size);
int crypt_write(struct crypt *c, const uint8_t *in, size_t in_len);
int crypt_stream(struct crypt *c, size_t slot_len, crypt_slot *each, void *state);

#endif
