/* SPDX-License-Identifier: Apache-2.0 */
/* Limits and kinds of requests of public key, which client and service have to know alike. */
#ifndef HR_PUBLIC_KEY_H
#define HR_PUBLIC_KEY_H

#include <headrace/number.h>
#include <headrace/queue.h>
#include <stdbool.h>

/* PK_MESSAGE, PK_CONTEXT, PK_RESULT: most bytes of a message, of a label or context, and of a
 * signature, or a ciphertext with its secret.  Rows with longer ones are the client's own. */
enum { PK_MESSAGE = 4096, PK_CONTEXT = 1024, PK_RESULT = 5120 };

static inline size_t pk_significant(const struct hr_number *n)
{
    size_t zeros = 0;
    while (zeros < n->len && !n->bytes[zeros])
        zeros++;
    return n->len - zeros;
}

/* pk_is_slow tells whether public operations with an RSA key may take as long as private ones. */
static inline bool pk_is_slow(const struct hr_number *n, const struct hr_number *e)
{
    enum { SHORT_MODULUS = 512, SHORT_EXPONENT = 8 };
    return pk_significant(n) > SHORT_MODULUS || pk_significant(e) > SHORT_EXPONENT;
}

/* pk_is_long tells whether an operation is a long one; `is_slow` is that of its key. */
static inline bool pk_is_long(unsigned alg, unsigned op, bool is_slow)
{
    return alg >> 8 == HR_CLASS_RSA && (op == HR_JOB_SIGN || op == HR_JOB_PK_DECRYPT || is_slow);
}

#endif
