/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of instructions of other architectures, as words and as their assemblers write them. Words:
 * Arm DDI 0487 (C7.2, C8.2), Oracle SPARC Architecture 2011 (chapter 7), Power ISA 3.0 B (6.11),
 * SA22-7832 (chapters 7 and 10). */
#include "code/code.h"
#include "test.h"
#include <unistd.h>

struct word {
    const char *text; /* for the assembler */
    uint64_t bits;    /* s390: in the upper bits of 48 */
    marks want;
};

static const struct word arm64[] = {
    { "aese v0.16b, v1.16b", 0x4e284820, MARK(AES_ENCLAST) },
    { "aesd v31.16b, v2.16b", 0x4e28585f, MARK(AES_DECLAST) },
    { "aesmc v0.16b, v1.16b", 0x4e286820, MARK(AES_ENC) },
    { "aesimc v3.16b, v1.16b", 0x4e287823, MARK(AES_KEY) },
    { "sha1c q0, s1, v2.4s", 0x5e020020, MARK(SHA1) },
    { "sha1p q0, s1, v2.4s", 0x5e021020, MARK(SHA1) },
    { "sha1m q0, s1, v2.4s", 0x5e022020, MARK(SHA1) },
    { "sha1su0 v0.4s, v1.4s, v2.4s", 0x5e023020, MARK(SHA1) },
    { "sha1h s0, s1", 0x5e280820, MARK(SHA1) },
    { "sha1su1 v0.4s, v1.4s", 0x5e281820, MARK(SHA1) },
    { "sha256h q0, q1, v2.4s", 0x5e024020, MARK(SHA256) },
    { "sha256h2 q0, q1, v2.4s", 0x5e025020, MARK(SHA256) },
    { "sha256su0 v0.4s, v1.4s", 0x5e282820, MARK(SHA256) },
    { "sha256su1 v0.4s, v1.4s, v2.4s", 0x5e026020, MARK(SHA256) },
    { "sha512h q0, q1, v2.2d", 0xce628020, MARK(SHA512) },
    { "sha512h2 q0, q1, v2.2d", 0xce628420, MARK(SHA512) },
    { "sha512su0 v0.2d, v1.2d", 0xcec08020, MARK(SHA512) },
    { "sha512su1 v0.2d, v1.2d, v2.2d", 0xce628820, MARK(SHA512) },
    { "rax1 v0.2d, v1.2d, v2.2d", 0xce628c20, MARK(SHA3) },
    { "bcax v0.16b, v1.16b, v2.16b, v3.16b", 0xce220c20, MARK(SHA3) },
    { "xar v0.2d, v1.2d, v2.2d, #5", 0xce821420, MARK(SHA3) },
    { "eor3 v0.16b, v1.16b, v2.16b, v3.16b", 0xce020c20, 0 },
    { "sm3ss1 v0.4s, v1.4s, v2.4s, v3.4s", 0xce420c20, MARK(SM3) },
    { "sm3tt1a v0.4s, v1.4s, v2.s[1]", 0xce429020, MARK(SM3) },
    { "sm3tt2b v0.4s, v1.4s, v2.s[3]", 0xce42bc20, MARK(SM3) },
    { "sm3partw1 v0.4s, v1.4s, v2.4s", 0xce62c020, MARK(SM3) },
    { "sm3partw2 v0.4s, v1.4s, v2.4s", 0xce62c420, MARK(SM3) },
    { "sm4e v0.4s, v1.4s", 0xcec08420, MARK(SM4) },
    { "sm4ekey v0.4s, v1.4s, v2.4s", 0xce62c820, MARK(SM4) },
    { "pmull v0.1q, v1.1d, v2.1d", 0x0ee2e020, MARK(CLMUL) },
    { "pmull2 v0.1q, v1.2d, v2.2d", 0x4ee2e020, MARK(CLMUL) },
    { "pmull v0.8h, v1.8b, v2.8b", 0x0e22e020, 0 },
    { "crc32b w0, w1, w2", 0x1ac24020, MARK(CRC32) },
    { "crc32cx w0, w1, x2", 0x9ac25c20, MARK(CRC32) },
    { "aese z0.b, z0.b, z1.b", 0x4522e020, MARK(AES_ENCLAST) },
    { "aesd z0.b, z0.b, z1.b", 0x4522e420, MARK(AES_DECLAST) },
    { "aesmc z0.b, z0.b", 0x4520e000, MARK(AES_ENC) },
    { "aesimc z0.b, z0.b", 0x4520e400, MARK(AES_KEY) },
    { "pmullb z0.q, z1.d, z2.d", 0x45026820, MARK(CLMUL) },
    { "pmullt z0.q, z1.d, z2.d", 0x45026c20, MARK(CLMUL) },
    { "rax1 z0.d, z1.d, z2.d", 0x4522f420, MARK(SHA3) },
    { "bcax z0.d, z0.d, z1.d, z2.d", 0x04613840, MARK(SHA3) },
    { "sm4e z0.s, z0.s, z1.s", 0x4523e020, MARK(SM4) },
    { "sm4ekey z0.s, z1.s, z2.s", 0x4522f020, MARK(SM4) },
    { "add x0, x1, x2", 0x8b020020, 0 },
    { "eor v0.16b, v1.16b, v2.16b", 0x6e221c20, 0 },
};

