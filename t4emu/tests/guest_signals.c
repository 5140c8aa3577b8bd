/* SPDX-License-Identifier: Apache-2.0 */
/* A sparc64 program under the emulator, whose signals, masks and registers must behave as
 * without it. */
#define _GNU_SOURCE
#include "../../tests/test.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* sigset is tested */

static uint64_t cfr(void)
{
    uint64_t value;
    __asm__ volatile("rd %%asr26, %0" : "=r"(value));
    return value;
}

/* An instruction that exists on no SPARC. */
extern const char unknown_instruction[];
__attribute__((noinline)) static void unknown(void)
{
    __asm__ volatile(".global unknown_instruction\nunknown_instruction: .word 0\n" ::: "memory");
}

static sigset_t set_of(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
}

static int blocked(int number)
{
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, number);
}

/* ---- SIGILL for the program ---- */

static sigjmp_buf back;
static volatile int caught, blocked_inside, code;
static void *volatile address;
static volatile pid_t sender;

static void skip_it(int number, siginfo_t *info, void *context)
{
    caught++;
    blocked_inside = blocked(SIGILL);
    address = info->si_addr;
    code = info->si_code;
    sender = info->si_pid;
    if (code > 0)
        siglongjmp(back, 1);
}

static void plain(int number)
{
    caught += 100;
    blocked_inside = blocked(SIGILL);
    siglongjmp(back, 1);
}

static void act(int flags)
{
    struct sigaction action = { .sa_sigaction = skip_it, .sa_flags = SA_SIGINFO | flags };
    sigaction(SIGILL, &action, NULL);
}

static int tries(void)
{
    caught = 0;
    if (!sigsetjmp(back, 1))
        unknown();
    return caught;
}

