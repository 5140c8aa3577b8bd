/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"
#include <string.h>

enum { STACK_BIAS = 2047, FRAME_TO_INFO = 192, FPRS_ALL = 7, ASI_SHIFT = 24, CCR_SHIFT = 32 };

struct fpu_state {
    uint64_t d[32], fsr, gsr, fprs;
};

struct signal_frame {
    struct t4_window window; /* of the code that trapped: flushw stores it here */
    uint64_t arguments[8];
    uint8_t info[128];
    uint64_t g[8], o[8], tstate, tpc, tnpc;
    uint32_t y, magic;
    struct fpu_state *fpu;
    stack_t stack;
    uint64_t mask;
};
_Static_assert(offsetof(struct signal_frame, info) == FRAME_TO_INFO, "the frame's layout");

static struct signal_frame *frame_of(siginfo_t *info)
{
    return (struct signal_frame *)((char *)info - FRAME_TO_INFO);
}

uint64_t *frame_mask(siginfo_t *info)
{
    return &frame_of(info)->mask;
}

/* The caller's window is stored at the caller's stack pointer, which is %i6 of its callee. */
static struct t4_window *callers(const struct t4_window *window)
{
    return (struct t4_window *)(window->i[6] + STACK_BIAS);
}

static int read_windows(struct t4_machine *m)
{
    for (; m->windows_read < T4_WINDOWS; m->windows_read++)
        m->window[m->windows_read] = *callers(&m->window[m->windows_read - 1]);
    return 0;
}

static int load(struct t4_machine *m, void *to, uint64_t address, size_t len)
{
    memcpy(to, (const void *)address, len);
    return 0;
}

static int store(struct t4_machine *m, uint64_t address, const void *from, size_t len)
{
    memcpy((void *)address, from, len);
    return 0;
}

void frame_read(struct t4_machine *m, siginfo_t *info)
{
    const struct signal_frame *frame = frame_of(info);
    __asm__ volatile("flushw" ::: "memory");
    memcpy(m->g, frame->g, sizeof m->g);
    memcpy(m->o, frame->o, sizeof m->o);
    m->window[0] = frame->window;
    m->windows_read = 1;
    memcpy(m->d, frame->fpu->d, sizeof m->d);
    m->fsr = frame->fpu->fsr;
    m->gsr = frame->fpu->gsr;
    m->pc = frame->tpc;
    m->npc = frame->tnpc;
    m->ccr = (uint8_t)(frame->tstate >> CCR_SHIFT);
    m->asi = (uint8_t)(frame->tstate >> ASI_SHIFT);
    m->load = load;
    m->store = store;
    m->read_windows = read_windows;
}

void frame_write(const struct t4_machine *m, siginfo_t *info)
{
    struct signal_frame *frame = frame_of(info);
    memcpy(frame->g, m->g, sizeof m->g);
    memcpy(frame->o, m->o, sizeof m->o);
    frame->window = m->window[0];
    for (unsigned i = 1; i < m->windows_read; i++)
        *callers(&m->window[i - 1]) = m->window[i];
    memcpy(frame->fpu->d, m->d, sizeof m->d);
    frame->fpu->fsr = m->fsr;
    frame->fpu->gsr = m->gsr;
    frame->fpu->fprs |= FPRS_ALL; /* otherwise the system does not load a bank that was unused */
    frame->tstate = (frame->tstate & ~((uint64_t)0xff << CCR_SHIFT)) | (uint64_t)m->ccr
                                                                           << CCR_SHIFT;
    frame->tpc = m->pc;
    frame->tnpc = m->npc;
}
