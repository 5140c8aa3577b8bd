/* SPDX-License-Identifier: Apache-2.0
 *
 * The crossover table: which jobs the accelerator computes faster than the client's own thread, as
 * `headrace accel calibrate` measured it.  The service reads the table from a file and sends it to
 * clients as an array of struct crossover_rule: `more` bytes, which may be 0, after the reply to
 * CONTROL_CROSSOVER.  If no table was measured, the result of the reply is HR_EHANDLE, and clients
 * send all jobs to the service.  The file is text, and `#` begins a comment:
 *
 *     # headrace accel crossover 1
 *     HMAC-SHA-256 mac 16 64 65536
 *
 * Each line is a rule.  This one says that jobs of 64 to 65536 bytes are faster in the accelerator
 * if at least 16 of them are in the queue at once.  Jobs for which there is no rule run in the
 * client, except jobs under a handle.
 *
 *     RSA-2048 sign 2 0 4096
 *
 * For public key, the number is that of the requests of this operation, from all programs, that the
 * unit finds when it takes one of them, on average.  Jobs under keys that a program lent and for
 * which there is no rule go to the unit.  255 is never reached, and says that jobs never go there.
 */
#ifndef HR_CROSSOVER_H
#define HR_CROSSOVER_H

#include "numbers.h"
#include <headrace/classes.h>

enum { CROSSOVER_MAX = 1024 };

struct crossover_rule {
    uint16_t alg;
    uint8_t op;    /* enum hr_job_op */
    uint8_t depth; /* least number of jobs in the queue; 1: a job alone is faster, too */
    uint32_t min, max;
};

struct crossover {
    uint16_t num;
    uint16_t measured; /* 1: there is a table, which may have no rules */
    /* By alg and op: 1 + the index of their first rule; 0: they have no rules. */
    uint16_t first[HR_JOB_MAX_OPS * ROW_NUMBERS];
    struct crossover_rule rules[CROSSOVER_MAX];
};

/* crossover_parse reads the file's text.  Returns 0, or the number of the first wrong line; then
 * `out` has no rules. */
size_t crossover_parse(struct crossover *out, const char *text, size_t text_len);
/* crossover_take copies rules from another process, which may hold anything.  Returns 0, or
 * HR_EINVAL; then `out` has no rules. */
int crossover_take(struct crossover *out, const struct crossover_rule *rules, size_t num);
/* crossover_knows tells whether there is a rule for jobs of this row and operation. */
static inline int crossover_knows(const struct crossover *c, uint16_t alg, uint8_t op)
{
    return alg < ROW_NUMBERS && op < HR_JOB_MAX_OPS && c->first[HR_JOB_MAX_OPS * (size_t)alg + op];
}
/* crossover_wins tells whether a job of len bytes is faster in the accelerator when the queue has
 * `depth` jobs, this one included. */
int crossover_wins(const struct crossover *c, uint16_t alg, uint8_t op, size_t len, size_t depth);

/* crossover_lends tells whether a job under a lent key goes to the unit, where lately `load`
 * requests were at once.  A load is seen only by who sends requests.  So all clients of a machine
 * send them in the same sixteenth of each second or so, by the clock, which is in ns. */
int crossover_lends(const struct crossover *c, uint16_t alg, uint8_t op, size_t len, size_t load,
                    uint64_t now);

#endif
