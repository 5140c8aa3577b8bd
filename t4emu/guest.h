/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the library share, which is preloaded into a sparc64 program.
 * All of it may be called in signal handlers, before constructors, after destructors, and in any
 * thread. So nothing here calls malloc, and after the start it takes no lock of the C library but
 * the dynamic loader's. */
#ifndef T4EMU_GUEST_H
#define T4EMU_GUEST_H

#include "machine.h"
#include <signal.h>

#define EXPORT __attribute__((visibility("default")))

/* preload.c */
struct guest {
    struct t4_model model;
    int trace;           /* print every emulated instruction */
    const char *stats;   /* file for statistics, "-" for standard error, or NULL */
    const char *qemu;    /* for programs that this one executes, or NULL */
    const char *sysroot; /* used with qemu */
    const char *library; /* this library's own path */
};
extern struct guest guest;
/* Initialises the library, once, before anything else. Exported functions call it first, because
 * constructors of other libraries may call them before our own constructor runs. */
void guest_start(void);
/* The next definition of a symbol, as by dlsym(RTLD_NEXT). Ends the process if there is none. */
void *guest_next(const char *name);
#define NEXT(function) ((__typeof__(&function))guest_next(#function))
/* Prints "t4emu: ..." on standard error. */
__attribute__((format(printf, 1, 2))) void guest_say(const char *format, ...);

/* illegal.c: handles SIGILL */
void illegal_start(void);
/* sigaction() for SIGILL as the program sees it; the system's own action is always ours. */
void illegal_action(const struct sigaction *new, struct sigaction *old);

/* signals.c: sets of signals. SIGILL is never really blocked. Instead, a signal that nobody
 * uses, the proxy, is blocked when the program believes that SIGILL is, so that this fact is in
 * the process's mask wherever the system keeps one. */
void signals_start(void);
void signals_unblock(void); /* if SIGILL is really blocked, blocks the proxy instead */
extern int signals_proxy;
sigset_t signals_real(const sigset_t *programs);
sigset_t signals_programs(const sigset_t *real);
int signals_real_action(int number, const struct sigaction *new, struct sigaction *old);
/* Masks in the system's form. `signals_raw` is signals_real() in that form. */
uint64_t signals_raw(const sigset_t *programs);
uint64_t signals_raw_mask(int how, uint64_t mask);
int signals_blocked(uint64_t mask); /* whether the program believes SIGILL to be blocked */
/* Makes the usual signals that end a program by default write the statistics first. */
void signals_watch_deaths(void);

/* count.c: counts which instructions were executed, and where */
void count_start(void);
void count_instruction(enum t4_op op, uint64_t pc);
/* Appends the counts since the last call to the file guest.stats. */
void count_write(void);
void count_forget(void); /* called in a child: forgets the counts of its parent */

/* modules.c: finds the file that contains an address. An offset is an address in the sense of
 * the file's symbols. If no file is known, `path` is "?" and the offset is the address itself. */
struct module_place {
    const char *path;
    uint64_t offset;
};
struct module_place module_of(uint64_t pc);
/* module_of for addresses that were looked up before: does not look for new modules. */
struct module_place module_known(uint64_t pc);

/* auxv.c */
void auxv_start(void);

/* exec.c */
void exec_start(void);

#endif
