/* SPDX-License-Identifier: Apache-2.0 */
/* Go's table in each of its layouts and both byte orders; damaged ones tell nothing wrong. */
#include "object/pclntab.h"
#include "test.h"

struct shape {
    const char *name;
    uint32_t magic;
    uint8_t pointer;
    bool big;
};

static const struct shape shapes[] = {
    { "1.2", 0xfffffffb, 8, false },
    { "1.2, 32-bit", 0xfffffffb, 4, false },
    { "1.2, big-endian", 0xfffffffb, 8, true },
    { "1.16", 0xfffffffa, 8, false },
    { "1.16, 32-bit", 0xfffffffa, 4, false },
    { "1.18", 0xfffffff0, 8, false },
    { "1.18, big-endian", 0xfffffff0, 8, true },
    { "1.20", 0xfffffff1, 8, false },
    { "1.20, 32-bit", 0xfffffff1, 4, false },
};

struct table {
    uint8_t bytes[1024];
    size_t len;
    bool big;
};

static void set(struct table *t, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        t->bytes[at + (t->big ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
    if (t->len < at + size)
        t->len = at + size;
}

static const char *const names[] = { "main.main", "crypto/aes.encryptBlockAsm", "runtime.goexit" };
enum { NUM = COUNT_OF(names), NAMES = 128, RECORDS = 256, TABLE = 512 };

static void make(struct table *t, const struct shape *s)
{
    *t = (struct table){ .big = s->big };
    const bool old = s->magic == 0xfffffffb, relative = s->magic < 0xfffffffa;
    const size_t p = s->pointer, pc = relative ? 4 : p;
    const size_t table = old ? 8 + p : TABLE;
    const uint64_t text = relative ? 0 : 0x401000;
    set(t, 0, s->magic, 4);
    t->bytes[6] = s->big ? 2 : 1;
    t->bytes[7] = s->pointer;
    set(t, 8, NUM, p);
    if (!old) {
        set(t, 8 + p, 5, p);                   /* files */
        const size_t first = relative ? 3 : 2; /* word of the names' offset */
        if (relative)
            set(t, 8 + 2 * p, 0x401000, p);
        set(t, 8 + first * p, NAMES, p);
        set(t, 8 + (first + 4) * p, TABLE, p);
    }
    size_t name = 0;
    for (size_t i = 0; i < NUM; i++) {
        /* Offsets of records and names count from the table and the names, in 1.2 from 0. */
        const size_t record = RECORDS + 16 * i;
        const size_t at = old ? record : TABLE + record;
        set(t, table + 2 * i * pc, text + 64 * i, pc);
        set(t, table + (2 * i + 1) * pc, record, pc);
        set(t, at, text + 64 * i, pc);
        set(t, at + pc, old ? NAMES + name : name, 4);
        strcpy((char *)t->bytes + NAMES + name, names[i]);
        name += strlen(names[i]) + 1;
    }
    set(t, table + 2 * NUM * pc, text + 64 * NUM, pc);
}

static void test_shape(const struct shape *s)
{
    struct table t;
    struct pclntab p;
    uint64_t start, end;
    const char *name;
    make(&t, s);
    bool right = pclntab_open(&p, t.bytes, t.len) && p.num == NUM && p.big_endian == s->big &&
                 p.relative == (s->magic < 0xfffffffa) && p.text == (p.relative ? 0x401000 : 0);
    for (size_t i = 0; i < NUM && right; i++) {
        right = pclntab_function(&p, i, &start, &end, &name) && name && !strcmp(name, names[i]);
        start += p.text;
        end += p.text;
        right = right && start == 0x401000 + 64 * i && end == start + 64;
    }
    tap(right && !pclntab_function(&p, NUM, &start, &end, &name), "pclntab: Go %s", s->name);
}

/* test_damage changes bytes of the header and cuts the table anywhere: every name that is found
 * must end within the table. */
static void test_damage(void)
{
    size_t opened = 0, wrong = 0;
    for (size_t k = 0; k < 20000; k++) {
        struct table t;
        struct pclntab p;
        uint64_t start, end;
        const char *name;
        make(&t, &shapes[k % COUNT_OF(shapes)]);
        for (uint32_t i = random_below(4); i-- > 0;)
            t.bytes[random_below(64)] = (uint8_t)random_below(256);
        uint8_t *exact = malloc(t.len); /* so that a sanitizer sees its end */
        const size_t len = 1 + random_below((uint32_t)t.len);
        memcpy(exact, t.bytes, len);
        exact = realloc(exact, len);
        if (pclntab_open(&p, exact, len)) {
            opened++;
            for (size_t i = 0; i < p.num; i++)
                if (pclntab_function(&p, i, &start, &end, &name))
                    wrong += start >= end || (name && strlen(name) >= len);
        }
        free(exact);
    }
    tap(opened > 100 && !wrong, "pclntab: damaged tables, of which some open, hold no wild name");
}

static void test_search(void)
{
    struct table t;
    static uint8_t memory[8192];
    make(&t, &shapes[7]);
    memset(memory, 0xff, sizeof memory);
    memcpy(memory + 4096 + 32, t.bytes, t.len);
    tap(pclntab_search(memory, sizeof memory, 0) == 4096 + 32, "pclntab: found by its magic");
    tap(pclntab_search(memory, sizeof memory, 4096 + 36) == sizeof memory,
        "pclntab: not found where there is none");
}

int main(void)
{
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        test_shape(&shapes[i]);
    test_damage();
    test_search();
    return tap_done();
}
