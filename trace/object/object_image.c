/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads files into memory. The whole length of the file is mapped without access to write, which
 * neither takes memory nor counts as committed; only the extents that are read become writable.
 */
#define _GNU_SOURCE /* SEEK_DATA, MADV_NOHUGEPAGE */
#include "object_image.h"
#include "../budget.h"
#include "object_build.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_EXTENTS = 1024,
    MIN_HOLE = 1 << 16, /* shorter holes are read: they are padding */
    CHUNK = 1 << 20,    /* bytes between two looks at the clock */
};

/* ---- the list of extents ---- */

static int by_start(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Joins extents that overlap or have only a short hole between them. */
static size_t join(struct extent *at, size_t num)
{
    size_t last = 0;
    if (!num)
        return 0;
    qsort(at, num, sizeof *at, by_start);
    for (size_t i = 1; i < num; i++) {
        if (at[i].start > at[last].end && at[i].start - at[last].end >= MIN_HOLE)
            at[++last] = at[i];
        else if (at[i].end > at[last].end)
            at[last].end = at[i].end;
    }
    return last + 1;
}

struct list {
    struct extent *at;
    size_t num, max;
    bool failed;
};

static void append(struct list *list, uint64_t start, uint64_t end)
{
    if (list->num && start >= list->at[list->num - 1].start &&
        start <= list->at[list->num - 1].end + MIN_HOLE) {
        struct extent *last = &list->at[list->num - 1];
        last->end = end > last->end ? end : last->end;
        return;
    }
    if (list->num == list->max) {
        const size_t max = list->max ? 2 * list->max : 64;
        struct extent *at = reallocarray(list->at, max, sizeof *at);
        list->failed |= !at;
        if (!at)
            return;
        list->at = at;
        list->max = max;
    }
    list->at[list->num++] = (struct extent){ start, end };
}

/* ---- what of the file is needed ---- */

static void want(struct list *list, const struct image *image, uint64_t offset, uint64_t len)
{
    if (offset >= image->len || !len)
        return;
    const uint64_t left = image->len - offset;
    append(list, offset, offset + (len < left ? len : left));
}

/* The ELF header, and the tables of headers to which it leads. Counts that do not fit into it are
 * in section 0. */
static void want_headers(struct list *list, const struct image *image, const struct elf *elf)
{
    const size_t section = elf->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    const size_t header = elf->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    want(list, image, elf->phoff, elf->num_headers * header);
    want(list, image, elf->shoff, elf->num_sections * section);
}

static bool is_table(uint32_t type)
{
    return type == SHT_SYMTAB || type == SHT_DYNSYM || type == SHT_STRTAB || type == SHT_NOTE;
}

static void want_contents(struct list *list, const struct image *image, const struct elf *elf,
                          enum image_what what)
{
    uint64_t offset, len;
    uint32_t type;
    for (size_t i = 0; i < elf->num_headers; i++)
        if (elf_header_place(&offset, &len, &type, elf, i) &&
            (what == IMAGE_ALL ? type == PT_LOAD || type == PT_DYNAMIC || type == PT_NOTE ||
                                     type == PT_GNU_EH_FRAME
                               : type == PT_NOTE))
            want(list, image, offset, len);
    for (size_t i = 0; i < elf->num_sections; i++) {
        uint64_t flags;
        if (elf_section_place(&offset, &len, &type, &flags, elf, i) && type != SHT_NOBITS &&
            (is_table(type) || (what == IMAGE_ALL && (flags & SHF_ALLOC))))
            want(list, image, offset, len);
    }
}

/* ---- reading ---- */

/* The parts of the wanted ranges that are no holes. A filesystem that knows none has data
 * everywhere. */
static void leave_out_holes(struct list *out, const struct extent *wanted, int fd)
{
    off_t at = (off_t)wanted->start;
    const off_t end = (off_t)wanted->end;
    while (at < end && !out->failed && !budget_over()) {
        off_t data = lseek(fd, at, SEEK_DATA), hole = end;
        if (data < 0 && errno == ENXIO)
            return;
        if (data < 0)
            data = at;
        else if (data < end)
            hole = lseek(fd, data, SEEK_HOLE);
        if (data >= end)
            return;
        if (hole <= data || hole > end)
            hole = end;
        append(out, (uint64_t)data, (uint64_t)hole);
        at = hole;
    }
}

static const char *read_extent(struct image *image, int fd, const struct extent *e)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t first = e->start & ~(page - 1);
    uint64_t at = e->start;
    if (mprotect(image->bytes + first, e->end - first, PROT_READ | PROT_WRITE))
        return "no memory";
    while (at < e->end) {
        const uint64_t left = e->end - at;
        const ssize_t n = pread(fd, image->bytes + at, left < CHUNK ? left : CHUNK, (off_t)at);
        if (n < 0 && errno == EINTR && !budget_look())
            continue;
        if (n <= 0 || budget_look())
            return n <= 0 && !budget_cut ? "cannot be read" : budget_no_time;
        at += (uint64_t)n;
    }
    return NULL;
}

