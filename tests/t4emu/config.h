/* SPDX-License-Identifier: Apache-2.0 */
/* The words of --strict and --cfr, which the guest reads from T4EMU_STRICT and T4EMU_CFR. */
#ifndef T4EMU_CONFIG_H
#define T4EMU_CONFIG_H

#include "machine.h"

/* A T4: all capability bits, nothing strict. */
struct t4_model t4_config_default(void);

/* "WORD,...": 0, or -1 with a sentence in `why` that names the bad word and those that there are.
 * "1" is every strictness there is, "" and "0" are none. */
int t4_config_strict(struct t4_model *model, const char *words, char *why, size_t why_len);
/* "-aes,+sha1,...", or "none" and "all" before such. */
int t4_config_cfr(struct t4_model *model, const char *words, char *why, size_t why_len);

#endif
