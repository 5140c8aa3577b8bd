/* SPDX-License-Identifier: Apache-2.0 */
/* montmul and montsqr of 1 to 32 words, checked by num.c: the result r is the number less than n
 * with r 2^(64 words) = a b mod n. */
#include "../../tests/test.h"
#include "run.h"

__extension__ typedef unsigned __int128 uint128;

enum { FLOAT = 256 }; /* added to the number of a double register */

/* Integer registers of nested windows, numbered in one sequence: %o0 of the current window is 0,
 * its locals begin at 8, its ins (the outs of its caller) at 16, the caller's locals at 24, ... */
static const uint16_t
    a_places[MONT_WORDS] = {
        88,         89,         90,         91,         92,         93,
        94,         95,         80,         81,         82,         83,
        84,         85, /* locals and outs of window 5, the outermost */
        FLOAT + 24, FLOAT + 26, FLOAT + 28, FLOAT + 30, FLOAT + 32, FLOAT + 34,
        FLOAT + 36, FLOAT + 38, FLOAT + 40, FLOAT + 42, FLOAT + 44, FLOAT + 46,
        FLOAT + 48, FLOAT + 50, FLOAT + 52, FLOAT + 54, FLOAT + 56, FLOAT + 58,
    };
static const uint16_t n_places[MONT_WORDS] = {
    72, 73, 74, 75, 76, 77, 78, 79, 64, 65, 66, 67, 68, 69, /* locals and outs of window 4 */
    56, 57, 58, 59, 60, 61, 62, 63, 48, 49, 50, 51, 52, 53, /* locals and outs of window 3 */
    40, 41, 42, 43,                                         /* locals of window 2 */
};
static const uint16_t b_places[MONT_WORDS] = {
    32, 33, 34, 35, 36, 37, 24, 25, 26, 27, 28, 29, 30, 31, /* ins and locals of window 1 */
    16, 17, 18, 19, 20, 21, 8,  9,  10, 11, 12, 13, 14, 15, /* ins and locals of window 0 */
    0,  1,  2,  3,                                          /* outs of window 0 */
};

static uint64_t *place(struct t4_machine *m, unsigned at)
{
    if (at >= FLOAT)
        return &m->d[(at - FLOAT) / 2];
    struct t4_window *window = &m->window[at / 16 - (at / 16 > 0 && !(at & 8))];
    if (at < 8)
        return &m->o[at];
    return at & 8 ? &window->l[at & 7] : &window->i[at & 7];
}

static void put(const uint16_t places[MONT_WORDS], const uint64_t *words)
{
    for (unsigned i = 0; i < MONT_WORDS; i++)
        *place(&t4, places[i]) = words[i];
}

static void get(uint64_t *words, const uint16_t places[MONT_WORDS])
{
    for (unsigned i = 0; i < MONT_WORDS; i++)
        words[i] = *place(&t4, places[i]);
}

/* Operands as they are put into registers, followed by random words that are no operands. */
struct operands {
    uint64_t a[MONT_WORDS], b[MONT_WORDS], n[MONT_WORDS], n0;
};

static unsigned fcc3(void)
{
    return t4.fsr >> T4_FCC3_SHIFT & 3;
}

static enum t4_result execute(const struct operands *in, enum t4_op op, unsigned words)
{
    t4.read_windows(&t4);
    put(a_places, in->a);
    put(b_places, in->b);
    put(n_places, in->n);
    D(60) = in->n0;
    return try_run(op, 0, 0, words - 1, 0);
}

/* How many results had n subtracted from them, and how many had not. */
static unsigned num_subtracted[2];

static void check_result(const struct operands *in, enum t4_op op, unsigned words)
{
    uint64_t out[MONT_WORDS], product[MONT_WORDS], shifted[MONT_WORDS], sum[MONT_WORDS + 1];
    const uint64_t *b = op == T4_MONTSQR ? in->a : in->b;
    const char *name = t4_opcodes[op].name;
    const enum t4_result result = execute(in, op, words);
    if (result != T4_DONE) {
        wrong("%s of %u words: result %d", name, words, (int)result);
        return;
    }
    get(out, a_places);
    num_mul_mod(product, in->a, b, in->n, words);
    num_shift_mod(shifted, out, 64 * words, in->n, words);
    if (!num_less(out, in->n, words))
        wrong("%s of %u words: not reduced", name, words);
    if (memcmp(product, shifted, words * sizeof *out) != 0)
        wrong("%s of %u words: not the product", name, words);
    expect(fcc3(), T4_FCC_EQUAL, "fcc3");
    num_subtracted[num_montgomery_sum(sum, in->a, b, in->n, words)]++;
}

