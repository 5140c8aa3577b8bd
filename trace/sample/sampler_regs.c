/* SPDX-License-Identifier: Apache-2.0
 *
 * The registers of this architecture. The mask is made of asm/perf_regs.h's numbers: general
 * registers without IP and flags. ptrace(2) gives the register set NT_PRSTATUS.
 */
#define _GNU_SOURCE
#include "sampler_backend.h"
#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#if defined __x86_64__

const char *const sample_reg_names[SAMPLE_REGS] = { "RAX", "RBX", "RCX", "RDX", "RSI", "RDI",
                                                    "RBP", "RSP", "R8",  "R9",  "R10", "R11",
                                                    "R12", "R13", "R14", "R15" };
const uint64_t sampler_perf_mask = 0xff00ff; /* AX..SP, R8..R15 */
const bool sampler_can_ptrace = true;

static bool convert(struct sample *out, const struct user_regs_struct *r, size_t len)
{
    if (len != sizeof *r || (long long)r->orig_rax >= 0)
        return false; /* a 32-bit task, or a thread in a system call, which is not the program's own
                         time */
    const uint64_t regs[] = { r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->rbp, r->rsp,
                              r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 };
    out->ip = r->rip;
    out->num_regs = sizeof regs / sizeof *regs;
    memcpy(out->regs, regs, sizeof regs);
    return true;
}

#elif defined __aarch64__

const char *const sample_reg_names[SAMPLE_REGS] = { "X0",  "X1",  "X2",  "X3",  "X4",  "X5",  "X6",
                                                    "X7",  "X8",  "X9",  "X10", "X11", "X12", "X13",
                                                    "X14", "X15", "X16", "X17", "X18", "X19", "X20",
                                                    "X21", "X22", "X23", "X24", "X25", "X26", "X27",
                                                    "X28", "X29", "X30", "SP" };
const uint64_t sampler_perf_mask = 0xffffffff; /* X0..X30, SP */
const bool sampler_can_ptrace = true;

static bool convert(struct sample *out, const struct user_regs_struct *r, size_t len)
{
    if (len != sizeof *r)
        return false;
    out->ip = r->pc;
    out->num_regs = 32;
    memcpy(out->regs, r->regs, sizeof r->regs);
    out->regs[31] = r->sp;
    return true;
}

#else

const char *const sample_reg_names[SAMPLE_REGS] = { "" };
const uint64_t sampler_perf_mask = 0;
const bool sampler_can_ptrace = false;
struct user_regs_none {
    long none;
};
#define user_regs_struct user_regs_none

static bool convert(struct sample *out, const struct user_regs_struct *r, size_t len)
{
    return false;
}

#endif

bool sampler_read_registers(struct sample *out, pid_t tid)
{
    struct user_regs_struct regs;
    struct iovec iov = { &regs, sizeof regs };
    const bool got = !ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &iov) &&
                     convert(out, &regs, iov.iov_len);
    explicit_bzero(&regs, sizeof regs);
    return got;
}
