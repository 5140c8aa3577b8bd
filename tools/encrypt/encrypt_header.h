/* SPDX-License-Identifier: Apache-2.0
 *
 * The header of an encrypted file, as bytes and as fields (docs/file-format.md).
 */
#ifndef ENCRYPT_HEADER_H
#define ENCRYPT_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HEADER_SALT = 32,
    HEADER_CHECK = 32,
    HEADER_AUTHENTICATED = 52, /* length of the part that the header's check authenticates */
    HEADER_LEN = HEADER_AUTHENTICATED + HEADER_CHECK,
    CHUNK = 256 * 1024, /* bytes of plaintext in a chunk */
    CHUNK_TAG = 16,
};

enum header_kind { HEADER_KEY_FILE, HEADER_PASSPHRASE };

/* Argon2id's parameters; all zero for a key file. */
struct header_costs {
    uint32_t memory; /* in KiB */
    uint32_t passes;
    uint32_t lanes;
};

/* The highest values that a header may ask for, because anybody may have written it. */
enum { MAX_MEMORY = 256 * 1024, MAX_PASSES = 16, MAX_LANES = 16 };

/* The costs of new files. */
extern const struct header_costs header_new_costs;
/* Whether the values are allowed, which they must be before Argon2id begins. */
bool header_costs_are_fine(const struct header_costs *costs);

struct header {
    enum header_kind kind;
    struct header_costs costs;
    uint8_t salt[HEADER_SALT];
    uint8_t check[HEADER_CHECK];
};

/* Parses the first bytes of a file. Returns NULL, or the text of an error that is printed after
 * "FILE: ". Nothing in a header is secret. */
const char *header_parse(struct header *header, const uint8_t *in, size_t in_len);
void header_build(uint8_t out[HEADER_LEN], const struct header *header);

/* The nonce of chunk `number`. */
enum { CHUNK_NONCE = 12 };
void header_chunk_nonce(uint8_t out[CHUNK_NONCE], uint32_t number, int last);

#endif
