/* SPDX-License-Identifier: Apache-2.0 */
/* The x86 instructions that are marks: by mnemonic, and by encoding for those that Zydis 4.0
 * does not know. A quick check of bytes finds out whether code can contain any of them. */
#include "code_insn.h"

static const struct x86_mnemonic mnemonics[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
#define X86(name, what, mark) [ZYDIS_MNEMONIC_##name] = { .marks = mark, .work = WORK_##what },
#include "x86_mnemonics.def"
#undef X86
};

struct x86_mnemonic x86_mnemonic(ZydisMnemonic mnemonic)
{
    return mnemonics[(unsigned)mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE ? mnemonic : 0];
}

/* ---- newer than Zydis 4.0 ---- */

enum { ANY_PREFIX = 9, PREFIX_NONE = 0, PREFIX_66 = 1, PREFIX_F3 = 2, PREFIX_F2 = 3 };

/* Intel SDM and "Intel Architecture Instruction Set Extensions": SHA512, SM3, SM4, AVX-IFMA. The
 * EVEX forms of SM4 are from AVX10.2. */
static const struct encoding {
    uint8_t map, opcode, prefix;
    bool imm8;
    marks marks;
} encodings[] = {
    { 2, 0xcb, PREFIX_F2, false, MARK(SHA512) }, /* VSHA512RNDS2 */
    { 2, 0xcc, PREFIX_F2, false, MARK(SHA512) }, /* VSHA512MSG1 */
    { 2, 0xcd, PREFIX_F2, false, MARK(SHA512) }, /* VSHA512MSG2 */
    { 2, 0xda, PREFIX_NONE, false, MARK(SM3) },  /* VSM3MSG1 */
    { 2, 0xda, PREFIX_66, false, MARK(SM3) },    /* VSM3MSG2 */
    { 3, 0xde, PREFIX_66, true, MARK(SM3) },     /* VSM3RNDS2 */
    { 2, 0xda, PREFIX_F3, false, MARK(SM4) },    /* VSM4KEY4 */
    { 2, 0xda, PREFIX_F2, false, MARK(SM4) },    /* VSM4RNDS4 */
    { 2, 0xb4, PREFIX_66, false, MARK(IFMA) },   /* VPMADD52LUQ */
    { 2, 0xb5, PREFIX_66, false, MARK(IFMA) },   /* VPMADD52HUQ */
};

static const struct encoding *encoding_find(uint8_t map, uint8_t opcode, uint8_t prefix)
{
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++)
        if (encodings[i].map == map && encodings[i].opcode == opcode &&
            encodings[i].prefix == prefix)
            return &encodings[i];
    return NULL;
}

/* The number of bytes of ModRM, SIB and displacement (SDM volume 2, tables 2-2 and 2-3), or 0. */
static size_t modrm_len(const uint8_t *p, size_t len)
{
    if (!len)
        return 0;
    const uint8_t mod = p[0] >> 6, rm = p[0] & 7;
    if (mod == 3)
        return 1;
    if (rm == 4 && len < 2)
        return 0;
    const size_t sib = rm == 4;
    const uint8_t base = sib ? p[1] & 7 : rm;
    const size_t disp = mod == 1 ? 1 : mod == 2 || base == 5 ? 4 : 0;
    return 1 + sib + disp <= len ? 1 + sib + disp : 0;
}

size_t x86_unknown(marks *out, const uint8_t *p, size_t len, bool long_mode)
{
    if (len > 15)
        len = 15;
    const size_t opcode = len && p[0] == 0xc4 ? 3 : len && p[0] == 0x62 ? 4 : 0;
    /* Outside 64-bit mode, C4 and 62 are LES and BOUND unless mod is 3. */
    if (!opcode || len < opcode + 2 || (!long_mode && (p[1] & 0xc0) != 0xc0))
        return 0;
    const uint8_t map = p[1] & (opcode == 3 ? 0x1f : 0x07);
    const struct encoding *row = encoding_find(map, p[opcode], p[2] & 3);
    const size_t rest = modrm_len(p + opcode + 1, len - opcode - 1);
    if (!row || !rest || opcode + 1 + rest + row->imm8 > len)
        return 0;
    *out = row->marks;
    return opcode + 1 + rest + row->imm8;
}

/* ---- the quick check of bytes ---- */

/* Bytes that are the opcode of some mark: 44, B4-B5, C8-CF, D8-DF, F0-F7, FA-FB. All of them
 * follow 0F 38 or 0F 3A, or a 3-byte VEX or EVEX prefix for the same opcode maps, except those
 * of VIA (0F A6, 0F A7). The two-byte VEX prefix has only map 0F, which contains no mark. The
 * check is an expression without branches over fixed blocks, so that the compiler vectorises it. */
static inline uint8_t is_opcode(uint8_t b)
{
    return (uint8_t)((b == 0x44) | ((b & 0xfe) == 0xb4) | ((b & 0xe8) == 0xc8) |
                     ((b & 0xf8) == 0xf0) | ((b & 0xfe) == 0xfa));
}

static inline uint8_t is_candidate(const uint8_t *p)
{
    const uint8_t legacy = (uint8_t)((p[0] == 0x0f) & ((p[1] & 0xfd) == 0x38) & is_opcode(p[2]));
    const uint8_t vex = (uint8_t)((p[0] == 0xc4) & ((p[1] & 0x1e) == 0x02) & is_opcode(p[3]));
    const uint8_t evex = (uint8_t)((p[0] == 0x62) & ((p[1] & 0x06) == 0x02) & is_opcode(p[4]));
    const uint8_t via =
        (uint8_t)((p[0] == 0x0f) & ((p[1] & 0xfe) == 0xa6) & ((p[2] & 0xc0) == 0xc0));
    return legacy | vex | evex | via;
}

enum { BLOCK = 256, BEYOND = 4 };

static uint8_t block_has(const uint8_t *p)
{
    uint8_t any = 0;
    for (size_t i = 0; i < BLOCK; i++)
        any |= is_candidate(p + i);
    return any;
}

bool x86_candidate(const struct code *code)
{
    const uint8_t *p = code->bytes;
    size_t len = code->len;
    for (; len >= BLOCK + BEYOND; p += BLOCK, len -= BLOCK)
        if (block_has(p))
            return true;
    /* The remaining bytes, followed by zeros, which complete no opcode. */
    uint8_t rest[BLOCK + 2 * BEYOND] = { 0 };
    for (size_t i = 0; i < len; i++)
        rest[i] = p[i];
    return block_has(rest) || block_has(rest + BEYOND);
}