static void random_modulus(struct operands *in, unsigned words)
{
    random_bytes(in, sizeof *in);
    in->n[0] |= 1;
    in->n[words - 1] |= (uint64_t)random_below(2) << 63;
    in->n0 = num_n0(in->n[0]);
}

/* a mod n; a is less than 2^(64 words). */
static void reduce(uint64_t *a, const struct operands *in, unsigned words)
{
    num_shift_mod(a, a, 0, in->n, words);
}

/* An operand: 0, 1, n - 1, or a random number, by `which`. */
static void choose(uint64_t *a, const struct operands *in, unsigned words, unsigned which)
{
    if (which > 2) {
        reduce(a, in, words);
        return;
    }
    memcpy(a, in->n, words * sizeof *a);
    if (which < 2)
        memset(a, 0, words * sizeof *a);
    a[0] = which < 2 ? which : a[0] - 1; /* n is odd */
}

static void all_sizes(void)
{
    memset(num_subtracted, 0, sizeof num_subtracted);
    for (unsigned words = 1; words <= MONT_WORDS; words++)
        for (unsigned which = 0; which < 16; which++) {
            struct operands in;
            reset();
            random_modulus(&in, words);
            choose(in.a, &in, words, which & 3);
            choose(in.b, &in, words, which >> 2);
            check_result(&in, T4_MONTMUL, words);
            if (which < 4) {
                reset();
                check_result(&in, T4_MONTSQR, words);
            }
        }
    if (!num_subtracted[0] || !num_subtracted[1])
        wrong("only one kind of results: %u without the final subtraction, %u with it",
              num_subtracted[0], num_subtracted[1]);
}

