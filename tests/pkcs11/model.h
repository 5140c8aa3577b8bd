/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the test "model". */
#ifndef HR_TEST_P11_MODEL_H
#define HR_TEST_P11_MODEL_H

#include "p11.h"

extern CK_SESSION_HANDLE s;
void compare(const char *what, const uint8_t *got, size_t got_len, const uint8_t *wanted,
             size_t len);
/* reference_cipher encrypts by libcrypto, and returns the length. */
size_t reference_cipher(const char *name, int pads, const uint8_t *key, const uint8_t *iv,
                        const uint8_t *in, size_t len, uint8_t *out);

/* ---- model_keys.c: keys that come of keys ---- */

void try_wrap(void);
void try_hkdf(const char *name, CK_MECHANISM_TYPE digest);
void try_pbkdf2(void);

#endif
