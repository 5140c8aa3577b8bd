/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprints of functions: changes that a linker makes do not change them, all others do; and
 * OpenSSL's functions have the same in its static library and in its shared, stripped one. */
#include "object/object.h"
#include "test.h"
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#define CODE(literal) literal, sizeof(literal) - 1

static bool fingerprint(uint8_t out[16], const char *bytes, size_t len, enum arch arch)
{
    const struct code code = {
        .bytes = (const uint8_t *)bytes, .len = len, .address = 0x1000, .arch = arch
    };
    return code_fingerprint(out, &code);
}

static const struct {
    const char *a;
    size_t a_len;
    const char *b;
    size_t b_len;
    bool same;
    enum arch arch;
    const char *what;
} pairs[] = {
#define TAIL "\x48\x89\xc8\x48\x01\xc8\x90\xc3" /* mov, add, nop, ret */
    { CODE("\x48\x8d\x05\x00\x00\x00\x00" TAIL), CODE("\x48\x8d\x05\x78\x56\x34\x12" TAIL), true,
      ARCH_X86_64, "a displacement from RIP" },
    { CODE("\xe8\x00\x00\x00\x00" TAIL), CODE("\xe8\x78\x56\x34\x12" TAIL), true, ARCH_X86_64,
      "the target of a call" },
    { CODE("\x0f\x84\x00\x00\x00\x00" TAIL), CODE("\x0f\x84\x78\x56\x34\x12" TAIL), true,
      ARCH_X86_64, "the target of a branch" },
    { CODE("\xb8\x00\x00\x00\x00" TAIL), CODE("\xb8\x00\x10\x40\x00" TAIL), true, ARCH_X86_64,
      "an absolute address of 32 bits" },
    { CODE("\x48\xb8\x00\x00\x00\x00\x00\x00\x00\x00" TAIL),
      CODE("\x48\xb8\x00\x10\x40\x00\x00\x00\x00\x00" TAIL), true, ARCH_X86_64, "one of 64 bits" },
    { CODE("\x48\x8b\x04\xc5\x00\x00\x00\x00" TAIL), CODE("\x48\x8b\x04\xc5\x00\x10\x60\x00" TAIL),
      true, ARCH_X86_64, "an absolute displacement" },
    { CODE("\x48\x8b\x05\x00\x00\x00\x00" TAIL), CODE("\x48\x8d\x05\x78\x56\x34\x12" TAIL), true,
      ARCH_X86_64, "a relaxed load from the GOT" },
    { CODE("\xff\x15\x00\x00\x00\x00" TAIL), CODE("\x67\xe8\x78\x56\x34\x12" TAIL), true,
      ARCH_X86_64, "a relaxed call through the GOT" },
    { CODE("\x31\xc0" TAIL), CODE("\x31\xc0" TAIL "\x0f\x1f\x40\x00\x66\x90\xcc\xcc"), true,
      ARCH_X86_64, "padding of no-operations and INT3" },
    { CODE("\x31\xc0" TAIL), CODE("\x31\xc0" TAIL "\x00\x00\x00"), true, ARCH_X86_64,
      "padding of zeros" },
    { CODE("\x31\xc0" TAIL), CODE("\x31\xc9" TAIL), false, ARCH_X86_64, "another register" },
    { CODE("\x83\xc0\x01" TAIL), CODE("\x83\xc0\x02" TAIL), false, ARCH_X86_64,
      "another small number" },
    { CODE("\xb8\x01\x00\x00\x00" TAIL), CODE("\xb8\x02\x00\x00\x00" TAIL), false, ARCH_X86_64,
      "another number of 32 bits" },
    { CODE("\x75\x02" TAIL), CODE("\x75\x04" TAIL), false, ARCH_X86_64, "another short branch" },
    { CODE("\x48\xb8\x55\x55\x55\x55\x55\x55\x55\x55" TAIL),
      CODE("\x48\xb8\x33\x33\x33\x33\x33\x33\x33\x33" TAIL), false, ARCH_X86_64, "another mask" },
    { CODE("\x31\xc0" TAIL), CODE("\x90\x31\xc0" TAIL), false, ARCH_X86_64,
      "a no-operation that is not at the end" },
    { CODE("\x00\x00\x00\x90\x00\x00\x00\x91\x00\x00\x00\x94\xc0\x03\x5f\xd6"),
      CODE("\x20\x00\x00\xb0\x00\x40\x00\x91\x10\x00\x00\x94\xc0\x03\x5f\xd6"), true, ARCH_ARM64,
      "arm64: ADRP, ADD, BL" },
    { CODE("\x00\x00\x00\x90\x20\x00\x00\x91\x00\x00\x00\x94\xc0\x03\x5f\xd6"),
      CODE("\x00\x00\x00\x90\x20\x04\x00\x91\x00\x00\x00\x94\xc0\x03\x5f\xd6"), false, ARCH_ARM64,
      "arm64: ADD to another register" },
    { CODE("\x03\x00\x00\x00\x82\x10\x60\x00\x40\x00\x00\x00\x01\x00\x00\x00\x81\xc3\xe0\x08"),
      CODE("\x03\x00\x12\x34\x82\x10\x61\x23\x40\x00\x00\x77\x01\x00\x00\x00\x81\xc3\xe0\x08"),
      true, ARCH_SPARC64, "SPARC: SETHI, OR, CALL" },
};

