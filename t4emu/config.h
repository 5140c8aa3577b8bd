/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the words of --strict and --cfr, which the guest reads from T4EMU_STRICT and T4EMU_CFR. */
#ifndef T4EMU_CONFIG_H
#define T4EMU_CONFIG_H

#include "machine.h"

/* The default model: a T4 with all capability bits, and nothing strict. */
struct t4_model t4_config_default(void);

/* Parses "WORD,...". Returns 0, or -1 with a sentence in `why` that names the wrong word and
 * lists the known ones. "1" means every strictness, "" and "0" mean none. */
int t4_config_strict(struct t4_model *model, const char *words, char *why, size_t why_len);
/* Parses "-aes,+sha1,...", which may contain "none" and "all"; each word changes the bits in turn.
 * Returns as t4_config_strict does. */
int t4_config_cfr(struct t4_model *model, const char *words, char *why, size_t why_len);

#endif
