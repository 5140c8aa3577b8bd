/* SPDX-License-Identifier: Apache-2.0
 *
 * Small ELF files made in memory, of either class and byte order, for the tests and the fuzzers'
 * seeds.  All of the file is one segment at MAKER_BASE, so that an address is an offset + base.
 */
#ifndef ELF_MAKER_H
#define ELF_MAKER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MAKER_BASE ((uint64_t)0x400000)

struct maker_section {
    const char *name;
    uint32_t type, link;
    uint64_t flags, at, len, entsize;
};

struct maker {
    bool is32, big, no_sections, writable;
    uint16_t machine, type; /* 0 stands for x86-64 and for ET_DYN */
    uint64_t entry;
    uint8_t bytes[1 << 14];
    size_t len;
    struct maker_section sections[16];
    uint32_t num_sections; /* the first is number 1 */
    struct {
        uint32_t type;
        uint64_t at, len;
    } headers[8];
    size_t num_headers;
};

static inline void maker_number(const struct maker *m, uint8_t *p, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        p[m->big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

#define MAKER_SET(m, p, type, member, value)                                  \
    ((m)->is32 ? maker_number(m, (p) + offsetof(Elf32_##type, member), value, \
                              sizeof((Elf32_##type){ 0 }.member))             \
               : maker_number(m, (p) + offsetof(Elf64_##type, member), value, \
                              sizeof((Elf64_##type){ 0 }.member)))
#define MAKER_SIZE(m, type) ((m)->is32 ? sizeof(Elf32_##type) : sizeof(Elf64_##type))

enum { MAKER_FIRST = 1024 }; /* offset of the first section; the headers are before it */

/* maker_append appends bytes, or zeros if `bytes` is NULL, at an offset that is a multiple of 16,
 * and returns the offset. It returns 0 if they do not fit. */
static inline size_t maker_append(struct maker *m, const void *bytes, size_t len)
{
    size_t at = m->len < MAKER_FIRST ? MAKER_FIRST : (m->len + 15) & ~(size_t)15;
    if (len > sizeof m->bytes - at)
        return 0;
    if (bytes)
        memcpy(m->bytes + at, bytes, len);
    m->len = at + len;
    return at;
}

static inline uint32_t maker_section(struct maker *m, const char *name, uint32_t type,
                                     uint64_t flags, size_t at, size_t len)
{
    m->sections[m->num_sections] =
        (struct maker_section){ .name = name, .type = type, .flags = flags, .at = at, .len = len };
    return ++m->num_sections;
}

static inline void maker_header(struct maker *m, uint32_t type, size_t at, size_t len)
{
    m->headers[m->num_headers].type = type;
    m->headers[m->num_headers].at = at;
    m->headers[m->num_headers++].len = len;
}

struct maker_symbol {
    const char *name;
    uint64_t value, len;
    uint8_t type;
};

/* maker_symbols adds a symbol table with its strings: .dynsym if `dynamic`, else .symtab. */
static inline void maker_symbols(struct maker *m, const struct maker_symbol *symbols, size_t num,
                                 bool dynamic)
{
    char strings[512] = "";
    uint8_t table[32 * sizeof(Elf64_Sym)] = { 0 };
    size_t used = 1;
    for (size_t i = 0; i < num; i++) {
        uint8_t *p = table + (i + 1) * MAKER_SIZE(m, Sym);
        MAKER_SET(m, p, Sym, st_name, used);
        MAKER_SET(m, p, Sym, st_info, ELF64_ST_INFO(STB_GLOBAL, symbols[i].type));
        MAKER_SET(m, p, Sym, st_shndx, 1);
        MAKER_SET(m, p, Sym, st_value, symbols[i].value);
        MAKER_SET(m, p, Sym, st_size, symbols[i].len);
        strcpy(strings + used, symbols[i].name);
        used += strlen(symbols[i].name) + 1;
    }
    const size_t len = (num + 1) * MAKER_SIZE(m, Sym);
    const size_t at = maker_append(m, table, len), strings_at = maker_append(m, strings, used);
    const uint32_t section = maker_section(m, dynamic ? ".dynsym" : ".symtab",
                                           dynamic ? SHT_DYNSYM : SHT_SYMTAB, 0, at, len);
    m->sections[section - 1].link =
        maker_section(m, dynamic ? ".dynstr" : ".strtab", SHT_STRTAB, 0, strings_at, used);
}

/* maker_note adds a note of this name (at most four bytes with its NUL) and type. */
static inline void maker_note(struct maker *m, const char name[4], uint32_t type, const void *bytes,
                              size_t len)
{
    uint8_t note[256] = { 0 };
    maker_number(m, note, 4, 4);
    maker_number(m, note + 4, len, 4);
    maker_number(m, note + 8, type, 4);
    memcpy(note + 12, name, 4);
    memcpy(note + 16, bytes, len);
    const size_t at = maker_append(m, note, 16 + ((len + 3) & ~(size_t)3));
    maker_header(m, PT_NOTE, at, 16 + ((len + 3) & ~(size_t)3));
}

static inline void maker_write_sections(struct maker *m)
{
    char names[256] = "";
    uint8_t table[17 * sizeof(Elf64_Shdr)] = { 0 };
    size_t used = 1;
    const uint32_t names_section = maker_section(m, ".shstrtab", SHT_STRTAB, 0, 0, 0);
    for (uint32_t i = 0; i < m->num_sections; i++) {
        strcpy(names + used, m->sections[i].name);
        MAKER_SET(m, table + (i + 1) * MAKER_SIZE(m, Shdr), Shdr, sh_name, used);
        used += strlen(m->sections[i].name) + 1;
    }
    m->sections[names_section - 1].at = maker_append(m, names, used);
    m->sections[names_section - 1].len = used;
    for (uint32_t i = 0; i < m->num_sections; i++) {
        const struct maker_section *s = &m->sections[i];
        uint8_t *p = table + (i + 1) * MAKER_SIZE(m, Shdr);
        MAKER_SET(m, p, Shdr, sh_type, s->type);
        MAKER_SET(m, p, Shdr, sh_flags, s->flags);
        MAKER_SET(m, p, Shdr, sh_addr, MAKER_BASE + s->at);
        MAKER_SET(m, p, Shdr, sh_offset, s->at);
        MAKER_SET(m, p, Shdr, sh_size, s->len);
        MAKER_SET(m, p, Shdr, sh_link, s->link);
    }
    const uint32_t num = m->num_sections + 1;
    MAKER_SET(m, m->bytes, Ehdr, e_shoff, maker_append(m, table, num * MAKER_SIZE(m, Shdr)));
    MAKER_SET(m, m->bytes, Ehdr, e_shentsize, MAKER_SIZE(m, Shdr));
    MAKER_SET(m, m->bytes, Ehdr, e_shnum, num);
    MAKER_SET(m, m->bytes, Ehdr, e_shstrndx, names_section);
}

/* maker_finish writes the headers; then the file is m->bytes[0..m->len). */
static inline void maker_finish(struct maker *m)
{
    uint8_t *e = m->bytes;
    memcpy(e, ELFMAG, SELFMAG);
    e[EI_CLASS] = m->is32 ? ELFCLASS32 : ELFCLASS64;
    e[EI_DATA] = m->big ? ELFDATA2MSB : ELFDATA2LSB;
    e[EI_VERSION] = EV_CURRENT;
    MAKER_SET(m, e, Ehdr, e_type, m->type ? m->type : ET_DYN);
    MAKER_SET(m, e, Ehdr, e_machine, m->machine ? m->machine : EM_X86_64);
    MAKER_SET(m, e, Ehdr, e_version, EV_CURRENT);
    MAKER_SET(m, e, Ehdr, e_entry, m->entry);
    if (!m->no_sections)
        maker_write_sections(m);
    m->headers[m->num_headers].type = PT_LOAD;
    m->headers[m->num_headers].at = 0;
    m->headers[m->num_headers++].len = m->len;
    MAKER_SET(m, e, Ehdr, e_phoff, MAKER_SIZE(m, Ehdr));
    MAKER_SET(m, e, Ehdr, e_phentsize, MAKER_SIZE(m, Phdr));
    MAKER_SET(m, e, Ehdr, e_phnum, m->num_headers);
    for (size_t i = 0; i < m->num_headers; i++) {
        uint8_t *p = e + MAKER_SIZE(m, Ehdr) + i * MAKER_SIZE(m, Phdr);
        MAKER_SET(m, p, Phdr, p_type, m->headers[i].type);
        MAKER_SET(m, p, Phdr, p_flags, PF_R | PF_X | (m->writable ? PF_W : 0));
        MAKER_SET(m, p, Phdr, p_offset, m->headers[i].at);
        MAKER_SET(m, p, Phdr, p_vaddr, MAKER_BASE + m->headers[i].at);
        MAKER_SET(m, p, Phdr, p_filesz, m->headers[i].len);
        MAKER_SET(m, p, Phdr, p_memsz, m->headers[i].len);
        MAKER_SET(m, p, Phdr, p_align, 4);
    }
}

#endif
