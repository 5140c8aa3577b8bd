/* SPDX-License-Identifier: Apache-2.0
 *
 * Classifies JIT code, which has no file: its bytes and its tables are read from the memory of the
 * process. Keys may lie beside them, so every buffer is wiped after use.
 */
#define _DEFAULT_SOURCE
#include "../process/process.h"
#include "classify_rules.h"
#include <string.h>

enum { METHOD = 16384, AROUND = 2048, SHIFTS = 16 };

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
    bool whole; /* the window begins with a method's first instruction */
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

/* Decodes the code around ip. Where the window does not begin with an instruction, the first
 * start is taken from which decoding arrives at ip. */
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

/* ---- a sample ---- */

void classify_jit(struct finding *out, struct code_registers *registers, pid_t pid, uint64_t ip,
                  uint64_t start, uint64_t end, const char *name)
{
    struct window window;
    struct around around = { .decoded = false };
    struct code code = { .len = 0 };
    struct facts f = { .arch = HOST };
    marks function = 0;
    *out = (struct finding){ .how = HOW_NONE };
    *registers = (struct code_registers){ 0 };
    rules_add_name(&f, name, NAME_PERFMAP);
    if (read_window(&window, pid, ip, start, end)) {
        look_around(&around, &code, &window, ip);
        code = code_routine(&code, ip);
        code_around(&around, &code, ip);
        function = around.function;
        f.function = around.function;
        f.constants = constants_in_code(code.bytes, code.len, code.big_endian);
        f.code = &code;
        f.ghash = (function & MARK(CLMUL)) && code_is_ghash(&code);
        *registers = code_registers(&code);
        if (!f.constants && !(function & MARKS_CRYPTO))
            f.constants = memory_references(&code, pid, 0, true);
    }
    rules_judge(out, &f, &around, function);
    explicit_bzero(&window, sizeof window);
}
