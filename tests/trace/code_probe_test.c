/* SPDX-License-Identifier: Apache-2.0 */
/* The place of a probe in a function: an instruction that every call passes exactly once, and on
 * which the kernel accepts a probe. */
#include "code/code.h"
#include "test.h"

enum { ENTRY = 0x1000, NONE = -1 };

struct expectation {
    const char *bytes;
    size_t len;
    int offset; /* offset of the probe's place, or NONE */
    bool emulated;
    const char *what;
};
#define CODE(literal) literal, sizeof(literal) - 1

#define ENDBR64 "\xf3\x0f\x1e\xfa"
#define PUSH_RBX "\x53"
#define PUSH_R12 "\x41\x54"
#define MOV "\x48\x89\xc8" /* mov rax, rcx */
#define NOP5 "\x0f\x1f\x44\x00\x00"
#define VPXOR "\xc5\xf1\xef\xc9" /* vpxor xmm1, xmm1, xmm1 */
#define EVEX "\x62\xf1\x75\x48\xef\xc2"
#define RET "\xc3"

static const struct expectation table[] = {
    { CODE(PUSH_RBX MOV RET), 0, true, "a push at the entry" },
    { CODE(ENDBR64 PUSH_R12 MOV RET), 4, true, "the push behind ENDBR64, with REX.B" },
    { CODE(ENDBR64 MOV PUSH_RBX RET), 7, true, "an emulated one behind another" },
    { CODE(MOV "\x48\x01\xc8" RET), 0, false, "a move where nothing is emulated" },
    { CODE(NOP5 MOV RET), 5, false, "never a 5-byte nop" },
    { CODE(VPXOR EVEX MOV RET), 10, false, "never VEX or EVEX" },
    { CODE(VPXOR RET), NONE, false, "nothing but VEX" },
    { CODE(ENDBR64 NOP5 RET), NONE, false, "nothing but what has to stay" },
    { CODE("\x90" MOV RET), 0, true, "a 1-byte nop" },
    { CODE("\xf3\x90" MOV RET), 2, false, "PAUSE is no such nop" },
    { CODE(MOV "\x85\xc9\x74\x01" RET RET), 5, true, "a conditional branch that ends the run" },
    { CODE(MOV "\x0f\x84\x02\x00\x00\x00" RET RET RET), 3, true, "a long one" },
    { CODE(MOV "\xe8\x00\x10\x00\x00" RET), 3, true, "a call" },
    { CODE("\xff\x15\x00\x10\x00\x00" PUSH_RBX RET), NONE, false,
      "nothing behind an indirect call" },
    { CODE(VPXOR "\xe9\x00\x10\x00\x00"), 4, true, "a jump elsewhere" },
    { CODE("\x48\x8b\x05\x00\x10\x00\x00" MOV RET), 7, false, "not what reads by RIP" },
    { CODE("\xf0\x48\x01\x08" MOV RET), 4, false, "not what locks" },
    { CODE("\xf3\xa4" MOV RET), 2, false, "not what repeats" },
    { CODE("\x0f\x05" MOV RET), 2, false, "not a system call" },
    { CODE("\x9c" MOV RET), 1, false, "not flags that single-stepping changes" },
    { CODE("\x66\x48\x0f\x6e\xc0" MOV RET), 0, false, "a legacy SSE move" },
    { CODE("\x66\x90" MOV RET), 2, false, "not a nop of two bytes" },
    /* Loops and their heads. */
    { CODE(MOV PUSH_RBX "\x75\xfa" RET), NONE, false, "none in a loop over the very entry" },
    { CODE(ENDBR64 PUSH_RBX "\x75\xfd" RET), NONE, false, "none where only ENDBR64 is outside" },
    { CODE(MOV PUSH_RBX "\x75\xfd" RET), 0, false, "none at or behind a loop's head" },
    { CODE(MOV "\xe8\xf8\xff\xff\xff" PUSH_RBX RET), 3, true, "a call of itself is a call" },
    { CODE("\x74\x03" MOV PUSH_RBX RET), 0, true, "a branch at the entry" },
    { CODE("\x06" PUSH_RBX RET), NONE, false, "nothing behind what cannot be decoded" },
};

static int place(const struct code *code, const uint64_t *targets, size_t num_targets,
                 bool *emulated)
{
    struct probe_point point;
    code_probe_point(&point, code, targets, num_targets);
    *emulated = point.emulated;
    return point.address ? (int)(point.address - code->address) : NONE;
}

static void check_table(void)
{
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        const struct code code = { .bytes = (const uint8_t *)table[i].bytes,
                                   .len = table[i].len,
                                   .address = ENTRY,
                                   .arch = ARCH_X86_64 };
        bool emulated;
        const int got = place(&code, NULL, 0, &emulated);
        if (got != table[i].offset || emulated != table[i].emulated)
            complain("%s: %d, %s, instead of %d", table[i].what, got,
                     emulated ? "emulated" : "stepped", table[i].offset);
    }
    tap(!complaints_so_far(), "%zu beginnings of functions", COUNT_OF(table));
}

static void check_targets(void)
{
    static const uint8_t bytes[] = { 0x48, 0x89, 0xc8, 0x48, 0x89, 0xc8, 0x53, 0xc3 };
    const struct code code = {
        .bytes = bytes, .len = sizeof bytes, .address = ENTRY, .arch = ARCH_X86_64
    };
    static const struct {
        uint64_t target;
        int offset;
    } from_outside[] = { { ENTRY - 1, 6 }, { ENTRY, 6 },     { ENTRY + 3, 0 },
                         { ENTRY + 6, 0 }, { ENTRY + 7, 6 }, { ENTRY + 8, 6 } };
    bool emulated;
    for (size_t i = 0; i < COUNT_OF(from_outside); i++) {
        const int got = place(&code, &from_outside[i].target, 1, &emulated);
        if (got != from_outside[i].offset)
            complain("with a target at %llx: %d instead of %d",
                     (unsigned long long)from_outside[i].target, got, from_outside[i].offset);
    }
    const uint64_t inside = ENTRY + 1;
    if (place(&code, &inside, 1, &emulated) != NONE)
        complain("a place before a target inside its instruction");
    const uint64_t many[] = { 1, 2, ENTRY, ENTRY + 6, ENTRY + 0x100 };
    if (place(&code, many, COUNT_OF(many), &emulated) != 0)
        complain("not the first of many targets");
    tap(!complaints_so_far(), "the run ends where branches from outside arrive");
    const struct code arm = {
        .bytes = bytes, .len = sizeof bytes, .address = ENTRY, .arch = ARCH_ARM64
    };
    tap(place(&arm, NULL, 0, &emulated) == NONE, "no place on other architectures");
    const struct code old = {
        .bytes = bytes, .len = sizeof bytes, .address = ENTRY, .arch = ARCH_X86_32
    };
    tap(place(&old, NULL, 0, &emulated) == 6 && emulated, "a push in 32-bit code");
}

int main(void)
{
    check_table();
    check_targets();
    return tap_done();
}
