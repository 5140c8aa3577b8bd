/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the quick look (code_candidate) with the decoder: many encodings of x86 instructions
 * (legacy prefixes, REX, VEX, EVEX, registers and memory) are tried, and the quick look must see
 * each that the decoder marks. */
#include "code/code.h"
#include "test.h"

/* ModRM bytes: registers, [rcx], [rcx+8], SIB with 8 and 32 bits of displacement, RIP-relative. */
static const uint8_t operands[] = { 0xc0, 0xc8, 0xd1, 0x01, 0x41, 0x4c, 0x84, 0x05 };

static uint64_t num_marked;
static marks all_marks;

struct bytes {
    uint8_t at[16];
    size_t len;
};

static void push(struct bytes *b, uint8_t byte)
{
    b->at[b->len++] = byte;
}

/* check finds the length of the instruction at `start`, if it has marks, and gives the quick look
 * exactly its bytes, so that no bytes behind them help. */
static void check(const struct bytes *start, enum arch arch)
{
    struct bytes b = *start;
    memset(b.at + b.len, 0x20, sizeof b.at - b.len);
    const struct code all = { .bytes = b.at, .len = 15, .address = 0x1000, .arch = arch };
    if (!code_marks(&all))
        return;
    /* The shortest prefix of the bytes that is marked is the instruction. */
    for (size_t len = b.len; len <= 15; len++) {
        const struct code code = { .bytes = b.at, .len = len, .address = 0x1000, .arch = arch };
        const marks found = code_marks(&code);
        if (!found)
            continue;
        num_marked++;
        all_marks |= found;
        if (!code_candidate(&code)) {
            complain("the quick look misses marks %llx, %zu bytes of arch %d:",
                     (unsigned long long)found, len, arch);
            for (size_t i = 0; i < len; i++)
                complain("  %02x", b.at[i]);
        }
        return;
    }
}

/* check_opcode checks an opcode with each of the operands. */
static void check_opcode(struct bytes b, uint8_t opcode, enum arch arch)
{
    push(&b, opcode);
    for (size_t i = 0; i < sizeof operands; i++) {
        struct bytes with = b;
        push(&with, operands[i]);
        check(&with, arch);
    }
}

static void legacy(enum arch arch)
{
    static const uint8_t prefixes[][3] = { { 0 },          { 0x66 },       { 0xf2 },
                                           { 0xf3 },       { 0x66, 0xf2 }, { 0x67 },
                                           { 0x64, 0x66 }, { 0x2e, 0xf3 }, { 0xf2, 0x66 } };
    const unsigned num_rex = arch == ARCH_X86_64 ? 17 : 1;
    for (size_t p = 0; p < COUNT_OF(prefixes); p++)
        for (unsigned rex = 0; rex < num_rex; rex++)
            for (unsigned map = 0; map < 3; map++)
                for (unsigned opcode = 0; opcode < 256; opcode++) {
                    struct bytes b = { .len = 0 };
                    for (size_t i = 0; i < 3 && prefixes[p][i]; i++)
                        push(&b, prefixes[p][i]);
                    if (rex)
                        push(&b, (uint8_t)(0x3f + rex));
                    push(&b, 0x0f);
                    if (map)
                        push(&b, map == 1 ? 0x38 : 0x3a);
                    if (map == 0 && (opcode == 0x38 || opcode == 0x3a))
                        continue;
                    check_opcode(b, (uint8_t)opcode, arch);
                }
}

static void vex(enum arch arch)
{
    for (unsigned low = 0; low < 256; low++)
        for (unsigned opcode = 0; opcode < 256; opcode++) {
            /* Two bytes: R, vvvv, L, pp. Three: RXB and map, then W, vvvv, L, pp, of which vvvv is
             * either none or one register. */
            struct bytes two = { { 0xc5, (uint8_t)low }, 2 };
            check_opcode(two, (uint8_t)opcode, arch);
        }
    for (unsigned map = 0; map < 8; map++)
        for (unsigned w = 0; w < 2; w++)
            for (unsigned lpp = 0; lpp < 8; lpp++)
                for (unsigned vvvv = 0; vvvv < 16; vvvv += 15)
                    for (unsigned opcode = 0; opcode < 256; opcode++)
                        for (unsigned rxb = 0x60; rxb < 0x100; rxb += 0x80) {
                            struct bytes b = { { 0xc4, (uint8_t)(rxb | map),
                                                 (uint8_t)(w << 7 | vvvv << 3 | lpp) },
                                               3 };
                            check_opcode(b, (uint8_t)opcode, arch);
                        }
}

