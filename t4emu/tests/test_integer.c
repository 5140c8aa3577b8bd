/* SPDX-License-Identifier: Apache-2.0 */
/* VIS 3's integer instructions, moves between registers, siam; compare and branch; pause. */
#include "../../tests/test.h"
#include "run.h"

enum { ROUNDS = 500 };

/* Random operands: among them small ones, ones close to each other, and limits. */
static uint64_t operand(void)
{
    static const uint64_t special[] = {
        0,         1,          UINT64_MAX, INT64_MAX,   0x8000000000000000,
        INT32_MAX, 0x80000000, UINT32_MAX, 0x100000000, 0xffffffff80000000
    };
    uint64_t value;
    random_bytes(&value, sizeof value);
    return random_below(2) ? value : special[random_below(COUNT_OF(special))];
}

/* ---- sums with carry: 65 bits ---- */

static void add_with_carry(void)
{
    typedef __int128 wide;
    for (unsigned i = 0; i < ROUNDS; i++) {
        reset();
        const uint64_t a = t4.o[1] = operand(), b = t4.o[2] = operand();
        const uint8_t ccr = t4.ccr;
        const unsigned carry = ccr >> 4 & 1;
        const wide sum = (wide)a + b + carry, signed_sum = (wide)(int64_t)a + (int64_t)b + carry;
        const uint64_t low = (uint64_t)(uint32_t)a + (uint32_t)b + carry;
        const int64_t signed_low = (int64_t)(int32_t)a + (int32_t)b + carry;
        run(T4_ADDXC, 11, 9, 10, 0);
        expect(t4.o[3], (uint64_t)sum, "addxc");
        expect(t4.ccr, ccr, "addxc's CCR");
        run(T4_ADDXCCC, 11, 9, 10, 0);
        expect(t4.o[3], (uint64_t)sum, "addxccc");
        expect(t4.ccr >> 4 & 1, (uint64_t)(sum >> 64), "xcc.c");
        expect(t4.ccr >> 5 & 1, signed_sum != (int64_t)signed_sum, "xcc.v");
        expect(t4.ccr >> 6 & 1, (uint64_t)sum == 0, "xcc.z");
        expect(t4.ccr >> 7 & 1, (uint64_t)sum > INT64_MAX, "xcc.n");
        expect(t4.ccr & 1, low >> 32, "icc.c");
        expect(t4.ccr >> 1 & 1, signed_low != (int32_t)signed_low, "icc.v");
        expect(t4.ccr >> 2 & 1, (uint32_t)low == 0, "icc.z");
        expect(t4.ccr >> 3 & 1, (uint32_t)low > INT32_MAX, "icc.n");
    }
}

/* ---- products: schoolbook, in halves and in bits ---- */

static uint64_t high_product(uint64_t a, uint64_t b)
{
    const uint64_t a1 = a >> 32, a0 = a & UINT32_MAX, b1 = b >> 32, b0 = b & UINT32_MAX;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & UINT32_MAX);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* Coefficient n of the product of two polynomials over GF(2). */
static unsigned coefficient(uint64_t a, uint64_t b, unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 64; i++)
        if (n >= i && n - i < 64)
            sum += (a >> i & 1) * (b >> (n - i) & 1);
    return sum & 1;
}

static void products(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        reset();
        const uint64_t a = t4.o[1] = operand(), b = t4.o[2] = operand();
        uint64_t low = 0, high = 0;
        for (unsigned n = 64; n-- > 0;) {
            low = 2 * low + coefficient(a, b, n);
            high = 2 * high + coefficient(a, b, n + 64);
        }
        run(T4_UMULXHI, 11, 9, 10, 0);
        expect(t4.o[3], high_product(a, b), "umulxhi");
        run(T4_XMULX, 11, 9, 10, 0);
        expect(t4.o[3], low, "xmulx");
        run(T4_XMULXHI, 11, 9, 10, 0);
        expect(t4.o[3], high, "xmulxhi");
    }
}

static void leading_zeros(void)
{
    for (unsigned n = 0; n <= 64; n++) {
        reset();
        t4.o[1] = n == 64 ? 0 : (t4.o[1] | UINT64_C(1) << 63) >> n;
        run(T4_LZCNT, 11, 0, 9, 0);
        expect(t4.o[3], n, "lzcnt");
    }
}

/* ---- moves ---- */

