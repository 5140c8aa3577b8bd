/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_STORE_PIN_H
#define HR_STORE_PIN_H

#include "format.h"

/* pin_stretch makes 32 bytes of a PIN by Argon2id with the costs and the salt of a seal, in the
 * calling thread.  Returns 0, STORE_TOO_LONG, STORE_NO_ARGON2, or STORE_SYSTEM (no memory). */
int pin_stretch(uint8_t out[32], const struct format_pin *seal, const void *pin, size_t pin_len);

#endif
