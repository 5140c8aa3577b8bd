/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the netlists of DES's S-boxes with the tables of FIPS 46-3.  A netlist is a function of
 * bits, so that one call with 64-bit words covers all 64 inputs of a box, which is a proof. */
#include "des_tables.h"
#include "test.h"

#define TARGET
typedef uint64_t V;
typedef void sbox_fn(V, V, V, V, V, V, V *, V *, V *, V *);

static V ternary(V a, V b, V c, unsigned imm)
{
    V out = 0;
    for (unsigned i = 0; i < 8; i++)
        if (imm >> i & 1)
            out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return out;
}

/* The two headers use the same names for their boxes. */
#define T3(a, b, c, imm) ternary(a, b, c, imm)
#define des_s1 ternary_s1
#define des_s2 ternary_s2
#define des_s3 ternary_s3
#define des_s4 ternary_s4
#define des_s5 ternary_s5
#define des_s6 ternary_s6
#define des_s7 ternary_s7
#define des_s8 ternary_s8
#include "des/des_sboxes_ternary.h"
#undef des_s1
#undef des_s2
#undef des_s3
#undef des_s4
#undef des_s5
#undef des_s6
#undef des_s7
#undef des_s8

#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define ANDN(a, b) (~(a) & (b))
#define NOT(a) (~(a))
#include "des/des_sboxes_logic.h"

static const struct {
    const char *name;
    sbox_fn *box[8];
} netlists[] = {
    { "ternary",
      { ternary_s1, ternary_s2, ternary_s3, ternary_s4, ternary_s5, ternary_s6, ternary_s7,
        ternary_s8 } },
    { "logic", { des_s1, des_s2, des_s3, des_s4, des_s5, des_s6, des_s7, des_s8 } },
};

/* check_box checks that a box XORs the table's values to its outputs, for all 64 inputs and any
 * previous outputs. */
static void check_box(sbox_fn *box, int number)
{
    V in[6] = { 0 }, out[4], before[4];
    for (int x = 0; x < 64; x++)
        for (int i = 0; i < 6; i++)
            in[i] |= (V)(x >> (5 - i) & 1) << x;
    random_bytes(before, sizeof before);
    memcpy(out, before, sizeof out);
    box(in[0], in[1], in[2], in[3], in[4], in[5], &out[0], &out[1], &out[2], &out[3]);
    for (int i = 0; i < 4; i++)
        if ((out[i] ^ before[i]) != des_sbox_output(number, i))
            complain("S%d, output %d: %016llx instead of %016llx", number + 1, i + 1,
                     (unsigned long long)(out[i] ^ before[i]),
                     (unsigned long long)des_sbox_output(number, i));
}

int main(void)
{
    for (size_t i = 0; i < COUNT_OF(netlists); i++)
        for (int number = 0; number < 8; number++) {
            check_box(netlists[i].box[number], number);
            tap(!complaints_so_far(), "S%d of the %s netlists is the standard's table", number + 1,
                netlists[i].name);
        }
    return tap_done();
}
