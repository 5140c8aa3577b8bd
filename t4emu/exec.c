/* SPDX-License-Identifier: Apache-2.0 */
/* exec and spawn in a program that runs in QEMU. The kernel cannot run a sparc64 program, so
 * QEMU is executed with the program, as it was for this one. Other programs are this machine's
 * own, and run without the emulator's library. malloc must not be called between fork and exec,
 * so memory is mapped. */
#define _GNU_SOURCE
#include "command.h"
#include "guest.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *settings[8];
static char settings_text[6 * PATH_MAX];
static struct t4_run run;

/* Keeps the settings for programs that are executed with an environment without them. */
static void keep_settings(void)
{
    static const char *const names[] = { "T4EMU_STRICT", "T4EMU_CFR",  "T4EMU_STATS",
                                         "T4EMU_TRACE",  "T4EMU_QEMU", "T4EMU_SYSROOT" };
    size_t used = 0, n = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        const size_t left = sizeof settings_text - used;
        if (!value || strlen(names[i]) + strlen(value) + 2 > left)
            continue;
        settings[n++] = settings_text + used;
        used += (size_t)sprintf(settings_text + used, "%s=%s", names[i], value) + 1;
    }
}

/* Removes the emulator from the program's LD_PRELOAD, so that the program does not preload it
 * into others itself. */
static void forget_preload(void)
{
    static const char name[] = "LD_PRELOAD=";
    char **to = environ;
    for (char **from = environ; *from; from++) {
        char *value = *from + strlen(name), *kept = value;
        const int preload = !strncmp(*from, name, strlen(name));
        for (char *word = value; preload && *word;) {
            const size_t len = strcspn(word, ": "), skip = len + (word[len] != '\0');
            if (len && !memmem(word, len, T4EMU_NAME, strlen(T4EMU_NAME))) {
                if (kept > value)
                    *kept++ = ':';
                kept = (char *)memmove(kept, word, len) + len;
            }
            word += skip;
        }
        if (preload)
            *kept = '\0';
        if (!preload || *value)
            *to++ = *from;
    }
    *to = NULL;
}

void exec_start(void)
{
    if (!guest.qemu || !guest.library)
        return;
    keep_settings();
    run = (struct t4_run){ .qemu = guest.qemu,
                           .cpu = guest.stats ? T4EMU_CPU_COUNTED : T4EMU_CPU_MODEL,
                           .sysroot = guest.sysroot ? guest.sysroot : T4EMU_SYSROOT,
                           .library = guest.library,
                           .settings = (const char *const *)settings };
    forget_preload();
}

static int is_sparc64(const char *path)
{
    unsigned char head[20];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t len = fd < 0 ? 0 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    return len == sizeof head && !memcmp(head, ELFMAG, SELFMAG) && head[EI_CLASS] == ELFCLASS64 &&
           head[EI_DATA] == ELFDATA2MSB && head[18] == 0 && head[19] == EM_SPARCV9;
}

/* Returns the path by which QEMU finds a program file. QEMU looks below the sysroot first when a
 * program opens a file, but not for the program itself. A link below /proc is followed here,
 * because in the new process it may lead elsewhere. */
static const char *outside(const char *path, char whole[PATH_MAX])
{
    if (!strncmp(path, "/proc/", 6)) {
        const ssize_t len = readlink(path, whole, PATH_MAX - 1);
        if (len > 0) {
            whole[len] = '\0';
            return whole;
        }
    }
    const int n = snprintf(whole, PATH_MAX, "%s%s", run.sysroot, path);
    return *path == '/' && n > 0 && n < PATH_MAX && !access(whole, F_OK) ? whole : path;
}

struct call {
    const char *path;
    struct t4_command command;
    void *memory;
    size_t size;
    char whole[PATH_MAX];
};

/* Prepares a call. Returns 0 or an errno. */
static int begin(struct call *call, const char *path, char *const *argv, char *const *envp)
{
    guest_start();
    count_write();
    call->path = path;
    call->command = (struct t4_command){ (char **)argv, (char **)envp };
    call->memory = NULL;
    if (!run.qemu || access(path, X_OK))
        return 0;
    call->size = t4_command_size(&run, argv, envp);
    call->memory =
        mmap(NULL, call->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (call->memory == MAP_FAILED)
        return ENOMEM;
    if (is_sparc64(path)) {
        t4_command_build(&call->command, call->memory, &run, outside(path, call->whole), argv,
                         envp);
        call->path = run.qemu;
    } else
        t4_command_native(&call->command, call->memory, argv, envp);
    return 0;
}

static void end(struct call *call)
{
    if (call->memory && call->memory != MAP_FAILED)
        munmap(call->memory, call->size);
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    struct call call;
    errno = begin(&call, path, argv, envp);
    if (!errno)
        NEXT(execve)(call.path, call.command.argv, call.command.envp);
    const int error = errno;
    end(&call);
    errno = error;
    return -1;
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    struct call call;
    int error = begin(&call, path, argv, envp);
    if (!error)
        error = NEXT(posix_spawn)(pid, call.path, actions, attributes, call.command.argv,
                                  call.command.envp);
    end(&call);
    return error;
}
