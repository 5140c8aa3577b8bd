/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises algorithms that consist of additions, exclusive ors and rotations. They have no
 * tables, but differ in the amounts by which they rotate words or vectors of words (RFC 8439, 2.1;
 * RFC 7693, 2.1).
 */
#include "code_insn.h"

enum { LONGEST = 32768, LEAST = 2 };

/* How often each amount occurs, for rotations to the left and for shifts of vectors. */
struct amounts {
    uint16_t word[33], quad[65], vector[33], left[33], right[33];
    bool shuffles;
};

static void count(uint16_t *at, unsigned width, uint64_t amount, bool to_right)
{
    amount &= width - 1;
    at[to_right ? width - amount : amount]++;
}

static void note(struct amounts *a, const ZydisDecodedInstruction *raw)
{
    const uint64_t amount = raw->raw.imm[0].size ? raw->raw.imm[0].value.u : 1;
    const bool is_quad = raw->operand_width == 64;
    switch (raw->mnemonic) {
    case ZYDIS_MNEMONIC_ROL:
    case ZYDIS_MNEMONIC_ROR:
    case ZYDIS_MNEMONIC_RORX:
        count(is_quad ? a->quad : a->word, is_quad ? 64 : 32, amount,
              raw->mnemonic != ZYDIS_MNEMONIC_ROL);
        break;
    case ZYDIS_MNEMONIC_VPROLD:
    case ZYDIS_MNEMONIC_VPRORD:
        count(a->vector, 32, amount, raw->mnemonic == ZYDIS_MNEMONIC_VPRORD);
        break;
    case ZYDIS_MNEMONIC_PSLLD:
    case ZYDIS_MNEMONIC_VPSLLD:
        count(a->left, 32, amount, false);
        break;
    case ZYDIS_MNEMONIC_PSRLD:
    case ZYDIS_MNEMONIC_VPSRLD:
        count(a->right, 32, amount, true);
        break;
    case ZYDIS_MNEMONIC_PSHUFB:
    case ZYDIS_MNEMONIC_VPSHUFB:
        a->shuffles = true;
        break;
    default:
        break;
    }
}

/* Whether vectors are rotated by n: the shift to the left by n and the one to the right by 32 -
 * n both occur. right[] is indexed by the amount of the rotation to the left. */
static bool rotates_vectors(const struct amounts *a, unsigned n)
{
    return a->vector[n] >= LEAST || (a->left[n] >= LEAST && a->right[n] >= LEAST);
}

/* Whether vector code has the rotations of ChaCha or BLAKE2. Rotations by whole bytes may be
 * shuffles instead. MD5 and SM3 have other amounts in addition. */
static bool is_vector(const struct amounts *a, unsigned b, unsigned d, unsigned c)
{
    if (rotates_vectors(a, 9) || rotates_vectors(a, 15) || rotates_vectors(a, 17))
        return false;
    return rotates_vectors(a, b) && rotates_vectors(a, d) &&
           (a->shuffles || (rotates_vectors(a, 16) && rotates_vectors(a, c)));
}

static bool has_words(const uint16_t *at, const uint8_t amounts[4])
{
    for (unsigned i = 0; i < 4; i++)
        if (at[amounts[i]] < 2 * LEAST)
            return false;
    return true;
}

/* Whether words are rotated as in the mixing step of Jenkins' lookup3, which may be there once. */
static bool is_lookup3(const struct amounts *a)
{
    return a->word[4] && a->word[6] && a->word[8] && a->word[16] && a->word[19];
}

enum rotations code_rotations(const struct code *code)
{
    static const uint8_t chacha[] = { 16, 12, 8, 7 }, blake2s[] = { 16, 20, 24, 25 },
                         blake2b[] = { 32, 40, 48, 1 };
    static const uint8_t siphash[] = { 13, 16, 17, 21 };
    struct amounts a = { .shuffles = false };
    struct walk walk;
    struct insn insn;
    if (!arch_is_x86(code->arch) || code->len > LONGEST)
        return ROTATIONS_OTHER;
    code_walk_start(&walk, code, 0);
    while (code_walk_next(&walk, &insn))
        if (walk.known)
            note(&a, &walk.raw);
    if (is_vector(&a, 12, 7, 8))
        return ROTATIONS_CHACHA_VECTOR;
    if (has_words(a.word, chacha))
        return ROTATIONS_CHACHA;
    if (is_vector(&a, 20, 25, 24))
        return ROTATIONS_BLAKE2_VECTOR;
    if (has_words(a.quad, siphash) || is_lookup3(&a))
        return ROTATIONS_TABLE_HASH;
    return has_words(a.word, blake2s) || has_words(a.quad, blake2b) ? ROTATIONS_BLAKE2
                                                                    : ROTATIONS_OTHER;
}
