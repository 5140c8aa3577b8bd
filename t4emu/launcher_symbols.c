/* SPDX-License-Identifier: Apache-2.0 */
/* Finds names of functions in the .symtab of a file, or in its .dynsym if it is stripped. The
 * file may be anything, and its contents may be false: libelf checks every offset, and a name is
 * only printed. */
#define _GNU_SOURCE
#include "launcher_report.h"
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SYMBOLS = 1 << 22, LOOK_BACK = 64 };

struct symbol {
    uint64_t start, size; /* size 0: unknown */
    const char *name;
};

struct symbols {
    struct symbol *rows;
    size_t len;
};

static int by_start(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->size != y->size ? (x->size < y->size ? -1 : 1) : strcmp(y->name, x->name);
}

static int is_code(const GElf_Sym *symbol, const char *name)
{
    const unsigned type = GELF_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_NOTYPE) && name &&
           *name && *name != '.' && *name != '$';
}

static void add_section(struct symbols *symbols, Elf *elf, Elf_Scn *section,
                        const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const uint64_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    if (!data || count > MAX_SYMBOLS)
        return;
    symbols->rows = calloc(count, sizeof *symbols->rows);
    for (size_t i = 0; symbols->rows && i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (is_code(&symbol, name))
            symbols->rows[symbols->len++] =
                (struct symbol){ symbol.st_value, symbol.st_size, name };
    }
    if (symbols->len)
        qsort(symbols->rows, symbols->len, sizeof *symbols->rows, by_start);
}

/* .symtab has all symbols; .dynsym is left after stripping. */
static struct symbols symbols_of(Elf *elf)
{
    static const unsigned types[] = { SHT_SYMTAB, SHT_DYNSYM };
    struct symbols symbols = { 0 };
    for (size_t i = 0; i < sizeof types / sizeof *types && !symbols.len; i++) {
        Elf_Scn *section = NULL;
        while (!symbols.len && (section = elf_nextscn(elf, section))) {
            GElf_Shdr header;
            if (!gelf_getshdr(section, &header) || header.sh_type != types[i])
                continue;
            free(symbols.rows);
            symbols.rows = NULL;
            add_section(&symbols, elf, section, &header);
        }
    }
    return symbols;
}

/* The last function that begins at or before the address, and does not end before it. */
static const char *name_at(const struct symbols *symbols, uint64_t address)
{
    size_t low = 0, high = symbols->len;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (symbols->rows[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t back = 0; low && back < LOOK_BACK; back++) {
        const struct symbol *symbol = &symbols->rows[--low];
        if (!symbol->size || address - symbol->start < symbol->size)
            return symbol->name;
    }
    return NULL;
}

/* Opens a file as QEMU does: a path below the sysroot first. */
static int open_file(const char *file, const char *sysroot)
{
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    char below[2 * PATH_MAX];
    struct stat st;
    const int n = snprintf(below, sizeof below, "%s%s", sysroot, file);
    int fd = *file == '/' && n > 0 && (size_t)n < sizeof below ? open(below, flags) : -1;
    if (fd < 0)
        fd = open(file, flags);
    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void name_rows(struct count *rows, size_t len, const char *sysroot)
{
    const int fd = open_file(rows->file, sysroot);
    if (fd < 0)
        return;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        struct symbols symbols = symbols_of(elf);
        for (size_t i = 0; i < len; i++) {
            const char *name = name_at(&symbols, rows[i].offset);
            rows[i].name = name ? strdup(name) : NULL;
        }
        free(symbols.rows);
    }
    elf_end(elf);
    close(fd);
}

static int by_file(const void *a, const void *b)
{
    return strcmp(((const struct count *)a)->file, ((const struct count *)b)->file);
}

void symbols_resolve(struct counts *places, const char *sysroot)
{
    if (places->len)
        qsort(places->rows, places->len, sizeof *places->rows, by_file);
    for (size_t i = 0, len; i < places->len; i += len) {
        for (len = 1; i + len < places->len && !by_file(&places->rows[i], &places->rows[i + len]);
             len++)
            ;
        name_rows(&places->rows[i], len, sysroot);
    }
}
