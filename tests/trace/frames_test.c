/* SPDX-License-Identifier: Apache-2.0 */
/* .eh_frame: which functions each form of FDE tells of, and that damaged ones tell nothing
 * wrong. */
#include "elf_maker.h"
#include "object/object_build.h"
#include "test.h"

struct frames {
    uint8_t bytes[512];
    size_t len;
    struct maker m; /* for numbers in its byte order */
};

static void number(struct frames *f, uint64_t value, size_t size)
{
    maker_number(&f->m, f->bytes + f->len, value, size);
    f->len += size;
}

static void text(struct frames *f, const char *bytes, size_t len)
{
    memcpy(f->bytes + f->len, bytes, len);
    f->len += len;
}

/* begin_entry starts a CIE or FDE and returns the offset of its length, which end_entry() fills
 * in. */
static size_t begin_entry(struct frames *f, bool wide)
{
    const size_t at = f->len;
    number(f, wide ? UINT32_MAX : 0, 4);
    if (wide)
        number(f, 0, 8);
    return at;
}

static void end_entry(struct frames *f, size_t at, bool wide)
{
    while (f->len % 4)
        number(f, 0, 1);
    if (wide)
        maker_number(&f->m, f->bytes + at + 4, f->len - at - 12, 8);
    else
        maker_number(&f->m, f->bytes + at, f->len - at - 4, 4);
}

struct shape {
    const char *name;
    bool is32, big, wide;
    uint8_t version;
    const char *augmentation;
    uint8_t encoding; /* encoding of addresses, if the augmentation has an R */
    size_t pointer;   /* length of an address in bytes */
    bool relative;    /* addresses are relative to where they stand */
    bool found;
};

static const struct shape shapes[] = {
    { "zR, pc-relative sdata4", false, false, false, 1, "zR", 0x1b, 4, true, true },
    { "zR, pc-relative sdata8", false, false, false, 1, "zR", 0x1c, 8, true, true },
    { "zPLR", false, false, false, 1, "zPLR", 0x1b, 4, true, true },
    { "zRS (signal frame)", false, false, false, 1, "zRS", 0x1b, 4, true, true },
    { "no augmentation: whole pointers", false, false, false, 1, "", 0, 8, false, true },
    { "absolute udata4", false, false, false, 3, "zR", 0x03, 4, false, true },
    { "version 4", false, false, false, 4, "zR", 0x1b, 4, true, true },
    { "64-bit DWARF", false, false, true, 1, "zR", 0x1b, 4, true, true },
    { "32-bit file", true, false, false, 1, "zR", 0x1b, 4, true, true },
    { "big-endian file", false, true, false, 1, "zR", 0x1b, 4, true, true },
    { "32-bit whole pointers", true, false, false, 1, "", 0, 4, false, true },
    { "indirect: refused", false, false, false, 1, "zR", 0x9b, 4, true, false },
    { "relative to data: refused", false, false, false, 1, "zR", 0x3b, 4, true, false },
    { "unknown form: refused", false, false, false, 1, "zR", 0x0f, 4, true, false },
    { "version 2: refused", false, false, false, 2, "zR", 0x1b, 4, true, false },
};

static void make_cie(struct frames *f, const struct shape *s)
{
    const size_t at = begin_entry(f, s->wide);
    number(f, 0, s->wide ? 8 : 4);
    number(f, s->version, 1);
    text(f, s->augmentation, strlen(s->augmentation) + 1);
    if (s->version == 4)
        number(f, s->is32 ? 0x0400 : 0x0800, 2);
    number(f, 1, 1);    /* code alignment */
    number(f, 0x78, 1); /* data alignment: -8 */
    number(f, 16, 1);   /* return address */
    if (*s->augmentation == 'z')
        number(f, 7, 1);
    for (const char *a = s->augmentation; *a; a++) {
        if (*a == 'P') { /* udata4 */
            number(f, 0x03, 1);
            number(f, 0x12345678, 4);
        } else if (*a == 'L') {
            number(f, 0x1b, 1);
        } else if (*a == 'R') {
            number(f, s->encoding, 1);
        }
    }
    end_entry(f, at, s->wide);
}

/* make_fde adds an FDE of the function of `len` bytes at the address `start`; `base` is the address
 * of the first byte of the frames. */
