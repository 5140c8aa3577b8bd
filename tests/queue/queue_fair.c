/* SPDX-License-Identifier: Apache-2.0 */
/* Two rows whose lanes are full at each poll, and one job of every other digest and checksum: none
 * waits for ever, not even those without lanes. */
#include "../test.h"
#include <headrace/queue.h>
#include <stdalign.h>

enum { FULL = 80, ROOM = 2 * FULL + 64, LONG = 2000, POLLS = 2000 };

static alignas(64) uint8_t memory[1 << 20];
static uint8_t in[LONG], tags[ROOM][HR_DIGEST_MAX_OUT];
static struct hr_job jobs[ROOM], *done[ROOM];

static void put(struct hr_queue *queue, struct hr_job *job)
{
    if (hr_queue_submit(queue, &job, 1) != 1)
        complain("a queue with room takes no job");
}

/* next_row returns the next digest or checksum after *at, or NULL. */
static const struct hr_algorithm *next_row(size_t *at)
{
    const struct hr_algorithm *row;
    while ((row = hr_algorithm_at((*at)++)))
        if (row->cls == HR_CLASS_DIGEST)
            return row;
    return NULL;
}

static int has_lanes(const struct hr_algorithm *row)
{
    struct hr_kernel kernel;
    return !hr_kernel_at(&kernel, row->alg, HR_OP_LANES, 0);
}

/* fill submits the jobs, of which the first two times FULL are those of the two rows. */
static size_t fill(struct hr_queue *queue, const struct hr_algorithm *two[2], size_t len)
{
    const struct hr_algorithm *row;
    size_t n = 0;
    for (; n < 2 * FULL; n++)
        jobs[n] = (struct hr_job){ .alg = (uint16_t)two[n / FULL]->alg, .len = len };
    for (size_t at = 0; n < ROOM && (row = next_row(&at));)
        if (row != two[0] && row != two[1])
            jobs[n++] = (struct hr_job){ .alg = (uint16_t)row->alg, .len = 16 };
    for (size_t i = 0; i < n; i++) {
        jobs[i].in = in;
        jobs[i].tag = tags[i];
        put(queue, &jobs[i]);
    }
    return n;
}

static void check(const struct hr_algorithm *two[2], size_t len)
{
    struct hr_queue *queue;
    if (hr_queue_local(&queue, memory, sizeof memory, ROOM))
        abort();
    size_t left = fill(queue, two, len) - 2 * FULL;
    for (int polls = 0; left && polls < POLLS; polls++) {
        const int n = hr_queue_poll(queue, done, 64, 0);
        for (int i = 0; i < n; i++)
            if (done[i] < jobs + 2 * FULL)
                put(queue, done[i]);
            else
                left--;
    }
    hr_queue_close(queue);
    if (left)
        complain("%zu jobs wait for ever beside %s and %s of %zu bytes", left, two[0]->name,
                 two[1]->name, len);
}

int main(void)
{
    const struct hr_algorithm *two[2];
    size_t pairs = 0;
    for (size_t at = 0; (two[0] = next_row(&at));)
        for (size_t next = at; has_lanes(two[0]) && (two[1] = next_row(&next));)
            if (has_lanes(two[1])) {
                check(two, 16);
                check(two, LONG);
                pairs++;
            }
    if (!pairs) {
        puts("1..0 # SKIP no two digests have lanes on this CPU");
        return 0;
    }
    tap(!complaints_so_far(), "no job waits for ever beside two rows with full lanes");
    return tap_done();
}
