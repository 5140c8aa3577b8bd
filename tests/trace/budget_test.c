/* SPDX-License-Identifier: Apache-2.0
 *
 * The budget of memory and time for reading files, and what of a sparse file is read.
 */
#define _GNU_SOURCE
#include "budget.h"
#include "elf_maker.h"
#include "object/object_private.h"
#include "test.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MIB = 1 << 20, FILE_LEN = 64 * MIB, FAR = 32 * MIB, NEAR = 12 * MIB };

static const struct object_options plain = { 0 };

/* The first words of the table of SHA-256 (FIPS 180-4, section 4.2.2), computed for the test. */
static void put_table(int fd, off_t at)
{
    uint32_t table[64];
    unsigned num = 0;
    for (unsigned p = 2; num < 64; p++) {
        bool prime = true;
        for (unsigned d = 2; d * d <= p; d++)
            prime = prime && p % d;
        if (!prime)
            continue;
        long double low = 1, high = 8; /* the cube root of p, by halving */
        for (int i = 0; i < 80; i++) {
            const long double mid = (low + high) / 2;
            *(mid * mid * mid < p ? &low : &high) = mid;
        }
        table[num++] = (uint32_t)((low - (unsigned)low) * 4294967296.0L);
    }
    (void)!pwrite(fd, table, sizeof table, at);
}

/* A program of one segment of 64 MiB: two functions, a hole, and a table behind it. */
static int sparse_file(size_t data)
{
    static const struct maker_symbol symbols[] = {
        { "near", MAKER_BASE + MAKER_FIRST, 64, STT_FUNC },
        { "over_the_hole", MAKER_BASE + MAKER_FIRST + 64, FILE_LEN / 2, STT_FUNC },
        { "in_the_hole", MAKER_BASE + FAR - MIB, 64, STT_FUNC },
    };
    static struct maker m;
    uint8_t nops[1024];
    m = (struct maker){ 0 };
    memset(nops, 0x90, sizeof nops);
    maker_section(&m, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
                  maker_append(&m, nops, sizeof nops), sizeof nops);
    maker_symbols(&m, symbols, COUNT_OF(symbols), false);
    maker_finish(&m);
    Elf64_Ehdr ehdr;
    memcpy(&ehdr, m.bytes, sizeof ehdr);
    uint8_t *segment = m.bytes + ehdr.e_phoff;
    MAKER_SET(&m, segment, Phdr, p_filesz, FILE_LEN);
    MAKER_SET(&m, segment, Phdr, p_memsz, FILE_LEN);
    const int fd = memfd_create("sparse", MFD_CLOEXEC);
    uint8_t *zeros = calloc(1, data + 1);
    bool ok = zeros && !ftruncate(fd, FILE_LEN) && pwrite(fd, m.bytes, m.len, 0) > 0 &&
              pwrite(fd, zeros, data, NEAR) == (ssize_t)data;
    free(zeros);
    put_table(fd, FAR);
    return ok ? fd : -1;
}

static const struct function *named(const struct object *o, const char *name)
{
    for (size_t i = 0; o && i < o->num_functions; i++)
        if (o->functions[i].name && !strcmp(o->functions[i].name, name))
            return &o->functions[i];
    return NULL;
}

static void test_holes(void)
{
    const int fd = sparse_file(0);
    const char *why;
    budget_set(MIB, 0);
    struct object *o = object_open(fd, "sparse", &plain, &why);
    const struct function *over = named(o, "over_the_hole");
    tap(o && budget_taken() < MIB / 2, "64 MiB with holes: within 1 MiB: %s", why ? why : "read");
    tap(o && o->num_sites == 1 && o->sites[0].address == MAKER_BASE + FAR,
        "the table behind the hole is found");
    tap(named(o, "near") && over && over->end < MAKER_BASE + FAR - MIB && !named(o, "in_the_hole"),
        "functions end at a hole, and none begins there");
    object_free(o);
    tap(!budget_taken(), "all is given back");
    close(fd);
}

static void test_limits(void)
{
    const int fd = sparse_file(8 * MIB);
    const char *why = NULL;
    struct objects *all = objects_new(&plain);
    budget_set(4 * MIB, 0);
    struct object *o = objects_get(all, fd, "large", &why);
    tap(!o && why == budget_no_memory && budget_is_reason(why), "8 MiB of data within 4: %s",
        why ? why : "read");
    budget_set(64 * MIB, 1e-6);
    o = objects_get(all, fd, "large", &why);
    tap(!o && why == budget_no_time, "within a microsecond: %s", why ? why : "read");
    budget_set(64 * MIB, 1000);
    o = objects_get(all, fd, "large", &why);
    tap(o && !why, "what was refused is read when the budget suffices: %s", why ? why : "read");
    budget_end_at(1e-3); /* long ago */
    tap(budget_ending() && object_code(o, named(o, "near")).len == 64,
        "after the end there is a grace");
    objects_free(all);
    budget_end_at(0);
    close(fd);
}

/* Data larger than the room: the image of one object is dropped for that of another. */
static void test_images_make_room(void)
{
    const int fds[2] = { sparse_file(8 * MIB), sparse_file(8 * MIB) };
    const char *why;
    struct objects *all = objects_new(&plain);
    budget_set(16 * MIB, 0);
    struct object *a = objects_get(all, fds[0], "first", &why);
    struct object *b = objects_get(all, fds[1], "second", &why);
    tap(a && b && !a->image && b->image, "the second image takes the place of the first: %s",
        why ? why : "read");
    tap(a && object_code(a, named(a, "near")).len == 64 && a->image && !b->image &&
            budget_taken() < 16 * MIB,
        "and the first that of the second, when its code is asked for");
    objects_free(all);
    close(fds[0]);
    close(fds[1]);
}

int main(void)
{
    test_holes();
    test_limits();
    test_images_make_room();
    return tap_done();
}
