/* SPDX-License-Identifier: Apache-2.0 */
/* Block-init and partial stores into a small memory. */
#include "../../tests/test.h"
#include "run.h"

enum { BASE = 0x40000, SIZE = 256, LINE = 64, OLD = 0x5a, POISON = 0xa5 };

static uint8_t memory[SIZE];
static unsigned num_stores;

static int store(struct t4_machine *m, uint64_t address, const void *from, size_t len)
{
    num_stores++;
    if (address < BASE || address + len > BASE + SIZE)
        return T4_FAULT;
    memcpy(memory + (address - BASE), from, len);
    return 0;
}

/* %o1 is the address, %o2 the mask or an index. */
static void prepare(uint64_t address, uint64_t o2)
{
    reset();
    t4.store = store;
    t4.o[1] = address;
    t4.o[2] = o2;
    memset(memory, OLD, sizeof memory);
    num_stores = 0;
}

static enum t4_result store_to(enum t4_op op, unsigned rd, unsigned asi)
{
    enum t4_op seen;
    return t4_step(&t4, t4_opcodes[op].match | rd << 25 | 9 << 14 | asi << 5 | 10, &seen);
}

static void check_memory(const uint8_t *expected, const char *what, unsigned number)
{
    for (unsigned i = 0; i < SIZE; i++)
        if (memory[i] != expected[i]) {
            wrong("%s %#x: byte %u is %02x, not %02x", what, number, i, memory[i], expected[i]);
            return;
        }
}

