/* SPDX-License-Identifier: Apache-2.0
 *
 * The BPF program that runs at each hit: checks whether the process is in the tree, then adds to
 * the slot that the cookie names.
 */
#include "probes_program.h"
#include "bpf.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Offsets of the first six integer arguments in the registers that the program gets. */
#if defined(__x86_64__)
static const int16_t argument_offsets[] = { 112, 104, 96, 88, 72, 64 }; /* struct pt_regs */
#elif defined(__aarch64__)
static const int16_t argument_offsets[] = { 0, 8, 16, 24, 32, 40 }; /* struct user_pt_regs */
#else
static const int16_t argument_offsets[] = { -1 };
#endif

enum { OUT, COUNT, MARK, EXCHANGE, ADD };

static void stack_address(struct bpf_code *c, uint8_t reg, int offset)
{
    bpf_alu_reg(c, BPF_MOV, reg, BPF_REG_10);
    bpf_alu_imm(c, BPF_ADD, reg, offset);
}

static void lookup(struct bpf_code *c, int map, int key)
{
    bpf_map_address(c, BPF_REG_1, map);
    stack_address(c, BPF_REG_2, key);
    bpf_call(c, BPF_FUNC_map_lookup_elem);
}

/* Stores (r7 >> shift) & mask at fp[offset]. */
static void cookie_part(struct bpf_code *c, int shift, int32_t mask, int16_t offset)
{
    bpf_alu_reg(c, BPF_MOV, BPF_REG_1, BPF_REG_7);
    if (shift)
        bpf_alu_imm(c, BPF_RSH, BPF_REG_1, shift);
    bpf_alu_imm(c, BPF_AND, BPF_REG_1, mask);
    bpf_write(c, BPF_W, BPF_REG_10, offset, BPF_REG_1);
}

/* Emits code that jumps to OUT if another generation counts this hit; r7 is the cookie. */
static void emit_generation(const struct program *m, struct bpf_code *c)
{
    cookie_part(c, FILE_SHIFT, 0xfff, -8);
    lookup(c, m->words, -8);
    bpf_jump_imm(c, BPF_JEQ, BPF_REG_0, 0, OUT);
    bpf_read(c, BPF_DW, BPF_REG_9, BPF_REG_0, 0); /* read only once */
    bpf_alu_reg(c, BPF_MOV, BPF_REG_8, BPF_REG_7);
    bpf_alu_imm(c, BPF_RSH, BPF_REG_8, GENERATION_SHIFT);
    bpf_alu_reg(c, BPF_MOV, BPF_REG_1, BPF_REG_9);
    bpf_alu_imm(c, BPF_LSH, BPF_REG_1, 32);
    bpf_alu_imm(c, BPF_RSH, BPF_REG_1, 32);
    bpf_jump_reg(c, BPF_JLT, BPF_REG_1, BPF_REG_8, OUT); /* this generation is not active yet */
    bpf_alu_imm(c, BPF_RSH, BPF_REG_9, 32);
    bpf_jump_imm(c, BPF_JNE, BPF_REG_9, 0, EXCHANGE);
    bpf_jump_reg(c, BPF_JNE, BPF_REG_1, BPF_REG_8, OUT);
    bpf_jump_imm(c, BPF_JA, 0, 0, COUNT);
    bpf_label(c, EXCHANGE);
    bpf_call(c, BPF_FUNC_get_current_pid_tgid);
    bpf_write(c, BPF_W, BPF_REG_10, -12, BPF_REG_0); /* thread id */
    lookup(c, m->tokens, -12);
    bpf_jump_imm(c, BPF_JEQ, BPF_REG_0, 0, MARK);
    bpf_read(c, BPF_DW, BPF_REG_1, BPF_REG_0, 0);
    bpf_constant(c, BPF_REG_2, (uint64_t)1 << GENERATION_SHIFT);
    bpf_alu_reg(c, BPF_ADD, BPF_REG_2, BPF_REG_7);
    bpf_jump_reg(c, BPF_JEQ, BPF_REG_1, BPF_REG_2, OUT); /* the next generation has counted it */
    bpf_label(c, MARK);
    bpf_write(c, BPF_DW, BPF_REG_10, -24, BPF_REG_7);
    bpf_map_address(c, BPF_REG_1, m->tokens);
    stack_address(c, BPF_REG_2, -12);
    stack_address(c, BPF_REG_3, -24);
    bpf_alu_imm(c, BPF_MOV, BPF_REG_4, BPF_ANY);
    bpf_call(c, BPF_FUNC_map_update_elem);
    bpf_label(c, COUNT);
}

