/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of a named key of public key: what the service does with it. */
#ifndef HR_KEY_TERMS_H
#define HR_KEY_TERMS_H

#include "lines.h"
#include <headrace/headrace.h>
#include <headrace/rsa.h>

/* A key without a line `padding` or `digest` has those of key_terms_complete.  Terms begin as
 * zeros, all bytes of them, so that memcmp compares them. */
struct key_terms {
    uint8_t op;       /* its one operation, enum hr_job_op: HR_JOB_SIGN or HR_JOB_PK_DECRYPT */
    uint8_t paddings; /* bit i: padding i of enum hr_rsa_padding */
    uint16_t digests; /* bit i: digest i of key_terms.c's table */
    bool log;         /* a line in the log for each use */
    uint64_t rate;    /* uses a second, of all clients together; 0: no limit */
};

/* The settings of a key file: each returns 0, or -1 with l->error. */
int key_terms_padding(struct lines *l, const struct line *line, struct key_terms *terms);
int key_terms_digest(struct lines *l, const struct line *line, struct key_terms *terms);
/* key_terms_complete sets what a key of this row does by default, and checks the rest; `uses` has
 * bits of enum hr_use. */
int key_terms_complete(struct lines *l, struct key_terms *terms, const struct hr_algorithm *row,
                       unsigned uses);

/* key_terms_padding_word returns the word of key files for a padding of enum hr_rsa_padding. */
const char *key_terms_padding_word(unsigned padding);
/* key_terms_have_digest tells whether the terms name this digest. */
bool key_terms_have_digest(const struct key_terms *terms, hr_alg digest);
/* key_terms_digests writes the rows of the terms' digests, at most `most`, and returns their
 * number. */
unsigned key_terms_digests(const struct key_terms *terms, uint16_t *out, unsigned most);
/* key_terms_have_length tells whether a digest of the terms has this length in bytes. */
bool key_terms_have_length(const struct key_terms *terms, size_t len);
/* key_terms_allow_rsa tells whether the terms permit an RSA operation with these options.  No terms
 * permit the operation without padding, and none lets a caller know that padding was bad. */
bool key_terms_allow_rsa(const struct key_terms *terms, const struct hr_rsa_options *options);
/* key_terms_digest_info reads a DigestInfo (RFC 8017 section 9.2): it returns the digest's row and
 * sets *at to where the digest begins, or HR_ALG_NONE if the bytes are anything else. */
hr_alg key_terms_digest_info(const uint8_t *bytes, size_t len, size_t *at);

#endif