static const struct word sparc64[] = {
    { "aes_eround01 %f0, %f2, %f4, %f6", 0x8cc80802, MARK(AES_ENC) },
    { "aes_eround23 %f0, %f2, %f4, %f6", 0x8cc80822, MARK(AES_ENC) },
    { "aes_dround01 %f0, %f2, %f4, %f6", 0x8cc80842, MARK(AES_DEC) },
    { "aes_dround23 %f0, %f2, %f4, %f6", 0x8cc80862, MARK(AES_DEC) },
    { "aes_eround01_l %f0, %f2, %f4, %f6", 0x8cc80882, MARK(AES_ENCLAST) },
    { "aes_eround23_l %f0, %f2, %f4, %f6", 0x8cc808a2, MARK(AES_ENCLAST) },
    { "aes_dround01_l %f0, %f2, %f4, %f6", 0x8cc808c2, MARK(AES_DECLAST) },
    { "aes_dround23_l %f0, %f2, %f4, %f6", 0x8cc808e2, MARK(AES_DECLAST) },
    { "aes_kexpand1 %f0, %f2, 3, %f6", 0x8cc80702, MARK(AES_KEY) },
    { "aes_kexpand0 %f0, %f2, %f6", 0x8db02602, MARK(AES_KEY) },
    { "aes_kexpand2 %f0, %f2, %f6", 0x8db02622, MARK(AES_KEY) },
    { "des_round %f0, %f2, %f4, %f6", 0x8cc80922, MARK(DES) },
    { "des_ip %f0, %f2", 0x85b02680, MARK(DES) },
    { "des_iip %f0, %f2", 0x85b026a0, MARK(DES) },
    { "des_kexpand %f0, 1, %f2", 0x85b026c1, MARK(DES) },
    { "camellia_f %f0, %f2, %f4, %f6", 0x8cc80982, MARK(CAMELLIA) },
    { "camellia_fl %f0, %f2, %f6", 0x8db02782, MARK(CAMELLIA) },
    { "camellia_fli %f0, %f2, %f6", 0x8db027a2, MARK(CAMELLIA) },
    { "kasumi_fl_xor %f0, %f2, %f4, %f6", 0x8cc80942, MARK(KASUMI) },
    { "kasumi_fi_xor %f0, %f2, %f4, %f6", 0x8cc80962, MARK(KASUMI) },
    { "kasumi_fi_fi %f0, %f2, %f6", 0x8db02702, MARK(KASUMI) },
    { "md5", 0x81b02800, MARK(MD5) },
    { "sha1", 0x81b02820, MARK(SHA1) },
    { "sha256", 0x81b02840, MARK(SHA256) },
    { "sha512", 0x81b02860, MARK(SHA512) },
    { "crc32c %f0, %f2, %f6", 0x8db028e2, MARK(CRC32) },
    { "mpmul 7", 0x81b02907, MARK(MPMUL) },
    { "montmul 7", 0x81b02927, MARK(MONTMUL) },
    { "montsqr 7", 0x81b02947, MARK(MONTMUL) },
    { "xmulx %o0, %o1, %o2", 0x95b222a9, MARK(CLMUL) },
    { "xmulxhi %o0, %o1, %o2", 0x95b222c9, MARK(CLMUL) },
    { "umulxhi %o0, %o1, %o2", 0x95b202c9, MARK(MULX) },
    { "mulx %o0, %o1, %o2", 0x944a0009, 0 },
    { "faligndata %f0, %f2, %f4", 0x89b00902, 0 },
    { "add %o0, %o1, %o2", 0x94020009, 0 },
};

