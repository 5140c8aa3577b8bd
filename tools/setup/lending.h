/* SPDX-License-Identifier: Apache-2.0 */
/* Whether RSA keys of programs are lent to the accelerator, and if it does not sign, why. */
#ifndef LENDING_H
#define LENDING_H

#include <stdbool.h>

struct findings;
/* Adds a finding. `is_on`: the provider lends keys, by its configuration. */
void lending_check(struct findings *f, bool is_on);

#endif
