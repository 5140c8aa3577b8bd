/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of functions, and what symbols add to it.
 *
 * Only symbols of functions and of their resolvers count: assembly marks places inside its
 * functions with symbols of no type, which must not split them.
 */
#include "names.h"
#include "object_build.h"
#include <stdlib.h>
#include <string.h>

void functions_add(struct function_list *list, const struct elf *elf, const struct function *f)
{
    size_t len;
    bool exec = false;
    for (size_t i = 0; i < elf->num_segments && !exec; i++) {
        const struct segment *s = &elf->segments[i];
        exec = s->exec && f->start >= s->vaddr && f->start - s->vaddr < s->file_len;
    }
    if (!exec || list->failed || list->num >= MAX_FUNCTIONS || !elf_at(elf, f->start, &len))
        return;
    if (list->num == list->max) {
        const size_t max = list->max ? 2 * list->max : 64;
        struct function *at = realloc(list->at, max * sizeof *at);
        if (!at) {
            list->failed = true;
            return;
        }
        list->at = at;
        list->max = max;
    }
    struct function *out = &list->at[list->num++];
    *out = *f;
    if (out->end < out->start)
        out->end = out->start;
    if (out->end - out->start > len)
        out->end = out->start + len;
}

/* ---- symbols ---- */

struct symbol_table {
    const uint8_t *symbols, *strings, *descriptors;
    size_t len, strings_len, descriptors_len;
    uint64_t descriptors_at;
};

/* 64-bit big-endian POWER (ELFv1): a function's symbol is that of a descriptor in .opd, whose first
 * word is the address. */
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

/* Without section headers: the dynamic table names symbols and strings.  The number of symbols is
 * in DT_HASH; files with DT_GNU_HASH only have strings behind the symbols, as linkers lay them. */
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

/* ---- one sorted list ---- */

/* Of several names for one address: the one that tells what the function computes, then the one
 * that is not internal to its library. */
static int name_rank(const struct function *f)
{
    struct name_info info;
    if (!f->name)
        return 0;
    return 1 + (f->name[0] != '_') + 2 * (f->name[0] != '.') +
           (name_lookup(&info, f->name) ? 4 : 0) + (f->source == NAME_PCLNTAB ? 8 : 0);
}

/* An FDE and a pclntab say where a function ends; a symbol may have no length. */
static uint64_t better_end(const struct function *a, const struct function *b)
{
    const bool a_knows = a->proof & (PROOF_FDE | PROOF_PCLNTAB) && a->end > a->start;
    const bool b_knows = b->proof & (PROOF_FDE | PROOF_PCLNTAB) && b->end > b->start;
    if (a_knows != b_knows)
        return a_knows ? a->end : b->end;
    return a->end > b->end ? a->end : b->end;
}

static void merge_two(struct function *into, const struct function *f)
{
    into->end = better_end(into, f);
    if (f->name &&
        (!into->name || (strcmp(f->name, into->name) && name_rank(f) > name_rank(into)))) {
        into->name = f->name;
        into->source = f->source;
    }
    into->proof |= f->proof;
}

static int by_start(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Bytes from `start` to the end of its section, or `len` where none of the first few holds it: data
 * may follow code in one segment, as it does on SPARC. */
static size_t left_in_section(const struct elf *elf, uint64_t start, size_t len)
{
    enum { SECTIONS = 64 }; /* of a hostile file there may be many, and many functions */
    struct elf_section s;
    for (size_t i = 0; i < SECTIONS && elf_section_at(&s, elf, i); i++)
        if (s.flags & SHF_EXECINSTR && start >= s.addr && start - s.addr < s.len)
            return s.len - (start - s.addr) < len ? s.len - (start - s.addr) : len;
    return len;
}

/* qsort is quadratic nowhere (glibc: merge sort, or heap sort where memory is short). */
void functions_merge(struct function_list *list, const struct elf *elf)
{
    if (!list->num)
        return;
    qsort(list->at, list->num, sizeof *list->at, by_start);
    size_t last = 0;
    for (size_t i = 1; i < list->num; i++) {
        if (list->at[i].start == list->at[last].start)
            merge_two(&list->at[last], &list->at[i]);
        else
            list->at[++last] = list->at[i];
    }
    list->num = last + 1;
    for (size_t i = 0; i < list->num; i++) {
        struct function *f = &list->at[i];
        size_t len;
        elf_at(elf, f->start, &len);
        if (f->end == f->start)
            f->end = f->start + left_in_section(elf, f->start, len);
        if (i + 1 < list->num && f->end > f[1].start)
            f->end = f[1].start;
    }
}
