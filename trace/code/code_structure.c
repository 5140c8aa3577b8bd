/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises software without tables by the structure of its code.
 *
 * Bitsliced code (Biham, FSE 1997; Käsper and Schwabe, CHES 2009) gathers bits into planes by
 * swaps with the masks 0x55.., 0x33.., 0x0f.., and its S-box is a circuit of some hundred gates
 * (Boyar and Peralta: 113 for AES). Carry-less multiplication by integer multiplication (Pornin,
 * BearSSL, ghash_ctmul64) clears three of four bits of its operands to leave room for carries. */
#include "code_insn.h"
#include <string.h>

/* Masks as bits of a set: each mask of a plane, then its complement; masks of carry-less
 * products. */
enum {
    MASK_55,
    MASK_AA,
    MASK_33,
    MASK_CC,
    MASK_0F,
    MASK_F0,
    MASK_11,
    MASK_22,
    MASK_44,
    MASK_88,
    NUM_BYTE_MASKS,
    MASK_DES = NUM_BYTE_MASKS, /* 0x00ff00ff: DES uses it beside planes */
    MASK_ROWS                  /* six masks: rows of a state in each 16 bits of a 64-bit plane */
};
static const uint8_t mask_bytes[NUM_BYTE_MASKS] = { 0x55, 0xaa, 0x33, 0xcc, 0x0f,
                                                    0xf0, 0x11, 0x22, 0x44, 0x88 };

enum {
    SWAP_GATES = 40, /* fewest boolean instructions and shifts of a transposition */
    SWAP_PERMILLE = 850,
    CIRCUIT_GATES = 90, /* fewest gates of an S-box in one stretch */
    CIRCUIT_AND = 24,   /* fewest non-linear gates among them */
    CIRCUIT_XOR = 45,
    CIRCUIT_PERMILLE = 930,
    CLMUL_MASKS = 3,
    CLMUL_PRODUCTS = 6,
    MAX_GAP = 2 /* longest run of other instructions inside a stretch */
};

/* The features of a function's code. */
struct structure {
    marks marks;
    uint32_t masks;
    uint32_t gates, others, products, lookups;
    bool circuit;
    struct stretch {
        uint32_t and, xor, gates, others, gap;
        uint32_t and_by[32]; /* AND instructions by the register that they use (x86: modulo 8) */
    } now;
};

static uint32_t masks_of(const uint8_t *bytes, size_t len)
{
    for (size_t i = 1; i < len; i++)
        if (bytes[i] != bytes[0])
            return 0;
    for (unsigned m = 0; m < NUM_BYTE_MASKS; m++)
        if (bytes[0] == mask_bytes[m])
            return (uint32_t)1 << m;
    return 0;
}

/* The row masks of fixslicing (Adomnicai and Peyrin, TCHES 2021), which rotates rows of four
 * bits within 16. */
static uint32_t row_masks(uint64_t value)
{
    static const uint16_t rows[] = { 0x00ff, 0xff00, 0x0fff, 0xf000, 0x000f, 0xfff0 };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (value == rows[i] * UINT64_C(0x0001000100010001))
            return (uint32_t)1 << (MASK_ROWS + i);
    return 0;
}

static uint32_t immediate_masks(uint64_t value, size_t len)
{
    if (len == 4 && ((uint32_t)value == 0x00ff00ff || (uint32_t)value == 0xff00ff00))
        return (uint32_t)1 << MASK_DES;
    if (len == 8 && row_masks(value))
        return row_masks(value);
    uint8_t bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    return masks_of(bytes, len);
}

/* The masks among the constants of an instruction: its immediates, and what it loads from an
 * address of the file. */
static uint32_t x86_masks(const struct walk *walk, const struct insn *insn)
{
    const ZydisDecodedInstruction *raw = &walk->raw;
    const struct code *code = walk->code;
    uint32_t masks = 0;
    uint64_t address;
    if (!walk->known || insn->flow != FLOW_NEXT)
        return 0;
    for (size_t i = 0; i < 2; i++)
        if (raw->raw.imm[i].size >= 32)
            masks |= immediate_masks(raw->raw.imm[i].value.u, raw->raw.imm[i].size / 8);
    if (code->data && x86_address(&address, walk, code->address + insn->offset)) {
        const size_t len = insn->vector_bits ? 8 : 4;
        const uint8_t *at = code->data(code->data_ctx, address, len);
        masks |= at ? masks_of(at, len) : 0;
    }
    return masks;
}

/* Whether an instruction addresses memory with an index, as a look-up in a table does. Circuits
 * have no such instructions. */
static bool is_lookup(const struct walk *walk, const struct insn *insn)
{
    const ZydisDecodedInstruction *raw = &walk->raw;
    return walk->known && !insn->vector_bits && raw->raw.sib.offset && raw->raw.modrm.mod != 3 &&
           (raw->raw.sib.index != 4 || raw->raw.rex.X);
}

