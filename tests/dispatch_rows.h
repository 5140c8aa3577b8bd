/* SPDX-License-Identifier: Apache-2.0 */
/* The places of each class's kernels, as dispatch.c needs them for a row. */
#ifndef HR_DISPATCH_ROWS_H
#define HR_DISPATCH_ROWS_H

#include <headrace/headrace.h>

/* kernel_in_use returns the name of the kernel that a new context or key of the row uses, or that
 * is chosen for HR_OP_ITERATE. Only for key derivation does it ask hr_kernel_chosen. */
const char *kernel_in_use(const struct hr_algorithm *row, enum hr_op op);
/* kernel_chosen returns the name of the kernel that would be chosen, and calls no kernel: for a
 * made-up CPU (cpu_override) whose instructions this machine may lack. */
const char *kernel_chosen(const struct hr_algorithm *row, enum hr_op op);
/* init_by_number initialises a context or key with the kernel of number i, and returns the call's
 * error or 0. */
int init_by_number(const struct hr_algorithm *row, enum hr_op op, size_t i);

/* kernel_code writes the addresses of a kernel's functions, NULL where it lacks one, to `code` and
 * returns how many it wrote. Of functions for a single block only the shortest key length's is
 * written. */
enum { MAX_CODE = 6 };
typedef void code_fn(void);
size_t kernel_code(code_fn *code[MAX_CODE], const struct hr_algorithm *row, enum hr_op op,
                   size_t i);

#endif
