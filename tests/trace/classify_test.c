/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules: what a set of instructions, constants and a name are taken for.
 */
#include "classify/classify_rules.h"
#include "test.h"

#define NEAR_FUNCTION(set) .near = (set), .function = (set)

static const struct row {
    const char *text;
    struct facts facts;
    enum family family;
    enum how how;
    const char *mode;
} marks_rows[] =
    {
        {"AES rounds with a last one",
         {NEAR_FUNCTION(AES_ROUNDS | MARK(AES_ENCLAST))},
         FAMILY_AES,
         HOW_HARDWARE,
         NULL},
        {"AES rounds whose last one is elsewhere in the function",
         {.near = MARK(AES_ENC), .function = MARK(AES_ENC) | MARK(AES_ENCLAST)},
         FAMILY_AES,
         HOW_HARDWARE,
         NULL},
        {"AES rounds that nothing ends",
         {NEAR_FUNCTION(MARK(AES_ENC))},
         FAMILY_AESHASH,
         HOW_HASHING,
         NULL},
        {"inverse rounds that nothing ends",
         {NEAR_FUNCTION(MARK(AES_DEC))},
         FAMILY_AESHASH,
         HOW_HASHING,
         NULL},
        {"Camellia by the S-box of AES",
         {NEAR_FUNCTION(MARK(AES_ENCLAST)),
          .name = {.family = FAMILY_CAMELLIA}},
         FAMILY_CAMELLIA,
         HOW_VECTOR,
         NULL},
        {"a last round alone",
         {NEAR_FUNCTION(MARK(AES_ENCLAST))},
         FAMILY_AESBASED,
         HOW_UNCLASSIFIED,
         NULL},
        {"a last round alone, by its name of AES's key expansion",
         {NEAR_FUNCTION(MARK(AES_ENCLAST)), .name = {.family = FAMILY_AES}},
         FAMILY_AES,
         HOW_HARDWARE,
         NULL},
        {"a last round beside instructions of key expansion",
         {.near = MARK(AES_ENCLAST), .function = MARK(AES_ENCLAST) | MARK(AES_KEY)},
         FAMILY_AES,
         HOW_HARDWARE,
         NULL},
        {"AES rounds that nothing ends, with vectors stored",
         {NEAR_FUNCTION(MARK(AES_ENC)), .stores = true},
         FAMILY_AESBASED,
         HOW_UNCLASSIFIED,
         NULL},
        {"AES with vectors stored",
         {NEAR_FUNCTION(MARK(AES_ENC) | MARK(AES_ENCLAST)), .stores = true},
         FAMILY_AES,
         HOW_HARDWARE,
         NULL},
        {"key expansion",
         {NEAR_FUNCTION(MARK(AES_KEY))},
         FAMILY_AES,
         HOW_HARDWARE,
         NULL},
        {"AES and carry-less products in one loop",
         {NEAR_FUNCTION(MARK(AES_ENC) | MARK(AES_ENCLAST) | MARK(CLMUL))},
         FAMILY_AES,
         HOW_HARDWARE,
         "GCM"},
        {"carry-less products beside AES",
         {.near = MARK(CLMUL), .function = MARK(CLMUL) | MARK(AES_ENCLAST)},
         FAMILY_GHASH,
         HOW_HARDWARE,
         "GCM"},
        {"carry-less products with a CRC's constants",
         {NEAR_FUNCTION(MARK(CLMUL)), .constants = CONSTANT(CRC_FOLD)},
         FAMILY_CRC,
         HOW_CHECKSUM,
         NULL},
        {"carry-less products beside CRC32",
         {NEAR_FUNCTION(MARK(CLMUL) | MARK(CRC32))},
         FAMILY_CRC,
         HOW_CHECKSUM,
         NULL},
        {"carry-less products of GHASH by name",
         {NEAR_FUNCTION(MARK(CLMUL)), .name = {.family = FAMILY_GHASH}},
         FAMILY_GHASH,
         HOW_HARDWARE,
         "GCM"},
        {"carry-less products of nothing known",
         {NEAR_FUNCTION(MARK(CLMUL))},
         FAMILY_UNKNOWN,
         HOW_UNCLASSIFIED,
         NULL},
        {"GFNI alone",
         {NEAR_FUNCTION(MARK(GFNI))},
         FAMILY_NONE,
         HOW_NONE,
         NULL},
        {"GFNI beside AES",
         {.near = MARK(GFNI), .function = MARK(GFNI) | MARK(AES_DEC) | MARK(AES_DECLAST)},
         FAMILY_AES,
         HOW_HARDWARE,
         NULL},
        {"GFNI beside a last round alone",
         {.near = MARK(GFNI), .function = MARK(GFNI) | MARK(AES_DECLAST)},
         FAMILY_AESBASED,
         HOW_UNCLASSIFIED,
         NULL},
        {"GFNI with the S-box of SM4",
         {NEAR_FUNCTION(MARK(GFNI)), .constants = CONSTANT(SM4_SBOX)},
         FAMILY_SM4,
         HOW_HARDWARE,
         NULL},
        {"SHA-NI",
         {NEAR_FUNCTION(MARK(SHA256)), .constants = CONSTANT(SHA256_K)},
         FAMILY_SHA256,
         HOW_HARDWARE,
         NULL},
        {"MULX and ADX",
         {NEAR_FUNCTION(MARK(MULX) | MARK(ADX))},
         FAMILY_BIGNUM,
         HOW_ARITHMETIC,
         NULL},
        {"MULX with the prime of P-256",
         {NEAR_FUNCTION(MARK(MULX)), .constants = CONSTANT(P256_PRIME)},
         FAMILY_P256,
         HOW_ARITHMETIC,
         NULL},
        {"CRC32", {NEAR_FUNCTION(MARK(CRC32))}, FAMILY_CRC, HOW_CHECKSUM, NULL},
        {"nothing", {.near = 0}, FAMILY_NONE, HOW_NONE, NULL},
},
  constants_rows[] =
      {
          {"T-tables",
           {.constants = CONSTANT(AES_TE) | CONSTANT(AES_SBOX)},
           FAMILY_AES,
           HOW_SOFTWARE,
           NULL},
          {"vpaes in a function of a known mode",
           {.constants = CONSTANT(AES_VPAES),
            .name = {.family = FAMILY_AES, .mode = "CBC"}},
           FAMILY_AES,
           HOW_SOFTWARE,
           "CBC"},
          {"a table of CRC is no crypto",
           {.constants = CONSTANT(CRC_TABLE)},
           FAMILY_CRC,
           HOW_CHECKSUM,
           NULL},
          {"a table of CRC beside K256",
           {.constants = CONSTANT(CRC_TABLE) | CONSTANT(SHA256_K)},
           FAMILY_SHA256,
           HOW_SOFTWARE,
           NULL},
          {"ChaCha in vectors",
           {.constants = CONSTANT(CHACHA_SIGMA),
            .arch = ARCH_X86_64,
            .vector_bits = 256},
           FAMILY_CHACHA20,
           HOW_VECTOR,
           NULL},
          {"BLAKE2 that copies with vectors",
           {.constants = CONSTANT(BLAKE2_SIGMA),
            .arch = ARCH_X86_64,
            .vector_bits = 128},
           FAMILY_BLAKE2,
           HOW_SOFTWARE,
           NULL},
          {"ChaCha in words",
           {.constants = CONSTANT(CHACHA_SIGMA), .arch = ARCH_X86_64},
           FAMILY_CHACHA20,
           HOW_SOFTWARE,
           NULL},
          {"SHA-256 in vectors is software, where there are instructions",
           {.constants = CONSTANT(SHA256_K),
            .arch = ARCH_X86_64,
            .vector_bits = 256},
           FAMILY_SHA256,
           HOW_SOFTWARE,
           NULL},
          {"the prime of P-256",
           {.constants = CONSTANT(P256_PRIME)},
           FAMILY_P256,
           HOW_ARITHMETIC,
           NULL},
          {"no constants", {.arch = ARCH_X86_64}, FAMILY_NONE, HOW_NONE, NULL},
},
  name_rows[] = {
      {"a name that says software",
       {.name = {.family = FAMILY_GHASH, .how = HOW_SOFTWARE}},
       FAMILY_GHASH,
       HOW_SOFTWARE,
       NULL},
      {"a name that says hardware proves nothing",
       {.name = {.family = FAMILY_AES, .how = HOW_HARDWARE}},
       FAMILY_NONE,
       HOW_NONE,
       NULL},
      {"a name that does not say how",
       {.name = {.family = FAMILY_SHA256}},
       FAMILY_NONE,
       HOW_NONE,
       NULL},
};

