/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads ELF as the System V ABI (gABI) describes it. Every offset is compared with the remaining
 * length before it is added, so that no sum overflows.
 */
#include "object_build.h"
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A member of a structure that has a 32-bit and a 64-bit form. */
#define FIELD(elf, p, type, member)                                                                \
    ((elf)->is64                                                                                   \
         ? elf_word(elf, (p) + offsetof(Elf64_##type, member), sizeof((Elf64_##type){ 0 }.member)) \
         : elf_word(elf, (p) + offsetof(Elf32_##type, member),                                     \
                    sizeof((Elf32_##type){ 0 }.member)))
#define SIZE(elf, type) ((elf)->is64 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

uint64_t elf_word(const struct elf *elf, const uint8_t *p, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)p[elf->big ? size - 1 - i : i] << 8 * i;
    return value;
}

static const struct {
    uint16_t machine;
    enum arch arch;
    bool needs64; /* the decoder knows only the 64-bit form */
    const char *why;
} machines[] = {
    { EM_X86_64, ARCH_X86_64, false, NULL },
    { EM_386, ARCH_X86_32, false, NULL },
    { EM_AARCH64, ARCH_ARM64, true, "32-bit code of ARM64 is not decoded" },
    { EM_SPARCV9, ARCH_SPARC64, true, "32-bit SPARC is not decoded" },
    { EM_PPC64, ARCH_PPC64, true, "32-bit POWER is not decoded" },
    { EM_S390, ARCH_S390X, true, "31-bit s390 is not decoded" },
    { EM_ARM, ARCH_NONE, false, "32-bit ARM is not decoded" },
    { EM_RISCV, ARCH_NONE, false, "RISC-V is not decoded" },
    { EM_PPC, ARCH_NONE, false, "32-bit POWER is not decoded" },
    { EM_SPARC, ARCH_NONE, false, "32-bit SPARC is not decoded" },
    { EM_SPARC32PLUS, ARCH_NONE, false, "32-bit SPARC is not decoded" },
    { EM_MIPS, ARCH_NONE, false, "MIPS is not decoded" },
    { EM_BPF, ARCH_NONE, false, "BPF is not decoded" },
    { 258 /* EM_LOONGARCH */, ARCH_NONE, false, "LoongArch is not decoded" },
};

static const char *find_arch(struct elf *elf)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        if (machines[i].machine != elf->machine)
            continue;
        if (machines[i].needs64 && !elf->is64)
            return machines[i].why;
        elf->arch = machines[i].arch;
        return elf->arch ? NULL : machines[i].why;
    }
    return "its machine is not decoded";
}

/* How many of `num` entries of a table are within the file. */
static size_t table_entries(const struct elf *elf, uint64_t offset, uint64_t num, size_t size)
{
    if (offset == 0 || offset > elf->len)
        return 0;
    const uint64_t fit = (elf->len - offset) / size;
    return (size_t)(num < fit ? num : fit);
}

/* Finds the header tables. Counts that do not fit into 16 bits are in section 0. */
static void find_tables(struct elf *elf)
{
    const uint8_t *e = elf->bytes;
    elf->phoff = FIELD(elf, e, Ehdr, e_phoff);
    elf->shoff = FIELD(elf, e, Ehdr, e_shoff);
    uint64_t num_headers = FIELD(elf, e, Ehdr, e_phnum);
    uint64_t num_sections = FIELD(elf, e, Ehdr, e_shnum);
    uint64_t names = FIELD(elf, e, Ehdr, e_shstrndx);
    if (FIELD(elf, e, Ehdr, e_shentsize) != SIZE(elf, Shdr))
        elf->shoff = 0;
    if (FIELD(elf, e, Ehdr, e_phentsize) != SIZE(elf, Phdr))
        elf->phoff = 0;
    if (table_entries(elf, elf->shoff, 1, SIZE(elf, Shdr))) {
        const uint8_t *zero = e + elf->shoff;
        if (num_sections == 0)
            num_sections = FIELD(elf, zero, Shdr, sh_size);
        if (names == SHN_XINDEX)
            names = FIELD(elf, zero, Shdr, sh_link);
        if (num_headers == PN_XNUM)
            num_headers = FIELD(elf, zero, Shdr, sh_info);
    }
    if (num_headers > MAX_HEADERS)
        num_headers = MAX_HEADERS;
    if (num_sections > MAX_SECTIONS)
        num_sections = MAX_SECTIONS;
    elf->num_headers = table_entries(elf, elf->phoff, num_headers, SIZE(elf, Phdr));
    elf->num_sections = table_entries(elf, elf->shoff, num_sections, SIZE(elf, Shdr));

    struct elf_section section;
    if (names < elf->num_sections && elf_section_at(&section, elf, names) && section.bytes) {
        elf->names = section.bytes;
        elf->names_len = section.len;
    }
}

size_t elf_next_data(const struct elf *elf, uint64_t *offset, uint64_t end)
{
    size_t low = 0, high = elf->num_extents;
    if (*offset >= end || end > elf->len)
        return 0;
    if (!elf->extents)
        return (size_t)(end - *offset);
    while (low < high) { /* finds the first extent that ends behind *offset */
        const size_t mid = low + (high - low) / 2;
        if (elf->extents[mid].end <= *offset)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == elf->num_extents || elf->extents[low].start >= end)
        return 0;
    const struct extent *e = &elf->extents[low];
    *offset = e->start > *offset ? e->start : *offset;
    return (size_t)((e->end < end ? e->end : end) - *offset);
}

/* The first part of [offset, offset + size) that is within the file and before its next hole. */
static const uint8_t *file_bytes(const struct elf *elf, uint64_t offset, uint64_t size, size_t *len)
{
    *len = 0;
    if (offset > elf->len)
        return NULL;
    const uint64_t left = elf->len - offset;
    uint64_t at = offset;
    *len = elf_next_data(elf, &at, offset + (size < left ? size : left));
    if (at != offset)
        *len = 0;
    return *len || !size || offset == elf->len ? elf->bytes + offset : NULL;
}

static uint64_t clip(const struct elf *elf, uint64_t offset, uint64_t size)
{
    const uint64_t left = offset < elf->len ? elf->len - offset : 0;
    return size < left ? size : left;
}

bool elf_header_place(uint64_t *offset, uint64_t *len, uint32_t *type, const struct elf *elf,
                      size_t i)
{
    if (i >= elf->num_headers)
        return false;
    const uint8_t *p = elf->bytes + elf->phoff + i * SIZE(elf, Phdr);
    *type = (uint32_t)FIELD(elf, p, Phdr, p_type);
    *offset = FIELD(elf, p, Phdr, p_offset);
    *len = clip(elf, *offset, FIELD(elf, p, Phdr, p_filesz));
    return true;
}

bool elf_section_place(uint64_t *offset, uint64_t *len, uint32_t *type, uint64_t *flags,
                       const struct elf *elf, size_t i)
{
    if (i >= elf->num_sections)
        return false;
    const uint8_t *p = elf->bytes + elf->shoff + i * SIZE(elf, Shdr);
    *type = (uint32_t)FIELD(elf, p, Shdr, sh_type);
    *flags = FIELD(elf, p, Shdr, sh_flags);
    *offset = FIELD(elf, p, Shdr, sh_offset);
    *len = clip(elf, *offset, FIELD(elf, p, Shdr, sh_size));
    return true;
}

bool elf_header_at(struct elf_header *out, const struct elf *elf, size_t i)
{
    if (i >= elf->num_headers)
        return false;
    const uint8_t *p = elf->bytes + elf->phoff + i * SIZE(elf, Phdr);
    *out = (struct elf_header){
        .type = (uint32_t)FIELD(elf, p, Phdr, p_type),
        .flags = (uint32_t)FIELD(elf, p, Phdr, p_flags),
        .vaddr = FIELD(elf, p, Phdr, p_vaddr),
        .align = FIELD(elf, p, Phdr, p_align),
    };
    out->bytes =
        file_bytes(elf, FIELD(elf, p, Phdr, p_offset), FIELD(elf, p, Phdr, p_filesz), &out->len);
    return true;
}

bool elf_section_at(struct elf_section *out, const struct elf *elf, size_t i)
{
    if (i >= elf->num_sections)
        return false;
    const uint8_t *p = elf->bytes + elf->shoff + i * SIZE(elf, Shdr);
    *out = (struct elf_section){
        .type = (uint32_t)FIELD(elf, p, Shdr, sh_type),
        .link = (uint32_t)FIELD(elf, p, Shdr, sh_link),
        .flags = FIELD(elf, p, Shdr, sh_flags),
        .addr = FIELD(elf, p, Shdr, sh_addr),
        .entsize = FIELD(elf, p, Shdr, sh_entsize),
    };
    const char *name =
        elf->names ? elf_string(elf->names, elf->names_len, FIELD(elf, p, Shdr, sh_name)) : NULL;
    out->name = name ? name : "";
    if (out->type != SHT_NOBITS)
        out->bytes = file_bytes(elf, FIELD(elf, p, Shdr, sh_offset), FIELD(elf, p, Shdr, sh_size),
                                &out->len);
    return true;
}

bool elf_header_find(struct elf_header *out, const struct elf *elf, uint32_t type)
{
    for (size_t i = 0; elf_header_at(out, elf, i); i++)
        if (out->type == type)
            return true;
    return false;
}

bool elf_section_find(struct elf_section *out, const struct elf *elf, const char *name)
{
    for (size_t i = 0; elf_section_at(out, elf, i); i++)
        if (!strcmp(out->name, name))
            return true;
    return false;
}

const char *elf_string(const uint8_t *table, size_t len, uint64_t offset)
{
    if (offset >= len)
        return NULL;
    const size_t left = len - (size_t)offset;
    return memchr(table + offset, 0, left < MAX_NAME ? left : MAX_NAME)
               ? (const char *)table + offset
               : NULL;
}

static const char *find_segments(struct elf *elf)
{
    struct elf_header h;
    uint64_t total = 0, all = 0, at = 0;
    for (size_t n; (n = elf_next_data(elf, &at, elf->len)); at += n)
        all += n;
    for (size_t i = 0; elf_header_at(&h, elf, i); i++) {
        uint64_t offset, len;
        uint32_t type;
        if (h.type != PT_LOAD || !elf_header_place(&offset, &len, &type, elf, i))
            continue;
        if (elf->num_segments == MAX_SEGMENTS)
            return "it has too many segments";
        const uint8_t *p = elf->bytes + elf->phoff + i * SIZE(elf, Phdr);
        const uint64_t mem_len = FIELD(elf, p, Phdr, p_memsz);
        if (mem_len > UINT64_MAX - h.vaddr)
            continue; /* no kernel maps such a segment */
        elf->segments[elf->num_segments++] = (struct segment){
            .vaddr = h.vaddr,
            .offset = len ? offset : 0,
            .file_len = len < mem_len ? len : mem_len,
            .mem_len = mem_len,
            .exec = h.flags & PF_X,
            .write = h.flags & PF_W,
        };
        const struct segment *s = &elf->segments[elf->num_segments - 1];
        at = s->offset;
        for (size_t n; (n = elf_next_data(elf, &at, s->offset + s->file_len)); at += n)
            total += n;
    }
    if (total > 2 * all) /* in files from linkers, segments share a page at most */
        return "its segments overlap";
    return elf->num_segments ? NULL : "it has no segment to load";
}

/* Whether the file has the code itself. Files of debuginfo keep the headers of code sections whose
 * contents were taken out. */
static bool has_code(const struct elf *elf)
{
    struct elf_section section;
    for (size_t i = 0; elf_section_at(&section, elf, i); i++)
        if (section.type == SHT_NOBITS && (section.flags & SHF_EXECINSTR))
            return false;
    return true;
}

static bool read_tables(struct elf *elf, const struct image *image)
{
    const uint8_t *bytes = image->bytes;
    const size_t len = image->len;
    *elf = (struct elf){
        .bytes = bytes, .len = len, .extents = image->extents, .num_extents = image->num_extents
    };
    if (len < sizeof(Elf32_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return false;
    elf->is64 = bytes[EI_CLASS] == ELFCLASS64;
    elf->big = bytes[EI_DATA] == ELFDATA2MSB;
    if ((!elf->is64 && bytes[EI_CLASS] != ELFCLASS32) || len < SIZE(elf, Ehdr))
        return false;
    elf->type = (uint16_t)FIELD(elf, bytes, Ehdr, e_type);
    elf->machine = (uint16_t)FIELD(elf, bytes, Ehdr, e_machine);
    elf->entry = FIELD(elf, bytes, Ehdr, e_entry);
    find_tables(elf);
    return true;
}

/* The bytes of an image without extents are only read. */
static struct image whole(const uint8_t *bytes, size_t len)
{
    return (struct image){ .bytes = (uint8_t *)(uintptr_t)bytes, .len = len };
}

bool elf_read_tables(struct elf *elf, const uint8_t *bytes, size_t len)
{
    const struct image image = whole(bytes, len);
    return read_tables(elf, &image);
}

bool elf_read_image_tables(struct elf *elf, const struct image *image)
{
    return read_tables(elf, image);
}

bool elf_read(struct elf *elf, const uint8_t *bytes, size_t len, const char **why)
{
    const struct image image = whole(bytes, len);
    return elf_read_image(elf, &image, why);
}

bool elf_read_image(struct elf *elf, const struct image *image, const char **why)
{
    *why = "not ELF";
    if (!read_tables(elf, image))
        return false;
    *why = elf->type == ET_REL ? "an object file: nothing of it is mapped" : "not a program";
    if (elf->type != ET_EXEC && elf->type != ET_DYN)
        return false;
    *why = find_arch(elf);
    if (!*why)
        *why = find_segments(elf);
    if (!*why && !has_code(elf))
        *why = "debuginfo without code";
    return !*why;
}

bool elf_has_symtab(const struct elf *elf)
{
    struct elf_section section;
    for (size_t i = 0; elf_section_at(&section, elf, i); i++)
        if (section.type == SHT_SYMTAB)
            return true;
    return false;
}

const uint8_t *elf_at(const struct elf *elf, uint64_t vaddr, size_t *len)
{
    for (size_t i = 0; i < elf->num_segments; i++) {
        const struct segment *s = &elf->segments[i];
        if (vaddr >= s->vaddr && vaddr - s->vaddr < s->file_len)
            return file_bytes(elf, s->offset + (vaddr - s->vaddr), s->file_len - (vaddr - s->vaddr),
                              len);
    }
    *len = 0;
    return NULL;
}

bool elf_dynamic(const struct elf *elf, int64_t tag, uint64_t *value)
{
    struct elf_header h;
    if (!elf_header_find(&h, elf, PT_DYNAMIC) || !h.bytes)
        return false;
    const size_t size = SIZE(elf, Dyn);
    for (size_t at = 0; h.len - at >= size; at += size) {
        const uint64_t found = FIELD(elf, h.bytes + at, Dyn, d_tag);
        if (found == DT_NULL)
            return false;
        if (found == (uint64_t)tag) {
            *value = FIELD(elf, h.bytes + at, Dyn, d_un);
            return true;
        }
    }
    return false;
}

bool elf_is_static(const struct elf *elf)
{
    struct elf_header h;
    uint64_t value = 0;
    if (elf_header_find(&h, elf, PT_INTERP) || elf_dynamic(elf, DT_NEEDED, &value))
        return false;
    if (!elf_header_find(&h, elf, PT_DYNAMIC))
        return true;
    return elf_dynamic(elf, DT_FLAGS_1, &value) && (value & DF_1_PIE);
}

/* ---- notes ---- */

#define NT_GO_BUILD_ID 4

struct build_ids {
    char gnu[65], go[33];
};

static void hex(char *out, size_t max, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len && 2 * i + 2 < max; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static void read_note(struct build_ids *ids, uint32_t type, const uint8_t *name, size_t name_len,
                      const uint8_t *desc, size_t desc_len)
{
    if (type == NT_GNU_BUILD_ID && name_len == 4 && !memcmp(name, "GNU", 4) && !*ids->gnu)
        hex(ids->gnu, sizeof ids->gnu, desc, desc_len);
    if (type == NT_GO_BUILD_ID && name_len == 4 && !memcmp(name, "Go\0", 4) && !*ids->go) {
        /* Go's build-id is a text of four hashes: too long to print, so it is hashed. */
        XXH128_canonical_t hash;
        XXH128_canonicalFromHash(&hash, XXH3_128bits(desc, desc_len));
        hex(ids->go, sizeof ids->go, hash.digest, sizeof hash.digest);
    }
}

static void read_notes(struct build_ids *ids, const struct elf *elf, const uint8_t *p, size_t len,
                       size_t align)
{
    while (len >= 12) {
        const uint64_t name_len = elf_word(elf, p, 4), desc_len = elf_word(elf, p + 4, 4);
        const uint64_t desc = 12 + ((name_len + align - 1) & ~(uint64_t)(align - 1));
        const uint64_t next = desc + ((desc_len + align - 1) & ~(uint64_t)(align - 1));
        if (desc > len || desc_len > len - desc)
            return;
        read_note(ids, (uint32_t)elf_word(elf, p + 8, 4), p + 12, name_len, p + desc, desc_len);
        if (next >= len)
            return;
        p += next;
        len -= next;
    }
}

void elf_build_id(char *out, size_t max, const struct elf *elf, bool *is_go)
{
    enum {
        MAX_TABLES = 64,
        MAX_LEN = 1 << 16
    }; /* limits of the work: hostile headers may all name the same bytes */
    struct build_ids ids = { 0 };
    struct elf_header h;
    struct elf_section s;
    int left = MAX_TABLES;
    for (size_t i = 0; elf_header_at(&h, elf, i); i++)
        if (h.type == PT_NOTE && left-- > 0)
            read_notes(&ids, elf, h.bytes, h.len < MAX_LEN ? h.len : MAX_LEN, h.align == 8 ? 8 : 4);
    for (size_t i = 0; elf_section_at(&s, elf, i); i++)
        if (s.type == SHT_NOTE && left-- > 0)
            read_notes(&ids, elf, s.bytes, s.len < MAX_LEN ? s.len : MAX_LEN, 4);
    *is_go = *ids.go;
    snprintf(out, max, "%s", *ids.gnu ? ids.gnu : ids.go);
}
