/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace fingerprints: builds a database of fingerprints from libraries that have symbols.
 */
#define _GNU_SOURCE
#include "../code/code.h"
#include "../constants/constants.h"
#include "../names/fingerprints.h"
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *origin_text;
static bool all_functions;

static struct entry {
    struct fingerprint f;
    size_t order; /* position in the order of reading */
} * list;
static size_t num_list, room_list;

static int no_memory(void)
{
    return tool_error("fingerprints: %s", strerror(ENOMEM));
}

static int add(const uint8_t hash[16], const char *name, const char *origin)
{
    if (num_list == room_list) {
        const size_t room = 2 * room_list + 1024;
        struct entry *at = realloc(list, room * sizeof *at);
        if (!at)
            return no_memory();
        list = at;
        room_list = room;
    }
    list[num_list].order = num_list;
    struct fingerprint *one = &list[num_list].f;
    memcpy(one->hash, hash, sizeof one->hash);
    one->name = strdup(name);
    one->origin = strdup(origin);
    if (!one->name || !one->origin)
        return no_memory();
    num_list++;
    return 0;
}

/* ---- functions of an ELF file, linked or not ---- */

static enum arch arch_of(const GElf_Ehdr *h)
{
    static const struct {
        uint16_t machine;
        uint8_t arch;
    } rows[] = {
        { EM_X86_64, ARCH_X86_64 },   { EM_386, ARCH_X86_32 },  { EM_AARCH64, ARCH_ARM64 },
        { EM_SPARCV9, ARCH_SPARC64 }, { EM_PPC64, ARCH_PPC64 }, { EM_S390, ARCH_S390X },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].machine == h->e_machine)
            return (enum arch)rows[i].arch;
    return ARCH_NONE;
}

struct file {
    Elf *elf;
    GElf_Ehdr header;
    const char *origin;
};

/* Gets the bytes of a function in its section; false if the section has none. */
static bool code_of(struct code *out, const struct file *f, const GElf_Sym *sym)
{
    GElf_Shdr section;
    Elf_Scn *scn = elf_getscn(f->elf, sym->st_shndx);
    if (sym->st_shndx >= SHN_LORESERVE || !scn || !gelf_getshdr(scn, &section) ||
        !(section.sh_flags & SHF_EXECINSTR))
        return false;
    const Elf_Data *data = elf_getdata(scn, NULL);
    const uint64_t at = sym->st_value - (f->header.e_type == ET_REL ? 0 : section.sh_addr);
    if (!data || !data->d_buf || at >= data->d_size || sym->st_size > data->d_size - at)
        return false;
    *out = (struct code){ .bytes = (const uint8_t *)data->d_buf + at,
                          .len = sym->st_size,
                          .address = sym->st_value,
                          .arch = arch_of(&f->header),
                          .big_endian = f->header.e_ident[EI_DATA] == ELFDATA2MSB };
    return out->len > 0;
}

/* Whether a function is worth an entry: its instructions, immediates or name (if it says how)
 * show crypto. Short code with a name only is left out, because the same code occurs in many
 * programs. */
static bool is_wanted(const struct code *code, const char *name)
{
    enum { SHORT = 64 };
    struct name_info info;
    return all_functions || constants_in_code(code->bytes, code->len, code->big_endian) ||
           (code_candidate(code) && code_marks(code)) ||
           (code->len >= SHORT && name_lookup(&info, name) && info.how != HOW_NONE);
}

static bool is_name(const char *name)
{
    const size_t len = strlen(name);
    if (len == 0 || len > 200)
        return false;
    for (size_t i = 0; i < len; i++)
        if (name[i] <= ' ' || name[i] > '~')
            return false;
    return true;
}

static int read_symbols(const struct file *f, Elf_Scn *scn, const GElf_Shdr *section)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    GElf_Sym sym;
    for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
        const char *name = elf_strptr(f->elf, section->sh_link, sym.st_name);
        struct code code;
        uint8_t hash[16];
        if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || !name || !is_name(name) ||
            !code_of(&code, f, &sym) || !is_wanted(&code, name) || !code_fingerprint(hash, &code))
            continue;
        if (add(hash, name, f->origin))
            return EXIT_FAILURE;
    }
    return 0;
}

static int read_elf(Elf *elf, const char *origin)
{
    struct file f = { .elf = elf, .origin = origin };
    GElf_Shdr section;
    if (!gelf_getehdr(elf, &f.header) || arch_of(&f.header) == ARCH_NONE)
        return 0;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;)
        if (gelf_getshdr(scn, &section) && section.sh_type == SHT_SYMTAB &&
            read_symbols(&f, scn, &section))
            return EXIT_FAILURE;
    return 0;
}

