/* SPDX-License-Identifier: Apache-2.0 */
/* des_boxes FORM: prints the S-boxes of DES combined with the operations behind them, for kernels
 * of few blocks, which keep a half as the eight inputs of the S-boxes, a byte each (des_modes.h in
 * lib/des).
 *   mux    des_boxes_mux.h: words from which a tree of selections makes all boxes' outputs, and P
 *   table  des_boxes_table.h: each box combined with P and E, for table lookups
 *   bytes  x86/des_boxes_bytes.h: each box as 64 bytes, and the arrangement of P and E
 *   rows   x86/des_boxes_rows.h: each box as 32 bytes of two outputs, and that arrangement
 *   tbl    arm64/des_boxes_tbl.h: each box as 64 bytes whose bits are where the next boxes want
 *          them */
#include "des_tables.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

/* FIPS 46-3: bit p + 1 of P(x) is bit des_p[p] of x. */
static const uint8_t des_p[32] = { 16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
                                   2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25 };

static unsigned box_output(unsigned box, unsigned x)
{
    return des_sbox_table[box][(x >> 4 & 2) | (x & 1)][x >> 1 & 15];
}

/* The output, 4 * box + bit, that P and E bring to input `bit` of a box; 0 is the first input,
 * as for outputs. */
static unsigned source(unsigned box, unsigned bit)
{
    return des_p[(4 * box + bit + 31) % 32] - 1u;
}

/* ---- table ---- */

static uint64_t expanded(unsigned box, unsigned x)
{
    uint64_t out = 0;
    for (unsigned to = 0; to < 8; to++)
        for (unsigned bit = 0; bit < 6; bit++) {
            const unsigned from = source(to, bit);
            if (from / 4 == box)
                out |= (uint64_t)(box_output(box, x) >> (3 - from % 4) & 1) << (8 * to + 5 - bit);
        }
    return out;
}

static void print_words(const uint64_t *words, unsigned num)
{
    for (unsigned i = 0; i < num; i++)
        printf("%s0x%016llx,", i % 4 ? " " : "\n    ", (unsigned long long)words[i]);
    printf("\n");
}

static void print_table(void)
{
    printf("/* Of box i + 1 the output for each input, after P and E: as inputs of the next "
           "round's\n * boxes, of box j + 1 in byte j. */\n"
           "static const uint64_t des_table[8][64] = {");
    for (unsigned box = 0; box < 8; box++) {
        uint64_t words[64];
        for (unsigned x = 0; x < 64; x++)
            words[x] = expanded(box, x);
        printf("%s", box ? "    }, {" : "{");
        print_words(words, 64);
    }
    printf("} };\n");
}

/* ---- bytes ---- */

static void print_bytes(const uint8_t *bytes, unsigned num)
{
    for (unsigned i = 0; i < num; i++)
        printf("%s%u,", i % 16 ? " " : "\n    ", bytes[i]);
    printf("\n");
}

static void print_bytes_form(void)
{
    uint8_t arrange[64] = { 0 }, select[8][64] = { 0 };
    printf("/* What each box answers. */\n"
           "static const uint8_t des_answers[8][64] = {");
    for (unsigned box = 0; box < 8; box++) {
        uint8_t answers[64];
        for (unsigned x = 0; x < 64; x++)
            answers[x] = (uint8_t)box_output(box, x);
        printf("%s", box ? "}, {" : "{");
        print_bytes(answers, 64);
        for (unsigned bit = 0; bit < 6; bit++) {
            const unsigned from = source(box, 5 - bit), at = 8 * box + 7 - bit;
            arrange[at] = (uint8_t)(8 * (from / 4));
            select[from / 4][at] = (uint8_t)(1u << (3 - from % 4));
        }
    }
    printf(
        "} };\n"
        "/* Byte 7 - b of lane j is about bit b of what goes into box j + 1: the lane of the box "
        "that\n * it comes from, and for that box which bit of its answer it is. */\n"
        "static const uint8_t des_arrange[64] = {");
    print_bytes(arrange, 64);
    printf("};\nstatic const uint8_t des_select[8][64] = {");
    for (unsigned box = 0; box < 8; box++) {
        printf("%s", box ? "}, {" : "{");
        print_bytes(select[box], 64);
    }
    printf("} };\n");
}