static const struct word power[] = {
    { "vcipher 0, 1, 2", 0x10011508, MARK(AES_ENC) },
    { "vcipherlast 0, 1, 2", 0x10011509, MARK(AES_ENCLAST) },
    { "vncipher 0, 1, 2", 0x10011548, MARK(AES_DEC) },
    { "vncipherlast 0, 1, 2", 0x10011549, MARK(AES_DECLAST) },
    { "vsbox 0, 1", 0x100105c8, MARK(AES_ENCLAST) },
    { "vshasigmaw 0, 1, 0, 15", 0x10017e82, MARK(SHA256) },
    { "vshasigmad 0, 1, 1, 15", 0x1001fec2, MARK(SHA512) },
    { "vpmsumb 0, 1, 2", 0x10011408, MARK(CLMUL) },
    { "vpmsumh 0, 1, 2", 0x10011448, MARK(CLMUL) },
    { "vpmsumw 0, 1, 2", 0x10011488, MARK(CLMUL) },
    { "vpmsumd 0, 1, 2", 0x100114c8, MARK(CLMUL) },
    { "vxor 0, 1, 2", 0x100114c4, 0 },
    { "add 0, 1, 2", 0x7c011214, 0 },
};

static const struct word s390x[] = {
    { "km %r2, %r4", 0xb92e00240000, MARK(CPACF) },
    { "kmc %r2, %r4", 0xb92f00240000, MARK(CPACF) },
    { "kmf %r2, %r4", 0xb92a00240000, MARK(CPACF) },
    { "kmo %r2, %r4", 0xb92b00240000, MARK(CPACF) },
    { "kmctr %r2, %r4, %r6", 0xb92d40260000, MARK(CPACF) },
    { "kma %r2, %r4, %r6", 0xb92940260000, MARK(CPACF) },
    { "kimd %r2, %r4", 0xb93e00240000, MARK(CPACF) },
    { "klmd %r2, %r4", 0xb93f00240000, MARK(CPACF) },
    { "kmac %r2, %r4", 0xb91e00240000, MARK(CPACF) },
    { "pcc", 0xb92c00000000, MARK(CPACF) },
    { "kdsa %r2, %r4", 0xb93a00240000, MARK(CPACF) },
    { "prno %r2, %r4", 0xb93c00240000, MARK(CPACF) },
    { "pckmo", 0xb92800000000, MARK(CPACF) },
    { "vgfmg %v0, %v1, %v2", 0xe701200030b4, MARK(CLMUL) },
    { "vgfmag %v0, %v1, %v2, %v3", 0xe701230030bc, MARK(CLMUL) },
    { "vx %v0, %v1, %v2", 0xe7012000006d, 0 },
    { "ar %r2, %r4", 0x1a2400000000, 0 },
    { "lgr %r2, %r4", 0xb90400240000, 0 },
};

static const struct set {
    enum arch arch;
    bool big_endian;
    const char *name, *assembler, *objcopy;
    const struct word *words;
    size_t num;
} sets[] = {
    { ARCH_ARM64, false, "aarch64",
      "aarch64-linux-gnu-as -march=armv8.4-a+crypto+sha3+sm4+crc+sve2-aes+sve2-sha3+sve2-sm4",
      "aarch64-linux-gnu-objcopy", arm64, COUNT_OF(arm64) },
    { ARCH_SPARC64, true, "SPARC T4", "sparc64-linux-gnu-as -Av9v", "sparc64-linux-gnu-objcopy",
      sparc64, COUNT_OF(sparc64) },
    { ARCH_PPC64, true, "POWER8", "powerpc64-linux-gnu-as -mpower8", "powerpc64-linux-gnu-objcopy",
      power, COUNT_OF(power) },
    { ARCH_S390X, true, "z15", "s390x-linux-gnu-as -march=z15", "s390x-linux-gnu-objcopy", s390x,
      COUNT_OF(s390x) },
};

/* encode writes the bytes of an instruction as in memory, and returns their number. */
static size_t encode(uint8_t *out, const struct set *set, uint64_t bits)
{
    if (set->arch == ARCH_S390X) {
        const uint8_t first = (uint8_t)(bits >> 40);
        for (unsigned i = 0; i < 6; i++)
            out[i] = (uint8_t)(bits >> (40 - 8 * i));
        return first < 0x40 ? 2 : first < 0xc0 ? 4 : 6;
    }
    for (unsigned i = 0; i < 4; i++)
        out[set->big_endian ? 3 - i : i] = (uint8_t)(bits >> 8 * i);
    return 4;
}

