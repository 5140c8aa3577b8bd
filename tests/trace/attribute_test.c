/* SPDX-License-Identifier: Apache-2.0
 *
 * From samples to rows, with this program as the one that is traced: its events
 * are made up here.
 */
#define _GNU_SOURCE
#include "attribute/attribute_internal.h"
#include "test.h"
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
/* Code at whose addresses samples are taken: test_aes, a loop of AES; test_plain, a loop without
 * crypto; and a dispatcher. */
__asm__(".text\n"
        /* test_dispatch jumps to test_aes, or computes with eight of SHA-256's constants. */
        ".globl test_dispatch, test_dispatch_software\n"
        ".type test_dispatch, @function\n"
        "test_dispatch: .cfi_startproc\n"
        "test %edi, %edi\n"
        "jnz test_aes\n"
        "test_dispatch_software: xor $0x428a2f98, %eax\n"
        "xor $0x71374491, %eax\n"
        "xor $0xb5c0fbcf, %eax\n"
        "xor $0xe9b5dba5, %eax\n"
        "xor $0x3956c25b, %eax\n"
        "xor $0x59f111f1, %eax\n"
        "xor $0x923f82a4, %eax\n"
        "xor $0xab1c5ed5, %eax\n"
        "dec %rdi\n"
        "jnz test_dispatch_software\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size test_dispatch, . - test_dispatch\n"
        ".globl test_aes, test_aes_loop, test_aes_end, test_plain, "
        "test_plain_loop\n"
        ".type test_aes, @function\n"
        "test_aes: .cfi_startproc\n"
        "test_aes_loop: aesenc %xmm1, %xmm0\n"
        "aesenclast %xmm1, %xmm0\n"
        "dec %rdi\n"
        "jnz test_aes_loop\n"
        "ret\n"
        "test_aes_end: .cfi_endproc\n"
        ".size test_aes, . - test_aes\n"
        ".type test_plain, @function\n"
        "test_plain: .cfi_startproc\n"
        "test_plain_loop: add (%rsi,%rbx,4), %eax\n"
        "xor %rbx, %rax\n"
        "dec %rdi\n"
        "jnz test_plain_loop\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size test_plain, . - test_plain\n");
extern const char test_dispatch[], test_dispatch_software[];
extern const char test_aes[], test_aes_loop[], test_aes_end[], test_plain[], test_plain_loop[];
#define IS_X86 1
#else
static const char test_aes[1], test_aes_loop[1], test_aes_end[1], test_plain[1], test_plain_loop[1];
static const char test_dispatch[1], test_dispatch_software[1];
#define IS_X86 0
#endif

enum { STRANGER = 1 << 22 }; /* above pid_max: no process */

static const struct object_options options = { .use_cache = false };

static struct attribution *fresh(bool by_process)
{
    struct attribution *a = attribute_new(&options, by_process);
    attribute_attach(a, getpid());
    return a;
}

static void sample_with(struct attribution *a, pid_t pid, const void *ip, const void *reg)
{
    struct sample s = { .pid = pid, .tid = pid, .ip = (uintptr_t)ip };
    if (reg) {
        s.num_regs = 5;
        s.regs[4] = (uintptr_t)reg;
    }
    attribute_events.sample(a, &s);
}

static void sample(struct attribution *a, pid_t pid, const void *ip)
{
    sample_with(a, pid, ip, NULL);
}

static const struct report_row *row_of(const struct report *r, const char *function)
{
    for (size_t i = 0; i < r->num_rows; i++)
        if (!strcmp(r->rows[i].function, function))
            return &r->rows[i];
    return NULL;
}

static bool is(const struct report_row *row, enum family family, enum how how, enum grade grade,
               uint64_t samples)
{
    return row && row->finding.family == family && row->finding.how == how &&
           row->finding.grade == grade && row->samples == samples;
}

static struct report report_of(struct attribution *a)
{
    struct report r = { .exit_status = -1 };
    if (attribute_report(a, &r, NULL, 0))
        complain("no report");
    return r;
}

static void a_file(void)
{
    struct attribution *a = fresh(false);
    for (int i = 0; i < 3; i++)
        sample(a, getpid(), test_aes_loop);
    sample(a, getpid(), test_plain_loop);
    struct report r = report_of(a);
    const struct report_row *row = row_of(&r, "test_aes");
    tap(is(row, FAMILY_AES, HOW_HARDWARE, GRADE_A, 3), "a loop of AES in a file");
    tap(row && !strcmp(row->library, "trace_attribute_test"), "its library");
    tap(r.num_rows == 1 && r.samples == 4, "a loop of nothing has no row, and is counted");
    tap(r.covered >= 1, "functions that could be told are counted");
    report_free(&r);
    attribute_clear(a);
    r = report_of(a);
    tap(!r.num_rows && !r.samples, "nothing is left of an interval before");
    report_free(&r);
    sample(a, getpid(), test_aes_loop);
    r = report_of(a);
    tap(is(row_of(&r, "test_aes"), FAMILY_AES, HOW_HARDWARE, GRADE_A, 1),
        "and its mappings are known still");
    report_free(&r);
    attribute_free(a);
}