/* out = a times one word; the product has at most `words` words. */
static void multiply(uint64_t *out, const uint64_t *a, uint64_t factor, unsigned words)
{
    uint128 carry = 0;
    for (unsigned i = 0; i < words; i++) {
        carry += (uint128)a[i] * factor;
        out[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

/* The largest and the smallest modulus, and the largest operand for which a b < n 2^(64 words). */
static void extremes(void)
{
    for (unsigned words = 1; words <= MONT_WORDS; words++) {
        struct operands in;
        reset();
        memset(&in, 0xff, sizeof in);
        in.n0 = num_n0(in.n[0]);
        choose(in.a, &in, words, 2);
        choose(in.b, &in, words, 2);
        check_result(&in, T4_MONTMUL, words);
        memset(in.a, 0xff, sizeof in.a); /* 2^(64 words) - 1, for one operand only */
        check_result(&in, T4_MONTMUL, words);
        memset(in.n, 0, sizeof in.n);
        in.n[0] = 3;
        in.n0 = num_n0(3);
        memset(in.b, 0, sizeof in.b);
        in.b[0] = 2;
        check_result(&in, T4_MONTMUL, words);
    }
}

/* n = p q, and factors that are multiples of p and of q: the product is a multiple of n and not 0,
 * for which the sum before the final subtraction is n itself. A square of q is such a product where
 * p is q. */
static void multiples(void)
{
    for (unsigned words = 2; words <= MONT_WORDS; words++)
        for (unsigned same = 0; same < 2; same++) {
            struct operands in;
            reset();
            random_bytes(&in, sizeof in);
            const uint64_t q = in.b[0] | 1;
            memset(in.a + (same ? 1 : words - 1), 0, sizeof in.a - 8 * (same ? 1 : words - 1));
            in.a[0] = same ? q : in.a[0] | 1;
            multiply(in.n, in.a, q, words);
            in.n0 = num_n0(in.n[0]);
            memset(in.b, 0, sizeof in.b);
            in.b[0] = q;
            check_result(&in, T4_MONTMUL, words);
            if (same) {
                reset();
                check_result(&in, T4_MONTSQR, words);
            }
        }
}

/* The modulus and n0' stay, so that a program can continue with the next product. Stack pointers
 * and global registers always stay. */
static void kept(void)
{
    for (enum t4_op op = T4_MONTMUL; op <= T4_MONTSQR; op++)
        for (unsigned words = 1; words <= MONT_WORDS; words++) {
            struct operands in;
            uint64_t n[MONT_WORDS];
            reset();
            random_modulus(&in, words);
            reduce(in.a, &in, words);
            reduce(in.b, &in, words);
            t4.read_windows(&t4);
            const struct t4_machine before = t4;
            execute(&in, op, words);
            get(n, n_places);
            expect(D(60), in.n0, "n0'");
            if (memcmp(n, in.n, words * sizeof *n) != 0)
                wrong("%s of %u words: another modulus", t4_opcodes[op].name, words);
            if (memcmp(before.g, t4.g, sizeof t4.g) != 0 || before.o[6] != t4.o[6] ||
                before.o[7] != t4.o[7])
                wrong("%s: a global register or the stack", t4_opcodes[op].name);
            for (unsigned i = 0; i < T4_WINDOWS; i++)
                if (before.window[i].i[6] != t4.window[i].i[6] ||
                    before.window[i].i[7] != t4.window[i].i[7])
                    wrong("%s: the stack of window %u", t4_opcodes[op].name, i);
        }
}

/* With poison, no operand's word is left but the result, n, n0', and b if it was no operand. */
static void poisoned(void)
{
    for (enum t4_op op = T4_MONTMUL; op <= T4_MONTSQR; op++) {
        struct operands in;
        uint64_t a[MONT_WORDS], b[MONT_WORDS], n[MONT_WORDS];
        reset();
        random_modulus(&in, 8);
        reduce(in.a, &in, 8);
        reduce(in.b, &in, 8);
        execute(&in, op, 8);
        get(a, a_places);
        get(b, b_places);
        get(n, n_places);
        for (unsigned i = 0; i < MONT_WORDS; i++)
            if ((b[i] == in.b[i]) != (op == T4_MONTSQR) || a[i] == in.a[i] ||
                (n[i] == in.n[i]) != (i < 8))
                wrong("%s: word %u should be poisoned, or should not", t4_opcodes[op].name, i);
    }
}

/* Every third instruction fails: fcc3 is set, and the operands are lost. */
static void failures(void)
{
    unsigned num_failed = 0;
    for (unsigned i = 0; i < 12; i++) {
        struct operands in;
        uint64_t a[MONT_WORDS];
        reset();
        t4_model.mont_failures = 3;
        random_modulus(&in, 16);
        reduce(in.a, &in, 16);
        const uint64_t fsr = t4.fsr;
        execute(&in, i & 1 ? T4_MONTMUL : T4_MONTSQR, 16);
        expect(t4.fsr & ~(UINT64_C(3) << T4_FCC3_SHIFT), fsr & ~(UINT64_C(3) << T4_FCC3_SHIFT),
               "the rest of FSR");
        num_failed += fcc3() == T4_FCC_UNORDERED;
        get(a, a_places);
        if (fcc3() == T4_FCC_UNORDERED && memcmp(a, in.a, 16 * sizeof *a) == 0)
            wrong("failed, but the operand is there still");
    }
    expect(num_failed, 4, "failures of 12");
}

/* Forms that the definition leaves open. */
static void strictness(void)
{
    struct operands in;
    reset();
    random_modulus(&in, 8);
    reduce(in.a, &in, 8);
    reduce(in.b, &in, 8);
    in.n0 ^= 2;
    if (execute(&in, T4_MONTMUL, 8) != T4_UNDEFINED)
        wrong("a wrong n0'");
    memset(in.a, 0xff, sizeof in.a);
    memset(in.b, 0xff, sizeof in.b);
    memset(in.n, 0, sizeof in.n);
    in.n[0] = 3;
    in.n0 = num_n0(3);
    if (execute(&in, T4_MONTMUL, 8) != T4_UNDEFINED)
        wrong("operands that are too large");
    if (execute(&in, T4_MONTSQR, 8) != T4_UNDEFINED)
        wrong("a square that is too large");
}

const struct check mont_checks[] = {
    { "Montgomery: 1 to 32 words, edge values", all_sizes },
    { "Montgomery: extreme moduli", extremes },
    { "Montgomery: products that are multiples of the modulus", multiples },
    { "Montgomery: modulus and n0' are kept", kept },
    { "Montgomery: poison", poisoned },
    { "Montgomery: failures", failures },
    { "Montgomery: operands without a definition", strictness },
    { 0 },
};