static void check_marks(const struct set *set)
{
    for (size_t i = 0; i < set->num; i++) {
        const struct word *word = &set->words[i];
        uint8_t bytes[6];
        const struct code code = { .bytes = bytes,
                                   .len = encode(bytes, set, word->bits),
                                   .address = 0x1000,
                                   .arch = set->arch,
                                   .big_endian = set->big_endian };
        char text[64];
        marks_text(text, sizeof text, code_marks(&code));
        if (code_marks(&code) != word->want || code_candidate(&code) != (word->want != 0))
            complain("%s: \"%s\"", word->text, text);
    }
    tap(!complaints_so_far(), "marks of %zu instructions of %s", set->num, set->name);
}

/* AESE is a round if AESMC of the same register follows, else a last round; AESIMC belongs to a
 * round, or to key expansion. */
static void check_rounds(void)
{
    static const struct {
        uint32_t words[3];
        marks want;
    } rows[] = {
        { { 0x4e284820, 0x4e286800, 0xd503201f }, MARK(AES_ENC) },
        { { 0x4e284820, 0xd503201f, 0x4e286800 }, MARK(AES_ENC) },
        { { 0x4e284820, 0x4e286821, 0xd503201f }, MARK(AES_ENC) | MARK(AES_ENCLAST) },
        { { 0x4e284820, 0x4e286800, 0x4e284820 }, MARK(AES_ENC) | MARK(AES_ENCLAST) },
        { { 0x4e285820, 0x4e287800, 0xd503201f }, MARK(AES_DEC) },
        { { 0x4e287800, 0xd503201f, 0xd503201f }, MARK(AES_KEY) },
        { { 0x4522e020, 0x4520e000, 0xd503201f }, MARK(AES_ENC) },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint8_t bytes[12];
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)(rows[i].words[k / 4] >> 8 * (k % 4));
        const struct code code = {
            .bytes = bytes, .len = sizeof bytes, .address = 0x1000, .arch = ARCH_ARM64
        };
        char text[64];
        marks_text(text, sizeof text, code_marks(&code));
        if (code_marks(&code) != rows[i].want)
            complain("row %zu: \"%s\"", i, text);
    }
    tap(!complaints_so_far(), "rounds of arm64");
}

static bool run(const char *format, const char *tool, const char *folder)
{
    char command[512];
    snprintf(command, sizeof command, format, tool, folder, folder);
    return system(command) == 0;
}

/* compare compares the bytes that an assembler made of the texts with the words. */
static void compare(const struct set *set, const uint8_t *got, size_t len)
{
    size_t at = 0;
    for (size_t i = 0; i < set->num; i++) {
        uint8_t want[6];
        const size_t want_len = encode(want, set, set->words[i].bits);
        if (at + want_len > len || memcmp(got + at, want, want_len) != 0) {
            complain("%s is not %llx", set->words[i].text, (unsigned long long)set->words[i].bits);
            for (size_t k = at; k < at + want_len && k < len; k++)
                complain("  %02x", got[k]);
        }
        at += want_len;
    }
}

static void check_assembler(const struct set *set)
{
    char folder[] = P_tmpdir "/headrace-words-XXXXXX", path[64];
    uint8_t got[1024];
    size_t len = 0;
    if (!run("command -v %s >/dev/null 2>&1", set->objcopy, "")) {
        tap_skip("its binutils are not installed", "the assembler of %s writes the same",
                 set->name);
        return;
    }
    if (!mkdtemp(folder)) {
        tap(0, "no temporary folder");
        return;
    }
    snprintf(path, sizeof path, "%s/a.s", folder);
    FILE *file = fopen(path, "w");
    for (size_t i = 0; file && i < set->num; i++)
        fprintf(file, "\t%s\n", set->words[i].text);
    if (file && fclose(file) == 0 && run("%s -o %s/a.o %s/a.s", set->assembler, folder) &&
        run("%s -O binary -j .text %s/a.o %s/a.bin", set->objcopy, folder)) {
        snprintf(path, sizeof path, "%s/a.bin", folder);
        file = fopen(path, "rb");
        len = file ? fread(got, 1, sizeof got, file) : 0;
        if (file)
            fclose(file);
    }
    compare(set, got, len);
    run("%srm -r %s", "", folder);
    tap(!complaints_so_far(), "the assembler of %s writes the same words", set->name);
}

int main(void)
{
    for (size_t i = 0; i < COUNT_OF(sets); i++) {
        check_marks(&sets[i]);
        check_assembler(&sets[i]);
    }
    check_rounds();
    return tap_done();
}
