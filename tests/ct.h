/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_CT_H
#define HR_CT_H

#include <headrace/headrace.h>

/* Runs the private operations of a public-key row, and reports each run. */
void ct_public_key(const struct hr_algorithm *row);

#endif
