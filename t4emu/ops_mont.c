/* SPDX-License-Identifier: Apache-2.0 */
/* montmul and montsqr. Their operands are spread over the register windows and the upper
 * floating-point registers, least significant word first. */
#include "ops.h"
#include "sem.h"
#include <stdatomic.h>

enum { N0 = 30 }; /* %f60 */

/* `count` registers of one kind: locals of window `at`, outs of window `at`, or doubles from
 * d[at] on. */
struct span {
    enum { LOCALS, OUTS, DOUBLES } kind;
    uint8_t at, count;
};

/* The registers of A, N and B. The ins of a window are the outs of its caller, whose window has
 * the next higher number. */
static const struct span a_spans[] = { { LOCALS, 5, 8 }, { OUTS, 5, 6 }, { DOUBLES, 12, 18 } };
static const struct span n_spans[] = {
    { LOCALS, 4, 8 }, { OUTS, 4, 6 }, { LOCALS, 3, 8 }, { OUTS, 3, 6 }, { LOCALS, 2, 4 }
};
static const struct span b_spans[] = {
    { OUTS, 2, 6 }, { LOCALS, 1, 8 }, { OUTS, 1, 6 }, { LOCALS, 0, 8 }, { OUTS, 0, 4 }
};

static uint64_t *first_of(struct t4_machine *m, const struct span *span)
{
    switch (span->kind) {
    case LOCALS:
        return m->window[span->at].l;
    case OUTS:
        return span->at ? m->window[span->at - 1].i : m->o;
    default:
        return &m->d[span->at];
    }
}

/* Lists the registers of an operand's words. */
static void locate(uint64_t *reg[SEM_MONT_WORDS], struct t4_machine *m, const struct span *span)
{
    for (unsigned i = 0; i < SEM_MONT_WORDS; span++)
        for (unsigned j = 0; j < span->count; j++)
            reg[i++] = first_of(m, span) + j;
}

static void get(uint64_t out[SEM_MONT_WORDS], uint64_t *const reg[SEM_MONT_WORDS])
{
    for (unsigned i = 0; i < SEM_MONT_WORDS; i++)
        out[i] = *reg[i];
}

/* Overwrites the registers of an operand's words from word `from` on. */
static void poison(uint64_t *const *reg, unsigned from)
{
    for (unsigned i = from; i < SEM_MONT_WORDS; i++)
        *reg[i] = 0xbadc0ffee0ddf00d ^ (uint64_t)i << 56;
}

/* Whether this instruction fails: every model->mont_failures-th of the process does. */
static int fails_now(const struct t4_model *model)
{
    static atomic_uint executed;
    return model->mont_failures &&
           atomic_fetch_add(&executed, 1) % model->mont_failures == model->mont_failures - 1;
}

static void set_fcc3(struct t4_machine *m, uint64_t fcc)
{
    m->fsr = (m->fsr & ~(UINT64_C(3) << T4_FCC3_SHIFT)) | fcc << T4_FCC3_SHIFT;
}

/* montmul and montsqr. The immediate, in rs2's field, is the number of words less 1. A square
 * leaves B unchanged: OpenSSL's exponentiation, which T4s have run for years, loads B, squares
 * five times, and multiplies. */
enum t4_result t4_montgomery(struct t4_machine *m, const struct t4_insn *insn)
{
    const unsigned words = insn->rs2 + 1u;
    const int square = insn->op == T4_MONTSQR;
    uint64_t *a_reg[SEM_MONT_WORDS], *b_reg[SEM_MONT_WORDS], *n_reg[SEM_MONT_WORDS];
    uint64_t a[SEM_MONT_WORDS], b[SEM_MONT_WORDS], n[SEM_MONT_WORDS], out[SEM_MONT_WORDS];
    if (m->read_windows(m) != 0)
        return T4_FAULT;
    locate(a_reg, m, a_spans);
    locate(b_reg, m, b_spans);
    locate(n_reg, m, n_spans);
    get(a, a_reg);
    get(b, b_reg);
    get(n, n_reg);
    const int failed = fails_now(m->model);
    /* `reduced` and the check of n0' tell whether 0 <= A B < N 2^(64 words) and N is odd and
     * fits n0'. */
    const int reduced = sem_montgomery(out, a, square ? a : b, n, m->d[N0], words);
    if (m->model->die_on_undefined && (!reduced || n[0] * m->d[N0] != UINT64_MAX))
        return T4_UNDEFINED;
    for (unsigned i = 0; i < words && !failed; i++)
        *a_reg[i] = out[i];
    set_fcc3(m, failed ? T4_FCC_UNORDERED : T4_FCC_EQUAL);
    if (m->model->poison) {
        poison(a_reg, failed ? 0 : words);
        poison(b_reg, square && !failed ? SEM_MONT_WORDS : 0);
        poison(n_reg, failed ? 0 : words);
    }
    return T4_DONE;
}