static void check(const struct row *row, const struct finding *found)
{
    const bool mode = !row->mode || (found->mode && !strcmp(found->mode, row->mode));
    if (found->family != row->family || found->how != row->how || !mode)
        complain("%s, %s, %s", family_info(found->family)->name, family_how_name(found->how),
                 found->mode ? found->mode : "no mode");
    tap(found->family == row->family && found->how == row->how && mode, "%s", row->text);
}

static void by_marks(const struct facts *f, struct finding *found)
{
    marks taken = 0;
    struct facts some = *f;
    some.where = "loop";
    rules_marks(found, &some, &taken);
}

/* struct sample_row is a sample: the code around it, the marks of its whole function, other facts
 * of it, and the finding that they must lead to. */
static const struct sample_row {
    const char *text;
    struct around around;
    marks whole;
    constant_set constants;
    struct name_info name;
    enum family family;
    enum how how;
    enum grade grade;
} sample_rows[] = {
    { "in the loop",
      { .decoded = true, .in_loop = true, .loop = MARK(AES_ENC) | MARK(AES_ENCLAST) },
      MARK(AES_ENC) | MARK(AES_ENCLAST),
      0,
      { .family = FAMILY_NONE },
      FAMILY_AES,
      HOW_HARDWARE,
      GRADE_A },
    { "in a straight run",
      { .decoded = true, .run = MARK(SHA1) },
      MARK(SHA1),
      0,
      { .family = FAMILY_NONE },
      FAMILY_SHA1,
      HOW_HARDWARE,
      GRADE_A },
    { "elsewhere in the function",
      { .decoded = true },
      MARK(SHA1),
      CONSTANT(SHA1_K),
      { .family = FAMILY_NONE },
      FAMILY_SHA1,
      HOW_HARDWARE,
      GRADE_B },
    { "in the other loop of a function that holds both ways",
      { .decoded = true, .in_loop = true, .num_insns = 500 },
      MARK(SHA256),
      CONSTANT(SHA256_K),
      { .family = FAMILY_NONE },
      FAMILY_SHA256,
      HOW_SOFTWARE,
      GRADE_B },
    { "in the hardware's loop of a function that holds both ways",
      { .decoded = true, .in_loop = true, .loop = MARK(SHA256), .num_insns = 500 },
      MARK(SHA256),
      CONSTANT(SHA256_K),
      { .family = FAMILY_NONE },
      FAMILY_SHA256,
      HOW_HARDWARE,
      GRADE_A },
    { "arithmetic in a function of Poly1305",
      { .decoded = true, .in_loop = true, .loop = MARK(IFMA) },
      MARK(IFMA),
      0,
      { .family = FAMILY_POLY1305, .how = HOW_VECTOR },
      FAMILY_POLY1305,
      HOW_VECTOR,
      GRADE_E },
    { "arithmetic in a function of no name",
      { .decoded = true, .in_loop = true, .loop = MARK(IFMA) },
      MARK(IFMA),
      0,
      { .family = FAMILY_NONE },
      FAMILY_BIGNUM,
      HOW_ARITHMETIC,
      GRADE_A },
    { "a checksum in a function that refers to K256",
      { .decoded = true, .in_loop = true, .loop = MARK(CRC32) },
      MARK(CRC32),
      CONSTANT(SHA256_K),
      { .family = FAMILY_NONE },
      FAMILY_SHA256,
      HOW_SOFTWARE,
      GRADE_B },
    { "nowhere",
      { .decoded = true, .in_loop = true, .num_insns = 90 },
      0,
      0,
      { .family = FAMILY_NONE },
      FAMILY_NONE,
      HOW_NONE,
      GRADE_A },
};

