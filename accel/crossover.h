/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the accelerator wins over this thread's own kernels, as `headrace accel calibrate` measured
 * it.  The service reads the table from a file and hands it to clients as it is in memory: after a
 * CONTROL_CROSSOVER's reply come `more` bytes of struct crossover_rule, which may be none.  Where
 * no table was measured its result is HR_EHANDLE, and clients use the service for everything.  The
 * file is text, `#` begins a comment:
 *
 *     # headrace accel crossover 1
 *     HMAC-SHA-256 mac 16 64 65536
 *
 * a line for each rule: jobs of 64 to 65536 bytes are faster there where at least 16 of them are
 * in the queue at once.  What no rule holds for runs in the client.
 */
#ifndef HR_CROSSOVER_H
#define HR_CROSSOVER_H

#include <stddef.h>
#include <stdint.h>

enum { CROSSOVER_MAX = 1024, CROSSOVER_ALGS = 4096 };

struct crossover_rule {
    uint16_t alg;
    uint8_t op;    /* enum hr_job_op */
    uint8_t depth; /* 1: also a job alone */
    uint32_t min, max;
};

struct crossover {
    uint16_t num;
    uint16_t measured;                  /* there is a table, be it one without a rule */
    uint16_t first[2 * CROSSOVER_ALGS]; /* by alg and op: 1 + index of its first rule, or 0 */
    struct crossover_rule rules[CROSSOVER_MAX];
};

/* Reads the file's text.  0; else the number of the line that is wrong, and nothing is in `out`. */
size_t crossover_parse(struct crossover *out, const char *text, size_t text_len);
/* Takes rules from elsewhere, which may hold anything: 0, or HR_EINVAL, and nothing is in `out`. */
int crossover_take(struct crossover *out, const struct crossover_rule *rules, size_t num);
/* Whether there is a rule at all. */
static inline int crossover_knows(const struct crossover *c, uint16_t alg, uint8_t op)
{
    return alg < CROSSOVER_ALGS && op <= 1 && c->first[2 * (size_t)alg + op];
}
/* Whether a job of len bytes, one of `depth` that are in the queue with it, is faster there. */
int crossover_wins(const struct crossover *c, uint16_t alg, uint8_t op, size_t len, size_t depth);

#endif
