/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "module.h"
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool call(int command)
{
    return syscall(SYS_membarrier, command, 0) == 0;
}

bool barrier_all(void)
{
    /* A process registers once; its child has to do so itself. */
    return call(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
           (errno == EPERM && call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
            call(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}
