/* SPDX-License-Identifier: Apache-2.0 */
/* Defects that the checks must notice. */
#include "run.h"
const struct mutant mutants[] = { { 0 } };
const size_t num_mutants = 0;
