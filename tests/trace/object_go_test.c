/* SPDX-License-Identifier: Apache-2.0 */
/* Go programs: each way to find the address of the text, from which the offsets in pclntab
 * count. */
#include "elf_maker.h"
#include "object/object.h"
#include "test.h"

enum way { BY_HEADER, BY_MODULEDATA, BY_RELOCATIONS, BY_ENTRY, BY_SECTION };

static const char *const way_names[] = { "pclntab's header", "moduledata",
                                         "relocations of moduledata", "the entry's name",
                                         "the section" };

enum { CODE = 1024, TEXT = 64, NAMES = 128, TABLE = 192 };
static const uint64_t code_at = MAKER_BASE + MAKER_FIRST;

static void word(uint8_t *p, uint64_t value, size_t size)
{
    const struct maker little = { 0 };
    maker_number(&little, p, value, size);
}

/* add_table adds a pclntab of Go 1.20 with two functions, at offsets 0 and 32 of the text. */
static size_t add_table(struct maker *m, enum way way)
{
    static const char names[] = "_rt0_amd64_linux\0crypto/aes.encrypt";
    uint8_t t[256] = { 0 };
    word(t, 0xfffffff1, 4);
    t[6] = 1;
    t[7] = 8;
    word(t + 8, 2, 8);
    word(t + 24, way == BY_HEADER ? code_at + TEXT : 0, 8);
    word(t + 32, NAMES, 8);
    word(t + 64, TABLE, 8);
    memcpy(t + NAMES, names, sizeof names);
    if (way == BY_SECTION)
        t[NAMES] = 'x'; /* not the entry's name */
    const uint32_t pairs[] = { 0, 24, 32, 32, 64 };
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        word(t + TABLE + 4 * i, pairs[i], 4);
    const uint32_t records[] = { 0, 0, 32, 17 }; /* entry, name */
    for (size_t i = 0; i < COUNT_OF(records); i++)
        word(t + TABLE + 24 + 4 * i, records[i], 4);
    const size_t at = maker_append(m, t, sizeof t);
    maker_section(m, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, at, sizeof t);
    return at;
}

static void add_moduledata(struct maker *m, size_t table)
{
    uint8_t data[24 * 8] = { 0 };
    word(data, MAKER_BASE + table, 8);
    word(data + 8, MAKER_BASE + table + NAMES, 8);
    word(data + 22 * 8, code_at + TEXT, 8);
    maker_append(m, data, sizeof data);
}

static void add_relocations(struct maker *m, size_t table)
{
    const uint64_t data = MAKER_BASE + maker_append(m, NULL, 24 * 8);
    uint8_t rela[3 * sizeof(Elf64_Rela)] = { 0 }, dynamic[3 * sizeof(Elf64_Dyn)] = { 0 };
    const uint64_t entries[3][2] = { { data + 22 * 8, code_at + TEXT },
                                     { data, MAKER_BASE + table },
                                     { data + 8, MAKER_BASE + table + NAMES } };
    for (size_t i = 0; i < 3; i++) {
        word(rela + 24 * i, entries[i][0], 8);
        word(rela + 24 * i + 8, R_X86_64_RELATIVE, 8);
        word(rela + 24 * i + 16, entries[i][1], 8);
    }
    word(dynamic, DT_RELA, 8);
    word(dynamic + 8, MAKER_BASE + maker_append(m, rela, sizeof rela), 8);
    word(dynamic + 16, DT_RELASZ, 8);
    word(dynamic + 24, sizeof rela, 8);
    maker_header(m, PT_DYNAMIC, maker_append(m, dynamic, sizeof dynamic), sizeof dynamic);
}

static void test_way(enum way way, bool no_sections)
{
    static const struct object_options plain = { 0 };
    struct maker m = { .no_sections = no_sections, .writable = way == BY_MODULEDATA };
    const char *why = NULL;
    maker_append(&m, NULL, CODE);
    maker_section(&m, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, MAKER_FIRST + TEXT,
                  CODE - TEXT);
    if (way == BY_ENTRY)
        m.entry = code_at + TEXT;
    const size_t table = add_table(&m, way);
    if (way == BY_MODULEDATA)
        add_moduledata(&m, table);
    if (way == BY_RELOCATIONS)
        add_relocations(&m, table);
    maker_finish(&m);
    struct object *o = object_parse(m.bytes, m.len, "go", &plain, &why);
    const struct function *f = o ? object_function(o, code_at + TEXT + 40) : NULL;
    tap(o && o->is_go && o->num_functions == 2 && f && f->start == code_at + TEXT + 32 &&
            f->end == code_at + TEXT + 64 && f->proof == PROOF_PCLNTAB &&
            f->source == NAME_PCLNTAB && !strcmp(f->name, "crypto/aes.encrypt"),
        "go: text by %s%s", way_names[way], no_sections ? ", without section headers" : "");
    object_free(o);
}

int main(void)
{
    for (enum way way = BY_HEADER; way <= BY_SECTION; way++)
        for (int stripped = 0; stripped < 2; stripped++)
            if (way != BY_SECTION || !stripped)
                test_way(way, stripped);
    return tap_done();
}