static void check_pairs(void)
{
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        uint8_t a[16] = { 0 }, b[16] = { 0 };
        if (!fingerprint(a, pairs[i].a, pairs[i].a_len, pairs[i].arch) ||
            !fingerprint(b, pairs[i].b, pairs[i].b_len, pairs[i].arch) ||
            !memcmp(a, b, sizeof a) != pairs[i].same)
            complain("%s: %s", pairs[i].what, pairs[i].same ? "differs" : "does not differ");
    }
    uint8_t out[16];
    if (fingerprint(out, CODE("\x31\xc0\x31\xc0\xc3"), ARCH_X86_64) ||
        fingerprint(out, "", 0, ARCH_X86_64) ||
        fingerprint(out, CODE("\x90\x90\x90\x90\x90\x90"), ARCH_X86_64))
        complain("a fingerprint of less than four instructions");
    tap(!complaints_so_far(), "%zu pairs of functions", COUNT_OF(pairs));
}

/* ---- OpenSSL as Debian has it ---- */

#define FOLDER "/usr/lib/x86_64-linux-gnu/"

struct named {
    uint8_t hash[16];
    char name[64];
};
struct list {
    struct named *at;
    size_t num, max;
};

static void add(struct list *list, const uint8_t *bytes, size_t len, const char *name)
{
    struct named entry = { .name = "" };
    const struct code code = { .bytes = bytes, .len = len, .arch = ARCH_X86_64 };
    if (!code_fingerprint(entry.hash, &code))
        return;
    snprintf(entry.name, sizeof entry.name, "%s", name);
    if (list->num == list->max) {
        list->max = list->max ? 2 * list->max : 1024;
        list->at = realloc(list->at, list->max * sizeof *list->at);
    }
    list->at[list->num++] = entry;
}

/* add_symbols adds the fingerprints of all functions in a symbol table of this type. */
static void add_symbols(struct list *list, Elf *elf, Elf64_Word type)
{
    GElf_Shdr table, section;
    GElf_Sym symbol;
    for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
        gelf_getshdr(scn, &table);
        if (table.sh_type != type)
            continue;
        Elf_Data *data = elf_getdata(scn, NULL);
        for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
            Elf_Scn *in = elf_getscn(elf, symbol.st_shndx);
            if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size || !in ||
                symbol.st_shndx >= SHN_LORESERVE)
                continue;
            Elf_Data *text = elf_getdata(in, NULL);
            gelf_getshdr(in, &section);
            const uint64_t at = symbol.st_value - section.sh_addr;
            if (text && text->d_buf && at + symbol.st_size <= text->d_size)
                add(list, (const uint8_t *)text->d_buf + at, symbol.st_size,
                    elf_strptr(elf, table.sh_link, symbol.st_name));
        }
    }
}