/* The signal that ends a child process which calls `thing`. */
static int death_of(void (*thing)(void))
{
    int status;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        thing();
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void by_default(void)
{
    signal(SIGILL, SIG_DFL);
    unknown();
}

static void ignored(void)
{
    signal(SIGILL, SIG_IGN);
    kill(getpid(), SIGILL); /* must be ignored */
    unknown();
}

static void while_blocked(void)
{
    const sigset_t set = set_of(SIGILL);
    act(0);
    sigprocmask(SIG_BLOCK, &set, NULL);
    unknown();
}

static void reset_once(void)
{
    act(SA_RESETHAND);
    if (tries() != 1)
        _exit(1);
    unknown();
}

static void sent_by_default(void)
{
    signal(SIGILL, SIG_DFL);
    raise(SIGILL);
}

static void undocumented(void)
{
    act(0);
    __asm__ volatile(".word 0x81b02900"); /* mpmul 0 */
}

/* ---- where and how the handler runs ---- */

static char other_stack[1 << 16];
static volatile int on_other_stack, user_blocked, illegal_blocked;

static void look(int number, siginfo_t *info, void *context)
{
    char here;
    on_other_stack = &here > other_stack && &here < other_stack + sizeof other_stack;
    user_blocked = blocked(SIGUSR2);
    illegal_blocked = blocked(SIGILL);
    siglongjmp(back, 1);
}

/* Sets the handler `look` for SIGILL with these flags and this mask, and runs it by unknown(). */
static void look_with(int flags, sigset_t mask)
{
    struct sigaction action = { .sa_sigaction = look,
                                .sa_flags = SA_SIGINFO | flags,
                                .sa_mask = mask };
    sigaction(SIGILL, &action, NULL);
    on_other_stack = user_blocked = illegal_blocked = -1;
    if (!sigsetjmp(back, 1))
        unknown();
}

static void test_handlers(void)
{
    const stack_t stack = { .ss_sp = other_stack, .ss_size = sizeof other_stack };
    const sigset_t user = set_of(SIGUSR2);
    sigset_t none, others;
    sigemptyset(&none);
    sigfillset(&others);
    sigdelset(&others, SIGILL);
    sigaltstack(&stack, NULL);
    look_with(0, none);
    tap(on_other_stack == 0 && user_blocked == 0, "the handler runs where the program was");
    look_with(SA_ONSTACK, none);
    tap(on_other_stack == 1, "or on the other stack, with SA_ONSTACK");
    sigprocmask(SIG_BLOCK, &user, NULL);
    look_with(0, none);
    tap(user_blocked == 1 && illegal_blocked == 1, "what was blocked is blocked in the handler");
    sigprocmask(SIG_UNBLOCK, &user, NULL);
    look_with(SA_NODEFER, others);
    tap(user_blocked == 1 && illegal_blocked == 0, "so is its sa_mask, without SIGILL");
    sigprocmask(SIG_BLOCK, &others, NULL);
    tap(!blocked(SIGILL), "all signals but SIGILL can be blocked");
    sigprocmask(SIG_UNBLOCK, &others, NULL);
}

static void test_delivery(void)
{
    act(0);
    for (int i = 0; i < 3; i++)
        if (tries() != 1 || !blocked_inside || code != ILL_ILLOPC)
            complain("try %d: %d, %d inside, code %d", i, caught, blocked_inside, code);
    if (address != unknown_instruction || blocked(SIGILL))
        complain("address %p, not %p; blocked %d", address, unknown_instruction, blocked(SIGILL));
    tap(1, "the program's own handler gets what is not the T4's, again and again");
    act(SA_NODEFER);
    tap(tries() == 1 && !blocked_inside, "SA_NODEFER");
    if (signal(SIGILL, plain) != (sighandler_t)(void *)skip_it)
        complain("signal returned another handler");
    tap(tries() == 100 && blocked_inside, "a handler of signal()");
    tap(signal(SIGILL, SIG_DFL) == plain && signal(SIGILL, SIG_IGN) == SIG_DFL &&
            sigset(SIGILL, plain) == SIG_IGN && sigset(SIGILL, SIG_HOLD) == plain &&
            blocked(SIGILL) && sigset(SIGILL, SIG_DFL) == SIG_HOLD && !blocked(SIGILL),
        "signal and sigset return what was");
    tap(death_of(by_default) == SIGILL, "SIG_DFL ends the process");
    tap(death_of(ignored) == SIGILL, "SIG_IGN ends it too, where it is a fault");
    tap(death_of(while_blocked) == SIGILL, "a fault while SIGILL is blocked ends it");
    tap(death_of(reset_once) == SIGILL, "SA_RESETHAND");
    tap(death_of(sent_by_default) == SIGILL, "one that is sent ends it");
    tap(death_of(undocumented) == SIGILL, "an instruction that is not documented ends it");
}

/* ---- masks ---- */

static volatile uint64_t inside;

static void use_t4(int number)
{
    inside = cfr();
}

static void test_masks(void)
{
    sigset_t all, before, pending, none;
    sigfillset(&all);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &all, &before);
    tap(blocked(SIGILL) && cfr() == 0xfff, "instructions are executed while all is blocked");
    sigprocmask(SIG_SETMASK, &before, NULL);
    tap(!blocked(SIGILL), "and the mask is what it was");

    struct sigaction action = { .sa_handler = use_t4, .sa_mask = all }, old;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR1, NULL, &old);
    raise(SIGUSR1);
    tap(inside == 0xfff && sigismember(&old.sa_mask, SIGILL) == 1, "in a handler that blocks all");

    const sigset_t user = set_of(SIGUSR1);
    sigprocmask(SIG_BLOCK, &user, NULL);
    raise(SIGUSR1);
    inside = 0;
    sigdelset(&all, SIGUSR1);
    sigsuspend(&all);
    tap(inside == 0xfff, "in a handler while sigsuspend blocks all else");
    sigprocmask(SIG_UNBLOCK, &user, NULL);

    act(0);
    caught = 0;
    kill(getpid(), SIGILL);
    tap(caught == 1 && code == SI_USER && sender == getpid(), "a SIGILL that is sent is delivered");
    const sigset_t illegal = set_of(SIGILL);
    sigprocmask(SIG_BLOCK, &illegal, NULL);
    caught = 0;
    kill(getpid(), SIGILL);
    sigpending(&pending);
    if (caught || sigismember(&pending, SIGILL) != 1 || cfr() != 0xfff)
        complain("caught %d, pending %d", caught, sigismember(&pending, SIGILL));
    sigprocmask(SIG_UNBLOCK, &illegal, NULL);
    tap(caught == 1 && code == SI_USER && sender == getpid() && !blocked(SIGILL),
        "one that is sent while blocked is pending, and comes then");
    sigprocmask(SIG_BLOCK, &illegal, NULL);
    raise(SIGILL);
    siginfo_t info = { 0 };
    tap(sigwaitinfo(&illegal, &info) == SIGILL && info.si_signo == SIGILL &&
            info.si_pid == getpid(),
        "it can be waited for");
    sigprocmask(SIG_UNBLOCK, &illegal, NULL);
}

/* ---- a thread that the C library starts ---- */