static void partial_once(unsigned asi, unsigned mask)
{
    static const uint8_t widths[] = { 1, 2, 4 };
    const unsigned width = widths[(asi & 7) / 2], little = asi & 8;
    uint8_t expected[SIZE];
    prepare(BASE + 16, mask | ~UINT64_C(255));
    D(36) = 0x0123456789abcdef;
    memset(expected, OLD, sizeof expected);
    for (unsigned i = 0; i < 8; i++) { /* byte i of the register, from the highest on */
        static const uint8_t bytes[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
        const unsigned elements = 8 / width, bit = elements - 1 - i / width;
        if (mask >> bit & 1)
            expected[16 + (little ? 7 - i : i)] = bytes[i];
    }
    if (store_to(T4_STDFA, F(36), asi) != T4_DONE)
        wrong("ASI %#x", asi);
    check_memory(expected, "partial store, ASI", asi);
}

static void partial(void)
{
    for (unsigned asi = 0xc0; asi <= 0xcd; asi++)
        for (unsigned mask = 0; mask < 256 && (asi & 7) < 6; mask++)
            partial_once(asi, mask);
}

static void partial_refusals(void)
{
    enum t4_op op;
    prepare(BASE + 4, 0xff);
    if (store_to(T4_STDFA, F(0), 0xc0) != T4_FAULT)
        wrong("a misaligned partial store");
    prepare(BASE, 0xff);
    if (store_to(T4_STDFA, F(0), 0xc6) != T4_ILLEGAL || store_to(T4_STXA, 8, 0xc0) != T4_ILLEGAL)
        wrong("a partial store of a kind that there is not");
    t4.asi = 0xc0; /* an immediate leaves no room for a mask */
    if (t4_step(&t4, t4_opcodes[T4_STDFA].match | 9 << 14 | 1 << 13, &op) != T4_ILLEGAL)
        wrong("a partial store by %%asi");
    expect(num_stores, 0, "stores");
    prepare(BASE + SIZE, 0x10);
    if (store_to(T4_STDFA, F(0), 0xc0) != T4_FAULT)
        wrong("a partial store to nowhere");
    prepare(BASE + SIZE, 0);
    if (store_to(T4_STDFA, F(0), 0xc0) != T4_DONE)
        wrong("a partial store of nothing");
}

/* ---- block init ---- */

static const struct {
    enum t4_op op;
    unsigned len;
    const char *big, *little;
} stores[] = {
    { T4_STBA, 1, "67", "67" },
    { T4_STHA, 2, "4567", "6745" },
    { T4_STWA, 4, "01234567", "67452301" },
    { T4_STXA, 8, "89abcdef01234567", "67452301efcdab89" },
    { T4_STTWA, 8, "0123456776543210", "6745230110325476" },
    { T4_STDFA, 8, "fedcba9876543210", "1032547698badcfe" },
};

static void block_once(unsigned row, unsigned asi, unsigned offset, unsigned poison)
{
    uint8_t expected[SIZE];
    prepare(BASE, offset);
    t4_model.poison = (uint8_t)poison;
    t4.o[4] = 0x89abcdef01234567;
    t4.o[5] = 0x89abcdef76543210;
    D(36) = 0xfedcba9876543210;
    memset(expected, OLD, sizeof expected);
    if (poison && offset % LINE == 0)
        memset(expected + offset, POISON, LINE);
    from_hex(expected + offset, asi & 8 ? stores[row].little : stores[row].big);
    if (store_to(stores[row].op, stores[row].op == T4_STDFA ? F(36) : 12, asi) != T4_DONE)
        wrong("%s, ASI %#x", t4_opcodes[stores[row].op].name, asi);
    check_memory(expected, t4_opcodes[stores[row].op].name, asi);
}

static void block_init(void)
{
    static const uint8_t asis[] = { 0xe2, 0xe3, 0xea, 0xeb, 0xf2, 0xf3, 0xfa, 0xfb };
    for (unsigned i = 0; i < COUNT_OF(stores) * COUNT_OF(asis); i++)
        for (unsigned offset = 0; offset < SIZE; offset += stores[i / COUNT_OF(asis)].len)
            for (unsigned poison = 0; poison < 2; poison++)
                block_once(i / COUNT_OF(asis), asis[i % COUNT_OF(asis)], offset, poison);
}

/* A line that is stored to in order is complete afterwards, with or without poison. */
static void whole_line(void)
{
    prepare(BASE + LINE, 0);
    for (unsigned i = 0; i < LINE; i += 8) {
        t4.o[2] = i;
        if (store_to(T4_STXA, 10, 0xe2) != T4_DONE)
            wrong("stxa %u", i);
        expect(memory[LINE + i + 7], i, "a byte of the line");
    }
    for (unsigned i = 0; i < SIZE; i++)
        expect(memory[i], i / LINE != 1 ? OLD : i % 8 == 7 ? i - LINE - 7 : 0, "a byte");
}

static void by_register(void)
{
    enum t4_op op;
    const uint32_t word = t4_opcodes[T4_STXA].match | 12u << 25 | 9 << 14 | 1 << 13 | (-8 & 0x1fff);
    prepare(BASE + 32, 0);
    t4.asi = 0xe2;
    t4.o[4] = 0x1122334455667788;
    if (t4_step(&t4, word, &op) != T4_DONE)
        wrong("stxa by %%asi");
    expect_bytes(memory + 24, "1122334455667788", "stxa %o4, [%o1 - 8] %asi");
    t4.asi = 0x80;
    if (t4_step(&t4, word, &op) != T4_ILLEGAL)
        wrong("stxa to ASI 0x80 is not ours");
}

static void block_refusals(void)
{
    for (unsigned row = 1; row < COUNT_OF(stores); row++) {
        prepare(BASE + 1, 0);
        const struct t4_machine before = t4;
        if (store_to(stores[row].op, 12, 0xe2) != T4_FAULT)
            wrong("%s, misaligned", t4_opcodes[stores[row].op].name);
        if (memcmp(&before, &t4, sizeof t4) != 0)
            wrong("%s, misaligned: registers", t4_opcodes[stores[row].op].name);
        expect(num_stores, 0, "stores");
    }
    prepare(BASE, 0);
    if (store_to(T4_STTWA, 11, 0xe2) != T4_ILLEGAL)
        wrong("stda of an odd register");
    for (unsigned asi = 0; asi < 256; asi++) {
        const int ours = (asi & 0xe6) == 0xe2 && (asi & 0xf0) >= 0xe0;
        if ((store_to(T4_STXA, 12, asi) == T4_DONE) != ours)
            wrong("stxa to ASI %#x", asi);
    }
}

const struct check memory_checks[] = {
    { "partial stores: all masks, widths and orders", partial },
    { "partial stores: what they refuse", partial_refusals },
    { "block init: all stores and places, poisoned and not", block_init },
    { "block init: a whole line", whole_line },
    { "block init: %asi and an immediate", by_register },
    { "block init: what it refuses", block_refusals },
    { 0 },
};