static void other_processes(void)
{
    struct attribution *a = fresh(true);
    attribute_events.fork(a, getpid(), STRANGER);
    sample(a, getpid(), test_aes_loop);
    sample(a, STRANGER, test_aes_loop);
    sample(a, STRANGER, test_aes_loop);
    struct report r = report_of(a);
    tap(r.num_rows == 2 && r.rows[0].process != r.rows[1].process, "rows of each process apart");
    uint64_t hardware = 0;
    for (size_t i = 0; i < r.num_processes; i++)
        hardware += r.processes[i].hardware;
    tap(r.num_processes == 2 && hardware == 3, "processes with their samples");
    report_free(&r);
    attribute_events.exec(a, STRANGER, "other");
    sample(a, STRANGER, test_aes_loop);
    r = report_of(a);
    tap(r.uncovered_samples == 1 && r.num_gaps == 1, "after execve the mappings are gone: a gap");
    report_free(&r);
    attribute_events.exit(a, STRANGER);
    attribute_events.fork(a, getpid(), STRANGER);
    sample(a, STRANGER, test_aes_loop);
    r = report_of(a);
    tap(r.num_processes == 3, "a process number that is used again is another process");
    report_free(&r);
    attribute_free(a);
}

static const struct report_process *process_of(const struct report *r, pid_t pid)
{
    for (size_t i = r->num_processes; i-- > 0;)
        if (r->processes[i].pid == pid)
            return &r->processes[i];
    return NULL;
}

static bool is_called(const struct report *r, pid_t pid, const char *name)
{
    const struct report_process *p = process_of(r, pid);
    return p && !strcmp(p->name, name);
}

/* names_of_what_ended checks the names of processes that have ended before the report is made. */
static void names_of_what_ended(void)
{
    const struct sample s = { .pid = STRANGER, .tid = STRANGER, .ip = 1 };
    struct attribution *a = fresh(true);
    attribute_events.exec(a, getpid(), "shell");
    attribute_events.fork(a, getpid(), STRANGER);
    attribute_events.sample(a, &s);
    struct report r = report_of(a);
    tap(is_called(&r, STRANGER, "shell"), "a child has its parent's name");
    report_free(&r);
    attribute_events.exec(a, STRANGER, "program");
    attribute_events.sample(a, &s);
    attribute_events.exit(a, STRANGER);
    r = report_of(a);
    tap(is_called(&r, STRANGER, "program"), "then that of its program, also when it has ended");
    report_free(&r);
    attribute_events.fork(a, getpid(), STRANGER);
    attribute_events.name(a, STRANGER, "worker");
    r = report_of(a);
    tap(is_called(&r, STRANGER, "worker"), "then that which it gave itself");
    report_free(&r);
    attribute_free(a);
}

static void ourselves(void)
{
    struct attribution *a = fresh(true);
    attribute_leave_out(a);
    attribute_events.fork(a, getpid(), STRANGER);
    sample(a, getpid(), test_aes_loop);
    sample(a, STRANGER, test_aes_loop);
    struct report r = report_of(a);
    tap(!r.samples && !r.num_rows && !r.uncovered_samples,
        "the tracer and its helpers are left out");
    tap(r.num_gaps == 1 && strstr(r.gaps[0].why, "2 samples"), "and that is said");
    report_free(&r);
    attribute_events.exit(a, STRANGER);
    attribute_events.fork(a, 1, STRANGER);
    sample(a, STRANGER, test_aes_loop);
    r = report_of(a);
    tap(r.samples == 1, "a helper's number may be another process's later");
    report_free(&r);
    attribute_free(a);
}

static void many_processes(void)
{
    enum { MANY = 20000, FIRST = 1 << 23, SAMPLED = FIRST + 17 };
    struct attribution *a = fresh(false);
    for (int i = 0; i < MANY; i++) {
        attribute_events.fork(a, getpid(), FIRST + i);
        if (FIRST + i == SAMPLED)
            sample(a, SAMPLED, test_aes_loop);
        attribute_events.exit(a, FIRST + i);
    }
    attribute_events.fork(a, getpid(), STRANGER);
    sample(a, STRANGER, test_aes_loop);
    struct report r = report_of(a);
    tap(r.num_processes < MANY / 2, "processes that ended without a sample take no room");
    const struct report_process *p = process_of(&r, SAMPLED), *last = process_of(&r, STRANGER);
    tap(p && p->samples == 1 && last && last->samples == 1 &&
            is(row_of(&r, "test_aes"), FAMILY_AES, HOW_HARDWARE, GRADE_A, 2),
        "the others stay");
    report_free(&r);
    attribute_free(a);
}

