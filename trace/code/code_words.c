/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes architectures with fixed-width instructions (s390: two, four or six bytes), by tables
 * of masks and values. */
#include "../budget.h"
#include "code_insn.h"
#include <string.h>

struct word_row {
    uint64_t mask, value;
    marks marks;
    uint8_t arch;
};
static const struct word_row words[] = {
#define WORD(arch, ...) WORD_OF(ARCH_##arch, __VA_ARGS__)
#define WORD_OF(arch, mask, value, marks, mnemonic) { mask, value, marks, arch },
#include "words.def"
#undef WORD
#undef WORD_OF
};

struct branch_row {
    uint64_t mask, value;
    uint8_t arch, flow, bits, low, unit, upper_bits, upper_low;
};
static const struct branch_row branches[] = {
#define BRANCH(arch, mask, value, flow, bits, low, unit, upper_bits, upper_low) \
    { mask, value, ARCH_##arch, FLOW_##flow, bits, low, unit, upper_bits, upper_low },
#include "branches.def"
#undef BRANCH
};

struct work_row {
    uint64_t mask, value;
    uint8_t arch, work, vector_bits;
};
static const struct work_row works[] = {
#define WORK(arch, mask, value, what, bits) { mask, value, ARCH_##arch, WORK_##what, bits },
#include "words_work.def"
#undef WORK
};

enum {
    NUM_WORDS = sizeof words / sizeof *words,
    NUM_BRANCHES = sizeof branches / sizeof *branches,
    NUM_WORK_ROWS = sizeof works / sizeof *works
};

/* Whether instructions are big-endian. On arm64 they are little-endian even if data are not (DDI
 * 0487, B2.6.2). */
static bool big_endian(const struct code *code)
{
    return code->arch == ARCH_SPARC64 || code->arch == ARCH_S390X ||
           (code->arch == ARCH_PPC64 && code->big_endian);
}

static uint32_t load32(const uint8_t *p, bool big)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? word : __builtin_bswap32(word);
}

/* The length of an s390 instruction by the two leading bits of its opcode (SA22-7832, 5-8). */
static size_t s390_len(uint8_t first)
{
    return first < 0x40 ? 2 : first < 0xc0 ? 4 : 6;
}

/* Gets the instruction at an offset. Returns its length, or 0 if not enough bytes are left. */
static size_t word_at(uint64_t *out, const struct code *code, size_t at)
{
    const uint8_t *p = code->bytes + at;
    const size_t left = code->len - at;
    if (code->arch != ARCH_S390X) {
        *out = left < 4 ? 0 : load32(p, big_endian(code));
        return left < 4 ? 0 : 4;
    }
    const size_t len = s390_len(*p);
    *out = 0;
    for (size_t i = 0; i < 6; i++)
        *out = *out << 8 | (i < len && i < left ? p[i] : 0);
    return len <= left ? len : 0;
}

static int64_t sign_extend(uint64_t value, unsigned bits)
{
    const uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)((value ^ sign) - sign);
}

static void branch_of(struct insn *out, uint64_t word, const struct code *code)
{
    for (size_t i = 0; i < NUM_BRANCHES; i++) {
        const struct branch_row *row = &branches[i];
        if (row->arch != code->arch || (word & row->mask) != row->value)
            continue;
        out->flow = row->flow;
        out->has_target = row->bits != 0;
        if (!row->bits)
            return;
        const uint64_t low = word >> row->low & (((uint64_t)1 << row->bits) - 1);
        const uint64_t upper = word >> row->upper_low & (((uint64_t)1 << row->upper_bits) - 1);
        const int64_t distance =
            sign_extend(low | upper << row->bits, (unsigned)row->bits + row->upper_bits);
        out->target = code->address + out->offset + ((uint64_t)distance << row->unit);
        return;
    }
}

static void work_of(struct insn *out, uint64_t word, enum arch arch)
{
    for (size_t i = 0; i < NUM_WORK_ROWS; i++)
        if (works[i].arch == arch && (word & works[i].mask) == works[i].value) {
            out->work = works[i].work;
            out->vector_bits = works[i].vector_bits;
            return;
        }
}

