/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tracefs_state.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

const char *const tracefs_states[] = { "mounted", "unmounted", "refused" };

/* mounts_apart makes / private; in a chroot, whose root is no mount, /proc and /sys. */
int mounts_apart(void)
{
    if (unshare(CLONE_NEWNS))
        return -1;
    if (!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return 0;
    return mount(NULL, "/proc", NULL, MS_REC | MS_PRIVATE, NULL) ||
                   mount(NULL, "/sys", NULL, MS_REC | MS_PRIVATE, NULL)
               ? -1
               : 0;
}

/* unmount_all unmounts all file systems at `path`: several may lie one upon the other. */
static void unmount_all(const char *path)
{
    while (!umount2(path, MNT_DETACH))
        ;
}

static int refuse_fsopen(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsopen, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { .len = sizeof code / sizeof *code, .filter = code };
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int tracefs_enter(enum tracefs_state state)
{
    if (mounts_apart())
        return -1;
    unmount_all("/sys/kernel/tracing");
    unmount_all("/sys/kernel/debug"); /* the kernel mounts tracefs there by itself */
    if (state == TRACEFS_MOUNTED)
        return mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
    return state == TRACEFS_REFUSED ? refuse_fsopen() : 0;
}
