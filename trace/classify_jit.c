/* SPDX-License-Identifier: Apache-2.0
 *
 * JIT code has no file: its bytes and its tables are read out of the process.  Both may lie beside
 * keys, so that every window is wiped before it goes.
 */
#define _DEFAULT_SOURCE
#include "classify_rules.h"
#include "process.h"
#include "sampler.h"
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { METHOD = 16384, AROUND = 2048, SHIFTS = 16, RSP = 7 };

#if defined(__x86_64__)
#define HOST ARCH_X86_64
#elif defined(__aarch64__)
#define HOST ARCH_ARM64
#elif defined(__sparc__)
#define HOST ARCH_SPARC64
#elif defined(__powerpc64__)
#define HOST ARCH_PPC64
#elif defined(__s390x__)
#define HOST ARCH_S390X
#else
#define HOST ARCH_NONE
#endif

/* ---- code ---- */

struct window {
    uint8_t bytes[METHOD];
    uint64_t start;
    size_t len;
    bool whole; /* from a method's first instruction on */
};

static bool read_window(struct window *w, pid_t pid, uint64_t ip, uint64_t start, uint64_t end)
{
    w->whole = start <= ip && ip < end && end - start <= METHOD;
    if (!w->whole) {
        start = start < ip && start + AROUND > ip ? start : ip - AROUND;
        end = ip < end && end - ip < AROUND ? end : ip + AROUND;
    }
    ssize_t n = process_read(pid, start, w->bytes, end - start);
    if (n <= 0 && !w->whole) { /* the page before may not be mapped */
        start = ip & ~(uint64_t)4095;
        n = process_read(pid, start, w->bytes, end - start);
    }
    w->start = start;
    w->len = n > 0 ? (size_t)n : 0;
    return w->len > 0 && ip - start < w->len;
}

/* Where code begins is not known in the middle of it: the first start from which decoding arrives
 * at ip. */
static void look_around(struct around *around, struct code *code, const struct window *w,
                        uint64_t ip)
{
    const size_t shifts = w->whole ? 1 : SHIFTS;
    for (size_t i = 0; i < shifts && w->start + i <= ip && i < w->len; i++) {
        *code = (struct code){ .bytes = w->bytes + i,
                               .len = w->len - i,
                               .address = w->start + i,
                               .arch = HOST,
                               .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
        code_around(around, code, ip);
        if (around->decoded)
            return;
    }
}

/* ---- tables ---- */

/* A pointer into a table, or to the header of the array that it is. */
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

/* A JVM's references are addresses divided by the alignment of objects. */
static const unsigned shifts[] = { 0, 3 };

static bool is_reference(enum constant_bit *bit, pid_t pid, uint64_t value)
{
    for (size_t i = 0; i < COUNT(shifts); i++)
        if ((!shifts[i] || !(value >> 32)) && is_table(bit, pid, value << shifts[i]))
            return true;
    return false;
}

enum { MAX_REFERENCES = 32 };
struct references {
    uint64_t at[MAX_REFERENCES];
    size_t num;
    uint64_t start, end; /* of the code: jumps within */
};

static void add_reference(void *ctx, uint64_t from, uint64_t to)
{
    enum { LOW = 65536 }; /* numbers, not addresses */
    struct references *r = ctx;
    if (to < LOW || (to >= r->start && to < r->end))
        return;
    for (size_t i = 0; i < r->num; i++)
        if (r->at[i] == to)
            return;
    if (r->num < MAX_REFERENCES)
        r->at[r->num++] = to;
}

/* Tables whose addresses are in the code. */
static constant_set referred(const struct code *code, pid_t pid)
{
    struct references r = { .start = code->address, .end = code->address + code->len };
    constant_set set = 0;
    enum constant_bit bit;
    code_references(code, add_reference, &r);
    for (size_t i = 0; i < r.num; i++)
        if (is_reference(&bit, pid, r.at[i]))
            set |= (constant_set)1 << bit;
    explicit_bzero(&r, sizeof r);
    return set;
}

/* ---- a sample ---- */

void classify_jit(struct finding *out, pid_t pid, uint64_t ip, uint64_t start, uint64_t end,
                  const char *name)
{
    struct window window;
    struct around around = { .decoded = false };
    struct code code = { .len = 0 };
    struct facts f = { .arch = HOST };
    marks function = 0;
    *out = (struct finding){ .how = HOW_NONE };
    rules_add_name(&f, name, NAME_PERFMAP);
    if (read_window(&window, pid, ip, start, end)) {
        look_around(&around, &code, &window, ip);
        /* Where a method ends is not known: other methods' instructions prove nothing for it. */
        function = window.whole ? around.function : around.loop | around.run;
        f.function = around.function;
        f.constants = constants_in_code(window.bytes, window.len, code.big_endian);
        f.code = &code;
        if (!f.constants && !(function & MARKS_CRYPTO))
            f.constants = referred(&code, pid);
    }
    rules_judge(out, &f, &around, function);
    explicit_bzero(&window, sizeof window);
}

/* ---- registers ---- */

bool classify_jit_registers(struct finding *out, const struct sample *sample)
{
    enum constant_bit bit;
    for (unsigned i = 0; i < sample->num_regs && i < SAMPLE_REGS; i++) {
        if (i == RSP || !is_reference(&bit, sample->pid, sample->regs[i]))
            continue;
        rules_constant(out, bit, sample_reg_names[i]);
        return true;
    }
    return false;
}
