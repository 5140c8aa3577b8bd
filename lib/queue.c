/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls of queues; each queue's `ops` implements them. */
#include <headrace/queue.h>

int hr_queue_submit(struct hr_queue *queue, struct hr_job *const *jobs, size_t num_jobs)
{
    if (!queue || (num_jobs && !jobs))
        return HR_EINVAL;
    return queue->ops->submit(queue, jobs, num_jobs);
}

int hr_queue_poll(struct hr_queue *queue, struct hr_job **done, size_t max, size_t min)
{
    if (!queue || (max && !done) || min > max)
        return HR_EINVAL;
    return queue->ops->poll(queue, done, max, min);
}

void hr_queue_close(struct hr_queue *queue)
{
    if (queue)
        queue->ops->close(queue);
}