static sem_t expired;

static void on_timer(union sigval value)
{
    *(volatile uint64_t *)value.sival_ptr = cfr();
    sem_post(&expired);
}

static void test_timer(void)
{
    static volatile uint64_t seen;
    timer_t timer;
    struct sigevent event = { .sigev_notify = SIGEV_THREAD,
                              .sigev_notify_function = on_timer,
                              .sigev_value.sival_ptr = (void *)&seen };
    const struct itimerspec soon = { .it_value.tv_nsec = 1 };
    sem_init(&expired, 0, 0);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer))
        complain("timer_create: %s", strerror(errno));
    else {
        timer_settime(timer, 0, &soon, NULL);
        while (sem_wait(&expired) && errno == EINTR)
            ;
        timer_delete(timer);
    }
    tap(seen == 0xfff, "in a thread that a timer starts");
}

/* ---- registers ---- */

static void test_registers(void)
{
    uint64_t local, in, global, slot, flags, y, neither;
    __asm__ volatile("save %%sp, -192, %%sp\n"
                     "rd %%asr26, %%l3\n mov %%l3, %%g1\n"
                     "rd %%asr26, %%i2\n mov %%i2, %%g4\n"
                     "restore\n mov %%g1, %0\n mov %%g4, %1\n rd %%asr26, %%g5\n mov %%g5, %2"
                     : "=r"(local), "=r"(in), "=r"(global)::"g1", "g4", "g5", "memory");
    tap(local == 0xfff && in == 0xfff && global == 0xfff, "results in locals, ins and globals");
    __asm__ volatile("mov 0, %0\n ba 1f\n rd %%asr26, %0\n mov 7, %0\n1:\n"
                     "mov 5, %1\n ba,a 2f\n rd %%asr26, %1\n2:"
                     : "=&r"(slot), "=&r"(neither));
    tap(slot == 0xfff && neither == 5, "in a delay slot, and not in an annulled one");
    __asm__ volatile("wr %%g0, 0x123, %%y\n subcc %%g0, 1, %%g0\n rd %%asr26, %%g1\n"
                     "rd %%ccr, %0\n rd %%y, %1"
                     : "=r"(flags), "=r"(y)::"g1", "cc");
    tap(flags == 0x99 && y == 0x123, "condition codes and y stay");
}

static void test_floats(void)
{
    static double before[32], after[32];
    static uint64_t fsr_before, fsr_after;
    random_bytes(before, sizeof before);
    /* clang-format off */
#define EACH(X) X(0) X(2) X(4) X(6) X(8) X(10) X(12) X(14) X(16) X(18) X(20) X(22) X(24) X(26) \
    X(28) X(30) X(32) X(34) X(36) X(38) X(40) X(42) X(44) X(46) X(48) X(50) X(52) X(54) X(56)  \
    X(58) X(60) X(62)
#define LOAD(n) "ldd [%0 + 4 * " #n "], %%f" #n "\n"
#define STORE(n) "std %%f" #n ", [%1 + 4 * " #n "]\n"
    __asm__ volatile(
        EACH(LOAD) "stx %%fsr, [%2]\n rd %%asr26, %%g1\n stx %%fsr, [%3]\n" EACH(STORE)
        :: "r"(before), "r"(after), "r"(&fsr_before), "r"(&fsr_after)
        : "g1", "memory", "f0", "f2", "f4", "f6", "f8", "f10", "f12", "f14", "f16", "f18", "f20",
          "f22", "f24", "f26", "f28", "f30", "f32", "f34", "f36", "f38", "f40", "f42", "f44", "f46",
          "f48", "f50", "f52", "f54", "f56", "f58", "f60", "f62");
    /* clang-format on */
    tap(!memcmp(before, after, sizeof before) && fsr_before == fsr_after,
        "all floating-point registers stay");
}

/* Marks the upper floating-point registers as unused; then an instruction writes one of them. */
static void test_upper_bank(void)
{
    static uint64_t in[2] = { 0x0123456789abcdef, 0xfedcba9876543210 }, lower, upper;
    __asm__ volatile("wr %%g0, 4, %%fprs\n ldd [%0], %%f0\n ldd [%0 + 8], %%f2\n"
                     ".word 0x93b028e2\n"                   /* crc32c %f0, %f2, %f40 */
                     "std %%f40, [%2]\n .word 0x89b028e2\n" /* crc32c %f0, %f2, %f4 */
                     "std %%f4, [%1]" ::"r"(in),
                     "r"(&lower), "r"(&upper)
                     : "memory", "f0", "f2", "f4", "f40");
    tap(upper == lower && upper != 0, "a result in the upper bank, which was not in use");
}

