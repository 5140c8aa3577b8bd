/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock (Linux 5.13) for files, TCP and the signals and sockets of others; seccomp for system
 * calls.  The filter is written here, not by a library: it is a list of numbers, the same for every
 * CPU, and headraced needs nothing but the C library. */
#define _GNU_SOURCE
#include "sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- files ---- */

#ifndef SYS_landlock_create_ruleset /* the same number on every CPU */
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* Constants of <linux/landlock.h>, which may be older than the kernel and not have them. */
enum { LANDLOCK_VERSION = 1, LANDLOCK_BENEATH = 1, LANDLOCK_READ = 1 << 2 | 1 << 3 };

struct landlock_rules {
    uint64_t files, net, scoped;
};
struct landlock_beneath {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

/* The rights that each version can restrict: those to files grew by one with versions 2, 3 and 5;
 * TCP came with 4, abstract sockets and signals with 6. */
static const struct landlock_version {
    struct landlock_rules rules;
    size_t len;
} versions[] = {
    { { 0, 0, 0 }, 0 },       { { 0x1fff, 0, 0 }, 8 },  { { 0x3fff, 0, 0 }, 8 },
    { { 0x7fff, 0, 0 }, 8 },  { { 0x7fff, 3, 0 }, 16 }, { { 0xffff, 3, 0 }, 16 },
    { { 0xffff, 3, 3 }, 24 },
};
enum { NUM_VERSIONS = sizeof versions / sizeof *versions };

static int allow_beneath(int rules, const char *folder)
{
    const int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    const struct landlock_beneath beneath = { LANDLOCK_READ, fd };
    const int result = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_BENEATH, &beneath, 0);
    close(fd);
    return result;
}

int sandbox_files(const char *const *folders, size_t num_folders)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
    if (version < 1)
        return 1;
    if (version >= NUM_VERSIONS)
        version = NUM_VERSIONS - 1;
    const int rules = (int)syscall(SYS_landlock_create_ruleset, &versions[version].rules,
                                   versions[version].len, 0);
    int result = rules < 0 ? -1 : 0;
    for (size_t i = 0; i < num_folders && !result; i++)
        result = folders[i] ? allow_beneath(rules, folders[i]) : 0;
    if (!result)
        result = (int)syscall(SYS_landlock_restrict_self, rules, 0);
    if (rules >= 0)
        close(rules);
    return result;
}

/* ---- system calls ---- */

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define THIS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__sparc__) && defined(__arch64__)
#define THIS_ARCH AUDIT_ARCH_SPARC64
#endif

/* The lower half of an argument. */
#define ARGUMENT(i)                                     \
    ((uint32_t)offsetof(struct seccomp_data, args[i]) + \
     (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), RETURN(SECCOMP_RET_ALLOW)
/* ALLOW_WITHOUT allows a call if argument i has none of these bits. */
#define ALLOW_WITHOUT(name, i, bits)                                                 \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD(ARGUMENT(i)),        \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), RETURN(SECCOMP_RET_ALLOW), \
        RETURN(SECCOMP_RET_KILL_PROCESS)

/* System calls that newer CPUs' tables have under another name only. */
#ifdef SYS_epoll_wait
#define ALLOW_EPOLL_WAIT ALLOW(epoll_wait),
#else
#define ALLOW_EPOLL_WAIT
#endif
#ifdef SYS_poll
#define ALLOW_POLL ALLOW(poll),
#else
#define ALLOW_POLL
#endif

#ifdef SYS_newfstatat
#define ALLOW_FSTATAT ALLOW(newfstatat),
#else
#define ALLOW_FSTATAT ALLOW(fstatat64),
#endif

/* clang-format off */
static struct sock_filter filter[] = {
#ifdef THIS_ARCH
    LOAD(offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0),
    RETURN(SECCOMP_RET_KILL_PROCESS),
#endif
    LOAD(offsetof(struct seccomp_data, nr)),
    /* accelerators: waiting, waking */
    ALLOW(futex),
    ALLOW(epoll_pwait),
    ALLOW_EPOLL_WAIT
    ALLOW(sched_yield),
    ALLOW(clock_gettime),
    ALLOW(clock_nanosleep),
    ALLOW(nanosleep),
    ALLOW(getcpu),
    ALLOW(mbind),
    ALLOW(membarrier),
    /* clients come and go */
    ALLOW(accept4),
    ALLOW(getsockopt),
    ALLOW(recvmsg),
    ALLOW(recvfrom),
    ALLOW(sendmsg),
    ALLOW(sendto),
    ALLOW(shutdown),
    ALLOW(epoll_ctl),
    ALLOW(ppoll),
    ALLOW_POLL
    ALLOW(pidfd_open),
    ALLOW(eventfd2),
    ALLOW(memfd_create),
    ALLOW(ftruncate),
    ALLOW(fchmod),
    ALLOW(fallocate),
    ALLOW(fcntl),
    ALLOW(close),
    /* the log, signals, files at a reload */
    ALLOW(read),
    ALLOW(pread64),
    ALLOW(write),
    ALLOW(pwrite64),
    ALLOW(writev),
    ALLOW(lseek),
    ALLOW(fstat),
    ALLOW_FSTATAT
    ALLOW(getdents64),
    ALLOW_WITHOUT(openat, 2, O_ACCMODE | O_CREAT | O_TRUNC),
    /* memory, never to be executed */
    ALLOW_WITHOUT(mmap, 2, PROT_EXEC),
    ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(madvise),
    ALLOW(mbind),
    ALLOW(mlock),
    ALLOW(munlock),
    ALLOW(brk),
    ALLOW(getrandom),
    /* an accelerator that has only just begun */
    ALLOW(rseq),
    ALLOW(set_robust_list),
    ALLOW(sched_setaffinity),
    /* what the C library asks, and the end */
    ALLOW(geteuid),
    ALLOW(getpid),
    ALLOW(gettid),
    ALLOW(tgkill),
    ALLOW(sched_getaffinity),
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigaction),
    ALLOW(rt_sigreturn),
    ALLOW(restart_syscall),
    ALLOW(exit),
    ALLOW(exit_group),
    RETURN(SECCOMP_RET_KILL_PROCESS),
};
/* clang-format on */

int sandbox_calls(void)
{
    const struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}
