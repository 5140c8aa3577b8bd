/* SPDX-License-Identifier: Apache-2.0 */
/* code_around: what is found around an address (loops, runs, the width of vectors, the share of
 * logic), also if the bytes before the address mislead the decoder. */
#include "code/code.h"
#include "test.h"

/* x86-64 code with addresses relative to 0x1000, by the Intel SDM. */
struct builder {
    uint8_t bytes[512];
    size_t len;
};

static size_t put(struct builder *b, const char *insn, size_t len)
{
    memcpy(b->bytes + b->len, insn, len);
    b->len += len;
    return b->len - len;
}
#define PUT(b, literal) put(b, literal, sizeof(literal) - 1)

#define AESENC "\x66\x0f\x38\xdc\xc1"         /* aesenc xmm0, xmm1 */
#define AESENCLAST "\x66\x0f\x38\xdd\xc1"     /* aesenclast xmm0, xmm1 */
#define VAESENC512 "\x62\xf2\x75\x48\xdc\xc2" /* vaesenc zmm0, zmm1, zmm2 */
#define VPXOR256 "\xc5\xfd\xef\xc1"           /* vpxor ymm0, ymm0, ymm1 */
#define MULX "\xc4\xe2\xf3\xf6\xc2"           /* mulx rax, rcx, rdx */
#define MOV "\x48\x89\xc8"                    /* mov rax, rcx */
#define XOR "\x48\x31\xc8"                    /* xor rax, rcx */
#define ADD "\x48\x01\xc8"                    /* add rax, rcx */
#define RET "\xc3"

/* jump_to appends a short jump back to an earlier place in the code. */
static void jump_to(struct builder *b, uint8_t opcode, size_t target)
{
    const uint8_t insn[2] = { opcode, (uint8_t)(target - b->len - 2) };
    put(b, (const char *)insn, 2);
}
enum { JNE = 0x75, JE = 0x74, JMP = 0xeb };

static struct around at(const struct builder *b, size_t offset)
{
    const struct code code = {
        .bytes = b->bytes, .len = b->len, .address = 0x1000, .arch = ARCH_X86_64
    };
    struct around around;
    code_around(&around, &code, 0x1000 + offset);
    return around;
}

static void wants(uint64_t got, uint64_t want, const char *what)
{
    if (got != want)
        complain("%s: %llx instead of %llx", what, (unsigned long long)got,
                 (unsigned long long)want);
}

static void simple_loop(void)
{
    struct builder b = { .len = 0 };
    const size_t before = PUT(&b, ADD);
    const size_t head = PUT(&b, AESENC);
    PUT(&b, AESENC);
    const size_t middle = PUT(&b, XOR);
    jump_to(&b, JNE, head);
    const size_t after = PUT(&b, AESENCLAST);
    PUT(&b, RET);
    const struct around in = at(&b, middle), out = at(&b, after), first = at(&b, before);
    wants(in.decoded && in.in_loop, 1, "in the loop");
    wants(in.loop, MARK(AES_ENC), "marks of the loop");
    wants(in.run, MARK(AES_ENC), "marks of the run in the loop");
    wants(in.function, MARK(AES_ENC) | MARK(AES_ENCLAST), "marks of the function");
    wants(in.num_insns, 4, "instructions of the loop");
    wants(in.vector_bits, 128, "vectors of the loop");
    wants(in.logic_permille, 250, "logic of the loop");
    wants(out.in_loop, 0, "behind the loop");
    wants(out.run, MARK(AES_ENCLAST), "marks of the run behind the loop");
    wants(out.num_insns, 2, "instructions of the run");
    wants(first.in_loop, 0, "before the loop");
    wants(first.run, 0, "a run ends before a target");
    tap(!complaints_so_far(), "a loop, and the straight runs before and behind it");
}

static void nested_loops(void)
{
    struct builder b = { .len = 0 };
    const size_t outer = PUT(&b, VAESENC512);
    const size_t inner = PUT(&b, XOR);
    PUT(&b, MOV);
    jump_to(&b, JNE, inner);
    const size_t between = PUT(&b, MULX);
    jump_to(&b, JNE, outer);
    PUT(&b, RET);
    wants(at(&b, inner).loop, MARK(AES_ENC) | MARK(MULX), "the innermost loop with crypto");
    wants(at(&b, inner).vector_bits, 512, "zmm in the loop");
    wants(at(&b, between).loop, MARK(AES_ENC) | MARK(MULX), "the outer loop");

    struct builder plain = { .len = 0 };
    const size_t head = PUT(&plain, VPXOR256);
    const size_t body = PUT(&plain, XOR);
    jump_to(&plain, JNE, body);
    jump_to(&plain, JNE, head);
    const struct around around = at(&plain, body);
    wants(around.in_loop && !around.loop, 1, "loops without marks");
    wants(around.num_insns, 2, "the innermost of them");
    wants(around.logic_permille, 500, "its logic");
    wants(at(&plain, head).vector_bits, 256, "ymm");
    tap(!complaints_so_far(),
        "loops in loops: the innermost with crypto, else with a mark, else the innermost");
}

