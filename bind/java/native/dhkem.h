/* SPDX-License-Identifier: Apache-2.0 */
/* Key encapsulation by the keys of key agreement, as calls of struct pk_class. */
#ifndef HR_JAVA_DHKEM_H
#define HR_JAVA_DHKEM_H

#include "pk.h"
#include <headrace/agree.h>

/* dhkem_encapsulate is PK_ENCAPSULATE by a key that was made for this one message; `in` is the
 * receiver's public key.  HR_EKEY: that is no point of the curve, or of a small order. */
int dhkem_encapsulate(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                      size_t *len, const uint8_t *in, size_t in_len);
/* dhkem_decapsulate is PK_DECAPSULATE; `in` is the ciphertext and then this key's public key. */
int dhkem_decapsulate(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                      size_t *len, const uint8_t *in, size_t in_len);

#endif
