/* SPDX-License-Identifier: Apache-2.0 */
/* Without a service, everything runs in the client's process; when a service starts, it is
 * found. */
#include "client.h"
#include <headrace/algorithms.h>
#include <sys/wait.h>
#include <unistd.h>

static void wait_until(struct hr_queue *queue, int connected)
{
    while (hr_queue_connected(queue) != connected) {
        tasks_run(queue, 16, 100);
        usleep(1000);
    }
}

static void check_refused(void)
{
    struct hr_queue *queue;
    service_begin(&service, service_arguments, "[client nobody]\nuid = 4000000\nattach = yes\n");
    if (hr_queue_connect(&queue, service.socket) || hr_queue_connected(queue) ||
        tasks_run(queue, 100, 2000))
        complain("a policy that refuses makes jobs fail");
    hr_queue_close(queue);
    service_end(&service);
    tap(1, "who is refused runs its jobs itself");
}

static int is_off(void)
{
    struct hr_queue *queue;
    return hr_queue_connect(&queue, service.socket) || hr_queue_connected(queue) ||
           tasks_run(queue, 100, 2000);
}

/* check_off runs in a process of its own, because the library reads the environment once. */
static void check_off(void)
{
    int status;
    const pid_t child = fork();
    if (!child) {
        setenv("HEADRACE_ACCEL", "off", 1);
        _exit(is_off());
    }
    waitpid(child, &status, 0);
    tap(!status, "HEADRACE_ACCEL=off");
}

void client_fallback(void)
{
    struct hr_queue *queue;
    uint64_t handle;
    struct hr_job job = { .alg = HR_HMAC_SHA256, .key_form = HR_KEY_HANDLE, .handle = 77 };
    service_begin(&service, service_arguments, "[client all]\nattach = yes\n");
    check_off();
    service_kill(&service);
    if (hr_queue_connect(&queue, service.socket) || hr_queue_connected(queue))
        complain("a queue without a service");
    tap(!tasks_run(queue, 500, TASK_MOST), "jobs without a service");
    tap(hr_accel_run(&job) == HR_EHANDLE, "an unknown handle fails at once");
    tap(hr_accel_key_import(&handle, HR_HMAC_SHA256, "0123456789abcdef", 16) == HR_EGONE,
        "no key without a service");
    uint8_t *memory = hr_queue_memory(queue, 10000);
    tap(memory && memset(memory, 1, 10000) && !hr_queue_memory(queue, SIZE_MAX - 10),
        "memory without a service");
    service_again(&service);
    wait_until(queue, 1);
    tap(hr_queue_connected(queue), "a service that comes is found");
    tap(!tasks_run(queue, 500, TASK_MOST), "and runs the jobs");
    service_kill(&service);
    wait_until(queue, 0);
    tap(!hr_queue_connected(queue) && !tasks_run(queue, 200, TASK_MOST), "it is gone again");
    service_again(&service);
    wait_until(queue, 1);
    tap(hr_queue_connected(queue), "and back");
    hr_queue_close(queue);
    service_end(&service);
    check_refused();
}
