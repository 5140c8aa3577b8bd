/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics: a line for each opcode, and a line for each instruction of a file, in one block for
 * each process:
 *
 *   process PID NAME
 *   opcode OPCODE COUNT
 *   at FILE+0xOFFSET OPCODE COUNT
 *
 * In FILE, spaces, \ and unprintable characters are written as \xHH; in other names a space
 * becomes _. A block is one write(2) to a file opened for appending, so that blocks of several
 * processes do not mix. */
#define _GNU_SOURCE
#include "guest.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 1 << 16, OP_SHIFT = 56, LINE = PATH_MAX + 128, OUR_FDS = 200 };

/* The place and opcode of an instruction, and its count; key 0 is an empty slot. If there is no
 * free slot, only the opcode is counted. */
struct slot {
    uint64_t key, count;
};

/* The table has memory of its own. The library's data share a page with its procedure linkage
 * table, which is code on SPARC, and QEMU translates code again when its page is written to. */
static struct table {
    uint64_t executed; /* whether anything was executed since the last call */
    uint64_t opcodes[T4_NUM_OPS];
    struct slot slots[SLOTS];
} * table;
static int standard_error = -1;

static struct slot *find_slot(uint64_t key)
{
    unsigned i = (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 48) % SLOTS;
    for (unsigned tried = 0; tried < SLOTS; tried++, i = (i + 1) % SLOTS) {
        uint64_t there = __atomic_load_n(&table->slots[i].key, __ATOMIC_RELAXED);
        if (!there && __atomic_compare_exchange_n(&table->slots[i].key, &there, key, 0,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            module_of(key & ((UINT64_C(1) << OP_SHIFT) - 1));
            return &table->slots[i];
        }
        if (there == key)
            return &table->slots[i];
    }
    return NULL;
}

void count_instruction(enum t4_op op, uint64_t pc)
{
    if (!table)
        return;
    __atomic_fetch_add(&table->opcodes[op], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&table->executed, 1, __ATOMIC_RELAXED);
    struct slot *slot = find_slot((uint64_t)op << OP_SHIFT | pc);
    if (slot)
        __atomic_fetch_add(&slot->count, 1, __ATOMIC_RELAXED);
}

/* ---- text ---- */

struct text {
    char *start;
    size_t len, size;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text->start + text->len, text->size - text->len, format, args);
    va_end(args);
    if (n > 0 && (size_t)n < text->size - text->len)
        text->len += (size_t)n;
}

static void put_name(struct text *text, const char *name, const char *space)
{
    for (; *name; name++) {
        const unsigned char c = (unsigned char)*name;
        if (c == ' ')
            put(text, "%s", space);
        else if (c < ' ' || c > '~' || c == '\\')
            put(text, "\\x%02x", c);
        else
            put(text, "%c", c);
    }
}

static void put_count(struct text *text, enum t4_op op, uint64_t count)
{
    put(text, " ");
    put_name(text, t4_opcodes[op].name, "_");
    put(text, " %llu\n", (unsigned long long)count);
}

static void put_opcodes(struct text *text)
{
    for (unsigned op = T4_NONE + 1; op < T4_NUM_OPS; op++) {
        const uint64_t count = __atomic_exchange_n(&table->opcodes[op], 0, __ATOMIC_RELAXED);
        if (!count)
            continue;
        put(text, "opcode");
        put_count(text, (enum t4_op)op, count);
    }
}

static void put_places(struct text *text)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        const uint64_t key = table->slots[i].key;
        const uint64_t count = __atomic_exchange_n(&table->slots[i].count, 0, __ATOMIC_RELAXED);
        if (!count)
            continue;
        const struct module_place place = module_known(key & ((UINT64_C(1) << OP_SHIFT) - 1));
        put(text, "at ");
        put_name(text, place.path, "\\x20");
        put(text, "+0x%llx", (unsigned long long)place.offset);
        put_count(text, (enum t4_op)(key >> OP_SHIFT), count);
    }
}

static size_t text_size(void)
{
    size_t lines = T4_NUM_OPS + 1;
    for (unsigned i = 0; i < SLOTS; i++)
        lines += table->slots[i].count != 0;
    return lines * LINE;
}

static void append(const struct text *text)
{
    const int to_file = strcmp(guest.stats, "-") != 0;
    const int fd = to_file ? open(guest.stats, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)
                           : standard_error;
    size_t done = 0;
    while (fd >= 0 && done < text->len) {
        const ssize_t n = write(fd, text->start + done, text->len - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n < 0 ? 0 : (size_t)n;
    }
    if (done < text->len)
        guest_say("cannot write the statistics: %s: %s", guest.stats, strerror(errno));
    if (to_file && fd >= 0)
        close(fd);
}

/* Writes the block of this process, unless it executed nothing since the last call. The buffer is
 * reserved address space; only the part that is written takes memory. */
void count_write(void)
{
    if (!table || !__atomic_exchange_n(&table->executed, 0, __ATOMIC_RELAXED))
        return;
    const int error = errno;
    struct text text = { .size = text_size() };
    text.start = mmap(NULL, text.size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (text.start == MAP_FAILED) {
        guest_say("cannot write the statistics: %s", strerror(errno));
        return;
    }
    put(&text, "process %d ", (int)getpid());
    put_name(&text, program_invocation_short_name, "_");
    put(&text, "\n");
    put_opcodes(&text);
    put_places(&text);
    append(&text);
    munmap(text.start, text.size);
    errno = error;
}

void count_forget(void)
{
    if (table) /* makes the anonymous memory zero again */
        madvise(table, sizeof *table, MADV_DONTNEED);
}

void count_start(void)
{
    if (!guest.stats)
        return;
    table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED) {
        table = NULL;
        guest_say("no statistics: %s", strerror(errno));
        return;
    }
    /* some programs close standard error before they end */
    standard_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, OUR_FDS);
    pthread_atfork(NULL, NULL, count_forget);
    at_quick_exit(count_write);
    signals_watch_deaths();
}