/* Whether an instruction other than a shift, a rotation or VPTERNLOG has an immediate. Gates of
 * circuits have none. */
static bool has_immediate(const struct walk *walk, const struct insn *insn)
{
    return walk->known && walk->raw.raw.imm[0].size && insn->work != WORK_SHIFT &&
           insn->work != WORK_ROTATE && insn->work != WORK_TERN;
}

/* Counts a gate that is not linear (AND, OR, VPTERNLOG) and the registers that it uses. A
 * conditional swap or a selection has as many gates as a circuit, but most of its ANDs use the same
 * mask. */
static void count_and(struct stretch *now, const struct walk *walk)
{
    const ZydisDecodedInstruction *raw = &walk->raw;
    now->and ++;
    if (walk->code->arch == ARCH_ARM64) {
        now->and_by[walk->word >> 5 & 31]++;
        now->and_by[walk->word >> 16 & 31]++;
    } else if (walk->known) {
        now->and_by[raw->raw.modrm.reg & 7]++;
        if (raw->raw.modrm.mod == 3)
            now->and_by[raw->raw.modrm.rm & 7]++;
    }
}

static bool has_one_mask(const struct stretch *now)
{
    for (size_t i = 0; i < sizeof now->and_by / sizeof *now->and_by; i++)
        if (now->and_by[i] * 4u >= now->and *3)
            return true;
    return false;
}

static bool is_circuit(const struct stretch *now)
{
    return now->and >= CIRCUIT_AND && now->xor >= CIRCUIT_XOR && now->gates >= CIRCUIT_GATES &&
           now->gates * 1000 >= CIRCUIT_PERMILLE * (now->gates + now->others) && !has_one_mask(now);
}

static void count_gate(struct structure *s, const struct walk *walk, const struct insn *insn)
{
    struct stretch *now = &s->now;
    s->gates++;
    now->gap = 0;
    if (has_immediate(walk, insn)) {
        now->others++;
        return;
    }
    now->gates++;
    if (insn->work == WORK_AND || insn->work == WORK_OR || insn->work == WORK_TERN)
        count_and(now, walk);
    now->xor += insn->work == WORK_XOR || insn->work == WORK_TERN;
    now->others += insn->work == WORK_SHIFT || insn->work == WORK_ROTATE;
    s->circuit = s->circuit || is_circuit(now);
}

static void count_insn(struct structure *s, const struct walk *walk, const struct insn *insn)
{
    s->lookups += is_lookup(walk, insn);
    if (insn->work == WORK_MOVE || insn->work == WORK_PAD) {
        s->now.others += has_immediate(walk, insn);
        return;
    }
    if (insn->work >= WORK_AND && insn->work <= WORK_ROTATE) {
        count_gate(s, walk, insn);
        return;
    }
    s->others++;
    s->now.others++;
    s->products += insn->work == WORK_MUL;
    if (insn->flow != FLOW_NEXT || insn->work == WORK_MUL || ++s->now.gap > MAX_GAP)
        s->now = (struct stretch){ 0 };
}

static struct structure structure_of(const struct code *code)
{
    struct structure s = { 0 };
    struct walk walk;
    struct insn insn;
    for (code_walk_start(&walk, code, 0); code_walk_next(&walk, &insn);) {
        s.masks |= arch_is_x86(code->arch) ? x86_masks(&walk, &insn)
                                           : immediate_masks(word_immediate(&walk, &insn), 8);
        s.marks |= insn.marks;
        count_insn(&s, &walk, &insn);
    }
    return s;
}

static bool has(const struct structure *s, unsigned mask)
{
    return s->masks >> mask & 1;
}

static bool has_planes(const struct structure *s)
{
    unsigned num = 0;
    for (unsigned m = MASK_55; m <= MASK_F0; m += 2)
        num += has(s, m) || has(s, m + 1);
    return num >= 2 && !has(s, MASK_DES);
}

static bool has_rows(const struct structure *s)
{
    return __builtin_popcount(s->masks >> MASK_ROWS) >= 2;
}

/* ---- the quick check of bytes ---- */

enum { BLOCK = 256, MIN_XORS = 20, MIN_GATES = 40, MIN_WORDS = 16 };

/* Whether four bytes are an x86 mask of equal bytes; 0xcc.. is left out, because it is padding.
 * Written without branches, so that the compiler vectorises the loop. */
static inline uint8_t is_mask(const uint8_t *p)
{
    const uint8_t b = p[0];
    const uint8_t same = (uint8_t)((p[1] == b) & (p[2] == b) & (p[3] == b));
    return (uint8_t)(same & ((b == 0x55) | (b == 0xaa) | (b == 0x33) | (b == 0x0f) | (b == 0xf0) |
                             (b == 0x11) | (b == 0x22) | (b == 0x44) | (b == 0x88)));
}

