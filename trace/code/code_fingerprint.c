/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprints: a hash of a function that is the same in an object file, a static program and a
 * shared library. Everything that a linker fills in or rewrites is hashed as zero, or as if it
 * were rewritten everywhere. */
#include "code_insn.h"
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MIN_INSNS = 4, ROOM = 1024 };

struct hasher {
    XXH3_state_t state;
    uint8_t room[ROOM];
    size_t len;
    uint32_t sethi; /* SPARC, arm64, POWER: registers that hold the upper part of an address */
};

static void put(struct hasher *hasher, const uint8_t *bytes, size_t len)
{
    if (hasher->len + len > sizeof hasher->room) {
        XXH3_128bits_update(&hasher->state, hasher->room, hasher->len);
        hasher->len = 0;
    }
    memcpy(hasher->room + hasher->len, bytes, len);
    hasher->len += len;
}

/* ---- x86 ---- */

/* Whether a number may be an address in a program that is not position-independent. In an object
 * file the field is zero, and it is hashed as zero everywhere. */
static bool may_be_address(uint64_t value, unsigned bits)
{
    return bits == 64 ? value >= 0x10000 && value < (uint64_t)1 << 47 : (uint32_t)value >= 0x10000;
}

static void clear(uint8_t *bytes, unsigned offset, unsigned bits)
{
    memset(bytes + offset, 0, bits / 8);
}

/* Makes code equal before and after the linker's relaxation of R_X86_64_GOTPCRELX (psABI, B.2) by
 * doing what the linker may do: turns a load relative to RIP into LEA, and an indirect call into a
 * direct one with a prefix. */
static void undo_relaxation(uint8_t *bytes, const ZydisDecodedInstruction *raw, bool by_rip)
{
    if (by_rip && raw->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && raw->opcode == 0x8b)
        bytes[raw->raw.modrm.offset - 1] = 0x8d;
    if (raw->length == 6 && bytes[0] == 0xff && bytes[1] == 0x15 && by_rip)
        memcpy(bytes, "\x67\xe8", 2);
}

static void put_x86(struct hasher *hasher, const struct walk *walk, const uint8_t *p)
{
    const ZydisDecodedInstruction *raw = &walk->raw;
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    memcpy(bytes, p, raw->length);
    const bool by_rip = walk->code->arch == ARCH_X86_64 && raw->raw.modrm.offset &&
                        raw->raw.modrm.mod == 0 && raw->raw.modrm.rm == 5;
    if (raw->raw.disp.size >= 32 &&
        (by_rip || may_be_address((uint64_t)raw->raw.disp.value, raw->raw.disp.size)))
        clear(bytes, raw->raw.disp.offset, raw->raw.disp.size);
    for (size_t i = 0; i < 2; i++)
        if (raw->raw.imm[i].size >= 32 &&
            (raw->raw.imm[i].is_relative ||
             may_be_address(raw->raw.imm[i].value.u, raw->raw.imm[i].size)))
            clear(bytes, raw->raw.imm[i].offset, raw->raw.imm[i].size);
    undo_relaxation(bytes, raw, by_rip);
    put(hasher, bytes, raw->length);
}

/* ---- architectures with fixed-width instructions ---- */

struct field {
    uint8_t arch;
    uint64_t mask, value, cleared;
};
/* Instruction fields that hold a distance or the upper part of an address. */
static const struct field fields[] = {
    { ARCH_ARM64, 0x7c000000, 0x14000000, 0x03ffffff },         /* B, BL */
    { ARCH_ARM64, 0x1f000000, 0x10000000, 0x60ffffe0 },         /* ADR, ADRP */
    { ARCH_ARM64, 0x3b000000, 0x18000000, 0x00ffffe0 },         /* literal loads */
    { ARCH_SPARC64, 0xc0000000, 0x40000000, 0x3fffffff },       /* CALL */
    { ARCH_SPARC64, 0xc1c00000, 0x01000000, 0x003fffff },       /* SETHI */
    { ARCH_PPC64, 0xfc000000, 0x48000000, 0x03fffffc },         /* b, bl */
    { ARCH_PPC64, 0xfc000000, 0x3c000000, 0x0000ffff },         /* addis */
    { ARCH_S390X, 0xff0000000000, 0xc00000000000, 0xffffffff }, /* LARL, BRASL, BRCL */
    { ARCH_S390X, 0xff0000000000, 0xc40000000000, 0xffffffff }, /* relative loads and stores */
    { ARCH_S390X, 0xff0000000000, 0xc60000000000, 0xffffffff },
};

