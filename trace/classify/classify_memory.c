/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds tables that are in no file: those of JIT code, and those that a program computes when it
 * starts. Pointers of the process are followed, and the memory that was read is wiped.
 */
#define _DEFAULT_SOURCE
#include "../process/process.h"
#include "../sample/sampler.h"
#include "classify_rules.h"
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Whether a pointer points into a table, or to the header of an array that contains one. */
static bool is_table(enum constant_bit *bit, pid_t pid, uint64_t pointer)
{
    enum { BEFORE = 4096, LEN = 2 * BEFORE, HEADER = 64 };
    uint8_t window[LEN];
    if (pointer < LEN || pointer > UINT64_MAX - LEN)
        return false;
    uint64_t start = pointer - BEFORE;
    ssize_t n = process_read(pid, start, window, LEN);
    if (n <= 0) {
        start = pointer & ~(uint64_t)4095;
        n = process_read(pid, start, window, BEFORE);
    }
    const size_t at = (size_t)(pointer - start);
    const bool found = n > 0 && (constants_at(bit, window, (size_t)n, at) ||
                                 constants_at(bit, window, (size_t)n, at + HEADER));
    explicit_bzero(window, sizeof window);
    return found;
}

/* Shifts that turn a value into an address: none, or that of a JVM's compressed reference, which
 * is an address divided by the alignment of objects. */
static const unsigned shifts[] = { 0, 3 };

bool memory_table(enum constant_bit *bit, pid_t pid, uint64_t value, bool jit)
{
    for (size_t i = 0; i < (jit ? COUNT(shifts) : 1); i++)
        if ((!shifts[i] || !(value >> 32)) && is_table(bit, pid, value << shifts[i]))
            return true;
    return false;
}

enum { MAX_REFERENCES = 32 };
struct references {
    uint64_t at[MAX_REFERENCES];
    size_t num;
    uint64_t start, end; /* the code's own addresses: jumps go there */
};

static void add_reference(void *ctx, uint64_t from, uint64_t to)
{
    enum { LOW = 65536 }; /* values below this are numbers, not addresses */
    struct references *r = ctx;
    if (to < LOW || (to >= r->start && to < r->end))
        return;
    for (size_t i = 0; i < r->num; i++)
        if (r->at[i] == to)
            return;
    if (r->num < MAX_REFERENCES)
        r->at[r->num++] = to;
}

constant_set memory_references(const struct code *code, pid_t pid, uint64_t bias, bool jit)
{
    struct references r = { .start = code->address, .end = code->address + code->len };
    constant_set set = 0;
    enum constant_bit bit;
    /* JIT code may load a table through pointers that are not followed. */
    (jit ? code_references : code_loads)(code, add_reference, &r);
    for (size_t i = 0; i < r.num; i++)
        if (memory_table(&bit, pid, r.at[i] + bias, jit))
            set |= (constant_set)1 << bit;
    explicit_bzero(&r, sizeof r);
    return set;
}
