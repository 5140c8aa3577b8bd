/* SPDX-License-Identifier: Apache-2.0 */
/* The words of --strict and --cfr, which the guest reads from T4EMU_STRICT and T4EMU_CFR. */
#ifndef T4EMU_CONFIG_H
#define T4EMU_CONFIG_H

#include "machine.h"

/* From the launcher to exec.c, which runs it again: itself; and back: what else to preload. */
#define T4EMU_LAUNCHER "T4EMU_LAUNCHER"
#define T4EMU_PRELOAD "T4EMU_PRELOAD"
#define T4EMU_NAME "headrace-t4emu" /* part of the library's name, and of no other's */

/* A T4: all capability bits, nothing strict. */
struct t4_model t4_config_default(void);

/* "WORD,...": 0, or -1 with a sentence in `why` that names the bad word and those that there are.
 * "1" is every strictness there is, "" and "0" are none. */
int t4_config_strict(struct t4_model *model, const char *words, char *why, size_t why_len);
/* "-aes,+sha1,...", or "none" and "all" before such. */
int t4_config_cfr(struct t4_model *model, const char *words, char *why, size_t why_len);

#endif
