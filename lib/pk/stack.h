/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_PK_STACK_H
#define HR_PK_STACK_H

/* pk_wipe_stack ends each private operation: it zeroes 8 KiB of the stack below its caller, where
 * kernels save registers, and the compiler numbers that do not fit into registers.  The operation
 * is a function that is not inlined into the caller. */
void pk_wipe_stack(void);
/* pk_wipe_deep_stack zeroes 64 KiB, for operations with tables on the stack. */
void pk_wipe_deep_stack(void);

#endif