static void samples(void)
{
    for (size_t i = 0; i < COUNT_OF(sample_rows); i++) {
        const struct sample_row *row = &sample_rows[i];
        struct finding found;
        struct facts f = { .function = row->whole,
                           .constants = row->constants,
                           .name = row->name,
                           .name_grade = GRADE_E,
                           .arch = ARCH_X86_64 };
        rules_judge(&found, &f, &row->around, row->whole);
        const bool grade = row->how == HOW_NONE || found.grade == row->grade;
        if (found.family != row->family || found.how != row->how || !grade)
            complain("%s, %s, [%c]: %s", family_info(found.family)->name,
                     family_how_name(found.how), found.grade ? (char)found.grade : '-',
                     found.evidence);
        tap(found.family == row->family && found.how == row->how && grade, "a sample %s",
            row->text);
    }
}

static void texts(void)
{
    struct finding found;
    struct facts f = { NEAR_FUNCTION(MARK(AES_ENC) | MARK(AES_ENCLAST)), .where = "loop" };
    marks taken = 0;
    rules_marks(&found, &f, &taken);
    tap(!strcmp(found.evidence, "AESENC+AESENCLAST in loop"), "evidence of instructions: %s",
        found.evidence);
    rules_constant(&found, CONSTANT_BIT_AES_TE, "rsi");
    tap(!strcmp(found.evidence, "rsi points into T-tables") && found.grade == GRADE_C &&
            found.how == HOW_SOFTWARE,
        "evidence of a register: %s", found.evidence);
    f.constants = CONSTANT(SHA256_WORDS);
    rules_constants(&found, &f, 0);
    tap(!strcmp(found.evidence, "holds K256 in code"), "evidence of words: %s", found.evidence);
    rules_constants(&found, &f, CONSTANT(SHA256_WORDS));
    tap(found.how == HOW_NONE, "constants that are excepted tell nothing");
}