/* ---- rows ---- */

/* Prints the rows. Of the lanes of 128 bits, one is for inputs whose first bit is 0 and one for
 * those with 1; the halves of a byte are for the two values of the last bit. */
static void print_rows(void)
{
    uint8_t arrange[64] = { 0 }, select[64] = { 0 };
    printf(
        "/* What each box answers by the four bits in the middle: inputs that begin with 0, and "
        "with "
        "1;\n * in the low half of a byte for those that end in 0, in the high one for the others. "
        "*/\nstatic const uint8_t des_rows[8][32] = {");
    for (unsigned box = 0; box < 8; box++) {
        uint8_t rows[32];
        for (unsigned i = 0; i < 32; i++) {
            const unsigned x = (i & 16) << 1 | (i & 15) << 1;
            rows[i] = (uint8_t)(box_output(box, x) | box_output(box, x | 1) << 4);
        }
        printf("%s", box ? "}, {" : "{");
        print_bytes(rows, 32);
        for (unsigned bit = 0; bit < 6; bit++) {
            const unsigned from = source(box, 5 - bit);
            arrange[8 * box + bit] = (uint8_t)(from / 4);
            select[8 * box + bit] = (uint8_t)(0x11u << (3 - from % 4));
        }
    }
    printf("} };\n"
           "/* Byte b of lane j is about bit b of what goes into box j + 1: the box that it comes "
           "from,"
           " and\n * which bit of its answer it is, in either half. */\n"
           "static const uint8_t des_arrange_rows[64] = {");
    print_bytes(arrange, 64);
    printf("};\nstatic const uint8_t des_select_rows[64] = {");
    print_bytes(select, 64);
    printf("};\n");
}

/* ---- mux ---- */

/* The bit, 0 to 3, of each output in the byte of its box: place[box][output]. */
struct places {
    uint8_t place[8][4];
};

/* Marks the rotations that P needs: it moves an output from bit place[] of byte `box` to bit 3 -
 * i of byte `to`. */
static void rotations(uint64_t masks[64], const struct places *p)
{
    memset(masks, 0, 64 * sizeof masks[0]);
    for (unsigned at = 0; at < 32; at++) {
        const unsigned from = des_p[at] - 1u;
        const unsigned source_bit = 8 * (from / 4) + p->place[from / 4][from % 4];
        const unsigned target_bit = 8 * (at / 4) + 3 - at % 4;
        masks[(target_bit - source_bit) & 63] |= UINT64_C(1) << source_bit;
    }
}

static unsigned num_rotations(const struct places *p)
{
    uint64_t masks[64];
    unsigned num = 0;
    rotations(masks, p);
    for (unsigned i = 0; i < 64; i++)
        num += masks[i] != 0;
    return num;
}

/* Finds places that need few rotations: swaps two outputs of a box if that does not increase the
 * number, from many random beginnings. */
static struct places few_rotations(void)
{
    struct places best;
    unsigned least = 64;
    random_start(1);
    for (unsigned round = 0; round < 400; round++) {
        struct places p;
        for (unsigned i = 0; i < 32; i++)
            p.place[i / 4][i % 4] = (uint8_t)(i % 4);
        unsigned num = 64;
        for (unsigned step = 0; step < 4000; step++) {
            uint8_t *box = p.place[random_below(8)];
            const int a = random_below(4), b = random_below(4);
            const uint8_t before[2] = { box[a], box[b] };
            box[a] = before[1], box[b] = before[0];
            const unsigned now = num_rotations(&p);
            if (now > num && step > 40)
                box[a] = before[0], box[b] = before[1];
            else
                num = now;
        }
        if (num < least)
            least = num, best = p;
    }
    return best;
}

