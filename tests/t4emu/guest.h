/* SPDX-License-Identifier: Apache-2.0 */
/* The library that is preloaded into a sparc64 program: what its files know of each other.  All of
 * it may be called in signal handlers, before constructors and after destructors, in any thread,
 * and so nothing here allocates by malloc or takes a lock of the C library. */
#ifndef T4EMU_GUEST_H
#define T4EMU_GUEST_H

#include "machine.h"
#include <signal.h>

#define EXPORT __attribute__((visibility("default")))

/* preload.c */
struct guest {
    struct t4_model model;
    int trace;           /* print every instruction */
    const char *stats;   /* a file, "-" for standard error, or NULL */
    const char *qemu;    /* what runs the programs that this one executes; NULL: as they are */
    const char *sysroot; /* with qemu */
    const char *library; /* this library's own path */
};
extern struct guest guest;
/* Before anything else, once; every exported function calls it, since constructors of other
 * libraries may run before ours.  `environment` NULL: the C library's. */
void guest_start(void);
/* The next definition of a symbol; the process ends where there is none. */
void *guest_next(const char *name);
#define NEXT(function) ((__typeof__(&function))guest_next(#function))
/* "t4emu: ..." on standard error. */
__attribute__((format(printf, 1, 2))) void guest_say(const char *format, ...);

/* illegal.c: SIGILL */
void illegal_start(void);
/* The program's own action, which is never the system's. */
void illegal_action(const struct sigaction *new, struct sigaction *old);

/* signals.c: sets of signals.  SIGILL is never blocked; a signal that nobody uses is, in its stead,
 * and so what the program believes of SIGILL is in its mask wherever the system keeps one. */
void signals_start(void);
void signals_unblock(void); /* where SIGILL is blocked indeed: the proxy in its stead */
extern int signals_proxy;
sigset_t signals_real(const sigset_t *programs);
sigset_t signals_programs(const sigset_t *real);
int signals_real_action(int number, const struct sigaction *new, struct sigaction *old);
/* Masks as the system has them; `signals_raw` is signals_real() in that form. */
uint64_t signals_raw(const sigset_t *programs);
uint64_t signals_raw_mask(int how, uint64_t mask);
int signals_blocked(uint64_t mask); /* whether the program believes SIGILL to be blocked */
/* Statistics are written before any of the signals that end a program by default does so. */
void signals_watch_deaths(void);

/* count.c: what was executed where */
void count_start(void);
void count_instruction(enum t4_op op, uint64_t pc);
/* Appends what was counted since the last time. */
void count_write(void);
void count_forget(void); /* in a child: what its parent counted */

/* modules.c: the file that an address is in.  Offsets are addresses as the file's symbols have
 * them.  `path` is "?" and the offset the address where no file is known. */
struct module_place {
    const char *path;
    uint64_t offset;
};
struct module_place module_of(uint64_t pc);
/* Like it, for addresses that were asked for before: does not look for new modules. */
struct module_place module_known(uint64_t pc);

/* auxv.c */
void auxv_start(void);

/* exec.c */
void exec_start(void);

#endif