/* Rows of the AES instructions of arm64, which compute one step of a round each. */
static const struct aes_step {
    uint32_t mask, value;
    marks round, alone; /* with the other step of the round beside it, and without */
    int8_t other;       /* direction in which that step lies, in instructions */
    uint32_t other_mask, other_value;
} steps[] = {
#define ADVANCED 0xfffffc00
#define STEP(mask, value, round, alone, other, other_mask, other_value)       \
    {                                                                         \
        mask, value, MARK(round), MARK(alone), other, other_mask, other_value \
    }
    STEP(ADVANCED, 0x4e284800, AES_ENC, AES_ENCLAST, 1, ADVANCED, 0x4e286800),   /* AESE */
    STEP(ADVANCED, 0x4e285800, AES_DEC, AES_DECLAST, 1, ADVANCED, 0x4e287800),   /* AESD */
    STEP(ADVANCED, 0x4e286800, AES_ENC, AES_ENC, -1, ADVANCED, 0x4e284800),      /* AESMC */
    STEP(ADVANCED, 0x4e287800, AES_DEC, AES_KEY, -1, ADVANCED, 0x4e285800),      /* AESIMC */
    STEP(ADVANCED, 0x4522e000, AES_ENC, AES_ENCLAST, 1, 0xffffffe0, 0x4520e000), /* SVE */
    STEP(ADVANCED, 0x4522e400, AES_DEC, AES_DECLAST, 1, 0xffffffe0, 0x4520e400),
    STEP(0xffffffe0, 0x4520e000, AES_ENC, AES_ENC, -1, ADVANCED, 0x4522e000),
    STEP(0xffffffe0, 0x4520e400, AES_DEC, AES_KEY, -1, ADVANCED, 0x4522e400),
#undef STEP
#undef ADVANCED
};
enum { NUM_STEPS = sizeof steps / sizeof *steps, NEAR_WORDS = 16 };

/* Whether the other step of a round, on the same register, is among the next (or last) words. */
static bool has_other_step(const struct aes_step *step, const struct walk *walk)
{
    const struct code *code = walk->code;
    const uint32_t reg = step->other > 0 ? walk->word & 31 : walk->word >> 5 & 31;
    for (unsigned i = 1; i <= NEAR_WORDS; i++) {
        const size_t far = 4 * (size_t)i;
        uint64_t word;
        if (step->other < 0 ? far > walk->at : far >= code->len - walk->at)
            return false;
        if (!word_at(&word, code, step->other < 0 ? walk->at - far : walk->at + far))
            return false;
        if ((word & step->other_mask) != step->other_value)
            continue;
        const bool sve = step->other_mask == 0xffffffe0 || step->mask == 0xffffffe0;
        const uint32_t other_reg = step->other > 0 && !sve ? word >> 5 & 31 : word & 31;
        if (other_reg == (sve ? walk->word & 31 : reg))
            return true;
    }
    return false;
}

/* AESE without AESMC is the last round of AES, or an S-box of another cipher, as AESENCLAST is. */
static marks arm64_aes(const struct walk *walk)
{
    for (size_t i = 0; i < NUM_STEPS; i++)
        if ((walk->word & steps[i].mask) == steps[i].value)
            return has_other_step(&steps[i], walk) ? steps[i].round : steps[i].alone;
    return 0;
}

/* Whether a word of arm64 stores a 128-bit register (STR, STP, ST1), and not relative to SP. */
static bool arm64_stores(uint64_t word)
{
    const bool is_store = (word & 0xffe00000) == 0x3c800000 || (word & 0xffc00000) == 0x3d800000 ||
                          (word & 0xfe400000) == 0xac000000 || (word & 0xff400000) == 0x4c000000;
    return is_store && (word >> 5 & 31) != 31;
}

/* The immediate of a logical instruction (DDI 0487, DecodeBitMasks): a run of ones in an element
 * of 2 to 64 bits, rotated and repeated. */