/* Word x. Its byte i is for box i + 1: the low half holds the outputs for input x, the high half
 * those for 32 + x. */
static uint64_t mux_word(const struct places *p, unsigned x)
{
    uint64_t word = 0;
    for (unsigned box = 0; box < 8; box++)
        for (unsigned half = 0; half < 2; half++)
            for (unsigned bit = 0; bit < 4; bit++)
                word |= (uint64_t)(box_output(box, x + 32 * half) >> (3 - bit) & 1)
                        << (8 * box + 4 * half + p->place[box][bit]);
    return word;
}

static void print_mux(void)
{
    const struct places p = few_rotations();
    uint64_t even[16], differ[16], masks[64];
    for (unsigned i = 0; i < 16; i++) {
        even[i] = mux_word(&p, 2 * i);
        differ[i] = even[i] ^ mux_word(&p, 2 * i + 1);
    }
    printf("/* The boxes' outputs for even inputs, and in what those for odd ones differ: of box i "
           "+ 1 "
           "in byte\n * i, for inputs below 32 in the low half of a byte, for the others in the "
           "high one. */\nstatic const uint64_t des_even[16] = {");
    print_words(even, 16);
    printf("};\nstatic const uint64_t des_differ[16] = {");
    print_words(differ, 16);
    printf("};\n\n/* P of outputs in the low halves: four bits a byte, the first most significant. "
           "*/\nstatic inline uint64_t des_p(uint64_t x)\n{\n    return ");
    rotations(masks, &p);
    for (unsigned i = 0, num = 0; i < 64; i++)
        if (masks[i])
            printf("%srotr64(x & 0x%016llx, %u)", num++ ? " |\n           " : "",
                   (unsigned long long)masks[i], (64 - i) & 63);
    printf(";\n}\n");
}

/* ---- tbl ---- */

/* Input bit p of box `to` is kept at bit at[to][p]. The positions are chosen such that one byte
 * for each input of a box can hold all its outputs at the positions that the receiving boxes
 * need: 6 bits for 4 outputs. */
struct kept {
    uint8_t at[8][6];
    uint8_t output[8][6]; /* for each bit of a box's byte, 1 + the output that is there */
};

/* Whether an order moves bits up by at most one distance, and down by at most one other distance;
 * *up and *down get these distances. */
static int moves(const uint8_t at[6], int *up, int *down)
{
    *up = *down = 0;
    for (int p = 0; p < 6; p++) {
        const int by = at[p] - p;
        int *const kind = by < 0 ? down : up;
        if (by && *kind && *kind != by)
            return 0;
        if (by)
            *kind = by;
    }
    return 1;
}

static void exchange(uint8_t *a, uint8_t *b)
{
    const uint8_t t = *a;
    *a = *b, *b = t;
}

/* Steps to the next permutation in lexicographic order. Returns 0 behind the last. */
static int next_order(uint8_t at[6])
{
    int i = 4, j = 5;
    while (i >= 0 && at[i] > at[i + 1])
        i--;
    if (i < 0)
        return 0;
    while (at[j] < at[i])
        j--;
    exchange(&at[i], &at[j]);
    for (i++, j = 5; i < j; i++, j--)
        exchange(&at[i], &at[j]);
    return 1;
}

