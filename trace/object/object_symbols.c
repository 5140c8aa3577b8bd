/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that the symbols of an ELF file name.
 *
 * Only symbols of functions and of their resolvers are used: assembly marks places inside its
 * functions by symbols without a type, which must not split the functions.
 */
#include "../budget.h"
#include "object_build.h"

struct symbol_table {
    const uint8_t *symbols, *strings, *descriptors;
    size_t len, strings_len, descriptors_len;
    uint64_t descriptors_at;
};

/* The address of a function by its symbol. On 64-bit big-endian POWER (ELFv1) the symbol is that
 * of a descriptor in .opd, whose first word is the address. */
static uint64_t through_descriptor(const struct elf *elf, const struct symbol_table *t,
                                   uint64_t value)
{
    if (!t->descriptors || value < t->descriptors_at)
        return value;
    const uint64_t offset = value - t->descriptors_at;
    return offset < t->descriptors_len && t->descriptors_len - offset >= 8
               ? elf_word(elf, t->descriptors + offset, 8)
               : value;
}

static void add_symbols(struct function_list *list, const struct elf *code, const struct elf *file,
                        const struct symbol_table *t)
{
    const size_t size = file->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    for (size_t at = 0; t->len - at >= size && !list->failed; at += size) {
        if (budget_over())
            return;
        const uint8_t *p = t->symbols + at;
        const uint8_t type = ELF64_ST_TYPE(
            p[file->is64 ? offsetof(Elf64_Sym, st_info) : offsetof(Elf32_Sym, st_info)]);
        if (type != STT_FUNC && type != STT_GNU_IFUNC)
            continue;
        const uint64_t shndx = file->is64 ? elf_word(file, p + offsetof(Elf64_Sym, st_shndx), 2)
                                          : elf_word(file, p + offsetof(Elf32_Sym, st_shndx), 2);
        if (shndx == SHN_UNDEF)
            continue;
        uint64_t value = file->is64 ? elf_word(file, p + offsetof(Elf64_Sym, st_value), 8)
                                    : elf_word(file, p + offsetof(Elf32_Sym, st_value), 4);
        const uint64_t len = file->is64 ? elf_word(file, p + offsetof(Elf64_Sym, st_size), 8)
                                        : elf_word(file, p + offsetof(Elf32_Sym, st_size), 4);
        value = through_descriptor(code, t, value);
        const char *name = elf_string(t->strings, t->strings_len, elf_word(file, p, 4));
        functions_add(list, code,
                      &(struct function){
                          .start = value,
                          .end = len <= UINT64_MAX - value ? value + len : value,
                          .name = name && *name ? name : NULL,
                          .proof = PROOF_SYMBOL,
                          .source = name && *name ? NAME_SYMBOL : NAME_NONE,
                      });
    }
}

/* Adds functions from the dynamic table, which names the symbols and strings of files without
 * section headers. The number of symbols is in DT_HASH; in files with DT_GNU_HASH only, it
 * follows from the fact that linkers put the strings behind the symbols. */
static void add_dynamic(struct function_list *list, const struct elf *elf)
{
    uint64_t symbols, strings, hash;
    struct symbol_table t = { 0 };
    if (!elf_dynamic(elf, DT_SYMTAB, &symbols) || !elf_dynamic(elf, DT_STRTAB, &strings))
        return;
    t.symbols = elf_at(elf, symbols, &t.len);
    t.strings = elf_at(elf, strings, &t.strings_len);
    if (!t.symbols || !t.strings)
        return;
    uint64_t len = strings > symbols ? strings - symbols : 0;
    size_t hash_len;
    const uint8_t *h = elf_dynamic(elf, DT_HASH, &hash) ? elf_at(elf, hash, &hash_len) : NULL;
    if (h && hash_len >= 8)
        len = elf_word(elf, h + 4, 4) * (elf->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
    if (t.len > len)
        t.len = len;
    add_symbols(list, elf, elf, &t);
}

void functions_from_symbols(struct function_list *list, const struct elf *code,
                            const struct elf *file)
{
    enum { MAX_TABLES = 4 };
    struct elf_section section, strings, opd;
    struct symbol_table t = { 0 };
    int tables = 0;
    if (code->arch == ARCH_PPC64 && elf_section_find(&opd, code, ".opd") && opd.bytes) {
        t.descriptors = opd.bytes;
        t.descriptors_len = opd.len;
        t.descriptors_at = opd.addr;
    }
    for (size_t i = 0; elf_section_at(&section, file, i) && tables < MAX_TABLES; i++) {
        if ((section.type != SHT_SYMTAB && section.type != SHT_DYNSYM) || !section.bytes ||
            !elf_section_at(&strings, file, section.link) || !strings.bytes)
            continue;
        t.symbols = section.bytes;
        t.len = section.len;
        t.strings = strings.bytes;
        t.strings_len = strings.len;
        add_symbols(list, code, file, &t);
        tables++;
    }
    if (!tables && code == file)
        add_dynamic(list, code);
}