static bool x86_has_masks(const uint8_t *p, size_t len)
{
    for (size_t at = 0; at + 4 <= len;) {
        const size_t num = len - 3 - at < BLOCK ? len - 3 - at : BLOCK;
        uint8_t any = 0;
        for (size_t i = 0; i < num; i++)
            any |= is_mask(p + at + i);
        if (any)
            return true;
        at += num;
    }
    return false;
}

/* How many bytes could be opcodes of XOR, PXOR, XORPS; and of AND, OR, PAND, POR, ANDPS, ORPS. */
struct gates {
    uint8_t xors, others;
};

static struct gates x86_gates(const uint8_t *p, size_t num)
{
    struct gates gates = { 0 };
    for (size_t i = 0; i < num; i++) {
        const uint8_t b = p[i];
        const uint8_t is_xor = (uint8_t)((b == 0x31) | (b == 0x33) | (b == 0xef) | (b == 0x57));
        const uint8_t is_and = (uint8_t)((b == 0x21) | (b == 0x23) | (b == 0xdb) | (b == 0x54));
        const uint8_t is_or = (uint8_t)((b == 0x09) | (b == 0x0b) | (b == 0xeb) | (b == 0x56));
        gates.xors = (uint8_t)(gates.xors + is_xor);
        gates.others = (uint8_t)(gates.others + (is_and | is_or));
    }
    return gates;
}

/* Whether two adjacent blocks contain enough gates. A block has at most 255 bytes, so that 8-bit
 * counters suffice. */
static bool x86_has_gates(const uint8_t *p, size_t len)
{
    struct gates before = { 0 };
    for (size_t at = 0; at < len; at += BLOCK - 1) {
        const struct gates now = x86_gates(p + at, len - at < BLOCK - 1 ? len - at : BLOCK - 1);
        const unsigned xors = before.xors + now.xors;
        if (xors >= MIN_XORS || xors + before.others + now.others >= MIN_GATES)
            return true;
        before = now;
    }
    return false;
}

static bool arm64_has_gates(const uint8_t *p, size_t len)
{
    for (size_t at = 0; at + 4 <= len; at += BLOCK) {
        const size_t num = len - at < BLOCK ? (len - at) / 4 : BLOCK / 4;
        unsigned gates = 0;
        for (size_t i = 0; i < num; i++) {
            const uint8_t *b = p + at + 4 * i;
            const uint32_t word = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
            gates += ((word & 0x3f000000) == 0x0a000000) | ((word & 0x1f800000) == 0x12000000) |
                     ((word & 0x9f20fc00) == 0x0e201c00);
        }
        if (gates >= MIN_WORDS)
            return true;
    }
    return false;
}

/* False if the code can contain neither structure. Masks that vector code loads from memory are
 * not seen; such code has enough XORs. */
static bool is_candidate(const struct code *code)
{
    if (code->arch == ARCH_ARM64)
        return arm64_has_gates(code->bytes, code->len);
    return arch_is_x86(code->arch) &&
           (x86_has_masks(code->bytes, code->len) || x86_has_gates(code->bytes, code->len));
}

static bool is_bitsliced(const struct structure *s, enum arch arch)
{
    /* An arm64 instruction may shift one of its operands as well. */
    const uint32_t min_gates = arch == ARCH_ARM64 ? SWAP_GATES / 2 : SWAP_GATES;
    const bool dense = s->gates >= min_gates && s->lookups * 4 <= s->gates &&
                       s->gates * 1000ull >= SWAP_PERMILLE * ((uint64_t)s->gates + s->others);
    return !(s->marks & MARKS_AES) && (s->circuit || (dense && (has_planes(s) || has_rows(s))));
}

static bool is_software_clmul(const struct structure *s)
{
    unsigned num = 0;
    for (unsigned m = MASK_11; m <= MASK_88; m++)
        num += has(s, m);
    return num >= CLMUL_MASKS && s->products >= CLMUL_PRODUCTS;
}

unsigned code_structure(const struct code *code)
{
    if (code->len < SWAP_GATES * 2 || !is_candidate(code))
        return 0;
    const struct structure s = structure_of(code);
    return (is_bitsliced(&s, code->arch) ? CODE_BITSLICED : 0u) |
           (is_software_clmul(&s) ? CODE_CLMUL : 0u);
}

bool code_is_bitsliced(const struct code *code)
{
    return code_structure(code) & CODE_BITSLICED;
}

bool code_is_software_clmul(const struct code *code)
{
    return code_structure(code) & CODE_CLMUL;
}
