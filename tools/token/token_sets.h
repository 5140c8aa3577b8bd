/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of parameter sets: ML-DSA, ML-KEM and SLH-DSA.  OpenSSL before 3.5 does not know them, and
 * is only asked for the parts of a file. */
#ifndef TOOLS_TOKEN_SETS_H
#define TOOLS_TOKEN_SETS_H

#include "token_template.h"
#include <headrace/headrace.h>

/* token_set_name returns the name of a key type's parameter set, or NULL. */
const char *token_set_name(CK_KEY_TYPE type, CK_ULONG set);
/* token_set_of returns the row of an OID, as numbers with dots between them, or HR_ALG_NONE. */
hr_alg token_set_of(const char *oid);

/* The parts of a key in a file: a privateKey of PKCS#8 by RFC 9881 (ML-DSA), RFC 9935 (ML-KEM) or
 * RFC 9909 (SLH-DSA), or the bits of a SubjectPublicKeyInfo; and its OID in DER. */
struct token_set_key {
    hr_alg alg;
    const unsigned char *oid, *bytes;
    size_t oid_len, len;
    bool is_private;
};
/* token_set_take adds a private key with its public key, or a public key.  An error is printed. */
int token_set_take(struct token_file *f, const char *path, const struct token_set_key *key);

#endif
