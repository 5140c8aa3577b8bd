/* SPDX-License-Identifier: Apache-2.0 */
/* The inventory of an ELF file: functions by symbols and what proves them, code that nothing names,
 * files that are refused, hostile files, and this program itself. */
#include "elf_maker.h"
#include "object/object_private.h"
#include "test.h"
#include <fcntl.h>
#include <unistd.h>

static const struct object_options plain = { 0 };

static struct object *parse(const struct maker *m, const char **why)
{
    return object_parse(m->bytes, m->len, "made", &plain, why);
}

enum { CODE = 1024 };
static const uint64_t code_at = MAKER_BASE + MAKER_FIRST;

/* begin starts a file with CODE bytes of NOPs in .text. */
static void begin(struct maker *m)
{
    uint8_t nops[CODE];
    memset(nops, 0x90, sizeof nops);
    maker_section(m, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
                  maker_append(m, nops, sizeof nops), CODE);
}

static bool is_function(const struct object *o, uint64_t at, uint64_t start, uint64_t end,
                        const char *name, uint8_t proof)
{
    const struct function *f = object_function(o, code_at + at);
    return f && f->start == code_at + start && f->end == code_at + end && f->proof == proof &&
           (name ? f->name && !strcmp(f->name, name) : !f->name);
}

static const struct maker_symbol symbols[] = {
    { "first", MAKER_BASE + MAKER_FIRST, 64, STT_FUNC },
    { "label", MAKER_BASE + MAKER_FIRST + 16, 0, STT_NOTYPE },
    { "__internal", MAKER_BASE + MAKER_FIRST + 64, 32, STT_FUNC },
    { "exported", MAKER_BASE + MAKER_FIRST + 64, 32, STT_FUNC },
    { "endless", MAKER_BASE + MAKER_FIRST + 128, 0, STT_FUNC },
    { "resolver", MAKER_BASE + MAKER_FIRST + 256, 16, STT_GNU_IFUNC },
    { "overlong", MAKER_BASE + MAKER_FIRST + 300, 1 << 30, STT_FUNC },
    { "inside", MAKER_BASE + MAKER_FIRST + 320, 16, STT_FUNC },
    { "elsewhere", 0x10000000, 16, STT_FUNC },
    { "data", MAKER_BASE + MAKER_FIRST + 8, 16, STT_OBJECT },
};