static uint64_t arm64_bitmask(uint32_t word)
{
    const unsigned n = word >> 22 & 1, rotate = word >> 16 & 63, imms = word >> 10 & 63;
    const unsigned size_bits = n << 6 | (~imms & 63);
    if (size_bits < 2)
        return 0;
    const unsigned size = 1u << (31 - __builtin_clz(size_bits));
    const unsigned ones = (imms & (size - 1)) + 1, turn = rotate & (size - 1);
    if (ones == size)
        return 0;
    const uint64_t all = size == 64 ? UINT64_MAX : ((uint64_t)1 << size) - 1;
    const uint64_t run = ((uint64_t)1 << ones) - 1;
    uint64_t element = turn ? (run >> turn | run << (size - turn)) & all : run;
    for (unsigned width = size; width < 64; width *= 2)
        element |= element << width;
    return element;
}

void word_next(struct walk *walk, struct insn *out)
{
    const struct code *code = walk->code;
    const size_t len = word_at(&walk->word, code, walk->at);
    if (!len) {
        out->flow = FLOW_BAD;
        out->len = (uint8_t)(walk->end - walk->at < 6 ? walk->end - walk->at : 6);
        return;
    }
    out->len = (uint8_t)len;
    for (size_t i = 0; i < NUM_WORDS; i++)
        if (words[i].arch == code->arch && (walk->word & words[i].mask) == words[i].value)
            out->marks |= words[i].marks;
    if (code->arch == ARCH_ARM64) {
        out->marks =
            (out->marks & ~MARK(AES_ANY)) | (out->marks & MARK(AES_ANY) ? arm64_aes(walk) : 0);
        out->stores = arm64_stores(walk->word);
        out->lookup = (walk->word & 0x3b600c00) == 0x38600800;  /* LDR with a register offset */
        out->shuffle = (walk->word & 0xbfe08c00) == 0x0e000000; /* TBL */
        out->mask =
            (walk->word & 0x7f800000) == 0x12000000 && arm64_bitmask((uint32_t)walk->word) > 255;
    }
    branch_of(out, walk->word, code);
    work_of(out, walk->word, code->arch);
}

/* Whether a block of words contains an instruction of one row. The block stays in the cache, and
 * the inner loop has no branch, so that the compiler vectorises it. If byte orders differ, the
 * row is swapped instead of the words. */
static bool block_has(const uint8_t *p, size_t num_words, uint32_t mask, uint32_t value)
{
    uint32_t any = 0;
    for (size_t i = 0; i < num_words; i++) {
        uint32_t word;
        memcpy(&word, p + 4 * i, sizeof word);
        any |= (word & mask) == value;
    }
    return any;
}

enum { BLOCK_WORDS = 2048 };

static marks fixed_marks(const struct code *code)
{
    const bool swap = big_endian(code) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    marks all = 0;
    for (size_t at = 0; at + 4 <= code->len && !budget_over(); at += 4 * BLOCK_WORDS) {
        const size_t left = (code->len - at) / 4, num = left < BLOCK_WORDS ? left : BLOCK_WORDS;
        for (size_t i = 0; i < NUM_WORDS; i++) {
            const uint32_t mask = (uint32_t)words[i].mask, value = (uint32_t)words[i].value;
            if (words[i].arch == code->arch && (words[i].marks & ~all) &&
                block_has(code->bytes + at, num, swap ? __builtin_bswap32(mask) : mask,
                          swap ? __builtin_bswap32(value) : value))
                all |= words[i].marks;
        }
    }
    return all;
}

marks words_marks(const struct code *code)
{
    if (code->arch == ARCH_NONE)
        return 0;
    if (code->arch == ARCH_S390X)
        return code_walk_marks(code);
    const marks all = fixed_marks(code);
    /* What an AES instruction of arm64 means depends on the instructions around it. */
    return code->arch == ARCH_ARM64 && (all & MARK(AES_ANY)) ? code_walk_marks(code) : all;
}

uint64_t word_immediate(const struct walk *walk, const struct insn *insn)
{
    const uint32_t word = (uint32_t)walk->word;
    if (walk->code->arch != ARCH_ARM64 || insn->flow != FLOW_NEXT)
        return 0;
    if ((word & 0x1f800000) == 0x12000000) /* AND, ORR, EOR, ANDS with an immediate */
        return arm64_bitmask(word);
    if ((word & 0x9ff8fc00) == 0x0f00e400) /* MOVI of bytes */
        return ((word >> 11 & 0xe0) | (word >> 5 & 0x1f)) * 0x0101010101010101;
    return 0;
}
