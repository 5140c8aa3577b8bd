/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the model of RSA share these. */
#ifndef HR_TEST_MODEL_RSA_H
#define HR_TEST_MODEL_RSA_H

#include "number.h"

/* Facts: the step decrypts what may have bad padding. */
enum { BAD_PADDING = 1 << 8 };

/* rsa_size returns the length of the subject's moduli in bytes. */
size_t rsa_size(const struct run *r);

void do_rsa_sign(struct run *r, struct result *out);
void do_rsa_message(struct run *r, struct result *out);
void do_rsa_encrypt(struct run *r, struct result *out);
void do_rsa_crypt(struct run *r, struct result *out);

#endif