/* Emits code that adds the argument that the cookie names to `units`; r0 is the counter, r6 the
 * registers. */
static void emit_argument(struct bpf_code *c)
{
    bpf_alu_imm(c, BPF_RSH, BPF_REG_7, ARGUMENT_SHIFT);
    bpf_alu_imm(c, BPF_AND, BPF_REG_7, 15);
    for (size_t i = 0; i < sizeof argument_offsets / sizeof *argument_offsets; i++) {
        if (argument_offsets[i] < 0)
            continue;
        bpf_read(c, BPF_DW, BPF_REG_1, BPF_REG_6, argument_offsets[i]);
        bpf_jump_imm(c, BPF_JEQ, BPF_REG_7, (int32_t)i, ADD);
    }
    bpf_jump_imm(c, BPF_JA, 0, 0, OUT);
    bpf_label(c, ADD);
    bpf_atomic_add(c, BPF_REG_0, 8, BPF_REG_1);
}

int program_load(const struct program *m)
{
    struct bpf_code c = { 0 };
    bpf_alu_reg(&c, BPF_MOV, BPF_REG_6, BPF_REG_1);
    (m->rest ? tree_filter_rest : tree_filter)(m->tree, &c, OUT);
    if (m->constant) {
        bpf_constant(&c, BPF_REG_7, m->cookie);
    } else {
        bpf_alu_reg(&c, BPF_MOV, BPF_REG_1, BPF_REG_6);
        bpf_call(&c, BPF_FUNC_get_attach_cookie);
        bpf_alu_reg(&c, BPF_MOV, BPF_REG_7, BPF_REG_0);
    }
    if (m->words)
        emit_generation(m, &c);
    cookie_part(&c, 0, 0xffff, -4);
    lookup(&c, m->counters, -4);
    bpf_jump_imm(&c, BPF_JEQ, BPF_REG_0, 0, OUT);
    bpf_alu_imm(&c, BPF_MOV, BPF_REG_1, 1);
    bpf_atomic_add(&c, BPF_REG_0, 0, BPF_REG_1);
    emit_argument(&c);
    bpf_label(&c, OUT);
    bpf_exit(&c);
    return bpf_load(&c, BPF_PROG_TYPE_KPROBE, m->attach_type, NULL, 0);
}

/* ---- counters ---- */

enum { MAX_CPUS = 8192 };

static size_t possible_cpus(void)
{
    unsigned first = 0, last = 0;
    FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
    if (!f)
        return 0;
    int num = fscanf(f, "%u-%u", &first, &last); /* "0-7" or "0" */
    fclose(f);
    return num == 2 && last < MAX_CPUS ? last + 1 : num == 1 ? 1 : 0;
}

int program_counters_open(struct counters *c)
{
    c->num_cpus = possible_cpus();
    c->per_cpu = calloc(c->num_cpus + !c->num_cpus, sizeof *c->per_cpu);
    c->map = bpf_map_new(BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct counter), MAX_SLOTS + 1, 0);
    if (c->map >= 0 && c->per_cpu && c->num_cpus)
        return 0;
    int error = errno;
    program_counters_close(c);
    errno = error;
    return -1;
}

static int read_slot(struct counter *sum, const struct counters *c, uint32_t slot)
{
    *sum = (struct counter){ 0 };
    if (bpf_map_get(c->map, &slot, c->per_cpu))
        return -1;
    for (size_t cpu = 0; cpu < c->num_cpus; cpu++) {
        sum->calls += c->per_cpu[cpu].calls;
        sum->units += c->per_cpu[cpu].units;
    }
    return 0;
}

uint64_t program_counters_spare(const struct counters *c)
{
    struct counter sum;
    return read_slot(&sum, c, SPARE_SLOT) ? 0 : sum.calls;
}

int program_counters_read(const struct counters *c, struct probes *p)
{
    for (size_t i = 0; i < p->num; i++) {
        struct counter sum;
        if (read_slot(&sum, c, (uint32_t)i))
            return -1;
        p->points[i].calls = sum.calls;
        p->points[i].units = sum.units;
    }
    return 0;
}

void program_counters_close(struct counters *c)
{
    if (c->map >= 0)
        close(c->map);
    free(c->per_cpu);
    *c = (struct counters){ .map = -1 };
}