static void evex(enum arch arch)
{
    static const uint8_t thirds[] = { 0x08, 0x28, 0x48, 0x18, 0x00, 0xc9 };
    for (unsigned map = 0; map < 8; map++)
        for (unsigned wpp = 0; wpp < 8; wpp++)
            for (unsigned vvvv = 0; vvvv < 16; vvvv += 15)
                for (size_t third = 0; third < sizeof thirds; third++)
                    for (unsigned opcode = 0; opcode < 256; opcode++) {
                        const uint8_t second =
                            (uint8_t)((wpp & 4) << 5 | vvvv << 3 | 4 | (wpp & 3));
                        struct bytes b = { { 0x62, (uint8_t)(0xf0 | map), second, thirds[third] },
                                           4 };
                        check_opcode(b, (uint8_t)opcode, arch);
                    }
}

static void encodings(enum arch arch, const char *name)
{
    num_marked = 0;
    all_marks = 0;
    legacy(arch);
    vex(arch);
    evex(arch);
    const marks x86 = MARKS_AES | MARKS_AES_CIPHER | MARK(SHA1) | MARK(SHA256) | MARK(SHA512) |
                      MARK(SM3) | MARK(SM4) | MARK(CLMUL) | MARK(GFNI) | MARK(CRC32) | MARK(MULX) |
                      MARK(ADX) | MARK(IFMA) | MARK(MONTMUL);
    if (all_marks != x86)
        complain("%s: marks %llx were met instead of %llx", name, (unsigned long long)all_marks,
                 (unsigned long long)x86);
    tap(num_marked > 4000 && !complaints_so_far(),
        "%s: the quick look sees all of %llu marked encodings", name,
        (unsigned long long)num_marked);
}

/* places puts one of two instructions at every place of code that is otherwise NOPs, and also cuts
 * the code within it. */
static void places(void)
{
    static const uint8_t insns[][5] = { { 0x66, 0x0f, 0x38, 0xdc, 0xc1 },
                                        { 0xc4, 0xe2, 0x79, 0xdc, 0xc1 } };
    uint8_t bytes[700];
    for (size_t k = 0; k < COUNT_OF(insns); k++)
        for (size_t at = 0; at + sizeof insns[k] <= sizeof bytes; at++) {
            memset(bytes, 0x90, sizeof bytes);
            memcpy(bytes + at, insns[k], sizeof insns[k]);
            const struct code whole = { .bytes = bytes, .len = sizeof bytes, .arch = ARCH_X86_64 };
            struct code cut = whole;
            cut.len = at + 3;
            if (!code_candidate(&whole) || !(code_marks(&whole) & MARK(AES_ENC)))
                complain("an instruction at %zu of %zu is not seen", at, sizeof bytes);
            if (code_candidate(&cut))
                complain("half an instruction at %zu is seen", at);
        }
    memset(bytes, 0x90, sizeof bytes);
    const struct code none = { .bytes = bytes, .len = sizeof bytes, .arch = ARCH_X86_64 };
    const struct code empty = { .bytes = NULL, .len = 0, .arch = ARCH_X86_64 };
    if (code_candidate(&none) || code_candidate(&empty) || code_marks(&empty))
        complain("marks in nothing");
    tap(!complaints_so_far(),
        "the quick look sees an instruction at any place, and none where none is");
}

int main(void)
{
    encodings(ARCH_X86_64, "64-bit");
    encodings(ARCH_X86_32, "32-bit");
    places();
    return tap_done();
}
