/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds functions in .eh_frame (LSB Core, "Exception Frames"; DWARF 5, section 6.4). Of each FDE
 * only the function's start and length are read; the augmentation string of its CIE says how they
 * are encoded. The table survives strip, and is found by a program header if there are no section
 * headers. Call frame instructions are never interpreted.
 */
#include "../budget.h"
#include "object_build.h"
#include <string.h>

enum { /* DW_EH_PE_... */
       FORM_MASK = 0x0f,
       FORM_PTR = 0x00,
       FORM_ULEB = 0x01,
       FORM_U2 = 0x02,
       FORM_U4 = 0x03,
       FORM_U8 = 0x04,
       FORM_SLEB = 0x09,
       FORM_S2 = 0x0a,
       FORM_S4 = 0x0b,
       FORM_S8 = 0x0c,
       BASE_MASK = 0xf0, /* the top bit means indirect, which no code address is */
       BASE_NONE = 0x00,
       BASE_PC = 0x10,
       ENCODING_NONE = 0xff,
};

/* Bytes that are taken from the front; p is NULL once there were too few. */
struct cursor {
    const struct elf *elf;
    const uint8_t *p;
    size_t left;
    uint64_t address;
};

static const uint8_t *skip(struct cursor *c, uint64_t len)
{
    const uint8_t *p = c->p;
    if (!p || len > c->left) {
        c->p = NULL;
        c->left = 0;
        return NULL;
    }
    c->p += len;
    c->left -= len;
    c->address += len;
    return p;
}

static uint64_t take(struct cursor *c, size_t size)
{
    const uint8_t *p = skip(c, size);
    return p ? elf_word(c->elf, p, size) : 0;
}

/* Reads a LEB128 number, of at most the ten bytes that 64 bits need. */
static uint64_t take_leb(struct cursor *c, bool is_signed)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const uint8_t byte = (uint8_t)take(c, 1);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80)
            continue;
        if (is_signed && (byte & 0x40) && shift + 7 < 64)
            value |= ~(uint64_t)0 << (shift + 7);
        return value;
    }
    c->p = NULL;
    return 0;
}

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
    const uint64_t sign = (uint64_t)1 << (bits - 1);
    return (value ^ sign) - sign;
}

static uint64_t take_form(struct cursor *c, uint8_t encoding)
{
    switch (encoding & FORM_MASK) {
    case FORM_PTR:
        return take(c, c->elf->is64 ? 8 : 4);
    case FORM_ULEB:
        return take_leb(c, false);
    case FORM_SLEB:
        return take_leb(c, true);
    case FORM_U2:
        return take(c, 2);
    case FORM_U4:
        return take(c, 4);
    case FORM_U8:
    case FORM_S8:
        return take(c, 8);
    case FORM_S2:
        return sign_extend(take(c, 2), 16);
    case FORM_S4:
        return sign_extend(take(c, 4), 32);
    default:
        c->p = NULL;
        return 0;
    }
}

static uint64_t take_pointer(struct cursor *c, uint8_t encoding)
{
    const uint64_t here = c->address;
    const uint64_t value = take_form(c, encoding);
    if ((encoding & BASE_MASK) == BASE_PC)
        return c->elf->is64 ? here + value : (uint32_t)(here + value);
    if ((encoding & BASE_MASK) != BASE_NONE)
        c->p = NULL;
    return value;
}