/* Reads those of the wanted ranges that are no holes and were not read before. */
static const char *read_wanted(struct image *image, int fd, struct list *wanted)
{
    struct list data = { .at = NULL };
    const char *why = NULL;
    size_t bytes = 0;
    wanted->num = join(wanted->at, wanted->num);
    for (size_t i = 0; i < wanted->num; i++)
        leave_out_holes(&data, &wanted->at[i], fd);
    data.num = join(data.at, data.num);
    if (data.num > MAX_EXTENTS) { /* each extent may become a mapping of its own */
        data.at[MAX_EXTENTS - 1].end = data.at[data.num - 1].end;
        data.num = MAX_EXTENTS;
    }
    for (size_t i = 0; i < data.num; i++)
        bytes += data.at[i].end - data.at[i].start;
    if (data.failed || wanted->failed)
        why = "no memory";
    else if (bytes > image->taken && !budget_take_image(bytes - image->taken))
        why = budget_no_memory;
    else
        image->taken = bytes > image->taken ? bytes : image->taken;
    for (size_t i = 0; i < data.num && !why; i++)
        why = read_extent(image, fd, &data.at[i]);
    free(image->extents);
    image->extents = data.at;
    image->num_extents = data.num;
    return why;
}

/* Reads in three steps, each of which knows from the one before what is needed. */
static const char *read_steps(struct image *image, int fd, enum image_what what)
{
    struct list wanted = { .at = NULL };
    struct elf elf;
    want(&wanted, image, 0, sizeof(Elf64_Ehdr));
    const char *why = read_wanted(image, fd, &wanted);
    for (int step = 0; step < 3 && !why; step++) {
        if (!elf_read_tables(&elf, image->bytes, image->len)) {
            why = "not ELF";
            break;
        }
        if (step < 2) { /* the second time for counts that are in section 0 */
            want(&wanted, image, elf.shoff, sizeof(Elf64_Shdr));
            want_headers(&wanted, image, &elf);
        } else {
            want_contents(&wanted, image, &elf, what);
        }
        if (wanted.num)
            wanted.num = join(wanted.at, wanted.num);
        why = read_wanted(image, fd, &wanted);
    }
    free(wanted.at);
    return why;
}

bool image_read(struct image *image, int fd, enum image_what what, const char **why)
{
    struct stat st;
    uint8_t magic[SELFMAG];
    *image = (struct image){ .bytes = NULL };
    *why = "not a regular file";
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        return false;
    *why = "not ELF";
    if (pread(fd, magic, sizeof magic, 0) != sizeof magic || memcmp(magic, ELFMAG, SELFMAG))
        return false;
    *why = "larger than 1 GiB";
    if ((uint64_t)st.st_size > MAX_IMAGE)
        return false;
    *why = "no memory";
    void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED)
        return false;
    /* A huge page would also take the memory of the holes around an extent. */
    madvise(bytes, (size_t)st.st_size, MADV_NOHUGEPAGE);
    image->bytes = bytes;
    image->len = (size_t)st.st_size;
    *why = read_steps(image, fd, what);
    if (!*why)
        return true;
    image_free(image);
    return false;
}

void image_free(struct image *image)
{
    if (image->bytes)
        munmap(image->bytes, image->len);
    free(image->extents);
    budget_give(image->taken);
    *image = (struct image){ .bytes = NULL };
}
