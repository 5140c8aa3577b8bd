/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the EVP tests share: rows in EVP, and deterministic bytes. */
#ifndef HR_TEST_EVP_H
#define HR_TEST_EVP_H

#include "evp_load.h"
#include <headrace/headrace.h>
#include <string.h>

/* xorshift64: the same bytes in every run. */
static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline void random_bytes(uint64_t *state, unsigned char *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (unsigned char)(next_random(state) >> 24);
}

/* row_offered tells whether the provider offers a digest, cipher, KDF, AEAD or XTS row. It has no
 * HMACs: OpenSSL's own HMAC uses the provider's digests. */
static inline int row_offered(const struct hr_algorithm *row)
{
    return row->cls != HR_CLASS_MAC && row->cls != HR_CLASS_NMAC && row->cls != HR_CLASS_CMAC &&
           !(row->flags & HR_CHECKSUM_ONLY);
}

/* row_name returns the first of a row's OpenSSL names. */
static inline const char *row_name(const struct hr_algorithm *row, char out[64])
{
    snprintf(out, 64, "%.*s", (int)strcspn(row->openssl_names, ":"), row->openssl_names);
    return out;
}

/* row_unit returns the block length in bytes of the block cipher below a mode, also for stream
 * modes. */
static inline size_t row_unit(const struct hr_algorithm *row)
{
    return row->block_len > 1 ? row->block_len : row->iv_len;
}

/* row_is_theirs tells whether OpenSSL has a cipher of its own for a row. */
static inline int row_is_theirs(const struct loaded *l, const struct hr_algorithm *row)
{
    char name[64];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(l->libctx, row_name(row, name), THEIRS);
    EVP_CIPHER_free(cipher);
    if (!cipher)
        ERR_clear_error();
    return cipher != NULL;
}

#endif
