/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion between a struct t4_machine and the signal frame of 64-bit Linux on SPARC (struct
 * rt_signal_frame in arch/sparc/kernel/signal_64.c, which QEMU's user mode lays out in the same
 * way). sparc64 only. */
#ifndef T4EMU_FRAME_H
#define T4EMU_FRAME_H

#include "machine.h"
#include <signal.h>

/* Reads the registers as they were at the instruction that trapped. `info` is the second
 * argument of the signal handler; the frame is found by its address. */
void frame_read(struct t4_machine *m, siginfo_t *info);
/* Writes the registers that are loaded when the handler returns. */
void frame_write(const struct t4_machine *m, siginfo_t *info);
/* The mask of blocked signals that is restored when the handler returns. */
uint64_t *frame_mask(siginfo_t *info);

#endif
