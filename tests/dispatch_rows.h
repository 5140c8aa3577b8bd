/* SPDX-License-Identifier: Apache-2.0 */
/* Where the kernels of each class are: what dispatch.c asks of a row. */
#ifndef HR_DISPATCH_ROWS_H
#define HR_DISPATCH_ROWS_H

#include <headrace/headrace.h>

/* What runs, read where it is used: in a context or key, not from the answer of a query. */
const char *kernel_in_use(const struct hr_algorithm *row, enum hr_op op);
/* The same on a CPU that this one is not: nothing of the kernel may run. */
const char *kernel_chosen(const struct hr_algorithm *row, enum hr_op op);
/* The error of initialising a context or key by a kernel's number. */
int init_by_number(const struct hr_algorithm *row, enum hr_op op, size_t i);

/* Entries of a kernel's code, or NULL; returns how many.  One entry for a block stands for those of
 * all key lengths. */
enum { MAX_CODE = 6 };
typedef void code_fn(void);
size_t kernel_code(code_fn *code[MAX_CODE], const struct hr_algorithm *row, enum hr_op op,
                   size_t i);

#endif