/* every_mark_is_judged checks that each class of instructions alone, but GFNI, leads to a
 * finding. */
static void every_mark_is_judged(void)
{
    unsigned silent = 0;
    for (unsigned bit = 0; bit < NUM_MARKS; bit++) {
        struct finding found;
        const struct facts f = { NEAR_FUNCTION((marks)1 << bit) };
        by_marks(&f, &found);
        if (found.how == HOW_NONE && bit != MARK_BIT_GFNI)
            silent += (unsigned)complain("instruction class %u", bit);
    }
    tap(!silent, "each class of instructions alone is taken for something, but GFNI");
}

/* rotations_of returns what code_rotations finds in code that rotates a register by each amount,
 * four times. */
static enum rotations rotations_of(bool quad, uint8_t modrm, const uint8_t *amounts, size_t num)
{
    uint8_t bytes[256];
    struct code code = { .bytes = bytes, .arch = ARCH_X86_64 };
    for (size_t i = 0; i < 4 * num; i++) {
        if (quad)
            bytes[code.len++] = 0x48;
        bytes[code.len++] = 0xc1;
        bytes[code.len++] = modrm;
        bytes[code.len++] = amounts[i % num];
    }
    return code_rotations(&code);
}

static void rotations(void)
{
    enum { ROL = 0xc0, ROR = 0xc8 };
    static const uint8_t chacha[] = { 16, 12, 8, 7 }, blake2b[] = { 32, 24, 16, 63 };
    static const uint8_t md5[] = { 7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15 };
    tap(rotations_of(false, ROL, chacha, 4) == ROTATIONS_CHACHA, "ChaCha rotates to the left");
    tap(rotations_of(false, ROR, chacha, 4) == ROTATIONS_BLAKE2, "BLAKE2s to the right");
    tap(rotations_of(true, ROR, blake2b, 4) == ROTATIONS_BLAKE2, "BLAKE2b, of longer words");
    tap(rotations_of(true, ROL, blake2b, 4) == ROTATIONS_OTHER, "its mirror image is another");
    tap(rotations_of(false, ROL, md5, 15) == ROTATIONS_OTHER, "MD5 is neither");
}

int main(void)
{
    struct finding found;
    for (size_t i = 0; i < COUNT_OF(marks_rows); i++) {
        by_marks(&marks_rows[i].facts, &found);
        check(&marks_rows[i], &found);
    }
    for (size_t i = 0; i < COUNT_OF(constants_rows); i++) {
        rules_constants(&found, &constants_rows[i].facts, 0);
        check(&constants_rows[i], &found);
    }
    for (size_t i = 0; i < COUNT_OF(name_rows); i++) {
        rules_name(&found, &name_rows[i].facts);
        check(&name_rows[i], &found);
    }
    samples();
    texts();
    every_mark_is_judged();
    rotations();
    return tap_done();
}