/* Finds orders, box by box: the first ones that are compatible with each other. */
static int find_kept(struct kept *k, unsigned to)
{
    int up, down;
    uint8_t at[6] = { 0, 1, 2, 3, 4, 5 };
    if (to == 8)
        return 1;
    do {
        struct kept next = *k;
        int agrees = moves(at, &up, &down);
        for (unsigned p = 0; agrees && p < 6; p++) {
            const unsigned from = source(to, 5 - p);
            uint8_t *const there = &next.output[from / 4][at[p]];
            agrees = !*there || *there == from % 4 + 1;
            *there = (uint8_t)(from % 4 + 1);
        }
        memcpy(next.at[to], at, sizeof at);
        if (agrees && find_kept(&next, to + 1)) {
            *k = next;
            return 1;
        }
    } while (next_order(at));
    return 0;
}

static void print_tbl(void)
{
    struct kept k = { { { 0 } }, { { 0 } } };
    uint8_t select[64] = { 0 }, stay[8] = { 0 }, up[8] = { 0 }, down[8] = { 0 };
    int by_up[8], by_down[8];
    if (!find_kept(&k, 0))
        return;
    printf("/* What goes into a box is kept in another order of its six bits. Of each box, what it "
           "answers,\n * every bit where the boxes want it that it goes to. */\n"
           "static const uint8_t des_tbl[8][64] = {");
    for (unsigned box = 0; box < 8; box++) {
        uint8_t answers[64] = { 0 };
        for (unsigned x = 0; x < 64; x++) {
            unsigned index = 0;
            for (unsigned p = 0; p < 6; p++)
                index |= (x >> p & 1) << k.at[box][p];
            for (unsigned c = 0; c < 6; c++)
                if (k.output[box][c])
                    answers[index] |= (box_output(box, x) >> (4 - k.output[box][c]) & 1) << c;
        }
        printf("%s", box ? "}, {" : "{");
        print_bytes(answers, 64);
    }
    for (unsigned to = 0; to < 8; to++) {
        moves(k.at[to], &by_up[to], &by_down[to]);
        for (unsigned p = 0; p < 6; p++) {
            const int by = k.at[to][p] - (int)p;
            select[8 * (source(to, 5 - p) / 4) + to] |= (uint8_t)(1 << k.at[to][p]);
            *(by < 0 ? &down[to] : by ? &up[to] : &stay[to]) |= (uint8_t)(1 << p);
        }
    }
    printf("} };\n/* Of a box's answer, which bit goes into box j + 1. */\n"
           "static const uint8_t des_tbl_select[64] = {");
    print_bytes(select, 64);
    printf("};\n/* The bits that stay, go up and go down, by so many places, into that order. */\n"
           "static const uint8_t des_tbl_stay[8] = {");
    print_bytes(stay, 8);
    printf("};\nstatic const uint8_t des_tbl_up[8] = {");
    print_bytes(up, 8);
    printf("};\nstatic const uint8_t des_tbl_down[8] = {");
    print_bytes(down, 8);
    printf("};\nstatic const int8_t des_tbl_by[2][8] = {\n");
    for (unsigned i = 0; i < 2; i++) {
        printf("    {");
        for (unsigned to = 0; to < 8; to++)
            printf("%s%d", to ? ", " : " ", (i ? by_down : by_up)[to]);
        printf(" },\n");
    }
    printf("};\n");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *form;
        void (*print)(void);
    } forms[] = { { "mux", print_mux },
                  { "table", print_table },
                  { "bytes", print_bytes_form },
                  { "rows", print_rows },
                  { "tbl", print_tbl } };
    for (unsigned i = 0; argc == 2 && i < sizeof forms / sizeof forms[0]; i++)
        if (!strcmp(argv[1], forms[i].form)) {
            printf("/* SPDX-License-Identifier: Apache-2.0 */\n"
                   "/* Written by tools/gen/des_boxes from the tables of FIPS 46-3. */\n"
                   "#pragma once\n#include %s\n\n/* clang-format off */\n",
                   i ? "<stdint.h>" : "\"../bytes.h\"");
            forms[i].print();
            printf("/* clang-format on */\n");
            return 0;
        }
    fprintf(stderr, "usage: des_boxes mux | table | bytes | rows | tbl\n");
    return 2;
}
