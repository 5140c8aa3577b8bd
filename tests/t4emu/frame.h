/* SPDX-License-Identifier: Apache-2.0 */
/* The signal frame of 64-bit Linux on SPARC (arch/sparc/kernel/signal_64.c's struct
 * rt_signal_frame, which QEMU's user mode lays out likewise) and a struct t4_machine.  sparc64
 * only. */
#ifndef T4EMU_FRAME_H
#define T4EMU_FRAME_H

#include "machine.h"
#include <signal.h>

/* Registers as they were at the instruction that trapped.  `info` is the handler's second
 * argument, by which the frame is found. */
void frame_read(struct t4_machine *m, siginfo_t *info);
/* What the handler's return loads. */
void frame_write(const struct t4_machine *m, siginfo_t *info);
/* The mask of blocked signals that the handler's return restores. */
uint64_t *frame_mask(siginfo_t *info);

#endif
