/* SPDX-License-Identifier: Apache-2.0 */
/* How a process begins and ends, beside exit: statistics are each process's own, and written. */
#define _GNU_SOURCE
#include "guest.h"
#include <stdlib.h>
#include <unistd.h>

__attribute__((destructor)) static void finish(void)
{
    count_write();
}

EXPORT _Noreturn void _exit(int status)
{
    guest_start();
    count_write();
    NEXT(_exit)(status);
    __builtin_unreachable();
}

EXPORT _Noreturn void _Exit(int status)
{
    _exit(status);
}

EXPORT pid_t _Fork(void)
{
    guest_start();
    const pid_t pid = NEXT(_Fork)();
    if (pid == 0)
        count_forget();
    return pid;
}

/* QEMU makes it a fork, but one that nobody is told of. */
EXPORT pid_t vfork(void)
{
    return fork();
}
