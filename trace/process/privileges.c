/* SPDX-License-Identifier: Apache-2.0
 *
 * The privileges that a running trace still needs beside its user id, found by experiment. All
 * others are dropped, and no exec (jcmd) regains them. COMMAND was forked before, and is not
 * affected.
 *
 * CAP_SYS_RESOURCE (limit of open files) and CAP_IPC_LOCK (rings) are not kept, because they are
 * needed only at the start.
 */
#define _GNU_SOURCE
#include "process.h"
#include <cap-ng.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>

enum when { ALWAYS, OLD_KERNEL, UPROBES, WRITES_FILES };

static const struct {
    unsigned capability;
    enum when when;
} kept[] = {
    { CAP_SYS_PTRACE, ALWAYS }, /* maps, root, mem and process_vm_readv of other users' processes */
    { CAP_DAC_READ_SEARCH, ALWAYS },    /* mapped files of mode 0711, behind closed directories */
    { CAP_CHECKPOINT_RESTORE, ALWAYS }, /* /proc/PID/map_files */
    { CAP_PERFMON, ALWAYS }, /* events and uprobes for files that are mapped later; BPF */
    { CAP_BPF, ALWAYS },     /* uprobe_multi links for files that are mapped later */
    { CAP_SYSLOG, ALWAYS },  /* addresses in /proc/kallsyms */
    { CAP_KILL, ALWAYS },    /* SIGQUIT, which asks a JVM for its names; ^C to COMMAND's user */
    { CAP_SETUID, ALWAYS },  /* jcmd runs as the JVM's user, never as root */
    { CAP_SETGID, ALWAYS },
    { CAP_SYS_ADMIN, OLD_KERNEL },      /* in place of PERFMON, BPF, CHECKPOINT_RESTORE */
    { CAP_SYS_ADMIN, UPROBES },         /* perf_event's uprobes require it */
    { CAP_DAC_OVERRIDE, WRITES_FILES }, /* a report into a directory of the user behind sudo */
};

/* Whether the kernel is older than Linux 5.9. */
static bool kernel_is_old(void)
{
    unsigned last = 0;
    FILE *f = fopen("/proc/sys/kernel/cap_last_cap", "re");
    if (!f)
        return false;
    const bool known = fscanf(f, "%u", &last) == 1;
    fclose(f);
    return known && last < CAP_CHECKPOINT_RESTORE;
}

void privileges_drop(bool writes_files, bool uprobes)
{
    const bool needed[] = { [ALWAYS] = true,
                            [OLD_KERNEL] = kernel_is_old(),
                            [UPROBES] = uprobes,
                            [WRITES_FILES] = writes_files };
    bool have[sizeof kept / sizeof *kept];
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (capng_get_caps_process())
        return;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        have[i] =
            needed[kept[i].when] && capng_have_capability(CAPNG_PERMITTED, kept[i].capability);
    capng_clear(CAPNG_SELECT_CAPS);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (have[i])
            capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, kept[i].capability);
    capng_apply(CAPNG_SELECT_CAPS);
}
