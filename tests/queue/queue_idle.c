/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes that have had no message for longer than the longest run of a kernel, and then get a short
 * one; for all rows that have lanes on this CPU. */
#include "../test.h"
#include <headrace/queue.h>
#include <stdalign.h>

enum { FEW = 16, MANY = 64, LONG = 33000, LEN = 16 };

static alignas(64) uint8_t memory[1 << 19];
static uint8_t in[LEN], tags[MANY][HR_DIGEST_MAX_OUT], want[HR_DIGEST_MAX_OUT];
static struct hr_job jobs[MANY], *some[MANY], *done[MANY];

static int round_of(struct hr_queue *queue, size_t num)
{
    size_t n = 0;
    if (hr_queue_submit(queue, some, num) != (int)num)
        return complain("a queue with room takes no jobs");
    while (n < num)
        n += (size_t)hr_queue_poll(queue, done, MANY, 1);
    return 0;
}

static void check(const struct hr_algorithm *row)
{
    struct hr_queue *queue;
    if (hr_queue_local(&queue, memory, sizeof memory, MANY) || hr_digest(want, row->alg, in, LEN))
        complain("%s: no queue, or no digest", row->name);
    for (size_t i = 0; i < MANY; i++) {
        jobs[i] =
            (struct hr_job){ .alg = (uint16_t)row->alg, .in = in, .len = LEN, .tag = tags[i] };
        some[i] = &jobs[i];
    }
    for (size_t r = 0; r < LONG && !complaints_so_far(); r++)
        round_of(queue, FEW);
    memset(tags, 0, sizeof tags);
    round_of(queue, MANY);
    for (size_t i = 0; i < MANY; i++)
        if (memcmp(tags[i], want, row->out_len))
            complain("%s: job %zu of %d differs", row->name, i, MANY);
    hr_queue_close(queue);
    tap(!complaints_so_far(), "%s: lanes that were idle for %d blocks", row->name, LONG);
}

/* next_digest returns the next digest row after *at, or NULL.  It sets *lanes if the row has a lane
 * kernel. */
static const struct hr_algorithm *next_digest(size_t *at, int *lanes)
{
    const struct hr_algorithm *row;
    struct hr_kernel kernel;
    while ((row = hr_algorithm_at((*at)++)))
        if (row->cls == HR_CLASS_DIGEST && !(row->flags & HR_CHECKSUM_ONLY)) {
            *lanes = !hr_kernel_at(&kernel, row->alg, HR_OP_LANES, 0);
            return row;
        }
    return NULL;
}

int main(void)
{
    const struct hr_algorithm *row;
    int lanes = 0;
    for (size_t at = 0; !lanes && next_digest(&at, &lanes);)
        ;
    if (!lanes) {
        puts("1..0 # SKIP no digest has lanes on this CPU");
        return 0;
    }
    random_bytes(in, sizeof in);
    for (size_t at = 0; (row = next_digest(&at, &lanes));) {
        if (lanes)
            check(row);
        else
            tap_skip("no lanes here", "%s", row->name);
    }
    return tap_done();
}
