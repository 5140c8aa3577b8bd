/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of AES key wrap.  The class has no jobs: see headrace/classes.def. */
#include "../class.h"
#include "wrap.h"

static int kernel_at(struct hr_kernel *out, const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    return KERNEL_AT(&wrap_ops[op]);
}

static void forget(void)
{
    for (int op = 0; op < 2; op++)
        atomic_store(wrap_ops[op].chosen, NULL);
}

const struct class_calls wrap_class = { .kernel_at = kernel_at, .forget = forget };