/* ---- files ---- */

static int read_archive(Elf *archive, int fd, const char *origin)
{
    int code = 0;
    Elf *member;
    for (Elf_Cmd cmd = ELF_C_READ; !code && (member = elf_begin(fd, cmd, archive)) != NULL;) {
        if (elf_kind(member) == ELF_K_ELF)
            code = read_elf(member, origin);
        cmd = elf_next(member);
        elf_end(member);
    }
    return code;
}

/* Reads a database that was built before; its lines keep their origin. */
static int read_database(const char *path)
{
    struct fingerprints db;
    int code = 0;
    if (!fingerprints_read(&db, path))
        return tool_error("%s: neither ELF, nor an archive, nor a database", path);
    for (size_t i = 0; !code && i < db.num; i++)
        code = add(db.at[i].hash, db.at[i].name, db.at[i].origin);
    fingerprints_free(&db);
    return code;
}

static int read_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *origin = origin_text ? origin_text : slash ? slash + 1 : path;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tool_error("%s: %s", path, strerror(errno));
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const Elf_Kind kind = elf ? elf_kind(elf) : ELF_K_NONE;
    int code = kind == ELF_K_AR    ? read_archive(elf, fd, origin)
               : kind == ELF_K_ELF ? read_elf(elf, origin)
                                   : read_database(path);
    if (elf)
        elf_end(elf);
    close(fd);
    return code;
}

/* ---- output: one line for each hash ---- */

static bool tells(const char *name)
{
    struct name_info info;
    return name_lookup(&info, name);
}

/* Orders entries by hash; among several names for the same code, first those that names.def
 * knows, then the shortest; among several origins, the one that was read first. */
static int by_hash_and_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = fingerprint_order(&x->f, &y->f);
    if (order)
        return order;
    if (tells(x->f.name) != tells(y->f.name))
        return tells(x->f.name) ? -1 : 1;
    const size_t x_len = strlen(x->f.name), y_len = strlen(y->f.name);
    if (x_len != y_len)
        return x_len < y_len ? -1 : 1;
    const int names = strcmp(x->f.name, y->f.name);
    return names ? names : x->order < y->order ? -1 : x->order > y->order;
}

/* The length of the words with which both origins begin: "OpenSSL" for "OpenSSL 3.0" and
 * "OpenSSL 3.5". */
static size_t common_words(const char *a, const char *b, size_t len)
{
    size_t i = 0, end = 0;
    for (; i < len && b[i] && a[i] == b[i]; i++)
        if (a[i] == ' ')
            end = i;
    return i == len && (!b[i] || b[i] == ' ') ? len : end;
}

static void print_list(void)
{
    qsort(list, num_list, sizeof *list, by_hash_and_name);
    puts("# SPDX-License-Identifier: Apache-2.0\n"
         "# Hash, name and origin of functions; written by headrace-fingerprints.");
    for (size_t i = 0, next; i < num_list; i = next) {
        const struct fingerprint *one = &list[i].f;
        size_t len = strlen(one->origin);
        for (next = i + 1; next < num_list && !fingerprint_order(one, &list[next].f); next++) {
            const size_t common = common_words(one->origin, list[next].f.origin, len);
            len = common ? common : len;
        }
        for (size_t k = 0; k < sizeof one->hash; k++)
            printf("%02x", one->hash[k]);
        tool_say(" %s %.*s\n", one->name, (int)len, one->origin);
    }
}

static int fingerprints_main(int argc, char **argv)
{
    int code = EXIT_SUCCESS;
    if (!argc)
        return tool_usage("fingerprints: name a library");
    if (origin_text && !is_name(origin_text) && (!*origin_text || strpbrk(origin_text, "\n\r\t")))
        return tool_usage("fingerprints: --origin must be one line of text");
    elf_version(EV_CURRENT);
    for (int i = 0; i < argc && !code; i++)
        code = read_file(argv[i]);
    if (!code && num_list)
        print_list();
    for (size_t i = 0; i < num_list; i++) {
        free((void *)list[i].f.name);
        free((void *)list[i].f.origin);
    }
    free(list);
    return tool_finish(code);
}

static const struct tool_option fingerprints_options[] = {
    { "origin", 'o', "TEXT", "their source (\"OpenSSL 3.0.20\"); else the file's name", NULL,
      &origin_text },
    { "all", 'a', NULL, "take every function, not only those of crypto", &all_functions, NULL },
    { .name = NULL },
};

const struct command fingerprints_command = {
    .name = "fingerprints",
    .operands = "LIBRARY|ARCHIVE|DATABASE...",
    .summary = "build a database of names for functions of stripped programs",
    .options = fingerprints_options,
    .main = fingerprints_main,
};
