/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises GHASH in code with carry-less multiplication by its polynomial, x^128 + x^7 + x^2 +
 * x + 1, with the bits of a block reversed (SP 800-38D, 6.3). The polynomial is either a
 * constant to multiply by, 0xc2 << 56, or shifts: by 57, the sum of 128 - 7 and 64 modulo 64, or
 * by 25 in words of 32 bits (Gueron and Kounavis, Intel Carry-Less Multiplication Instruction,
 * 2010). CRCs have other constants, and shift whole bytes. */
#include "code_insn.h"
#include <string.h>

#define POLYNOMIAL (UINT64_C(0xc2) << 56)

static bool is_shift(const ZydisDecodedInstruction *raw)
{
    const uint64_t by = raw->raw.imm[0].value.u;
    switch (raw->mnemonic) {
    case ZYDIS_MNEMONIC_PSLLQ:
    case ZYDIS_MNEMONIC_VPSLLQ:
        return raw->raw.imm[0].size && by == 57;
    case ZYDIS_MNEMONIC_PSLLD:
    case ZYDIS_MNEMONIC_VPSLLD:
        return raw->raw.imm[0].size && by == 25;
    default:
        return false;
    }
}

static bool is_polynomial(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value == POLYNOMIAL; /* x86 only: in the byte order of this machine */
}

/* Whether an immediate, or either half of a loaded vector, is the polynomial. */
static bool has_polynomial(const struct walk *walk, const struct insn *insn)
{
    const struct code *code = walk->code;
    uint64_t address;
    if (walk->raw.raw.imm[0].size == 64 && walk->raw.raw.imm[0].value.u == POLYNOMIAL)
        return true;
    if (!code->data || !insn->vector_bits ||
        !x86_address(&address, walk, code->address + insn->offset))
        return false;
    const uint8_t *at = code->data(code->data_ctx, address, 16);
    return at && (is_polynomial(at) || is_polynomial(at + 8));
}

bool code_is_ghash(const struct code *code)
{
    struct walk walk;
    struct insn insn;
    if (!arch_is_x86(code->arch))
        return false;
    for (code_walk_start(&walk, code, 0); code_walk_next(&walk, &insn);)
        if (walk.known && insn.flow == FLOW_NEXT &&
            (is_shift(&walk.raw) || has_polynomial(&walk, &insn)))
            return true;
    return false;
}
