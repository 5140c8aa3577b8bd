/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes words that the GNU assembler wrote, and checks which registers every instruction
 * preserves. */
#include "../config.h"
#include "run.h"
#include <string.h>

static const struct {
    uint32_t word;
    enum t4_op op;
    /* Registers as in the assembler text, %f0 to %f62; for an immediate, the register that its bits
     * would mean. */
    uint8_t rd, rs1, rs2, rs3;
} words[] = {
    { 0xbec80803, T4_AES_EROUND01, 62, 0, 34, 4 },
    { 0xbac88c25, T4_AES_EROUND23, 60, 2, 36, 6 },
    { 0xb6c91047, T4_AES_DROUND01, 58, 4, 38, 8 },
    { 0xb2c99469, T4_AES_DROUND23, 56, 6, 40, 10 },
    { 0xaeca188b, T4_AES_EROUND01_L, 54, 8, 42, 12 },
    { 0xaaca9cad, T4_AES_EROUND23_L, 52, 10, 44, 14 },
    { 0xa6cb20cf, T4_AES_DROUND01_L, 50, 12, 46, 16 },
    { 0xa2cba4f1, T4_AES_DROUND23_L, 48, 14, 48, 18 },
    { 0x9ecc1313, T4_AES_KEXPAND1, 46, 16, 50, 40 }, /* immediate 9 */
    { 0x9bb4a615, T4_AES_KEXPAND0, 44, 18, 52, 0 },
    { 0x97b52637, T4_AES_KEXPAND2, 42, 20, 54, 0 },
    { 0x8ecdb139, T4_DES_ROUND, 38, 22, 56, 24 },
    { 0x8bb6a680, T4_DES_IP, 36, 26, 0, 0 },
    { 0x87b726a0, T4_DES_IIP, 34, 28, 0, 0 },
    { 0x83b7a6c3, T4_DES_KEXPAND, 32, 30, 34, 0 }, /* immediate 3 */
    { 0xbcc8455d, T4_KASUMI_FL_XOR, 30, 32, 60, 2 },
    { 0xb8c8c97f, T4_KASUMI_FI_XOR, 28, 34, 62, 4 },
    { 0xb5b16700, T4_KASUMI_FI_FI, 26, 36, 0, 0 },
    { 0xb0c9cd82, T4_CAMELLIA_F, 24, 38, 2, 6 },
    { 0xadb26784, T4_CAMELLIA_FL, 22, 40, 4, 0 },
    { 0xa9b2e7a6, T4_CAMELLIA_FLI, 20, 42, 6, 0 },
    { 0x81b02800, T4_MD5, 0, 0, 0, 0 },
    { 0x81b02820, T4_SHA1, 0, 0, 0, 0 },
    { 0x81b02840, T4_SHA256, 0, 0, 0, 0 },
    { 0x81b02860, T4_SHA512, 0, 0, 0, 0 },
    { 0x81b0291f, T4_MPMUL, 0, 0, 62, 0 },   /* immediate 31 */
    { 0x81b02927, T4_MONTMUL, 0, 0, 38, 0 }, /* immediate 7 */
    { 0x81b02957, T4_MONTSQR, 0, 0, 54, 0 }, /* immediate 23 */
    { 0xa5b368e8, T4_CRC32C, 18, 44, 8, 0 },
};
enum { NUM_WORDS = sizeof words / sizeof *words };

static void assembler(void)
{
    for (unsigned i = 0; i < NUM_WORDS; i++) {
        struct t4_insn insn;
        if (t4_decode(&insn, words[i].word) != words[i].op)
            wrong("%08x: %s, not %s", words[i].word, t4_opcodes[insn.op].name,
                  t4_opcodes[words[i].op].name);
        const uint8_t fields[4] = { insn.rd, insn.rs1, insn.rs2, insn.rs3 };
        const uint8_t registers[4] = { words[i].rd, words[i].rs1, words[i].rs2, words[i].rs3 };
        const int is_b = (insn.word >> 19 & 0x3f) == 0x36; /* for these, opf overlaps rs3's field */
        for (unsigned j = 0; j < (is_b ? 3 : 4); j++)
            if (t4_double_index(fields[j]) != registers[j] / 2)
                wrong("%08x: field %u is not %u", words[i].word, j, registers[j]);
    }
    struct t4_insn cfr;
    if (t4_decode(&cfr, 0x97468000) != T4_RD_CFR || cfr.rd != 11)
        wrong("rd %%cfr, %%o3");
}