static void make_fde(struct frames *f, const struct shape *s, uint64_t base, uint64_t start,
                     uint64_t len)
{
    const size_t at = begin_entry(f, s->wide);
    number(f, f->len, s->wide ? 8 : 4); /* back to the CIE at offset 0 */
    number(f, s->relative ? start - (base + f->len) : start, s->pointer);
    number(f, len, s->pointer);
    number(f, 0, 1);
    end_entry(f, at, s->wide);
}

enum { CODE = 256 };

static size_t functions_of(struct function_list *list, const struct frames *f,
                           const struct shape *s, bool by_header)
{
    struct maker m = { .is32 = s->is32, .big = s->big, .no_sections = by_header };
    struct elf elf;
    const char *why;
    m.machine = s->big ? EM_S390 : s->is32 ? EM_386 : EM_X86_64;
    const size_t code = maker_append(&m, NULL, CODE);
    const size_t at = maker_append(&m, f->bytes, f->len);
    maker_section(&m, ".text", SHT_PROGBITS, SHF_EXECINSTR, code, CODE);
    maker_section(&m, ".eh_frame", SHT_PROGBITS, 0, at, f->len);
    if (by_header) {
        uint8_t header[8] = { 1, 0x03, 0xff, 0xff };
        maker_number(&m, header + 4, MAKER_BASE + at, 4);
        maker_header(&m, PT_GNU_EH_FRAME, maker_append(&m, header, sizeof header), sizeof header);
    }
    maker_finish(&m);
    *list = (struct function_list){ 0 };
    if (!elf_read(&elf, m.bytes, m.len, &why))
        return (size_t)complain("%s", why);
    functions_from_frames(list, &elf);
    return list->num;
}

static const uint64_t code_at = MAKER_BASE + MAKER_FIRST,
                      frames_at = MAKER_BASE + MAKER_FIRST + CODE;

static void test_shape(const struct shape *s, bool by_header)
{
    struct frames f = { .m.big = s->big };
    struct function_list list;
    make_cie(&f, s);
    make_fde(&f, s, frames_at, code_at + 16, 32);
    make_fde(&f, s, frames_at, code_at + 64, 8);
    make_fde(&f, s, frames_at, code_at + 100000, 8); /* no code there */
    number(&f, 0, 4);
    const size_t num = functions_of(&list, &f, s, by_header);
    bool right = num == (s->found ? 2 : 0);
    if (s->found && num == 2)
        right = list.at[0].start == code_at + 16 && list.at[0].end == code_at + 48 &&
                list.at[0].proof == PROOF_FDE && list.at[1].start == code_at + 64 &&
                list.at[1].end == code_at + 72;
    tap(right, "frames: %s%s", s->name, by_header ? ", found by the program header" : "");
    free(list.at);
}

/* test_damage sets each byte to each of a few values: every function that is found then must lie
 * within the file. */
static void test_damage(void)
{
    static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
    struct frames f = { 0 };
    int wrong = 0;
    make_cie(&f, &shapes[0]);
    make_fde(&f, &shapes[0], frames_at, code_at + 16, 32);
    for (size_t i = 0; i < f.len * sizeof values; i++) {
        struct frames damaged = f;
        struct function_list list;
        damaged.bytes[i / sizeof values] = values[i % sizeof values];
        functions_of(&list, &damaged, &shapes[0], i & 1);
        for (size_t k = 0; k < list.num; k++)
            wrong += list.at[k].start < MAKER_BASE || list.at[k].end < list.at[k].start ||
                     list.at[k].end > MAKER_BASE + sizeof(struct maker);
        free(list.at);
    }
    tap(!wrong, "frames: %zu damaged ones tell of no function outside the code",
        f.len * sizeof values);
}

static void test_short(void)
{
    struct frames f = { 0 };
    struct function_list list;
    int wrong = 0;
    make_cie(&f, &shapes[0]);
    const size_t cie = f.len;
    make_fde(&f, &shapes[0], frames_at, code_at + 16, 32);
    const size_t whole = f.len;
    for (f.len = 0; f.len <= whole; f.len++) {
        const size_t num = functions_of(&list, &f, &shapes[0], false);
        wrong += num != (f.len == whole);
        free(list.at);
    }
    tap(!wrong && cie < whole, "frames: one that is cut off tells nothing");
}

int main(void)
{
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        test_shape(&shapes[i], false);
        test_shape(&shapes[i], true);
    }
    test_damage();
    test_short();
    return tap_done();
}
