/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the model of DSA and DH share these. */
#ifndef HR_TEST_MODEL_FFC_H
#define HR_TEST_MODEL_FFC_H

#include "number.h"

/* ffc_is_dsa tells whether the subject's keys sign, and not agree. */
int ffc_is_dsa(const struct run *r);
/* ffc_size returns the length of the subject's p in bytes, and ffc_type the name of its keys. */
size_t ffc_size(const struct run *r);
const char *ffc_type(const struct run *r);

void do_dsa_sign(struct run *r, struct result *out);
void do_dsa_message(struct run *r, struct result *out);
void do_dh_derive(struct run *r, struct result *out);
void do_dh_peer(struct run *r, struct result *out);

#endif
