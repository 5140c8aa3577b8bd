/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the functions of Go programs by their pclntab.
 *
 * Since Go 1.18, pclntab's addresses count from the beginning of Go's text. Only moduledata
 * reliably knows where that is: the field in pclntab's header is relocated in position-independent
 * files, and gone in Go 1.26.
 */
#include "../budget.h"
#include "object_build.h"
#include "pclntab.h"
#include <string.h>

/* moduledata begins with the address of pclntab, followed by the names as a slice of three
 * words; the address of text is its 23rd word since 1.18. */
enum { MODULE_NAMES = 1, MODULE_TEXT = 22, MODULE_WORDS = 24 };

struct go {
    const struct elf *elf;
    struct pclntab table;
    uint64_t address; /* address of the table */
};

static bool in_code(const struct elf *elf, uint64_t vaddr)
{
    for (size_t i = 0; i < elf->num_segments; i++) {
        const struct segment *s = &elf->segments[i];
        if (s->exec && vaddr >= s->vaddr && vaddr - s->vaddr < s->file_len)
            return true;
    }
    return false;
}

static uint64_t text_in(const struct go *go, const uint8_t *p, size_t len)
{
    const struct elf *elf = go->elf;
    const size_t size = go->table.pointer;
    const uint64_t names = go->address + go->table.names;
    for (size_t at = 0; len - at >= MODULE_WORDS * size && !budget_over(); at += size)
        if (elf_word(elf, p + at, size) == go->address &&
            elf_word(elf, p + at + MODULE_NAMES * size, size) == names)
            return elf_word(elf, p + at + MODULE_TEXT * size, size);
    return 0;
}

static uint64_t text_by_moduledata(const struct go *go)
{
    const struct elf *elf = go->elf;
    uint64_t found = 0;
    for (size_t i = 0; i < elf->num_segments; i++) {
        const struct segment *s = &elf->segments[i];
        const uint64_t end = s->offset + s->file_len;
        uint64_t at = s->offset;
        for (size_t n; s->write && !found && (n = elf_next_data(elf, &at, end)); at += n) {
            const size_t skip = (size_t)(s->offset - at) % go->table.pointer; /* to a whole word */
            if (skip < n)
                found = text_in(go, elf->bytes + at + skip, n - skip);
        }
    }
    return found;
}

/* The address of text if relocations fill moduledata: each word is the addend of its relocation. */
static uint64_t text_by_relocations(const struct go *go)
{
    const struct elf *elf = go->elf;
    uint64_t rela, rela_len, found = 0;
    size_t len;
    if (!elf->is64 || !elf_dynamic(elf, DT_RELA, &rela) || !elf_dynamic(elf, DT_RELASZ, &rela_len))
        return 0;
    const uint8_t *p = elf_at(elf, rela, &len);
    if (!p)
        return 0;
    if (len > rela_len)
        len = (size_t)rela_len;
    uint64_t wanted = 0; /* place of the word with the address of text, once moduledata is found */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t at = 0; len - at >= sizeof(Elf64_Rela) && !budget_over();
             at += sizeof(Elf64_Rela)) {
            const uint64_t place = elf_word(elf, p + at + offsetof(Elf64_Rela, r_offset), 8);
            const uint64_t addend = elf_word(elf, p + at + offsetof(Elf64_Rela, r_addend), 8);
            if (pass == 0 && addend == go->address)
                wanted = place + MODULE_TEXT * 8;
            if (pass == 1 && wanted && place == wanted)
                found = addend;
        }
    }
    return found;
}

/* The address of text by the name of the program's first function, if Go's linker made the entry
 * point. */
static uint64_t text_by_entry(const struct go *go)
{
    uint64_t start, end;
    const char *name;
    for (size_t i = 0; i < go->table.num && !budget_over(); i++)
        if (pclntab_function(&go->table, i, &start, &end, &name) && name &&
            !strncmp(name, "_rt0_", 5) && strstr(name, "_linux") && go->elf->entry >= start)
            return go->elf->entry - start;
    return 0;
}

static uint64_t find_text(const struct go *go)
{
    uint64_t (*const ways[])(const struct go *) = { text_by_moduledata, text_by_relocations,
                                                    text_by_entry };
    struct elf_section text;
    if (!go->table.relative)
        return 0;
    if (go->table.text && in_code(go->elf, go->table.text))
        return go->table.text;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const uint64_t found = ways[i](go);
        if (in_code(go->elf, found))
            return found;
    }
    return elf_section_find(&text, go->elf, ".text") ? text.addr : 0;
}

static bool open_section(struct go *go)
{
    static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
    struct elf_section section;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (elf_section_find(&section, go->elf, names[i]) && section.bytes &&
            pclntab_open(&go->table, section.bytes, section.len)) {
            go->address = section.addr;
            return true;
        }
    return false;
}

/* Takes the largest table in some bytes, if it is larger than the one that was found before. */
static bool search_bytes(struct go *go, const uint8_t *p, size_t len, uint64_t address, bool found)
{
    enum { MAX_TRIES = 64 };
    struct pclntab t;
    size_t at = pclntab_search(p, len, 0);
    for (int tries = 0; at < len && tries < MAX_TRIES; tries++) {
        if (pclntab_open(&t, p + at, len - at) && t.num > (found ? go->table.num : 0)) {
            go->table = t;
            go->address = address + at;
            found = true;
        }
        at = pclntab_search(p, len, at + 4);
    }
    return found;
}

/* Without section headers: takes the largest table in any segment. */
static bool search_segments(struct go *go)
{
    bool found = false;
    for (size_t i = 0; i < go->elf->num_segments; i++) {
        const struct segment *s = &go->elf->segments[i];
        uint64_t at = s->offset;
        for (size_t n; (n = elf_next_data(go->elf, &at, s->offset + s->file_len)); at += n)
            found = search_bytes(go, go->elf->bytes + at, n, s->vaddr + (at - s->offset), found);
    }
    return found;
}

bool object_go_functions(struct function_list *list, const struct elf *elf)
{
    struct go go = { .elf = elf };
    if (!open_section(&go) && (elf->num_sections || !search_segments(&go)))
        return false;
    if (go.table.num > MAX_FUNCTIONS)
        go.table.num = MAX_FUNCTIONS;
    const uint64_t text = find_text(&go);
    if (go.table.relative && !text)
        return true;
    for (size_t i = 0; i < go.table.num && !list->failed && !budget_over(); i++) {
        uint64_t start, end;
        const char *name;
        if (!pclntab_function(&go.table, i, &start, &end, &name))
            continue;
        functions_add(list, elf,
                      &(struct function){
                          .start = text + start,
                          .end = text + end,
                          .name = name,
                          .proof = PROOF_PCLNTAB,
                          .source = name ? NAME_PCLNTAB : NAME_NONE,
                      });
    }
    return true;
}
