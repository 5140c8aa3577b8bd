/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules. Instructions are the best evidence: code with AESENC is AES, whatever its name.
 * Constants come next. A name alone counts only if it says how the algorithm is computed, because a
 * library's sha256_update() may call hardware or software.
 */
#include "classify_rules.h"
#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct rule {
    marks instructions, beside, without;
    constant_set constants;
    enum family name, family;
    enum how how;
};

static const struct rule rules[] = {
#define RULE(instructions, beside, without, constants, name, family, how) \
    { instructions, beside, without, constants, FAMILY_##name, FAMILY_##family, HOW_##how },
#include "rules.def"
#undef RULE
};

/* The marks of the judged code, with STORED_ROUNDS where it applies. */
static marks judged(const struct facts *f)
{
    return f->near | (f->stores && (f->near & AES_ROUNDS) ? STORED_ROUNDS : 0);
}

static bool holds(const struct rule *r, const struct facts *f, marks near)
{
    return (near & r->instructions) && !(f->function & r->without) &&
           (!r->beside || (f->function & r->beside)) &&
           (!r->constants || (f->constants & r->constants) ||
            (f->ghash && (r->constants & CONSTANT(GHASH_TABLE)))) &&
           (r->name == FAMILY_NONE || f->name.family == r->name);
}

/* ---- mode and variant ---- */

/* Sets the mode: a loop with AES and carry-less multiplication is GCM (SP 800-38D). Other modes
 * are known only by names. */
static void add_mode(struct finding *out, const struct facts *f)
{
    const marks gcm = MARK(CLMUL);
    if (f->name.family == out->family || (out->family == FAMILY_GHASH && f->name.mode))
        out->mode = f->name.mode;
    if (out->mode || out->how != HOW_HARDWARE)
        return;
    if ((out->family == FAMILY_AES && (f->near & gcm)) || out->family == FAMILY_GHASH)
        out->mode = "GCM";
}

/* Sets the variant of hardware AES in one loop with a digest: TLS's CBC and HMAC in one pass. */
static void add_stitched(struct finding *out, const struct facts *f)
{
    if (out->family != FAMILY_AES || out->how != HOW_HARDWARE)
        return;
    if (f->near & MARK(SHA256))
        out->variant = "stitched with SHA-256";
    else if (f->near & MARK(SHA1))
        out->variant = "stitched with SHA-1";
}

static const char *width_name(const struct facts *f)
{
    if (f->arch != ARCH_X86_64 && f->arch != ARCH_X86_32)
        return f->vector_bits >= 128 ? "vector" : NULL;
    return f->vector_bits >= 512   ? "AVX-512"
           : f->vector_bits >= 256 ? "AVX2"
           : f->vector_bits >= 128 ? "SSE"
                                   : NULL;
}

/* Whether software counts as vector software: the architecture has no instructions for the
 * family, and the code uses vectors. 128-bit vectors prove little, because compilers copy with
 * them; they count only for families that always use them, or if the name says so. */
static bool is_vector(const struct facts *f, enum family family)
{
    const bool narrow = family == FAMILY_CHACHA20 || family == FAMILY_POLY1305 ||
                        (f->name.family == family && f->name.how == HOW_VECTOR);
    const struct family_info *info = family_info(family);
    const char *flags = f->arch == ARCH_ARM64 ? info->arm64_flags : info->x86_flags;
    return !*flags && f->vector_bits >= (narrow ? 128 : 256);
}

static bool is_wide(const struct facts *f)
{
    return f->vector_bits >= 256;
}

struct variant {
    constant_set constants;
    const char *text;
};

/* Best first: code with T-tables refers to an S-box too, for its last round. */
static const struct variant variants[] = {
    { CONSTANT(AES_VPAES), "vpaes, SSSE3" },
    { CONSTANT(AES_BITSLICE), "bitsliced" },
    { CONSTANT(AES_TE) | CONSTANT(AES_TD), "T-tables" },
    { CONSTANT(AES_SBOX) | CONSTANT(AES_INV_SBOX), "S-box" },
    { CONSTANT(GHASH_TABLE), "tables" },
};

static void add_variant(struct finding *out, const struct facts *f, constant_set seen)
{
    for (size_t i = 0; i < COUNT(variants) && !out->variant; i++)
        if (seen & variants[i].constants)
            out->variant = variants[i].text;
    if (!out->variant && f->name.family == out->family)
        out->variant = f->name.variant;
    if (!out->variant && (out->how == HOW_VECTOR || is_wide(f)))
        out->variant = width_name(f);
}

/* ---- instructions ---- */

void rules_marks(struct finding *out, const struct facts *f, marks *taken)
{
    char text[48];
    *out = (struct finding){ .how = HOW_NONE };
    for (size_t i = 0; i < COUNT(rules); i++) {
        const struct rule *r = &rules[i];
        if (!holds(r, f, judged(f)))
            continue;
        const marks all = r->instructions | (r->instructions & STORED_ROUNDS ? AES_ROUNDS : 0);
        *out = (struct finding){ .family = r->family, .how = r->how, .grade = GRADE_A };
        add_mode(out, f);
        add_stitched(out, f);
        if (!out->variant && f->name.family == r->family && f->name.how == r->how)
            out->variant = f->name.variant;
        *taken = all;
        marks_text(text, sizeof text, f->near & (out->mode ? all | MARK(CLMUL) : all));
        snprintf(out->evidence, sizeof out->evidence, "%s in %s", text, f->where);
        return;
    }
}

/* ---- constants ---- */

static constant_set of_family(enum family family)
{
    constant_set set = 0;
    for (unsigned bit = 0; bit < NUM_CONSTANTS; bit++)
        if (constant_info((enum constant_bit)bit)->family == family)
            set |= (constant_set)1 << bit;
    return set;
}

constant_set rules_shared_constants(enum family family)
{
    return family_info(family)->kind == KIND_DIGEST ? of_family(family) : 0;
}

static enum how how_of_constant(const struct facts *f, enum family family)
{
    switch (family_info(family)->kind) {
    case KIND_CHECKSUM:
        return HOW_CHECKSUM;
    case KIND_ARITHMETIC:
        return HOW_ARITHMETIC;
    default:
        return is_vector(f, family) ? HOW_VECTOR : HOW_SOFTWARE;
    }
}

/* The family that the name gives, if it has a constant in the set; else the family in the set
 * that stands first in families.def, where checksums stand behind all crypto. */
static enum family family_of(constant_set set, enum family named)
{
    enum family best = FAMILY_NONE;
    for (unsigned bit = 0; bit < NUM_CONSTANTS; bit++) {
        const enum family family = constant_info((enum constant_bit)bit)->family;
        if (!(set >> bit & 1))
            continue;
        if (family == named)
            return family;
        if (best == FAMILY_NONE || family < best)
            best = family;
    }
    return best;
}

/* The evidence as text: "holds" for words inside code, "refers to" for tables. */
static void constant_text(char *out, size_t max, enum constant_bit bit)
{
    const char *text = constant_info(bit)->text, *end = " in code";
    const size_t len = strlen(text), end_len = strlen(end);
    const bool words = len > end_len && !strcmp(text + len - end_len, end);
    snprintf(out, max, "%s %s", words ? "holds" : "refers to", text);
}

static enum constant_bit first_of(constant_set set, enum family family)
{
    unsigned bit = 0;
    while (bit + 1 < NUM_CONSTANTS &&
           (!(set >> bit & 1) || constant_info((enum constant_bit)bit)->family != family))
        bit++;
    return (enum constant_bit)bit;
}

/* The constant to show as evidence: the one that determines the variant, or else the first of
 * the family. */
static enum constant_bit telling(constant_set set, enum family family)
{
    for (size_t i = 0; i < COUNT(variants); i++) {
        const constant_set hit = set & variants[i].constants;
        if (hit && constant_info(first_of(hit, family))->family == family)
            return first_of(hit, family);
    }
    return first_of(set, family);
}

void rules_constants(struct finding *out, const struct facts *f, constant_set except)
{
    const constant_set set = f->constants & ~except;
    *out = (struct finding){ .how = HOW_NONE };
    if (!set)
        return;
    const enum family family = family_of(set, f->name.family);
    *out =
        (struct finding){ .family = family, .how = how_of_constant(f, family), .grade = GRADE_B };
    if (f->name.family == family)
        out->mode = f->name.mode;
    if (out->how == HOW_SOFTWARE || out->how == HOW_VECTOR)
        add_variant(out, f, set);
    constant_text(out->evidence, sizeof out->evidence, telling(set, family));
}

void rules_constant(struct finding *out, enum constant_bit bit, const char *reg)
{
    const struct facts f = { .constants = (constant_set)1 << bit };
    const enum family family = constant_info(bit)->family;
    *out =
        (struct finding){ .family = family, .how = how_of_constant(&f, family), .grade = GRADE_C };
    if (out->how == HOW_SOFTWARE)
        add_variant(out, &f, f.constants);
    snprintf(out->evidence, sizeof out->evidence, "%s points into %s", reg,
             constant_info(bit)->text);
}

/* ---- names and shapes ---- */

void rules_name(struct finding *out, const struct facts *f)
{
    const struct name_info *name = &f->name;
    *out = (struct finding){ .how = HOW_NONE };
    if (name->family == FAMILY_NONE || name->how == HOW_NONE || name->how == HOW_HARDWARE)
        return;
    *out = (struct finding){ .family = name->family,
                             .how = name->how,
                             .grade = f->name_grade,
                             .mode = name->mode,
                             .variant = name->variant };
    snprintf(out->evidence, sizeof out->evidence, "%s",
             f->name_grade == GRADE_D ? "fingerprint" : "name");
}

static void by_rotations(struct finding *out, const struct facts *f)
{
    static const struct {
        enum family family;
        enum how how;
    } rows[] = {
        [ROTATIONS_OTHER] = { FAMILY_NONE, HOW_NONE },
        [ROTATIONS_TABLE_HASH] = { FAMILY_NONE, HOW_NONE }, /* of hash tables */
        [ROTATIONS_CHACHA] = { FAMILY_CHACHA20, HOW_SOFTWARE },
        [ROTATIONS_CHACHA_VECTOR] = { FAMILY_CHACHA20, HOW_VECTOR },
        [ROTATIONS_BLAKE2] = { FAMILY_BLAKE2, HOW_SOFTWARE },
        [ROTATIONS_BLAKE2_VECTOR] = { FAMILY_BLAKE2, HOW_VECTOR },
    };
    const enum rotations found = code_rotations(f->code);
    if (found == ROTATIONS_OTHER || found == ROTATIONS_TABLE_HASH)
        return;
    *out = (struct finding){ .family = rows[found].family,
                             .how = rows[found].how,
                             .grade = GRADE_B,
                             .variant = rows[found].how == HOW_VECTOR ? width_name(f) : NULL };
    snprintf(out->evidence, sizeof out->evidence, "amounts of its rotations");
}

void rules_structure(struct finding *out, const struct facts *f)
{
    *out = (struct finding){ .how = HOW_NONE };
    if (!f->code || !f->code->len)
        return;
    if (code_is_software_clmul(f->code))
        *out = (struct finding){ .family = FAMILY_GHASH,
                                 .how = HOW_SOFTWARE,
                                 .grade = GRADE_B,
                                 .variant = "masked multiplications",
                                 .evidence = "carry-less products by integer multiplication" };
    else if (code_is_bitsliced(f->code))
        *out = (struct finding){ .family = FAMILY_UNNAMED,
                                 .how = HOW_UNCLASSIFIED,
                                 .grade = GRADE_B,
                                 .variant = "bitsliced",
                                 .evidence = "bit planes in boolean instructions" };
    else
        by_rotations(out, f);
    if (out->how == HOW_UNCLASSIFIED && family_is_crypto(f->name.family)) {
        out->family = f->name.family;
        out->how = HOW_SOFTWARE;
        out->mode = f->name.mode;
    }
}

/* ---- a sample ---- */

void rules_add_name(struct facts *f, const char *name, enum name_source source)
{
    f->name_grade = source == NAME_FINGERPRINT ? GRADE_D : GRADE_E;
    if (!name || !name_lookup(&f->name, name))
        f->name = (struct name_info){ .family = FAMILY_NONE };
}

/* Whether the sample is in software of a function that contains both ways and chooses at run
 * time: the function has the constants too, and the sample is in a loop without any of the
 * instructions. */
static bool is_other_way(const struct facts *f, const struct finding *hardware)
{
    struct finding software;
    rules_constants(&software, f, 0);
    return software.how != HOW_NONE && software.family == hardware->family && f->other_loop;
}

/* Whether a finding is weak evidence: by instructions that many programs contain. A name or
 * constants that give a family overrule it. */
static bool is_weak(const struct finding *f)
{
    return f->how == HOW_ARITHMETIC || f->how == HOW_CHECKSUM || f->how == HOW_UNCLASSIFIED;
}

/* Classifies by the whole function, wherever in it the sample lies. */
static void by_function(struct finding *out, struct facts *f, marks function)
{
    struct finding instructions;
    marks taken = 0;
    f->where = "function";
    f->near = function;
    rules_marks(&instructions, f, &taken);
    instructions.grade = GRADE_B;
    *out = instructions;
    if (out->how != HOW_NONE && !is_weak(out) && !is_other_way(f, out))
        return;
    static void (*const others[])(struct finding *, const struct facts *) = { rules_name,
                                                                              rules_structure };
    rules_constants(out, f, 0);
    for (size_t i = 0; i < COUNT(others) && out->how == HOW_NONE; i++)
        others[i](out, f);
    if (out->how == HOW_NONE)
        *out = instructions;
}

void rules_judge(struct finding *out, struct facts *f, const struct around *around, marks function)
{
    enum { SHORT = 32 };
    struct finding near, whole;
    marks taken = 0;
    f->near = around->loop ? around->loop : around->run;
    f->where = around->loop ? "loop" : "straight run";
    f->vector_bits = around->vector_bits;
    f->stores = around->stores;
    f->other_loop = around->in_loop && !(f->near & MARKS_CRYPTO) && around->num_insns >= SHORT;
    rules_marks(&near, f, &taken);
    *out = near;
    if (near.how != HOW_NONE && !is_weak(&near))
        return;
    by_function(&whole, f, function);
    if (near.how == HOW_NONE || (whole.how != HOW_NONE && !is_weak(&whole)))
        *out = whole;
}