/* Gets the encoding of addresses in the FDEs of a CIE; c is behind the CIE's id. */
static uint8_t cie_encoding(struct cursor c)
{
    const uint8_t version = (uint8_t)take(&c, 1);
    const char *augmentation = (const char *)c.p;
    const uint8_t *end = c.p ? memchr(c.p, 0, c.left < 16 ? c.left : 16) : NULL;
    if (!end || (version != 1 && version != 3 && version != 4))
        return ENCODING_NONE;
    skip(&c, (uint64_t)(end - c.p) + 1);
    if (!strcmp(augmentation, "eh"))
        take(&c, c.elf->is64 ? 8 : 4);
    if (version == 4)
        take(&c, 2);     /* sizes of an address and of a segment selector */
    take_leb(&c, false); /* alignment factors of code and data */
    take_leb(&c, true);
    if (version == 1)
        take(&c, 1); /* number of the return address register */
    else
        take_leb(&c, false);
    if (*augmentation != 'z')
        return c.p ? BASE_NONE | FORM_PTR : ENCODING_NONE;
    take_leb(&c, false);
    for (const char *a = augmentation + 1; *a && c.p; a++) {
        if (*a == 'R')
            return c.left ? (uint8_t)take(&c, 1) : ENCODING_NONE;
        if (*a == 'L')
            take(&c, 1);
        else if (*a == 'P')
            take_form(&c, (uint8_t)take(&c, 1));
    }
    return c.p ? BASE_NONE | FORM_PTR : ENCODING_NONE;
}

struct entry {
    struct cursor body; /* the bytes behind the length */
    bool wide;          /* 64-bit DWARF, whose ids have 8 bytes */
};

/* Reads the next CIE or FDE. Returns false at the end. */
static bool next_entry(struct entry *out, struct cursor *c)
{
    uint64_t len = take(c, 4);
    out->wide = len == UINT32_MAX;
    if (out->wide)
        len = take(c, 8);
    out->body = *c;
    if (len == 0 || len > c->left)
        return false;
    out->body.left = (size_t)len;
    return skip(c, len) != NULL;
}

static void read_frames(struct function_list *list, const struct elf *elf, struct cursor c)
{
    const struct cursor all = c;
    size_t known_cie = SIZE_MAX; /* offset of the CIE to which `encoding` belongs */
    uint8_t encoding = ENCODING_NONE;
    struct entry entry, cie;
    while (!list->failed && !budget_over() && next_entry(&entry, &c)) {
        struct cursor *body = &entry.body;
        const size_t id_at = (size_t)(body->p - all.p);
        const uint64_t id = take(body, entry.wide ? 8 : 4);
        if (!body->p || id == 0 || id > id_at)
            continue; /* a CIE, or an FDE whose CIE is missing */
        const size_t cie_at = id_at - (size_t)id;
        if (cie_at != known_cie) {
            struct cursor at = all;
            skip(&at, cie_at);
            known_cie = cie_at;
            encoding = ENCODING_NONE;
            if (next_entry(&cie, &at) && take(&cie.body, cie.wide ? 8 : 4) == 0)
                encoding = cie_encoding(cie.body);
        }
        if (encoding == ENCODING_NONE)
            continue;
        const uint64_t start = take_pointer(body, encoding);
        const uint64_t len = take_form(body, encoding & FORM_MASK);
        if (body->p && len && len <= UINT64_MAX - start)
            functions_add(
                list, elf,
                &(struct function){ .start = start, .end = start + len, .proof = PROOF_FDE });
    }
}

/* Finds .eh_frame by .eh_frame_hdr, which begins with a version, three encodings, and the
 * address of .eh_frame. */
static bool frames_by_header(struct cursor *out, const struct elf *elf)
{
    struct elf_header h;
    if (!elf_header_find(&h, elf, PT_GNU_EH_FRAME) || !h.bytes)
        return false;
    struct cursor c = { elf, h.bytes, h.len, h.vaddr };
    const uint8_t version = (uint8_t)take(&c, 1), encoding = (uint8_t)take(&c, 1);
    take(&c, 2);
    const uint64_t address = take_pointer(&c, encoding);
    if (!c.p || version != 1)
        return false;
    *out = (struct cursor){ .elf = elf, .address = address };
    out->p = elf_at(elf, address, &out->left);
    return out->p;
}

void functions_from_frames(struct function_list *list, const struct elf *elf)
{
    struct elf_section section;
    struct cursor c;
    if (elf_section_find(&section, elf, ".eh_frame") && section.bytes)
        read_frames(list, elf, (struct cursor){ elf, section.bytes, section.len, section.addr });
    else if (frames_by_header(&c, elf))
        read_frames(list, elf, c);
}