static void moves(void)
{
    reset();
    D(4) = 0x89abcdef01234567;
    D(34) = 0x8000000000000001;
    run(T4_MOVDTOX, 9, 0, F(34), 0);
    expect(t4.o[1], 0x8000000000000001, "movdtox");
    run(T4_MOVSTOUW, 9, 0, 4, 0);
    expect(t4.o[1], 0x89abcdef, "movstouw");
    run(T4_MOVSTOSW, 9, 0, 4, 0);
    expect(t4.o[1], 0xffffffff89abcdef, "movstosw");
    run(T4_MOVSTOSW, 9, 0, 5, 0);
    expect(t4.o[1], 0x01234567, "movstosw");
    t4.o[2] = 0xfedcba9876543210;
    run(T4_MOVXTOD, F(62), 0, 10, 0);
    expect(D(62), 0xfedcba9876543210, "movxtod");
    run(T4_MOVWTOS, 5, 0, 10, 0);
    expect(D(4), 0x89abcdef76543210, "movwtos");
    run(T4_MOVDTOX, 0, 0, F(34), 0);
    expect(t4.g[0], 0, "%g0");
}

static void siam(void)
{
    for (unsigned mode = 0; mode < 8; mode++) {
        reset();
        const uint64_t gsr = t4.gsr;
        run(T4_SIAM, 0, 0, mode, 0);
        expect(t4.gsr >> 27 & 1, mode >> 2, "GSR.im");
        expect(t4.gsr >> 25 & 3, mode & 3, "GSR.irnd");
        expect((t4.gsr ^ gsr) & ~UINT64_C(0xe000000), 0, "the rest of GSR");
    }
    if (try_run(T4_SIAM, 0, 0, 8, 0) != T4_UNDEFINED ||
        try_run(T4_SIAM, 1, 0, 0, 0) != T4_UNDEFINED)
        wrong("siam's reserved bits");
}

/* ---- compare and branch ---- */

/* Condition `c` of a - b for two's complement numbers of `bits` bits. */
static int holds(unsigned c, uint64_t a, uint64_t b, unsigned bits)
{
    const uint64_t x = a << (64 - bits) >> (64 - bits), y = b << (64 - bits) >> (64 - bits);
    const int64_t sx = (int64_t)(a << (64 - bits)) >> (64 - bits);
    const int64_t sy = (int64_t)(b << (64 - bits)) >> (64 - bits);
    const __int128 difference = (__int128)sx - sy;
    const int64_t wrapped = (int64_t)((x - y) << (64 - bits)) >> (64 - bits);
    const int results[8] = { 0,      x == y, sx <= sy,    sx < sy,
                             x <= y, x < y,  wrapped < 0, difference != wrapped };
    return results[c & 7] ^ (c > 7);
}

static uint32_t cbcond_word(enum t4_op op, unsigned c, int words, unsigned imm, unsigned rs2)
{
    return t4_opcodes[op].match | (c >> 3) << 29 | (c & 7) << 25 |
           ((unsigned)words >> 8 & 3) << 19 | 9u << 14 | imm << 13 | ((unsigned)words & 255) << 5 |
           rs2;
}

static void branch_once(enum t4_op op, unsigned c, int words, unsigned imm, unsigned rs2)
{
    enum t4_op seen;
    const uint64_t a = t4.o[1];
    const int64_t simm5 = rs2 < 16 ? (int64_t)rs2 : (int64_t)rs2 - 32;
    const uint64_t b = imm ? (uint64_t)simm5 : t4_get_r(&t4, rs2);
    const uint64_t pc = t4.pc = 0x10000, npc = t4.npc = random_below(2) ? 0x10004 : 0x20000;
    struct t4_machine before = t4;
    const enum t4_result result = t4_step(&t4, cbcond_word(op, c, words, imm, rs2), &seen);
    const int taken = holds(c, a, b, op == T4_CXB ? 64 : 32);
    if (c % 8 == 0) {
        before.pc = pc;
        before.npc = npc;
        if (result != T4_ILLEGAL)
            wrong("condition %u is one", c);
    } else {
        before.pc = taken ? pc + (uint64_t)(4 * (int64_t)words) : npc;
        before.npc = before.pc + 4;
        if (result != T4_DONE)
            wrong("condition %u: result %d", c, (int)result);
    }
    if (memcmp(&before, &t4, sizeof t4) != 0)
        wrong("%s, condition %u, %016llx and %016llx: to %llx", t4_opcodes[op].name, c,
              (unsigned long long)a, (unsigned long long)b, (unsigned long long)t4.pc);
}

