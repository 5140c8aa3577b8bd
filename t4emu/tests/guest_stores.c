/* SPDX-License-Identifier: Apache-2.0 */
/* Partial stores, block init, compare and branch, and pause, executed as instructions of this
 * program: through the signal frame, %asi and pc. sparc64 only. */
#include "../../tests/test.h"
#include <sys/mman.h>

struct guest_state {
    uint64_t o[6], d[32], gsr, fsr, ccr, asi;
};
void guest_execute(struct guest_state *state, const uint32_t *code); /* guest_execute.S */

enum {
    RETL = 0x81c3e008,
    NOP = 0x01000000,
    STDFA = 0xc1b80000, /* stda %f0 */
    STXA = 0xd4f00000,  /* stxa %o2 */
    STBA = 0xd4a80000,  /* stba %o2 */
    RS1_O0 = 8 << 14,
    RS2_O1 = 9,
    IMMEDIATE = 1 << 13,
    ADD_O2 = 0x9402a001, /* add %o2, 1, %o2 */
    ADD_O3 = 0x9602e001, /* add %o3, 1, %o3 */
    PAUSE = 0xb7802005,
};

static uint32_t *code;
static _Alignas(64) uint8_t memory[192];

static void execute(struct guest_state *s, const uint32_t *words, size_t num_words, size_t entry)
{
    memcpy(code, words, num_words * sizeof *words);
    for (size_t i = 0; i < num_words; i += 2)
        __asm__ volatile("flush %0" : : "r"(code + i) : "memory");
    guest_execute(s, code + entry);
}

static void one(struct guest_state *s, uint32_t word)
{
    const uint32_t words[] = { word, RETL, NOP };
    memset(memory, 0x5a, sizeof memory);
    s->o[0] = (uintptr_t)(memory + 64);
    execute(s, words, COUNT_OF(words), 0);
}

static void partial(unsigned asi)
{
    static const uint8_t value[8] = { 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe };
    const unsigned width = 1u << (asi >> 1 & 3);
    for (unsigned mask = 0; mask < 256; mask++) {
        uint8_t expected[sizeof memory];
        struct guest_state s = { .asi = 0x82, .d = { 0x1032547698badcfe } };
        memset(expected, 0x5a, sizeof expected);
        for (unsigned i = 0; i < 8; i++)
            if (mask >> ((7 - i) / width) & 1)
                expected[64 + (asi & 8 ? 7 - i : i)] = value[i];
        s.o[1] = mask;
        one(&s, STDFA | RS1_O0 | asi << 5 | RS2_O1);
        if (memcmp(memory, expected, sizeof memory) != 0)
            complain("mask %#x", mask);
    }
    tap(1, "partial stores, ASI %#x", asi);
}

static void block_init(void)
{
    uint8_t expected[sizeof memory];
    struct guest_state s = { .asi = 0xe2, .d = { 0x0102030405060708 } };
    memset(expected, 0x5a, sizeof expected);
    memcpy(expected + 72, "\1\2\3\4\5\6\7\10", 8);
    s.o[1] = 8;
    one(&s, STDFA | RS1_O0 | 0xe2 << 5 | RS2_O1);
    tap(memcmp(memory, expected, sizeof memory) == 0, "block init: stda of a double");
    s.o[2] = 0x0102030405060708;
    one(&s, STXA | RS1_O0 | IMMEDIATE | 8);
    tap(memcmp(memory, expected, sizeof memory) == 0, "block init: stxa by %%asi");
    memset(expected + 72, 0x5a, 8);
    expected[71] = 8;
    one(&s, STBA | RS1_O0 | IMMEDIATE | 7);
    tap(memcmp(memory, expected, sizeof memory) == 0, "block init: stba by %%asi");
}

/* Assembles cxb<c> %o0, %o1 with a target `words` words away. */
static uint32_t cxb(unsigned c, int words)
{
    return 0x10e00000 | (c >> 3) << 29 | (c & 7) << 25 | ((unsigned)words >> 8 & 3) << 19 | RS1_O0 |
           ((unsigned)words & 255) << 5 | RS2_O1;
}

static void branches(void)
{
    /* which of the conditions hold for o0 = 3, o1 = -5 */
    static const uint8_t holds[16] = {
        [9] = 1, [10] = 1, [11] = 1, [5] = 1, [4] = 1, [14] = 1, [15] = 1
    };
    for (unsigned c = 1; c < 16; c++) {
        const uint32_t words[] = { ADD_O3, RETL, NOP, cxb(c, -3), ADD_O2, RETL, NOP };
        struct guest_state s = { .o = { 3, (uint64_t)-5 }, .asi = 0x82, .ccr = 0xa5 };
        if (c == 8)
            continue;
        execute(&s, words, COUNT_OF(words), 3);
        if (s.o[3] != holds[c] || s.o[2] != !holds[c] || s.ccr != 0xa5)
            complain("condition %u: %lu back, %lu on", c, s.o[3], s.o[2]);
    }
    tap(1, "cxb<cond> backward and not taken; no delay slot, no condition codes");
}

static void pause(void)
{
    const uint32_t words[] = { PAUSE, ADD_O2, RETL, NOP };
    struct guest_state s = { .asi = 0x82 };
    execute(&s, words, COUNT_OF(words), 0);
    tap(s.o[2] == 1, "pause");
}

int main(void)
{
    code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return EXIT_FAILURE;
    for (unsigned asi = 0xc0; asi <= 0xcd; asi++)
        if ((asi & 7) < 6)
            partial(asi);
    block_init();
    branches();
    pause();
    return tap_done();
}
