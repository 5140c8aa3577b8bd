/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of x86 instructions, encoded as assemblers do; the targets of branches and of references to
 * data. */
#include "code/code.h"
#include "test.h"

/* Encodings: Intel SDM volume 2 under each name; Architecture Instruction Set Extensions for
 * SHA512, SM3, SM4, AVX-IFMA and Key Locker; VIA PadLock Programming Guide. */
static const struct {
    const char *bytes;
    size_t len;
    marks want;
    const char *name;
} insns[] = {
#define INSN(bytes, mark, name) { bytes, sizeof(bytes) - 1, mark, name },
    /* clang-format off */
    INSN("\x66\x0f\x38\xdc\xc1", MARK(AES_ENC), "aesenc xmm0, xmm1")
    INSN("\x66\x45\x0f\x38\xdd\x04\x24", MARK(AES_ENCLAST), "aesenclast xmm8, [r12]")
    INSN("\x66\x0f\x38\xde\xc1", MARK(AES_DEC), "aesdec xmm0, xmm1")
    INSN("\x66\x0f\x38\xdf\xc1", MARK(AES_DECLAST), "aesdeclast xmm0, xmm1")
    INSN("\x66\x0f\x38\xdb\xc1", MARK(AES_KEY), "aesimc xmm0, xmm1")
    INSN("\x66\x0f\x3a\xdf\xc1\x01", MARK(AES_KEY), "aeskeygenassist xmm0, xmm1, 1")
    INSN("\xc4\xe2\x71\xdc\xc2", MARK(AES_ENC), "vaesenc xmm0, xmm1, xmm2")
    INSN("\xc4\xe2\x75\xdc\xc2", MARK(AES_ENC), "vaesenc ymm0, ymm1, ymm2")
    INSN("\x62\xf2\x75\x48\xdd\xc2", MARK(AES_ENCLAST), "vaesenclast zmm0, zmm1, zmm2")
    INSN("\x62\xf2\x75\x48\xde\x40\x01", MARK(AES_DEC), "vaesdec zmm0, zmm1, [rax+64]")
    INSN("\x62\xa2\x75\x40\xdf\xc2", MARK(AES_DECLAST), "vaesdeclast zmm16, zmm17, zmm18")
    INSN("\xf3\x0f\x38\xdc\x00", MARK(AES_ANY), "aesenc128kl xmm0, [rax]")
    INSN("\xf3\x0f\x38\xd8\x00", MARK(AES_ANY), "aesencwide128kl [rax]")
    INSN("\xf3\x0f\x38\xfa\xc1", MARK(AES_KEY), "encodekey128 eax, ecx")
    INSN("\xf3\x0f\x38\xdc\xc1", MARK(AES_KEY), "loadiwkey xmm0, xmm1")
    INSN("\xf3\x0f\xa7\xc8", MARK(AES_ANY), "rep xcryptecb")
    INSN("\xf3\x0f\xa6\xd0", MARK(SHA256), "rep xsha256")
    INSN("\xf3\x0f\xa6\xc8", MARK(SHA1), "rep xsha1")
    INSN("\xf3\x0f\xa6\xc0", MARK(MONTMUL), "rep montmul")
    INSN("\x0f\x3a\xcc\xc1\x00", MARK(SHA1), "sha1rnds4 xmm0, xmm1, 0")
    INSN("\x0f\x38\xc8\xc1", MARK(SHA1), "sha1nexte xmm0, xmm1")
    INSN("\x0f\x38\xc9\xc1", MARK(SHA1), "sha1msg1 xmm0, xmm1")
    INSN("\x0f\x38\xca\xc1", MARK(SHA1), "sha1msg2 xmm0, xmm1")
    INSN("\x0f\x38\xcb\xc1", MARK(SHA256), "sha256rnds2 xmm0, xmm1")
    INSN("\x0f\x38\xcc\xc1", MARK(SHA256), "sha256msg1 xmm0, xmm1")
    INSN("\x0f\x38\xcd\xc1", MARK(SHA256), "sha256msg2 xmm0, xmm1")
    INSN("\xc4\xe2\x77\xcb\xc2", MARK(SHA512), "vsha512rnds2 ymm0, ymm1, xmm2")
    INSN("\xc4\xe2\x7f\xcc\xc1", MARK(SHA512), "vsha512msg1 ymm0, xmm1")
    INSN("\xc4\xe2\x7f\xcd\xc1", MARK(SHA512), "vsha512msg2 ymm0, ymm1")
    INSN("\xc4\xe2\x70\xda\xc2", MARK(SM3), "vsm3msg1 xmm0, xmm1, xmm2")
    INSN("\xc4\xe2\x71\xda\x44\x24\x10", MARK(SM3), "vsm3msg2 xmm0, xmm1, [rsp+16]")
    INSN("\xc4\xe3\x71\xde\xc2\x05", MARK(SM3), "vsm3rnds2 xmm0, xmm1, xmm2, 5")
    INSN("\xc4\xe2\x72\xda\xc2", MARK(SM4), "vsm4key4 xmm0, xmm1, xmm2")
    INSN("\xc4\xe2\x77\xda\xc2", MARK(SM4), "vsm4rnds4 ymm0, ymm1, ymm2")
    INSN("\x66\x0f\x3a\x44\xc1\x11", MARK(CLMUL), "pclmulqdq xmm0, xmm1, 17")
    INSN("\x62\xf3\x75\x48\x44\xc2\x00", MARK(CLMUL), "vpclmulqdq zmm0, zmm1, zmm2, 0")
    INSN("\x66\x0f\x38\xcf\xc1", MARK(GFNI), "gf2p8mulb xmm0, xmm1")
    INSN("\x66\x0f\x3a\xce\xc1\x00", MARK(GFNI), "gf2p8affineqb xmm0, xmm1, 0")
    INSN("\x62\xf3\xf5\x48\xcf\xc2\x00", MARK(GFNI), "vgf2p8affineinvqb zmm0, zmm1, zmm2, 0")
    INSN("\xf2\x48\x0f\x38\xf1\xc1", MARK(CRC32), "crc32 rax, rcx")
    INSN("\xf2\x0f\x38\xf0\xc1", MARK(CRC32), "crc32 eax, cl")
    INSN("\xc4\xe2\xf3\xf6\xc2", MARK(MULX), "mulx rax, rcx, rdx")
    INSN("\x66\x48\x0f\x38\xf6\xc1", MARK(ADX), "adcx rax, rcx")
    INSN("\xf3\x48\x0f\x38\xf6\xc1", MARK(ADX), "adox rax, rcx")
    INSN("\x62\xf2\xf5\x48\xb4\xc2", MARK(IFMA), "vpmadd52luq zmm0, zmm1, zmm2")
    INSN("\xc4\xe2\xf5\xb5\xc2", MARK(IFMA), "vpmadd52huq ymm0, ymm1, ymm2")
    /* Instructions whose bytes resemble those of marked ones. */
    INSN("\x66\x0f\x38\x00\xc1", 0, "pshufb xmm0, xmm1")
    INSN("\x0f\x38\xf1\x00", 0, "movbe [rax], eax")
    INSN("\xc4\xe2\xf8\xf2\xc1", 0, "andn rax, rax, rcx")
    INSN("\xf3\x0f\xa7\xc0", 0, "rep xstore")
    INSN("\x0f\x38\xf6\x00", 0, "wrss [rax], eax")
    /* clang-format on */
};