static void branches(void)
{
    for (unsigned i = 0; i < 16 * 2 * 100; i++) {
        const int words = i % 5 ? (int)random_below(1024) - 512 : i % 10 ? 511 : -512;
        reset();
        t4.o[1] = random_below(3) ? operand() : (uint64_t)(int64_t)(int)(random_below(40) - 20);
        t4.o[2] = random_below(3) ? operand() : t4.o[1] ^ (uint64_t)random_below(3) << 32;
        branch_once(i & 16 ? T4_CXB : T4_CWB, i & 15, words, i / 32 & 1,
                    i / 32 & 1 ? random_below(32) : 10);
    }
}

static void words_of_the_assembler(void)
{
    static const struct {
        uint32_t word;
        enum t4_op op;
    } words[] = {
        { 0x12c04042, T4_CWB },                                   /* cwbe %g1, %g2, .+8 */
        { 0x12c06045, T4_CWB },                                   /* cwbe %g1, 5, .+8 */
        { 0x32f04002, T4_CXB },                                   /* cxbne %g1, %g2, .-2048 */
        { 0x32e85fe2, T4_CXB },                                   /* cxbne %g1, %g2, .+2044 */
        { 0x02c04002, T4_NONE },                                  /* brz %g1, .+8 */
        { 0xb7802005, T4_WR_PAUSE }, { 0xb7804002, T4_WR_PAUSE }, /* wr %g1, %g2, %asr27 */
        { 0x8346c000, T4_NONE },                                  /* rd %asr27, %g1 */
        { 0x81b01027, T4_SIAM },     { 0x87b02a40, T4_FLCMPD },   { 0x81b00980, T4_BSHUFFLE },
        { 0x81a00f20, T4_FNSMULD },  { 0x81b02320, T4_MOVWTOS },  { 0xc1ba1c40, T4_STDFA },
        { 0xd4f21c40, T4_STXA },     { 0xd4da1c40, T4_NONE }, /* ldxa */
    };
    for (unsigned i = 0; i < COUNT_OF(words); i++) {
        struct t4_insn insn;
        if (t4_decode(&insn, words[i].word) != words[i].op)
            wrong("%08x: '%s'", words[i].word, t4_opcodes[insn.op].name);
    }
}

static void pause(void)
{
    enum t4_op op;
    reset();
    struct t4_machine before = t4;
    before.pc += 8;
    before.npc += 8;
    if (t4_step(&t4, 0xb7802005, &op) != T4_DONE || t4_step(&t4, 0xb7804002, &op) != T4_DONE)
        wrong("no pause");
    if (memcmp(&before, &t4, sizeof t4) != 0)
        wrong("a pause changes registers");
    if (t4_step(&t4, 0xb7804022, &op) != T4_UNDEFINED)
        wrong("reserved bits");
}

/* Instruction words with an unused field in which one bit is set: they are undefined. */
static void reserved(void)
{
    static const uint32_t words[] = {
        0x81b026a1,           /* des_iip with rs2 */
        0x83b02920,           /* montmul with rd */
        0x81b06920,           /* montmul with rs1 */
        0x83b02940,           /* montsqr with rd */
        0x81468001,           /* rd %cfr with rs2 */
        0x81b002e0 | 1 << 14, /* lzcnt with rs1 */
        0x81b00360 | 1 << 25, /* cmask8 with rd */
        0x81b02200 | 1 << 14, /* movdtox with rs1 */
        0x81b00c00 | 1,       /* fzero with rs2 */
        0x91b02a20,           /* flcmps with fcc4 */
    };
    for (unsigned i = 0; i < COUNT_OF(words); i++) {
        enum t4_op op;
        reset();
        const struct t4_machine before = t4;
        if (t4_step(&t4, words[i], &op) != T4_UNDEFINED || memcmp(&before, &t4, sizeof t4) != 0)
            wrong("%08x, %s", words[i], t4_opcodes[op].name);
    }
}

const struct check integer_checks[] = {
    { "VIS 3: addxc, addxccc", add_with_carry },
    { "VIS 3: umulxhi, xmulx, xmulxhi", products },
    { "VIS 3: lzcnt", leading_zeros },
    { "VIS 3: moves between register files", moves },
    { "VIS 2: siam", siam },
    { "cbcond: 16 conditions, both widths, registers and immediates", branches },
    { "decoder: words of the GNU assembler beyond crypto", words_of_the_assembler },
    { "pause", pause },
    { "strict: reserved bits", reserved },
    { 0 },
};