/* Instructions on double registers change rd and nothing else. */
static void only_rd(void)
{
    for (unsigned i = 0; i < NUM_WORDS; i++) {
        const enum t4_op op = words[i].op;
        const struct t4_opcode *opcode = &t4_opcodes[op];
        if (!opcode->execute || opcode->mask == 0xffffffff || op == T4_MONTMUL || op == T4_MONTSQR)
            continue;
        reset();
        t4_model.die_on_undefined = 0;
        D(2) &= 0xffffffff; /* a CRC's state is in the low word */
        struct t4_machine before = t4;
        run(op, F(40), F(2), op == T4_DES_KEXPAND ? 0 : F(4),
            op == T4_AES_KEXPAND1      ? 9
            : opcode->mask & 0x1f << 9 ? 0
                                       : F(6));
        if (before.d[20] == t4.d[20])
            wrong("%s: rd is as it was", opcode->name);
        before.d[20] = t4.d[20];
        before.pc += 4;
        before.npc += 4;
        if (memcmp(&before, &t4, sizeof t4) != 0)
            wrong("%s: more than rd", opcode->name);
    }
}

/* An instruction whose capability bit is off is illegal and changes nothing. */
static void capabilities(void)
{
    for (unsigned i = 0; i < NUM_WORDS; i++) {
        const struct t4_opcode *opcode = &t4_opcodes[words[i].op];
        enum t4_op op;
        reset();
        t4_model.cfr = ~(UINT32_C(1) << opcode->cfr_bit);
        const struct t4_machine before = t4;
        if (t4_step(&t4, words[i].word, &op) != T4_ILLEGAL)
            wrong("%s without its bit", opcode->name);
        if (memcmp(&before, &t4, sizeof t4) != 0)
            wrong("%s: illegal, but it changed a register", opcode->name);
        t4_model.cfr = ~t4_model.cfr;
        t4_model.die_on_undefined = 0;
        if (t4_step(&t4, words[i].word, &op) == T4_ILLEGAL)
            wrong("%s with its bit alone", opcode->name);
    }
}

static void undocumented(void)
{
    static const enum t4_op ops[] = { T4_KASUMI_FL_XOR, T4_KASUMI_FI_XOR, T4_KASUMI_FI_FI,
                                      T4_MPMUL };
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
        reset();
        const struct t4_machine before = t4;
        if (try_run(ops[i], 0, 0, 0, 0) != T4_UNDOCUMENTED)
            wrong("%s has an operation", t4_opcodes[ops[i]].name);
        if (memcmp(&before, &t4, sizeof t4) != 0)
            wrong("%s changes a register", t4_opcodes[ops[i]].name);
    }
}

static void cfr(void)
{
    reset();
    t4_model.cfr = 0x5a5;
    run(T4_RD_CFR, 11, 0, 0, 0);
    expect(t4_get_r(&t4, 11), 0x5a5, "%cfr");
}

/* Words of --strict are independent of their order. */
static void strict_words(void)
{
    static const char *const strict[] = { "1,fcc3=3", "fcc3=3,1", "fcc3=3,poison,,forms" };
    char why[200];
    for (unsigned i = 0; i < sizeof strict / sizeof *strict; i++) {
        struct t4_model model = t4_config_default();
        expect((uint64_t)t4_config_strict(&model, strict[i], why, sizeof why), 0, strict[i]);
        expect(model.mont_failures, 3, strict[i]);
        expect(model.poison + 2u * model.die_on_undefined, 3, strict[i]);
    }
}

const struct check decode_checks[] = {
    { "decoder: words of the GNU assembler", assembler },
    { "decoder: capability bits", capabilities },
    { "decoder: kasumi and mpmul have no operation", undocumented },
    { "registers: only rd changes", only_rd },
    { "registers: rd %cfr", cfr },
    { "words of strictness, in any order", strict_words },
    { 0 },
};