static void check_marks(void)
{
    for (size_t i = 0; i < COUNT_OF(insns); i++) {
        const struct code code = { .bytes = (const uint8_t *)insns[i].bytes,
                                   .len = insns[i].len,
                                   .address = 0x1000,
                                   .arch = ARCH_X86_64 };
        const marks got = code_marks(&code);
        char text[64];
        marks_text(text, sizeof text, got);
        if (got != insns[i].want || (got && !code_candidate(&code)))
            complain("%s: \"%s\"%s", insns[i].name, text,
                     code_candidate(&code) ? "" : ", not seen by the quick look");
    }
    tap(!complaints_so_far(), "marks of %zu instructions", COUNT_OF(insns));
}

/* ---- branches and references ---- */

struct pair {
    uint64_t from, to;
};
struct pairs {
    const struct pair *want;
    size_t num, max;
};

static void collect(void *ctx, uint64_t from, uint64_t to)
{
    struct pairs *pairs = ctx;
    if (pairs->num < pairs->max &&
        (pairs->want[pairs->num].from != from || pairs->want[pairs->num].to != to))
        complain("number %zu is from %llx to %llx", pairs->num, (unsigned long long)from,
                 (unsigned long long)to);
    pairs->num++;
}

typedef void each_fn(const struct code *, code_reference_fn *, void *);

