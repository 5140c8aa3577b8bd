/* SPDX-License-Identifier: Apache-2.0
 *
 * The header of an encrypted file, bytes and fields (docs/file-format.md).
 */
#ifndef ENCRYPT_HEADER_H
#define ENCRYPT_HEADER_H

#include <stddef.h>
#include <stdint.h>

enum {
    HEADER_SALT = 32,
    HEADER_CHECK = 32,
    HEADER_AUTHENTICATED = 52, /* what the check covers */
    HEADER_LEN = HEADER_AUTHENTICATED + HEADER_CHECK,
    CHUNK = 256 * 1024, /* bytes of text */
    CHUNK_TAG = 16,
};

enum header_kind { HEADER_KEY_FILE, HEADER_PASSPHRASE };

/* Argon2id's costs; all zero for a key file. */
struct header_costs {
    uint32_t memory; /* KiB */
    uint32_t passes;
    uint32_t lanes;
};

/* What a header may ask for at most, whoever wrote it. */
enum { MAX_MEMORY = 256 * 1024, MAX_PASSES = 16, MAX_LANES = 16 };

struct header {
    enum header_kind kind;
    struct header_costs costs;
    uint8_t salt[HEADER_SALT];
    uint8_t check[HEADER_CHECK];
};

/* NULL; or what is wrong with the first bytes of a file, after "FILE: ".  Nothing is secret here.
 */
const char *header_parse(struct header *header, const uint8_t *in, size_t in_len);
void header_build(uint8_t out[HEADER_LEN], const struct header *header);

/* The nonce of chunk `number`. */
enum { CHUNK_NONCE = 12 };
void chunk_nonce(uint8_t out[CHUNK_NONCE], uint32_t number, int last);

#endif