/* laid_aside: code behind a function's return that jumps back into it makes no loop of what lies
 * between. */
static void laid_aside(void)
{
    struct builder b = { .len = 0 };
    const size_t jump = b.len; /* je aside: patched */
    PUT(&b, "\x74\x00");
    const size_t target = PUT(&b, MOV);
    const size_t middle = PUT(&b, AESENC);
    PUT(&b, RET);
    b.bytes[jump + 1] = (uint8_t)(b.len - jump - 2);
    const size_t aside = PUT(&b, XOR);
    jump_to(&b, JMP, target);
    wants(at(&b, middle).in_loop, 0, "no loop around the middle");
    wants(at(&b, aside).in_loop, 0, "no loop around the code aside");
    /* But code behind the return that is entered from the loop and jumps back to its head is part
     * of the loop. */
    struct builder c = { .len = 0 };
    const size_t head = PUT(&c, AESENC);
    const size_t leave = PUT(&c, "\x74\x00");
    PUT(&c, RET);
    c.bytes[leave + 1] = (uint8_t)(c.len - leave - 2);
    const size_t far = PUT(&c, XOR);
    jump_to(&c, JMP, head);
    wants(at(&c, far).loop, MARK(AES_ENC), "a loop through code aside");
    wants(at(&c, far).num_insns, 4, "without the return between");
    wants(at(&c, leave + 2).in_loop, 0, "the return is outside");
    tap(!complaints_so_far(), "a loop is what leads back to its head");
}

static void resynchronised(void)
{
    struct builder b = { .len = 0 };
    /* A long instruction's beginning hides what follows: 48 B8 takes eight bytes more. */
    PUT(&b, "\x48\xb8");
    const size_t head = PUT(&b, AESENC);
    PUT(&b, AESENC);
    jump_to(&b, JNE, head);
    wants(at(&b, head).decoded, 1, "an address that decoding from the start misses");
    wants(at(&b, head).loop, MARK(AES_ENC), "its loop");

    struct builder data = { .len = 0 };
    PUT(&data, "\x06\x07\x0e\x16\x62\xff\xff\xff"); /* no instructions in 64-bit code */
    const size_t code = PUT(&data, AESENC);
    wants(at(&data, code).run, MARK(AES_ENC), "behind data");
    wants(at(&data, 0).decoded, 0, "no instruction");
    wants(at(&data, data.len).decoded, 0, "behind the end");
    wants(at(&data, (size_t)0 - 1).decoded, 0, "before the beginning");
    tap(!complaints_so_far(), "decoding begins anew where it was misled");
}

/* words checks architectures with fixed-width instructions: SPARC, whose delay slot belongs to the
 * loop, arm64 and POWER. */
static void words(void)
{
    static const uint8_t sparc[] = {
        0x01, 0x00, 0x00, 0x00, /* nop */
        0x80, 0x88, 0x20, 0x01, /* andcc %g0, 1, %g0 */
        0x12, 0xbf, 0xff, 0xff, /* bne .-4 */
        0x8d, 0xb0, 0x28, 0x40, /* sha256 + rd 6, for the mask of registers */
        0x81, 0xc3, 0xe0, 0x08, /* retl */
        0x01, 0x00, 0x00, 0x00,
    };
    const struct code t4 = { .bytes = sparc,
                             .len = sizeof sparc,
                             .address = 0x2000,
                             .arch = ARCH_SPARC64,
                             .big_endian = true };
    struct around around;
    code_around(&around, &t4, 0x2008);
    wants(around.loop, MARK(SHA256), "the delay slot of a SPARC branch");
    wants(around.num_insns, 3, "instructions of a SPARC loop");
    static const uint32_t arm[] = {
        0x4e284820, /* aese v0.16b, v1.16b */
        0x4e286800, /* aesmc v0.16b, v0.16b */
        0xf1000400, /* subs x0, x0, #1 */
        0x54ffffa1, /* b.ne .-12 */
        0xd65f03c0, /* ret */
    };
    uint8_t bytes[sizeof arm];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(arm[i / 4] >> 8 * (i % 4));
    const struct code arm64 = {
        .bytes = bytes, .len = sizeof bytes, .address = 0x4000, .arch = ARCH_ARM64
    };
    code_around(&around, &arm64, 0x4008);
    wants(around.loop, MARK(AES_ENC), "an arm64 loop");
    wants(around.num_insns, 4, "instructions of an arm64 loop");
    code_around(&around, &arm64, 0x4010);
    wants(around.in_loop, 0, "behind an arm64 loop");
    code_around(&around, &arm64, 0x4002);
    wants(around.decoded, 0, "between two words");
    tap(!complaints_so_far(), "SPARC and arm64");
}

int main(void)
{
    simple_loop();
    nested_loops();
    laid_aside();
    resynchronised();
    words();
    return tap_done();
}