static void files_anew(void)
{
    struct attribution *a = fresh(false);
    sample(a, getpid(), test_aes_loop);
    attribute_clear(a);
    attribute_forget_files(a);
    sample(a, getpid(), test_aes_loop);
    struct report r = report_of(a);
    tap(is(row_of(&r, "test_aes"), FAMILY_AES, HOW_HARDWARE, GRADE_A, 1),
        "files that were forgotten are read anew");
    report_free(&r);
    attribute_free(a);
}

static void dispatchers(void)
{
    struct attribution *a = fresh(false);
    sample(a, getpid(), test_dispatch);
    struct report r = report_of(a);
    tap(!r.num_rows && r.samples == 1, "who chooses between hardware and software is neither");
    report_free(&r);
    sample(a, getpid(), test_dispatch_software);
    r = report_of(a);
    tap(r.num_rows == 1 && is(&r.rows[0], FAMILY_SHA256, HOW_SOFTWARE, GRADE_B, 1),
        "the software behind it is software");
    report_free(&r);
    attribute_free(a);
}

static void files_that_cannot_be_read(void)
{
    struct attribution *a = fresh(false);
    char path[] = "/nowhere/lib.so";
    const struct mapping m = {
        .start = 0x700000000000, .end = 0x700000001000, .exec = true, .inode = 42, .path = path
    };
    attribute_events.map(a, getpid(), &m);
    sample(a, getpid(), (const void *)0x700000000010);
    struct report r = report_of(a);
    tap(r.uncovered_samples == 1 && r.num_gaps == 1 && !strcmp(r.gaps[0].what, path),
        "a file that cannot be opened is named, with its samples");
    report_free(&r);
    attribute_free(a);
}

/* The table of AES encryption rounds: S(x) times 2, 1, 1, 3 in GF(2^8) (FIPS 197, 5.1). twice
 * multiplies by 2. */
static uint8_t twice(uint8_t x)
{
    return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

static uint8_t sbox(uint8_t x)
{
    uint8_t inverse = x ? 1 : 0, out = 0x63;
    for (int i = 0; i < 254 && x; i++) {
        uint8_t product = 0, y = x;
        for (uint8_t k = inverse; k; k >>= 1, y = twice(y))
            product ^= k & 1 ? y : 0;
        inverse = product;
    }
    for (int i = 0; i < 5; i++)
        out ^= (uint8_t)(inverse << i | inverse >> (8 - i));
    return out;
}

static void fill_table(uint32_t table[256])
{
    for (unsigned i = 0; i < 256; i++) {
        const uint8_t s = sbox((uint8_t)i), s2 = twice(s);
        table[i] = (uint32_t)s2 << 24 | (uint32_t)s << 16 | (uint32_t)s << 8 | (uint8_t)(s2 ^ s);
    }
}

static void jit_code(void)
{
    struct attribution *a;
    uint8_t *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t *table = calloc(4, 4096);
    const size_t plain = (size_t)(test_plain_loop - test_plain);
    if (page == MAP_FAILED || !table)
        return tap(0, "memory for code");
    fill_table(table + 1024);
    memcpy(page, test_aes, (size_t)(test_aes_end - test_aes));
    memcpy(page + 4096, test_plain, 64);
    mprotect(page, 8192, PROT_READ | PROT_EXEC);
    a = fresh(false);
    sample(a, getpid(), page);
    sample(a, getpid(), page);
    sample_with(a, getpid(), page + 4096 + plain, table + 1024 + 70);
    sample_with(a, getpid(), page + 4096 + plain, table + 1024 + 5);
    sample_with(a, getpid(), page + 4096 + plain, table);
    struct report r = report_of(a);
    const struct report_row *aes = NULL, *tables = NULL;
    for (size_t i = 0; i < r.num_rows; i++)
        if (r.rows[i].finding.how == HOW_HARDWARE)
            aes = &r.rows[i];
        else
            tables = &r.rows[i];
    tap(is(aes, FAMILY_AES, HOW_HARDWARE, GRADE_A, 2) && !strcmp(aes->library, "[JIT]"),
        "a loop of AES in JIT code");
    tap(is(tables, FAMILY_AES, HOW_SOFTWARE, GRADE_C, 3),
        "registers that point into tables explain the whole of a method");
    report_free(&r);
    attribute_free(a);
    munmap(page, 8192);
    free(table);
}

int main(void)
{
    if (!IS_X86) {
        tap_skip("its code is of x86", "attribution");
        return tap_done();
    }
    a_file();
    dispatchers();
    other_processes();
    names_of_what_ended();
    ourselves();
    many_processes();
    files_anew();
    files_that_cannot_be_read();
    jit_code();
    return tap_done();
}
