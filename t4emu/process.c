/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that begin or end a process, beside exit. Each process has statistics of its own, which
 * are written at its end. */
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

/* vfork by means of fork: QEMU makes it a fork anyway, but would not call the handlers of
 * pthread_atfork. */
EXPORT pid_t vfork(void)
{
    return fork();
}
