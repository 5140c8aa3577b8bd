/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes one x86 instruction: its effect on control flow and on data. Zydis decodes without
 * operands, which makes it twice as fast. */
#include "code_insn.h"

void x86_start(struct walk *walk)
{
    if (walk->code->arch == ARCH_X86_64)
        ZydisDecoderInit(&walk->zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    else
        ZydisDecoderInit(&walk->zydis, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
}

static enum flow x86_flow(const ZydisDecodedInstruction *raw)
{
    switch (raw->meta.category) {
    case ZYDIS_CATEGORY_UNCOND_BR:
        return FLOW_JUMP;
    case ZYDIS_CATEGORY_COND_BR:
        return FLOW_COND;
    case ZYDIS_CATEGORY_CALL:
        return FLOW_CALL;
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_SYSRET:
        return FLOW_END;
    default:
        break;
    }
    switch (raw->mnemonic) {
    case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
        return FLOW_END;
    default:
        return FLOW_NEXT;
    }
}

/* The width of an instruction's vector registers by its encoding: 128 bits for legacy SSE, else
 * by VEX.L or EVEX.L'L. */
static uint16_t vector_bits(const ZydisDecodedInstruction *raw)
{
    switch (raw->meta.isa_ext) {
    case ZYDIS_ISA_EXT_SSE:
    case ZYDIS_ISA_EXT_SSE2:
    case ZYDIS_ISA_EXT_SSE3:
    case ZYDIS_ISA_EXT_SSSE3:
    case ZYDIS_ISA_EXT_SSE4:
        return raw->mnemonic == ZYDIS_MNEMONIC_CRC32 || raw->mnemonic == ZYDIS_MNEMONIC_POPCNT ||
                       raw->meta.category == ZYDIS_CATEGORY_PREFETCH || !raw->raw.modrm.offset
                   ? 0
                   : 128;
    case ZYDIS_ISA_EXT_BMI1:
    case ZYDIS_ISA_EXT_BMI2:
    case ZYDIS_ISA_EXT_AVX512VEX: /* operates on mask registers */
    case ZYDIS_ISA_EXT_LZCNT:
    case ZYDIS_ISA_EXT_PADLOCK:
    case ZYDIS_ISA_EXT_ADOX_ADCX:
        return 0;
    default:
        break;
    }
    if (raw->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX)
        return raw->raw.vex.L ? 256 : 128;
    if (raw->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
        return raw->raw.evex.L2 || (raw->raw.evex.b && raw->raw.modrm.mod == 3) ? 512
               : raw->raw.evex.L                                                ? 256
                                                                                : 128;
    return raw->meta.isa_ext == ZYDIS_ISA_EXT_AES || raw->meta.isa_ext == ZYDIS_ISA_EXT_PCLMULQDQ ||
                   raw->meta.isa_ext == ZYDIS_ISA_EXT_SHA || raw->meta.isa_ext == ZYDIS_ISA_EXT_GFNI
               ? 128
               : 0;
}

/* Whether an instruction stores a whole vector register (MOVUPS, MOVAPS, MOVDQU, MOVDQA, MOVNTDQ
 * and their VEX and EVEX forms), and not to an address relative to RSP or RBP. */
static bool stores_vector(const ZydisDecodedInstruction *raw)
{
    enum { RSP = 4, RBP = 5 };
    const uint8_t op = raw->opcode;
    const bool is_store = op == 0x11 || op == 0x29 || op == 0x2b || op == 0x7f || op == 0xe7;
    if (!is_store || raw->opcode_map != ZYDIS_OPCODE_MAP_0F || !raw->raw.modrm.offset ||
        raw->raw.modrm.mod == 3)
        return false;
    const uint8_t base = raw->raw.sib.offset ? raw->raw.sib.base : raw->raw.modrm.rm;
    return raw->raw.rex.B || (base != RSP && (base != RBP || !raw->raw.modrm.mod));
}

/* Whether an instruction loads with an index, as a look-up in a table does. */
static bool is_lookup(const ZydisDecodedInstruction *raw)
{
    const bool is_store =
        raw->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
        (raw->opcode == 0x88 || raw->opcode == 0x89 || raw->opcode == 0xc6 || raw->opcode == 0xc7);
    return raw->raw.sib.offset && raw->raw.modrm.mod != 3 && !is_store &&
           raw->mnemonic != ZYDIS_MNEMONIC_LEA && raw->mnemonic != ZYDIS_MNEMONIC_NOP &&
           (raw->raw.sib.index != 4 || raw->raw.rex.X);
}

/* Whether an instruction sets a register to zero by XOR with itself. */
static bool is_zeroing(const ZydisDecodedInstruction *raw)
{
    return raw->mnemonic == ZYDIS_MNEMONIC_XOR && raw->raw.modrm.offset &&
           raw->raw.modrm.mod == 3 && raw->raw.modrm.reg == raw->raw.modrm.rm &&
           raw->raw.rex.R == raw->raw.rex.B && !raw->raw.imm[0].size;
}

static void unknown(struct walk *walk, struct insn *out)
{
    const size_t len = x86_unknown(&out->marks, walk->code->bytes + walk->at, walk->end - walk->at,
                                   walk->code->arch == ARCH_X86_64);
    out->flow = len ? FLOW_NEXT : FLOW_BAD;
    out->len = (uint8_t)(len ? len : 1);
}

void x86_next(struct walk *walk, struct insn *out)
{
    ZydisDecodedInstruction *raw = &walk->raw;
    const struct code *code = walk->code;
    walk->known = ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
        &walk->zydis, NULL, code->bytes + walk->at, walk->end - walk->at, raw));
    if (!walk->known) {
        unknown(walk, out);
        return;
    }
    out->len = raw->length;
    out->flow = (uint8_t)x86_flow(raw);
    out->vector_bits = vector_bits(raw);
    out->stores = out->vector_bits && stores_vector(raw);
    const struct x86_mnemonic info = x86_mnemonic(raw->mnemonic);
    out->marks = info.marks;
    out->work = is_zeroing(raw) ? WORK_MOVE : info.work;
    out->lookup = is_lookup(raw);
    out->mask = info.work == WORK_AND && raw->raw.imm[0].size > 8;
    out->shuffle =
        raw->mnemonic == ZYDIS_MNEMONIC_PSHUFB || raw->mnemonic == ZYDIS_MNEMONIC_VPSHUFB;
    if (out->flow != FLOW_NEXT && raw->raw.imm[0].is_relative) {
        out->has_target = true;
        out->target = code->address + walk->at + raw->length + (uint64_t)raw->raw.imm[0].value.s;
        if (code->arch == ARCH_X86_32)
            out->target &= UINT32_MAX;
    }
}

bool x86_address(uint64_t *out, const struct walk *walk, uint64_t address)
{
    const ZydisDecodedInstruction *raw = &walk->raw;
    if (!walk->known || raw->raw.disp.size < 32)
        return false;
    const bool by_rip = walk->code->arch == ARCH_X86_64 && raw->raw.modrm.offset &&
                        raw->raw.modrm.mod == 0 && raw->raw.modrm.rm == 5;
    *out = (uint64_t)raw->raw.disp.value + (by_rip ? address + raw->length : 0);
    if (walk->code->arch == ARCH_X86_32)
        *out &= UINT32_MAX;
    return true;
}