static void test_symbols(bool is32, bool big, uint16_t machine, enum arch arch, bool dynamic)
{
    struct maker m = { .is32 = is32, .big = big, .machine = machine };
    const char *why;
    begin(&m);
    maker_symbols(&m, symbols, COUNT_OF(symbols), dynamic);
    maker_note(&m, "GNU", NT_GNU_BUILD_ID, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
    maker_finish(&m);
    struct object *o = parse(&m, &why);
    tap(o && o->arch == arch && o->big_endian == big && o->is_stripped == dynamic && !o->is_go &&
            o->is_static && !strcmp(o->build_id, "0123456789abcdef"),
        "object: machine %u, %s-endian, %s", machine, big ? "big" : "little",
        dynamic ? ".dynsym" : ".symtab");
    if (!o)
        return;
    tap(o->num_functions == 6 && is_function(o, 0, 0, 64, "first", PROOF_SYMBOL) &&
            is_function(o, 63, 0, 64, "first", PROOF_SYMBOL),
        "object: a label does not split a function, data is none");
    tap(is_function(o, 80, 64, 96, "exported", PROOF_SYMBOL), "object: the better of two names");
    tap(!object_function(o, code_at + 96) && !object_function(o, code_at - 1),
        "object: an address between functions has none");
    tap(is_function(o, 200, 128, 256, "endless", PROOF_SYMBOL) &&
            is_function(o, 260, 256, 272, "resolver", PROOF_SYMBOL) &&
            is_function(o, 310, 300, 320, "overlong", PROOF_SYMBOL) &&
            is_function(o, 335, 320, 336, "inside", PROOF_SYMBOL),
        "object: a function ends where the next one begins");
    tap(object_vaddr(o, MAKER_FIRST) == code_at && object_vaddr(o, m.len) == UINT64_MAX,
        "object: a file's offset as an address");
    const struct code code = object_code(o, object_function(o, code_at));
    tap(code.len == 64 && code.address == code_at && code.arch == arch &&
            !memcmp(code.bytes, m.bytes + MAKER_FIRST, 64),
        "object: a function's bytes");
    object_free(o);
}

/* ---- code that nothing names ---- */

static void test_gaps(bool no_sections)
{
    /* aesenc xmm0, xmm1; ret: behind the ret of other code, at a multiple of 16, where a function
     * may begin */
    static const uint8_t aes[] = { 0x66, 0x0f, 0x38, 0xdc, 0xc1, 0xc3 };
    struct maker m = { .no_sections = no_sections };
    const char *why;
    begin(&m);
    m.bytes[MAKER_FIRST + 511] = 0xc3;
    memcpy(m.bytes + MAKER_FIRST + 512, aes, sizeof aes);
    maker_symbols(&m, symbols, 1, false);
    maker_finish(&m);
    struct object *o = parse(&m, &why);
    const struct function *f = o ? object_function(o, code_at + 512) : NULL;
    tap(f && f->start == code_at + 512 && !f->proof && !f->name && f->marks,
        "object: code without a name that holds AESENC is found%s",
        no_sections ? ", without section headers" : "");
    tap(o && o->num_functions == (no_sections ? 1 : 2) && !object_function(o, code_at + 100),
        "object: code without a name and without crypto is none");
    object_free(o);
}

/* test_last checks that a last function without a size ends with its section, since data may follow
 * it in the segment. */
static void test_last(void)
{
    static const struct maker_symbol last = { "last", MAKER_BASE + MAKER_FIRST + 960, 0, STT_FUNC };
    struct maker m = { .big = true, .machine = EM_SPARCV9 };
    const char *why;
    begin(&m);
    maker_symbols(&m, &last, 1, false);
    maker_finish(&m);
    struct object *o = parse(&m, &why);
    tap(o && is_function(o, 1000, 960, CODE, "last", PROOF_SYMBOL),
        "object: the last function ends with its section");
    object_free(o);
}

/* ---- files that are refused ---- */

static void refuse(struct maker *m, const char *expected)
{
    const char *why = NULL;
    maker_finish(m);
    struct object *o = parse(m, &why);
    tap(!o && why && strstr(why, expected), "object: refused: %s", expected);
    object_free(o);
}

static void test_refused(void)
{
    const char *why;
    struct maker rel = { .type = ET_REL }, arm = { .machine = EM_ARM, .is32 = true },
                 core = { .type = ET_CORE }, other = { .machine = 0x1234 }, debug = { 0 },
                 overlap = { 0 };
    tap(!object_parse((const uint8_t *)"#!/bin/sh\n", 10, "x", &plain, &why) &&
            !strcmp(why, "not ELF") && !object_parse(NULL, 0, "x", &plain, &why),
        "object: refused: not ELF");
    refuse(&rel, "object file");
    refuse(&core, "not a program");
    refuse(&arm, "32-bit ARM");
    refuse(&other, "machine");
    maker_section(&debug, ".text", SHT_NOBITS, SHF_EXECINSTR, MAKER_FIRST, 64);
    refuse(&debug, "debuginfo");
    maker_append(&overlap, NULL, 4096);
    for (int i = 0; i < 3; i++)
        maker_header(&overlap, PT_LOAD, 0, 5000);
    refuse(&overlap, "overlap");
}

/* ---- hostile files ---- */

static void look(const uint8_t *bytes, size_t len, int *wrong)
{
    const char *why;
    struct object *o = object_parse(bytes, len, "hostile", &plain, &why);
    *wrong += !o == !why;
    for (size_t i = 0; o && i < o->num_functions; i++) {
        const struct function *f = &o->functions[i];
        const struct code code = object_code(o, f);
        *wrong += f->end < f->start || (i && f->start < f[-1].end) || code.len > len ||
                  object_function(o, f->start) != (f->end > f->start ? f : NULL);
    }
    object_free(o);
}

static void test_hostile(bool is32)
{
    struct maker m = { .is32 = is32, .machine = is32 ? EM_386 : EM_X86_64 };
    int wrong = 0;
    begin(&m);
    maker_symbols(&m, symbols, COUNT_OF(symbols), false);
    maker_note(&m, "GNU", NT_GNU_BUILD_ID, "\x01\x23\x45\x67", 4);
    maker_finish(&m);
    for (size_t len = 0; len <= m.len; len += 1 + len / 512) {
        uint8_t *exact = malloc(len + 1); /* so that a sanitizer sees its end */
        memcpy(exact, m.bytes, len);
        look(exact, len, &wrong);
        free(exact);
    }
    tap(!wrong, "object: cut off anywhere, %s-bit", is32 ? "32" : "64");
    wrong = 0;
    for (int i = 0; i < 20000; i++) {
        struct maker damaged = m;
        for (uint32_t n = 1 + random_below(6); n-- > 0;) {
            size_t at = random_below((uint32_t)m.len);
            if (at >= MAKER_FIRST && at < MAKER_FIRST + CODE)
                at %= 256;
            damaged.bytes[at] = (uint8_t)random_below(256);
        }
        look(damaged.bytes, damaged.len, &wrong);
    }
    tap(!wrong, "object: damaged anywhere, %s-bit: functions stay sorted and apart",
        is32 ? "32" : "64");
}

/* ---- this program ---- */

__attribute__((noinline)) int object_test_landmark(int x);
int object_test_landmark(int x)
{
    return x * 3 + 1;
}

static void test_self(void)
{
    const char *why = NULL;
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct object *o = object_open(fd, "self", &plain, &why);
    const struct function *found = NULL;
    for (size_t i = 0; o && i < o->num_functions; i++)
        if (o->functions[i].name && !strcmp(o->functions[i].name, "object_test_landmark"))
            found = &o->functions[i];
    tap(found && found->proof == (PROOF_SYMBOL | PROOF_FDE), "object: own function: %s",
        why ? why : "symbol and FDE");
    if (!found)
        return;
    const size_t dropped = object_drop_image(o);
    const struct code code = object_code(o, found);
    int (*volatile landmark)(int) = object_test_landmark;
    tap(dropped > 0 && code.len && landmark(1) == 4 &&
            !memcmp((const void *)(uintptr_t)landmark, code.bytes, code.len),
        "object: its bytes in the file, read again, are those in memory");
    object_free(o);

    struct objects *all = objects_new(&plain);
    const int other = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
    o = objects_get(all, fd, "self", &why);
    tap(o && objects_get(all, other, "again", &why) == o, "objects: one file, one object");
    tap(!objects_get(all, none, "null", &why) && why && !objects_get(all, none, "null", &why) &&
            why,
        "objects: what is refused stays refused: %s", why ? why : "");
    close(fd);
    close(other);
    close(none);
    o = objects_get(all, -1, "closed", &why);
    tap(!o && why, "objects: no file: %s", why ? why : "");
    objects_free(all);
}

/* ---- debuginfo, where the distribution's is installed ---- */

/* open_libc opens the C library of this process. Its debuginfo is often installed, as debuggers
 * need it. */
static int open_libc(void)
{
    char line[4352];
    int fd = -1;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && fd < 0 && fgets(line, sizeof line, f)) {
        char *path = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (path && strstr(path, "/libc.so.6"))
            fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (f)
        fclose(f);
    return fd;
}

static size_t num_named(const struct object *o)
{
    size_t num = 0;
    for (size_t i = 0; o && i < o->num_functions; i++)
        num += o->functions[i].name != NULL;
    return num;
}

static void test_debuginfo(void)
{
    static const struct object_options with = { .use_debuginfo = true };
    char path[128] = "";
    const char *why;
    const int fd = open_libc();
    struct object *o = object_open(fd, "libc", &plain, &why);
    if (o)
        snprintf(path, sizeof path, "/usr/lib/debug/.build-id/%.2s/%s.debug", o->build_id,
                 o->build_id + 2);
    if (!o || !o->is_stripped || access(path, R_OK)) {
        tap_skip("debuginfo of libc is not installed", "object: names from debuginfo");
    } else {
        struct object *more = object_open(fd, "libc", &with, &why);
        tap(num_named(more) > num_named(o), "object: names from debuginfo");
        object_free(more);
    }
    object_free(o);
    if (fd >= 0)
        close(fd);
}

int main(void)
{
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        test_symbols(false, false, EM_X86_64, ARCH_X86_64, dynamic);
        test_symbols(true, false, EM_386, ARCH_X86_32, dynamic);
        test_symbols(false, false, EM_AARCH64, ARCH_ARM64, dynamic);
        test_symbols(false, true, EM_SPARCV9, ARCH_SPARC64, dynamic);
        test_symbols(false, true, EM_PPC64, ARCH_PPC64, dynamic);
        test_symbols(false, true, EM_S390, ARCH_S390X, dynamic);
    }
    test_gaps(false);
    test_gaps(true);
    test_last();
    test_refused();
    test_hostile(false);
    test_hostile(true);
    test_self();
    test_debuginfo();
    return tap_done();
}
