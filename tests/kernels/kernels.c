/* SPDX-License-Identifier: Apache-2.0 */
/* Compares every kernel of every row with the portable one, after the idea of dav1d's checkasm.
 * This program names no kernel, and an algorithm only where there is less to test: a new row or
 * kernel is tested because it exists.  The portable kernel, which is compared with itself, gets the
 * smaller ranges unless it is named.
 * kernels [--quick | --brief] [--readable-guards] [--any-stack] [--least] [KERNEL [ROW]]: --quick
 * and --brief test smaller ranges; --readable-guards permits reads beyond the ends of buffers;
 * --any-stack permits secrets that are left on the stack; --least, for emulated CPUs, is --brief
 * without the kernels that a smaller CPU than this one would run; KERNEL tests kernels of this name
 * only ("choice": the choice by the number of blocks only); ROW tests rows only whose symbol begins
 * so. */
#include "kernels.h"
#include "../call/checked_call.h"
#include "batch.h"

int stack_is_not_ours;

static const struct effort full = { 4096, 1, 64, 150, 1, 1 };
static const struct effort quick = { 600, 13, 8, 30, 11, 13 };
static const struct effort brief = { 600, 31, 4, 12, 29, 29 }; /* runs every instruction */

static int check(const struct hr_algorithm *row, enum hr_op op, size_t i,
                 const struct effort *effort)
{
    switch (row->cls) {
    case HR_CLASS_DIGEST:
        if (op == HR_OP_LANES)
            return check_digest_lanes_kernel(row, i);
        return check_digest_kernel(row, i, effort);
    case HR_CLASS_MAC:
        return op == HR_OP_ITERATE ? check_iterate_kernel(row, i)
                                   : check_mac_kernel(row, i, effort);
    case HR_CLASS_AEAD:
        return check_aead_kernel(row, op, i, effort);
    case HR_CLASS_NMAC:
        return check_nmac_kernel(row, i, effort);
    case HR_CLASS_CMAC:
        return check_cmac_kernel(row, i, effort);
    case HR_CLASS_XTS:
        return check_xts_kernel(row, op, i, effort);
    case HR_CLASS_WRAP:
        return check_wrap_kernel(row, op, i, effort);
    case HR_CLASS_CIPHER:
        if (op == HR_OP_LANES)
            return batch_lanes_op(row->alg)->wide ? check_wide_lanes_kernel(row, i)
                                                  : check_cipher_lanes_kernel(row, i);
        return check_cipher_kernel(row, op, i, effort);
    default:
        return check_job_kernel(row, op, i, effort);
    }
}

static const char *only;      /* runs kernels of this name only */
static const char *rows = ""; /* runs rows only whose symbol begins so */
static int least;             /* runs only kernels that need all that this CPU has */
static size_t num_met;        /* kernels that matched */

static void run_kernel(const struct hr_algorithm *row, enum hr_op op, size_t i,
                       const struct hr_kernel *kernel, const struct effort *effort)
{
    const char *reason = cannot_run(kernel->needs);
    if (only && strcmp(only, kernel->name))
        return;
    if (least && all_needs(kernel->needs & ~HR_KERNEL_VARTIME) != hr_cpu_features())
        return;
    num_met++;
    if (reason) {
        tap_skip(reason, "%s %s %s", row->name, op_name(row, op), kernel->name);
        return;
    }
    int failed = check(row, op, i, !kernel->needs && !only && effort == &full ? &quick : effort);
    tap(!failed, "%s %s %s: ran", row->name, op_name(row, op), kernel->name);
}

/* run_lanes tests lane kernels, of which none may be portable.  HMAC rows use those of their
 * digest. */
static void run_lanes(const struct hr_algorithm *row, const struct effort *effort)
{
    struct hr_kernel kernel;
    if (row->digest)
        return;
    for (size_t i = 0; hr_kernel_at(&kernel, row->alg, HR_OP_LANES, i) == 0; i++)
        run_kernel(row, HR_OP_LANES, i, &kernel, effort);
}

/* run_choice tests the choice of ciphers' kernels by the number of blocks. */
static void run_choice(const struct hr_algorithm *row, enum hr_op op, const struct effort *effort)
{
    if (row->cls != HR_CLASS_CIPHER || (only && strcmp(only, "choice")))
        return;
    num_met++;
    tap(!check_choice_of_kernels(row, op, effort), "%s %s: any number of blocks", row->name,
        op_name(row, op));
}

static void run_row(const struct hr_algorithm *row, const struct effort *effort)
{
    const int num_ops = hr_num_ops(row->alg);
    run_lanes(row, effort);
    for (enum hr_op op = 0; (int)op < num_ops; op++) {
        struct hr_kernel kernel = { 0 };
        size_t i = 0;
        for (; hr_kernel_at(&kernel, row->alg, op, i) == 0; i++)
            run_kernel(row, op, i, &kernel, effort);
        if (i == 0 || kernel.needs)
            complain("%s %s: the last kernel needs something", row->name, op_name(row, op));
        tap(i && !kernel.needs, "%s %s: the last of %zu kernels is portable", row->name,
            op_name(row, op), i);
        run_choice(row, op, effort);
    }
}

/* check_the_checker makes sure that checked_call can fail. */
static void check_the_checker(void)
{
    const uintptr_t none[6] = { 0 };
    const unsigned seen = call_and_compare(clobber_three, none);
    tap(seen == num_clobbered, "%u clobbered registers are noticed", num_clobbered);
    printf("# %s\n", checked_call_scope());
}

int main(int argc, char **argv)
{
    const struct effort *effort = &full;
    const struct hr_algorithm *row;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--quick"))
            effort = &quick;
        else if (!strcmp(argv[i], "--brief"))
            effort = &brief;
        else if (!strcmp(argv[i], "--readable-guards"))
            guards_may_be_read = 1;
        else if (!strcmp(argv[i], "--least"))
            least = 1, effort = &brief;
        else if (!strcmp(argv[i], "--any-stack"))
            stack_is_not_ours = 1;
        else if (!only)
            only = argv[i];
        else
            rows = argv[i];
    printf("# lengths 0 to %zu in steps of %zu, %zu alignments, %zu random splits\n",
           effort->max_len, effort->len_step, effort->num_alignments, effort->num_splits);
    if (guards_may_be_read)
        printf("# reads beyond a buffer's ends are not looked for\n");
    if (stack_is_not_ours)
        printf(
            "# what kernels leave on the stack is not looked at: a sanitizer's compiler spills\n");
    printf("# CPU features: %s\n", feature_names(hr_cpu_features()));
    check_the_checker();
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (!strncmp(rows, row->symbol, strlen(rows)) && !(least && has_only_its_schedule(row)))
            run_row(row, has_only_its_schedule(row) ? &quick : effort);
    if (!num_met)
        tap(0, "no kernel \"%s\" of a row that begins with \"%s\"", only ? only : "", rows);
    return tap_done();
}
