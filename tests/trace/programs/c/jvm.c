/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks like a JVM from outside: maps a libjvm.so, catches SIGQUIT, and runs code that it made. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void on_quit(int number)
{
    (void)number;
}

int main(int argc, char **argv)
{
    static const unsigned char loop[] = { 0xff, 0xc0, 0xeb, 0xfc }; /* inc %eax; jmp to it */
    const int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    void *library = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    void *code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (library == MAP_FAILED || code == MAP_FAILED)
        return 1;
    signal(SIGQUIT, on_quit);
    memcpy(code, loop, sizeof loop);
    puts("ready");
    fflush(stdout);
    ((void (*)(void))code)();
    return 0;
}
