/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for numbers and rows, the same in every format that a person reads.
 */
#ifndef TRACE_REPORT_WORDS_H
#define TRACE_REPORT_WORDS_H

#include "report.h"

enum { WORDS_MAX = 160 };

/* "AES-CBC", "GHASH (GCM)" */
void words_algorithm(char out[WORDS_MAX], const struct finding *);
/* "AESENC+AESENCLAST in loop [A]". The variant follows the evidence if that does not name it, but
 * not for hardware and arithmetic. */
void words_evidence(char out[WORDS_MAX], const struct finding *);
/* "63 881=" and "1.05 GB="; "-" where not counted. */
void words_calls(char out[WORDS_MAX], const struct report_row *, bool ascii);
void words_bytes(char out[WORDS_MAX], const struct report_row *, bool ascii);
/* "=", "≥"; in ASCII "=", "+". */
const char *words_mark(enum exactness, bool ascii);
/* "", "about " or "at least ": what stands before the count in a sentence. */
const char *words_about(enum exactness);
/* "63 881" */
void words_number(char out[WORDS_MAX], uint64_t);

#endif