static void expect(each_fn *each, enum arch arch, const char *bytes, size_t len,
                   const struct pair *want, size_t num_want, const char *what)
{
    const struct code code = {
        .bytes = (const uint8_t *)bytes, .len = len, .address = 0x1000, .arch = arch
    };
    struct pairs pairs = { .want = want, .max = num_want };
    each(&code, collect, &pairs);
    if (pairs.num != num_want)
        complain("%s: %zu instead of %zu", what, pairs.num, num_want);
    tap(!complaints_so_far(), "%s", what);
}
#define EXPECT(each, arch, bytes, want, what) \
    expect(each, arch, bytes, sizeof(bytes) - 1, want, COUNT_OF(want), what)

/* Sets of registers are bit masks by the numbers of x86: r15 is bit 15. */
static void registers(void)
{
    static const struct {
        const char *bytes;
        size_t len;
        uint32_t given, indexed;
        const char *text;
    } rows[] = {
#define ROW(bytes, given, indexed, text) { bytes, sizeof(bytes) - 1, given, indexed, text }
        ROW("\x49\x8b\x07", 1 << 15, 0, "mov rax, [r15]"),
        ROW("\xc4\xc1\x7e\x6f\x01", 1 << 9, 0, "vmovdqu ymm0, [r9]"),
        ROW("\x8b\x44\x8d\x00", 0x22, 0x22, "mov eax, [rbp+rcx*4]"),
        ROW("\xc7\x01\x00\x00\x00\x00", 0, 0, "mov dword [rcx], 0: a store"),
        ROW("\x48\x8d\x52\x04\x8b\x02", 4, 0, "lea rdx, [rdx+4]; mov eax, [rdx]"),
        ROW("\x89\xc1\x8b\x01", 0, 0, "mov ecx, eax; mov eax, [rcx]"),
        ROW("\x89\xc1\x8b\x04\x81", 1, 3, "mov ecx, eax; mov eax, [rcx+rax*4]"),
        ROW("\xe8\x00\x00\x00\x00\x8b\x01", 0, 0, "call; mov eax, [rcx]"),
        ROW("\xe8\x00\x00\x00\x00\x8b\x03", 8, 0, "call; mov eax, [rbx]"),
        ROW("\x66\x0f\x1f\x44\x00\x00", 0, 0, "nop word [rax+rax]"),
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct code code = { .bytes = (const uint8_t *)rows[i].bytes,
                                   .len = rows[i].len,
                                   .arch = ARCH_X86_64 };
        const struct code_registers found = code_registers(&code);
        tap(found.given == rows[i].given && found.indexed == rows[i].indexed,
            "registers of %s: %x and %x", rows[i].text, found.given, found.indexed);
    }
}

/* ---- loads ---- */

struct told {
    uint64_t last;
    unsigned num;
};

static void tell(void *ctx, uint64_t from, uint64_t to)
{
    struct told *told = ctx;
    told->last = to;
    told->num++;
}

static void loads_of(const char *bytes, size_t len, enum arch arch, uint64_t want, const char *text)
{
    const struct code code = {
        .bytes = (const uint8_t *)bytes, .len = len, .address = 0x1000, .arch = arch
    };
    struct told told = { 0 };
    code_loads(&code, tell, &told);
    tap(want ? told.num && told.last == want : !told.num, "loads: %s", text);
}
#define LOADS(bytes, arch, want, text) loads_of(bytes, sizeof(bytes) - 1, arch, want, text)
#define LEA_RAX "\x48\x8d\x05\xf9\x0f\x00\x00"      /* lea rax, [0x2000] */
#define ADRP_ADD "\x00\x00\x00\xb0\x00\x40\x00\x91" /* adrp x0, 0x2000; add x0, x0, 16 */