/* Instructions that add the lower part of an address to a register with the upper part, the
 * field that names this register, and the field of the lower part. */
struct lower {
    uint8_t arch;
    uint64_t upper_mask, upper_value;
    uint8_t upper_register;
    struct {
        uint64_t mask, value, cleared;
    } users[2];
    uint8_t base;
};
static const struct lower lowers[] = {
    { ARCH_ARM64,
      0x9f000000,
      0x90000000,
      0,
      { { 0xff000000, 0x91000000, 0x003ffc00 }, { 0x3b000000, 0x39000000, 0x003ffc00 } },
      5 },
    { ARCH_SPARC64,
      0xc1c00000,
      0x01000000,
      25,
      { { 0xc1f82000, 0x80102000, 0x00001fff }, { 0xc0002000, 0xc0002000, 0x00001fff } },
      14 },
    { ARCH_PPC64,
      0xfc000000,
      0x3c000000,
      21,
      { { 0xfc000000, 0x38000000, 0x0000ffff }, { 0xe0000000, 0xe0000000, 0x0000fffc } },
      16 },
};

static uint64_t mask_lower(struct hasher *hasher, uint64_t word, enum arch arch)
{
    for (size_t i = 0; i < sizeof lowers / sizeof *lowers; i++) {
        const struct lower *row = &lowers[i];
        if (row->arch != arch)
            continue;
        for (size_t k = 0; k < 2; k++)
            if ((word & row->users[k].mask) == row->users[k].value &&
                hasher->sethi >> (word >> row->base & 31) & 1)
                word &= ~row->users[k].cleared;
        if ((word & row->upper_mask) == row->upper_value)
            hasher->sethi |= (uint32_t)1 << (word >> row->upper_register & 31);
    }
    return word;
}

static void put_word(struct hasher *hasher, const struct walk *walk, const struct insn *insn)
{
    const enum arch arch = walk->code->arch;
    uint64_t word = mask_lower(hasher, walk->word, arch);
    uint8_t bytes[8];
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].arch == arch && (word & fields[i].mask) == fields[i].value)
            word &= ~fields[i].cleared;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
    put(hasher, bytes, arch == ARCH_S390X ? 6 : insn->len);
}

/* ---- all architectures ---- */

/* Whether an instruction is padding between functions: no-operations, INT3 or zeros, also if the
 * last one is cut off. */
static bool is_padding(const struct walk *walk, const struct insn *insn)
{
    const uint8_t *p = walk->code->bytes + insn->offset;
    for (size_t i = 0; i < insn->len; i++)
        if (p[i])
            return insn->work == WORK_PAD ||
                   (arch_is_x86(walk->code->arch) && insn->len == 1 && p[0] == 0xcc) ||
                   (walk->code->arch == ARCH_SPARC64 && walk->word == 0x01000000) ||
                   (walk->code->arch == ARCH_PPC64 && walk->word == 0x60000000) ||
                   (walk->code->arch == ARCH_S390X && walk->word >> 32 == 0x0707);
    return true;
}

/* The number of instructions before the padding at the function's end. */
static size_t count(const struct code *code)
{
    size_t num = 0, all = 0;
    struct walk walk;
    struct insn insn;
    for (code_walk_start(&walk, code, 0); code_walk_next(&walk, &insn);) {
        all++;
        if (!is_padding(&walk, &insn))
            num = all;
    }
    return num;
}

bool code_fingerprint(uint8_t out[16], const struct code *code)
{
    size_t num = count(code);
    if (num < MIN_INSNS)
        return false;
    struct hasher hasher = { .len = 0, .sethi = 0 };
    XXH3_128bits_reset(&hasher.state);
    struct walk walk;
    struct insn insn;
    for (code_walk_start(&walk, code, 0); num && code_walk_next(&walk, &insn); num--) {
        if (arch_is_x86(code->arch) ? !walk.known : insn.flow == FLOW_BAD)
            put(&hasher, code->bytes + insn.offset, insn.len);
        else if (arch_is_x86(code->arch))
            put_x86(&hasher, &walk, code->bytes + insn.offset);
        else
            put_word(&hasher, &walk, &insn);
    }
    XXH3_128bits_update(&hasher.state, hasher.room, hasher.len);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&hasher.state));
    memcpy(out, canonical.digest, sizeof canonical.digest);
    return true;
}
