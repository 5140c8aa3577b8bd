/* SPDX-License-Identifier: Apache-2.0 */
/* guest_mont FAILURES POISON: montmul and montsqr in a sparc64 program with its real register
 * windows, called from as many depths as there are windows, so that each window is spilled at
 * times. FAILURES: the emulator makes every FAILURES-th instruction fail, 0: none; POISON: 1 if
 * it poisons undefined results. */
#include "../../tests/test.h"
#include "run.h"

struct guest_operands {
    uint64_t a[MONT_WORDS], b[MONT_WORDS], n[MONT_WORDS], n0, fsr;
};
_Static_assert(offsetof(struct guest_operands, n0) == 768, "guest_mont.S");

void guest_montgomery(struct guest_operands *p, unsigned how);

enum { SQUARE = 32, MAX_DEPTH = 9 };

/* How many times the instruction was executed, and how many times it failed. */
static unsigned num_run, num_failed;

/* Calls itself `depth` times, so that the instruction is executed in another window. */
__attribute__((noinline)) static void call_from(unsigned depth, struct guest_operands *p,
                                                unsigned how)
{
    volatile unsigned marks[2] = { depth, ~depth };
    if (depth > 0)
        call_from(depth - 1, p, how);
    else
        guest_montgomery(p, how);
    if (marks[0] != depth || marks[1] != ~depth)
        complain("the frame of call %u is damaged", depth);
}

static unsigned fcc3(const struct guest_operands *p)
{
    return p->fsr >> T4_FCC3_SHIFT & 3;
}

/* Computes the result in software, as a program must do after a failure. */
static void montgomery(uint64_t *out, const struct guest_operands *in, int square, unsigned words)
{
    uint64_t sum[MONT_WORDS + 1];
    num_montgomery_sum(sum, in->a, square ? in->a : in->b, in->n, words);
    num_shift_mod(out, sum, 0, in->n, words);
    if (sum[words]) { /* sum - n is less than 2^(64 words), because sum is less than 2 n */
        uint64_t borrow = 0;
        for (unsigned i = 0; i < words; i++) {
            const uint64_t d = sum[i] - in->n[i];
            out[i] = d - borrow;
            borrow = (sum[i] < in->n[i]) | (d < borrow);
        }
    }
}

static void random_operands(struct guest_operands *p, unsigned words)
{
    random_bytes(p, sizeof *p);
    p->n[0] |= 1;
    p->n0 = num_n0(p->n[0]);
    num_shift_mod(p->a, p->a, 0, p->n, words);
    num_shift_mod(p->b, p->b, 0, p->n, words);
}

static void check(unsigned words, int square, unsigned depth, int poison)
{
    struct guest_operands in, out;
    uint64_t expected[MONT_WORDS];
    random_operands(&in, words);
    montgomery(expected, &in, square, words);
    out = in;
    call_from(depth, &out, words - 1 + (square ? SQUARE : 0));
    num_run++;
    if (fcc3(&out) == T4_FCC_UNORDERED) {
        num_failed++;
        return; /* after a failure the registers are undefined; the operands are in memory */
    }
    if (fcc3(&out) != T4_FCC_EQUAL)
        complain("fcc3 is %u", fcc3(&out));
    if (memcmp(out.a, expected, words * sizeof *expected) != 0)
        complain("%u words from depth %u: wrong result", words, depth);
    if (memcmp(out.n, in.n, words * sizeof *in.n) != 0 || out.n0 != in.n0)
        complain("%u words from depth %u: another modulus or n0'", words, depth);
    if (poison && !square && memcmp(out.b, in.b, words * sizeof *in.b) == 0)
        complain("%u words from depth %u: b is not poisoned", words, depth);
    if (square && memcmp(out.b, in.b, sizeof in.b) != 0)
        complain("%u words from depth %u: a square changed b", words, depth);
}

int main(int argc, char **argv)
{
    const unsigned failures = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    const int poison = argc > 2 && atoi(argv[2]);
    for (unsigned words = 1; words <= MONT_WORDS; words++) {
        for (unsigned depth = 0; depth <= MAX_DEPTH; depth++) {
            check(words, 0, depth, poison);
            check(words, 1, depth, poison);
        }
        tap(1, "montmul and montsqr of %u words from %u depths", words, MAX_DEPTH + 1);
    }
    tap(num_failed == (failures ? num_run / failures : 0), "%u of %u failed", num_failed, num_run);
    return tap_done();
}