static void each_member(struct list *list, int fd)
{
    Elf *archive = elf_begin(fd, ELF_C_READ, NULL), *member;
    Elf_Cmd command = ELF_C_READ;
    while (archive && (member = elf_begin(fd, command, archive))) {
        if (elf_kind(member) == ELF_K_ELF)
            add_symbols(list, member, SHT_SYMTAB);
        command = elf_next(member);
        elf_end(member);
    }
    elf_end(archive);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static int by_hash(const void *a, const void *b)
{
    return memcmp(((const struct named *)a)->hash, ((const struct named *)b)->hash, 16);
}

/* check_exported compares fingerprints of exported functions, which have the same name in both
 * libraries. */
static void check_exported(const struct list *objects, int shared)
{
    struct list library = { 0 };
    Elf *elf = elf_begin(shared, ELF_C_READ, NULL);
    add_symbols(&library, elf, SHT_DYNSYM);
    elf_end(elf);
    qsort(objects->at, objects->num, sizeof *objects->at, by_name);
    size_t compared = 0, same = 0;
    for (size_t i = 0; i < library.num; i++) {
        const struct named *found =
            bsearch(&library.at[i], objects->at, objects->num, sizeof *objects->at, by_name);
        compared += found != NULL;
        same += found && !by_hash(found, &library.at[i]);
    }
    printf("# %zu functions of libcrypto.a, %zu exported by libcrypto.so.3, %zu the same\n",
           objects->num, compared, same);
    tap(compared > 1000 && same * 100 >= compared * 95, "OpenSSL: exported functions are the same");
    free(library.at);
}

/* check_stripped checks that functions with marks in libcrypto.so.3, where most have no symbol and
 * only .eh_frame tells where they begin and end, have the fingerprints of libcrypto.a's. */
static void check_stripped(const struct list *objects, int shared)
{
    const char *why = "";
    const struct object_options options = { 0 };
    struct object *object = object_open(shared, "libcrypto.so.3", &options, &why);
    size_t num = 0, found = 0;
    qsort(objects->at, objects->num, sizeof *objects->at, by_hash);
    for (size_t i = 0; object && i < object->num_functions; i++) {
        const struct function *f = &object->functions[i];
        const struct code code = object_code(object, f);
        struct named key;
        if (!f->marks || !code_fingerprint(key.hash, &code))
            continue;
        num++;
        if (bsearch(&key, objects->at, objects->num, sizeof *objects->at, by_hash))
            found++;
        else
            printf("# no fingerprint for %#llx\n", (unsigned long long)f->start);
    }
    printf("# %zu functions with marks in libcrypto.so.3, %zu found by fingerprint\n", num, found);
    tap(num >= 40 && found * 100 >= num * 95, "OpenSSL: stripped functions are found");
    object_free(object);
}

static void check_openssl(void)
{
    struct list objects = { 0 };
    const int archive = open(FOLDER "libcrypto.a", O_RDONLY);
    const int shared = open(FOLDER "libcrypto.so.3", O_RDONLY);
    if (archive < 0 || shared < 0) {
        tap_skip("no " FOLDER "libcrypto.a and libcrypto.so.3", "OpenSSL, linked and not");
        return;
    }
    elf_version(EV_CURRENT);
    each_member(&objects, archive);
    check_exported(&objects, shared);
    check_stripped(&objects, shared);
    free(objects.at);
    close(archive);
    close(shared);
}

int main(void)
{
    check_pairs();
    check_openssl();
    return tap_done();
}
