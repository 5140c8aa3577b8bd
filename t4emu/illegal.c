/* SPDX-License-Identifier: Apache-2.0 */
/* Handles SIGILL: executes instructions of the T4, and passes every other SIGILL on to the
 * program as the system would have delivered it. */
#define _GNU_SOURCE
#include "frame.h"
#include "guest.h"
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The action that the program has set for SIGILL. `lock` guards it, and is held with all signals
 * but faults blocked, except around fork. */
static struct sigaction programs;
static char lock;

static void hold(void)
{
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
}

static void release(void)
{
    __atomic_clear(&lock, __ATOMIC_RELEASE);
}

/* Returns the action for one delivery of SIGILL; with SA_RESETHAND, resets the program's action. */
static struct sigaction take(void)
{
    hold();
    const struct sigaction action = programs;
    if (action.sa_flags & SA_RESETHAND) {
        programs.sa_handler = SIG_DFL;
        programs.sa_flags &= ~SA_SIGINFO;
    }
    release();
    return action;
}

static int is_fault(const siginfo_t *info)
{
    return info->si_code > 0;
}

/* Ends the process by SIGILL. A trapping instruction traps again; a signal that was sent is sent
 * again. */
static void die(const siginfo_t *info)
{
    const struct sigaction by_default = { .sa_handler = SIG_DFL };
    count_write();
    signals_real_action(SIGILL, &by_default, NULL);
    if (!is_fault(info))
        raise(SIGILL);
}

static void deliver(siginfo_t *info, void *context)
{
    const uint64_t mask = *frame_mask(info);
    if (signals_blocked(mask)) {
        die(info); /* only a fault gets here */
        return;
    }
    const struct sigaction action = take();
    if (action.sa_handler == SIG_IGN && !is_fault(info))
        return;
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
        die(info);
        return;
    }
    sigset_t blocked = action.sa_mask;
    if (!(action.sa_flags & SA_NODEFER))
        sigaddset(&blocked, SIGILL);
    signals_raw_mask(SIG_SETMASK, mask | signals_raw(&blocked)); /* the frame has the old mask */
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(SIGILL, info, context);
    else
        action.sa_handler(SIGILL);
}

/* ---- SIGILL that was sent while the program blocks it ---- */

static void on_deferred(int number, siginfo_t *info, void *context)
{
    info->si_signo = SIGILL;
    deliver(info, context);
}

/* Sends the proxy signal instead, which stays pending. */
static void defer(siginfo_t *info)
{
    struct sigaction action = { .sa_sigaction = on_deferred, .sa_flags = SA_SIGINFO };
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, SIGILL);
    signals_real_action(signals_proxy, &action, NULL);
    info->si_signo = signals_proxy;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signals_proxy, info);
}

/* ---- instructions ---- */

static void complain(enum t4_op op, uint64_t pc, const char *why)
{
    const struct module_place place = module_of(pc);
    guest_say("%s at 0x%llx (%s+0x%llx): %s", t4_opcodes[op].name, (unsigned long long)pc,
              place.path, (unsigned long long)place.offset, why);
}

static const char *const reasons[] = {
    [T4_UNDOCUMENTED] = "what it does is not publicly documented, and so it cannot be emulated",
    [T4_UNDEFINED] = "the architecture does not define this form",
    [T4_FAULT] = "a bad or misaligned address",
};

static void trace(enum t4_op op, uint64_t pc, uint32_t word)
{
    const struct module_place place = module_of(pc);
    guest_say("0x%llx (%s+0x%llx): %08x %s", (unsigned long long)pc, place.path,
              (unsigned long long)place.offset, word, t4_opcodes[op].name);
}

/* Executes the instruction at m->pc; counts and traces it if that was asked for. */
static enum t4_result step(struct t4_machine *m, enum t4_op *op)
{
    const uint64_t pc = m->pc;
    const uint32_t word = *(const uint32_t *)pc;
    const enum t4_result result = t4_step(m, word, op);
    if (result == T4_DONE && guest.stats)
        count_instruction(*op, pc);
    if (result == T4_DONE && guest.trace)
        trace(*op, pc, word);
    return result;
}

/* Whether the instruction at m->pc would trap as the one at `pc` did, and needs nothing but
 * registers. Then it is executed in the same handler: a trap takes QEMU as long as some forty AES
 * rounds. It must be on the same page as `pc`, so that reading it cannot fault. */
static int continues(const struct t4_machine *m, uint64_t pc)
{
    enum { PAGE_SHIFT = 12 };
    struct t4_insn insn;
    return m->pc >> PAGE_SHIFT == pc >> PAGE_SHIFT &&
           t4_registers_only(t4_decode(&insn, *(const uint32_t *)m->pc));
}

static void on_illegal(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    struct t4_machine m;
    enum t4_op op;
    if (!is_fault(info)) {
        if (signals_blocked(*frame_mask(info)))
            defer(info);
        else
            deliver(info, context);
        errno = error;
        return;
    }
    frame_read(&m, info);
    m.model = &guest.model;
    const uint64_t pc = m.pc;
    const enum t4_result result = step(&m, &op);
    if (result == T4_DONE) {
        while (continues(&m, pc) && step(&m, &op) == T4_DONE)
            ; /* an instruction with another result traps itself, and is handled then */
        frame_write(&m, info);
    } else if (result == T4_ILLEGAL)
        deliver(info, context);
    else {
        complain(op, pc, reasons[result]);
        die(info);
    }
    errno = error;
}

/* ---- the program's action ---- */

/* Installs our action with those flags of the program's that the system examines before it calls
 * a handler: the alternative stack, and whether an interrupted call is restarted. Signals other
 * than faults wait until a run of instructions is emulated. */
static void install(const struct sigaction *action)
{
    static const int faults[] = { SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP };
    const int handled = action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
    struct sigaction ours = { .sa_sigaction = on_illegal, .sa_flags = SA_SIGINFO | SA_NODEFER };
    ours.sa_flags |= handled ? action->sa_flags & (SA_ONSTACK | SA_RESTART) : SA_RESTART;
    sigfillset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&ours.sa_mask, faults[i]);
    signals_real_action(SIGILL, &ours, NULL);
}

void illegal_action(const struct sigaction *new, struct sigaction *old)
{
    /* `new` and `old` are accessed without the lock, because either may be a bad address */
    const struct sigaction wanted = new ? *new : (struct sigaction){ .sa_handler = SIG_DFL };
    const uint64_t mask = signals_raw_mask(SIG_BLOCK, ~UINT64_C(0));
    hold();
    const struct sigaction was = programs;
    if (new) {
        programs = wanted;
        install(&wanted);
    }
    release();
    signals_raw_mask(SIG_SETMASK, mask);
    if (old)
        *old = was;
}

void illegal_start(void)
{
    signals_real_action(SIGILL, NULL, &programs); /* our parent may have set SIG_IGN */
    install(&programs);
    pthread_atfork(hold, release, release);
}
