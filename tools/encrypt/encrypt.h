/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the file formats of `headrace encrypt` and `headrace decrypt` share.
 */
#ifndef ENCRYPT_H
#define ENCRYPT_H

#include "../output.h"
#include "../stream.h"
#include "encrypt_key.h"
#include "progress.h"

struct crypt {
    bool encrypting;
    const char *in_path; /* name for messages */
    int in;
    struct output out;
    struct key_source source;
    enum progress_form progress;
    bool to_terminal; /* the output is a terminal, to which only text is written */
};

/* Processes a slot in place, as a format requires. Returns NULL, or the text of an error that is
 * printed after "FILE: ". */
typedef const char *crypt_slot(void *state, struct stream_slot *slot);

/* Processes a whole file in one format, from open input to written output. Return 0, or -1 with
 * an error printed. */
int chunks_run(struct crypt *c);
int solaris_run(struct crypt *c);
/* Selects the algorithm for the next run by Solaris's name; false if there is none. */
bool solaris_choose(const char *name);
/* Prints the algorithms with the lengths of their keys, as Solaris's program does. */
void solaris_list(void);

/* Helpers of the formats: read out_size bytes, or fewer at the end of the input; write all
 * bytes; process the rest of the input by `each`. They return -1 with an error printed. */
ssize_t encrypt_read(struct crypt *c, uint8_t *out, size_t out_size);
int encrypt_write(struct crypt *c, const uint8_t *in, size_t in_len);
int crypt_stream(struct crypt *c, size_t slot_len, crypt_slot *each, void *state);

#endif