/* ---- runs of crypto instructions, which the emulator executes in one trap ---- */

enum {
    CRC32C = 0x85b028e2, /* crc32c %f0, %f2, %f2 */
    BA_12 = 0x10800003,  /* ba .+12 */
    JMP_O7 = 0x81c3e008, /* retl */
    NOP = 0x01000000,
};

/* crc_of calls `function`, which executes CRC32C some times, and returns the last result. */
static uint64_t crc_of(void (*function)(void))
{
    static const uint64_t in[2] = { 0x0123456789abcdef, 0x89abcdef };
    uint64_t out;
    __asm__ volatile("ldd [%2], %%f0\n ldd [%2 + 8], %%f2\n call %1\n nop\n std %%f2, [%0]"
                     :
                     : "r"(&out), "r"(function), "r"(in)
                     : "memory", "o7", "f0", "f1", "f2", "f3");
    return out;
}

static uint32_t *pages;
static uint64_t crc_at_fault;

/* The instruction behind the last page must fault by itself, after all before it. */
static void behind_the_page(int number, siginfo_t *info, void *context)
{
    __asm__ volatile("std %%f2, [%0]" ::"r"(&crc_at_fault) : "memory");
    address = info->si_addr;
    siglongjmp(back, 1);
}

static void test_runs(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), words = page / sizeof *pages;
    pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
    if (pages == MAP_FAILED) {
        tap(0, "two pages of code");
        return;
    }
    /* three in a row; and three of which one is in the delay slot of a branch to the next, over one
     * that is not executed, and one in the slot of the return */
    const uint32_t row[] = { CRC32C, CRC32C, CRC32C, JMP_O7, NOP };
    const uint32_t slots[] = { BA_12, CRC32C, CRC32C, CRC32C, JMP_O7, CRC32C };
    memcpy(pages, row, sizeof row);
    const uint64_t three = crc_of((void (*)(void))pages);
    memcpy(pages + 64, slots, sizeof slots);
    tap(crc_of((void (*)(void))(pages + 64)) == three, "a run goes through delay slots");
    uint32_t *const last = pages + words - 3;
    for (size_t i = 0; i < 3; i++)
        last[i] = CRC32C;
    struct sigaction action = { .sa_sigaction = behind_the_page, .sa_flags = SA_SIGINFO };
    sigaction(SIGSEGV, &action, NULL);
    if (mprotect(pages + words, page, PROT_NONE))
        complain("mprotect: %s", strerror(errno));
    address = NULL;
    if (!sigsetjmp(back, 1))
        crc_of((void (*)(void))last);
    signal(SIGSEGV, SIG_DFL);
    tap(address == pages + words && crc_at_fault == three, "a run ends with its page");
    munmap(pages, 2 * page);
}

/* A store that uses the address space in %asi. */
static void test_asi(void)
{
    static uint64_t line[8] __attribute__((aligned(64)));
    uint64_t asi;
    __asm__ volatile("wr %%g0, 0xe2, %%asi\n stxa %1, [%2 + 8] %%asi\n rd %%asi, %0\n"
                     "wr %%g0, 0x82, %%asi"
                     : "=&r"(asi)
                     : "r"(7L), "r"(line)
                     : "memory");
    tap(line[1] == 7 && asi == 0xe2, "a store to the address space of %%asi, which stays");
}

/* ---- the auxiliary vector ---- */

static void test_auxv(void)
{
    Elf64_auxv_t entry;
    unsigned long file = 0;
    const int fd = open("/proc/self/auxv", O_RDONLY);
    while (read(fd, &entry, sizeof entry) == (ssize_t)sizeof entry)
        if (entry.a_type == AT_HWCAP)
            file = entry.a_un.a_val;
    close(fd);
    tap(getauxval(AT_HWCAP) & HWCAP_SPARC_CRYPTO && file == getauxval(AT_HWCAP),
        "AT_HWCAP is a T4's, in /proc/self/auxv too");
    tap(getauxval(AT_PAGESZ) == (unsigned long)sysconf(_SC_PAGESIZE), "what else there is stays");
}

int main(void)
{
    test_delivery();
    test_handlers();
    test_masks();
    test_timer();
    test_registers();
    test_floats();
    test_upper_bank();
    test_runs();
    test_asi();
    test_auxv();
    return tap_done();
}
