/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ALGORITHM_H
#define ALGORITHM_H

#include <headrace/classes.h>
#include <stdbool.h>

static inline bool tool_is_digest(const struct hr_algorithm *row)
{
    return hr_class_of(row)->ops[0].word == HR_WORD_DIGEST;
}
/* Whether the row is a MAC: HMAC, one with a nonce, CMAC. */
static inline bool tool_is_mac(const struct hr_algorithm *row)
{
    return hr_class_of(row)->ops[0].word == HR_WORD_MAC;
}

/* Whether the row is a signature, a key agreement or a key encapsulation. */
static inline bool tool_is_public_key(const struct hr_algorithm *row)
{
    return row->public_len != 0;
}

/* Whether the row is a function with an output of any length, which uses the kernels of SHA-3. */
static inline bool tool_is_xof(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_XOF;
}

/* The name of OpenSSL's MAC that takes a cipher as a parameter and then computes this row, and the
 * row of the cipher, which may be NULL. NULL if there is none. */
const char *algorithm_mac_of_cipher(const struct hr_algorithm *row, hr_alg *cipher);

/* Whether our provider has this row. OpenSSL has most of these rows too (sides_compare). */
bool algorithm_in_provider(const struct hr_algorithm *row);

/* The row of a name, in the library's own spelling or in that of protocols, checksum lists or
 * Solaris: "hmac-sha256", "HMAC-SHA2-256", "sha256_hmac", "SHA512/256". NULL if there is none. */
const struct hr_algorithm *algorithm_find(const char *name);
/* algorithm_find; if there is no such row, also prints an error with near matches. */
const struct hr_algorithm *algorithm_named(const char *name);

/* Whether a name says the mode of the row that it was found to mean: "aes-256-cbc" does, "aes256",
 * which OpenSSL has for the same row, does not. A row without a mode needs none. */
bool algorithm_name_has_mode(const struct hr_algorithm *row, const char *name);

#endif