static void test_loads(void)
{
    LOADS(LEA_RAX "\xc3", ARCH_X86_64, 0, "an address that is returned");
    LOADS(LEA_RAX "\x8b\x0c\x90", ARCH_X86_64, 0x2000, "mov ecx, [rax+rdx*4]");
    LOADS(LEA_RAX "\xe8\x00\x00\x00\x00\x8b\x08", ARCH_X86_64, 0, "a register lost by a call");
    LOADS(LEA_RAX "\x31\xc0\x8b\x08", ARCH_X86_64, 0, "a register that was written");
    LOADS(LEA_RAX "\x48\x89\x44\x24\x08\x31\xc0\x48\x8b\x5c\x24\x08\x8b\x0b", ARCH_X86_64, 0x2000,
          "by way of the stack");
    LOADS(LEA_RAX "\x48\x89\xc3\x48\x83\xc3\x40\x0f\x6f\x0b", ARCH_X86_64, 0x2000,
          "a pointer that walks");
    LOADS("\x8b\x0d\xfa\x0f\x00\x00", ARCH_X86_64, 0x2000, "mov ecx, [rip+...]");
    LOADS("\xbf\x00\x20\x00\x00\xc3", ARCH_X86_64, 0, "an immediate that is passed on");
    LOADS("\xbf\x00\x20\x00\x00\x8b\x04\x0f", ARCH_X86_64, 0x2000, "an immediate that is used");
    LOADS("\x8b\x04\x8d\x00\x20\x00\x00", ARCH_X86_32, 0x2000, "mov eax, [table+ecx*4]");
    LOADS(ADRP_ADD "\xc0\x03\x5f\xd6", ARCH_ARM64, 0, "arm64, returned");
    LOADS(ADRP_ADD "\x01\x78\x62\xb8", ARCH_ARM64, 0x2010, "arm64, ldr w1, [x0, x2, lsl 2]");
    LOADS(ADRP_ADD "\x00\x00\x00\x94\x01\x78\x62\xb8", ARCH_ARM64, 0, "arm64, lost by a call");
}

int main(void)
{
    check_marks();
    static const struct pair x86_branches[] = {
        { 0x1000, 0x1010 }, { 0x1002, 0x0ff8 }, { 0x1007, 0x2011 }, { 0x100c, 0x1000 }
    };
    EXPECT(code_branches, ARCH_X86_64,
           "\x75\x0e"                 /* jne 1010 */
           "\xe8\xf1\xff\xff\xff"     /* call ff8 */
           "\xe9\x05\x10\x00\x00"     /* jmp 2011 */
           "\x0f\x84\xee\xff\xff\xff" /* je 1000 */
           "\xff\xe0\xc3",            /* jmp rax; ret */
           x86_branches, "branches of x86-64");
    static const struct pair wrapped[] = { { 0x1000, 0xfffff005 } };
    EXPECT(code_branches, ARCH_X86_32, "\xe9\x00\xe0\xff\xff", wrapped, "32-bit addresses wrap");
    static const struct pair x86_references[] = { { 0x1000, 0x2007 },
                                                  { 0x1007, 0x601000 },
                                                  { 0x100f, 0x404040 },
                                                  { 0x1014, 0x7fff12345678 },
                                                  { 0x101e, 0x1234 + 0x1027 } };
    EXPECT(code_references, ARCH_X86_64,
           "\x48\x8d\x05\x00\x10\x00\x00"             /* lea rax, [rip+0x1000] */
           "\x48\x8b\x04\xc5\x00\x10\x60\x00"         /* mov rax, [rax*8+0x601000] */
           "\xb8\x40\x40\x40\x00"                     /* mov eax, 0x404040 */
           "\x48\xb8\x78\x56\x34\x12\xff\x7f\x00\x00" /* movabs rax, 0x7fff12345678 */
           "\x66\x0f\x38\xdc\x05\x34\x12\x00\x00"     /* aesenc xmm0, [rip+0x1234] */
           "\x48\x83\xc0\x08\x75\xfa",                /* add rax, 8; jne */
           x86_references, "references of x86-64");
    static const struct pair i386_references[] = { { 0x1000, 0x8049000 }, { 0x1005, 0x8049004 } };
    EXPECT(code_references, ARCH_X86_32,
           "\xa1\x00\x90\x04\x08"      /* mov eax, [0x8049000] */
           "\x8b\x0d\x04\x90\x04\x08", /* mov ecx, [0x8049004] */
           i386_references, "references of i386");
    static const struct pair arm64_references[] = { { 0x1004, 0x5010 },
                                                    { 0x1008, 0x5020 },
                                                    { 0x100c, 0x5040 },
                                                    { 0x1010, 0x1020 },
                                                    { 0x1014, 0x1018 } };
    EXPECT(code_references, ARCH_ARM64,
           "\x20\x00\x00\x90"  /* adrp x0, 5000 */
           "\x00\x40\x00\x91"  /* add x0, x0, #16 */
           "\x01\x10\x40\xf9"  /* ldr x1, [x0, #32] */
           "\x00\x10\xc0\x3d"  /* ldr q0, [x0, #64] */
           "\x82\x00\x00\x10"  /* adr x2, 1020 */
           "\x23\x00\x00\x58"  /* ldr x3, 1018 */
           "\xc0\x03\x5f\xd6"  /* ret */
           "\x00\x40\x00\x91", /* add x0, x0, #16: of another function */
           arm64_references, "references of arm64");
    registers();
    test_loads();
    return tap_done();
}
