/* SPDX-License-Identifier: Apache-2.0
 *
 * uprobe_multi (kernel 6.6): one link holds many probes, each with a cookie that says which slot of
 * a per-CPU array it counts in.  Links are few, because each takes up to 50 ms to detach: one a
 * file for functions that stay, one a file for leaves, which have a budget.
 *
 * A leaf that is too hot leaves by exchanging its file's link of leaves for a new one without it.
 * While both links are attached each hit of a remaining leaf runs two programs, and exactly one may
 * count.  The cookie holds the link's generation, and a word of memory the one that is active: the
 * new link counts only once that word says so.  The kernel runs the newest consumer of a probe
 * first, so that the new one decides, and leaves its decision for the old one in a map by thread:
 * the old one counts if and only if the new one did not.  So no hit at the moment of the exchange
 * is lost or counted twice.
 *
 * Counters are per CPU and still added to atomically: a program can be preempted by another thread
 * of the same CPU that adds to the same counter.
 */
#include "bpf.h"
#include "probes_internal.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_SLOTS = 8192, MAX_FILES = 512, MAX_TOKENS = 65536, MAX_CPUS = 8192 };
/* A cookie: slot 0..15, argument 16..19, file 20..31, generation 32..63. */
enum { ARGUMENT_SHIFT = 16, FILE_SHIFT = 20, GENERATION_SHIFT = 32 };
/* The word of a file: active generation 0..31, exchange in progress 32. */
#define EXCHANGING ((uint64_t)1 << 32)

struct counter {
    uint64_t calls, units;
};

struct group { /* of one file */
    size_t first, num;
    uint32_t generation;
    int stay, leaves; /* links; -1 */
};

struct multi {
    int counters, words, tokens; /* maps */
    int stay, leaf;              /* programs */
    _Atomic uint64_t *word;      /* memory of the map */
    struct group *groups;
    size_t num_groups;
    struct counter *per_cpu;
    size_t num_cpus;
};

/* Offsets of the first six integer arguments in what a program gets of the registers. */
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

/* fp[offset] = (r7 >> shift) & mask */
static void cookie_part(struct bpf_code *c, int shift, int32_t mask, int16_t offset)
{
    bpf_alu_reg(c, BPF_MOV, BPF_REG_1, BPF_REG_7);
    if (shift)
        bpf_alu_imm(c, BPF_RSH, BPF_REG_1, shift);
    bpf_alu_imm(c, BPF_AND, BPF_REG_1, mask);
    bpf_write(c, BPF_W, BPF_REG_10, offset, BPF_REG_1);
}

/* Goes to OUT where another generation counts this hit; r7 is the cookie. */
static void emit_generation(const struct multi *m, struct bpf_code *c)
{
    cookie_part(c, FILE_SHIFT, 0xfff, -8);
    lookup(c, m->words, -8);
    bpf_jump_imm(c, BPF_JEQ, BPF_REG_0, 0, OUT);
    bpf_read(c, BPF_DW, BPF_REG_9, BPF_REG_0, 0); /* read once */
    bpf_alu_reg(c, BPF_MOV, BPF_REG_8, BPF_REG_7);
    bpf_alu_imm(c, BPF_RSH, BPF_REG_8, GENERATION_SHIFT);
    bpf_alu_reg(c, BPF_MOV, BPF_REG_1, BPF_REG_9);
    bpf_alu_imm(c, BPF_LSH, BPF_REG_1, 32);
    bpf_alu_imm(c, BPF_RSH, BPF_REG_1, 32);
    bpf_jump_reg(c, BPF_JLT, BPF_REG_1, BPF_REG_8, OUT); /* not active yet */
    bpf_alu_imm(c, BPF_RSH, BPF_REG_9, 32);
    bpf_jump_imm(c, BPF_JNE, BPF_REG_9, 0, EXCHANGE);
    bpf_jump_reg(c, BPF_JNE, BPF_REG_1, BPF_REG_8, OUT);
    bpf_jump_imm(c, BPF_JA, 0, 0, COUNT);
    bpf_label(c, EXCHANGE);
    bpf_call(c, BPF_FUNC_get_current_pid_tgid);
    bpf_write(c, BPF_W, BPF_REG_10, -12, BPF_REG_0); /* the thread */
    lookup(c, m->tokens, -12);
    bpf_jump_imm(c, BPF_JEQ, BPF_REG_0, 0, MARK);
    bpf_read(c, BPF_DW, BPF_REG_1, BPF_REG_0, 0);
    bpf_constant(c, BPF_REG_2, (uint64_t)1 << GENERATION_SHIFT);
    bpf_alu_reg(c, BPF_ADD, BPF_REG_2, BPF_REG_7);
    bpf_jump_reg(c, BPF_JEQ, BPF_REG_1, BPF_REG_2, OUT); /* the next generation counted it */
    bpf_label(c, MARK);
    bpf_write(c, BPF_DW, BPF_REG_10, -24, BPF_REG_7);
    bpf_map_address(c, BPF_REG_1, m->tokens);
    stack_address(c, BPF_REG_2, -12);
    stack_address(c, BPF_REG_3, -24);
    bpf_alu_imm(c, BPF_MOV, BPF_REG_4, BPF_ANY);
    bpf_call(c, BPF_FUNC_map_update_elem);
    bpf_label(c, COUNT);
}

/* units += the argument that the cookie names; r0 is the counter, r6 the registers. */
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

static int load(const struct multi *m, const struct tree *tree, bool leaf)
{
    struct bpf_code c = { 0 };
    bpf_alu_reg(&c, BPF_MOV, BPF_REG_6, BPF_REG_1);
    tree_filter(tree, &c, OUT);
    bpf_alu_reg(&c, BPF_MOV, BPF_REG_1, BPF_REG_6);
    bpf_call(&c, BPF_FUNC_get_attach_cookie);
    bpf_alu_reg(&c, BPF_MOV, BPF_REG_7, BPF_REG_0);
    if (leaf)
        emit_generation(m, &c);
    cookie_part(&c, 0, 0xffff, -4);
    lookup(&c, m->counters, -4);
    bpf_jump_imm(&c, BPF_JEQ, BPF_REG_0, 0, OUT);
    bpf_alu_imm(&c, BPF_MOV, BPF_REG_1, 1);
    bpf_atomic_add(&c, BPF_REG_0, 0, BPF_REG_1);
    emit_argument(&c);
    bpf_label(&c, OUT);
    bpf_exit(&c);
    return bpf_load(&c, BPF_PROG_TYPE_KPROBE, HR_BPF_TRACE_UPROBE_MULTI, NULL, 0);
}

static size_t possible_cpus(void)
{
    unsigned first = 0, last = 0;
    FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
    if (!f)
        return 0;
    int num = fscanf(f, "%u-%u", &first, &last); /* "0-7", or "0" */
    fclose(f);
    return num == 2 && last < MAX_CPUS ? last + 1 : num == 1 ? 1 : 0;
}

static void multi_close(struct probes *p)
{
    struct multi *m = p->state;
    if (!m)
        return;
    for (size_t i = 0; i < m->num_groups; i++) {
        if (m->groups[i].stay >= 0)
            close(m->groups[i].stay);
        if (m->groups[i].leaves >= 0)
            close(m->groups[i].leaves);
    }
    if (m->word)
        munmap((void *)(uintptr_t)m->word, MAX_FILES * sizeof *m->word);
    const int all[] = { m->counters, m->words, m->tokens, m->stay, m->leaf };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            close(all[i]);
    free(m->groups);
    free(m->per_cpu);
    free(m);
    p->state = NULL;
    tree_close(p->tree);
    p->tree = NULL;
}

static int multi_open(struct probes *p, char *why, size_t max)
{
    struct multi *m = calloc(1, sizeof *m);
    if (!m)
        return -1;
    p->tree = tree_open(&p->target, why, max);
    if (!p->tree) {
        free(m);
        return -1;
    }
    p->state = m;
    m->stay = m->leaf = m->words = m->tokens = -1;
    m->num_cpus = possible_cpus();
    m->per_cpu = calloc(m->num_cpus + !m->num_cpus, sizeof *m->per_cpu);
    m->groups = calloc(MAX_FILES, sizeof *m->groups);
    m->counters = bpf_map_new(BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct counter), MAX_SLOTS, 0);
    m->words = bpf_map_new(BPF_MAP_TYPE_ARRAY, 4, 8, MAX_FILES, BPF_F_MMAPABLE);
    m->tokens = bpf_map_new(BPF_MAP_TYPE_HASH, 4, 8, MAX_TOKENS, BPF_F_NO_PREALLOC);
    if (!m->per_cpu || !m->groups || !m->num_cpus || m->counters < 0 || m->words < 0 ||
        m->tokens < 0)
        goto fail;
    void *word =
        mmap(NULL, MAX_FILES * sizeof *m->word, PROT_READ | PROT_WRITE, MAP_SHARED, m->words, 0);
    if (word == MAP_FAILED)
        goto fail;
    m->word = word;
    m->stay = load(m, p->tree, false);
    m->leaf = load(m, p->tree, true);
    if (m->stay < 0 || m->leaf < 0)
        goto fail;
    if (p->target.launched && p->target.hold)
        p->holder = holder_open(p->target.pid, p->tree, why, max);
    return 0;
fail:
    snprintf(why, max, errno == EPERM ? "bpf(2) needs CAP_BPF and CAP_PERFMON" : "bpf(2): %m");
    multi_close(p);
    return -1;
}

/* Links those points of a group that are (not) leaves; -1 with errno, or where there are none. */
static int link_group(struct probes *p, const struct group *g, bool leaves, uint32_t generation)
{
    struct multi *m = p->state;
    uint64_t *offsets = calloc(g->num, sizeof *offsets), *cookies = calloc(g->num, sizeof *cookies);
    uint32_t num = 0;
    int link = -1;
    errno = ENOMEM;
    for (size_t i = g->first; offsets && cookies && i < g->first + g->num; i++) {
        const struct point *at = &p->points[i];
        if (at->leaf != leaves || at->hot)
            continue;
        offsets[num] = at->offset;
        cookies[num++] = i | (uint64_t)at->arg << ARGUMENT_SHIFT |
                         (uint64_t)(g - m->groups) << FILE_SHIFT |
                         (uint64_t)generation << GENERATION_SHIFT;
    }
    errno = num ? errno : 0;
    if (num)
        link = bpf_link_uprobes(leaves ? m->leaf : m->stay, p->points[g->first].file, offsets,
                                cookies, num, 0);
    free(offsets);
    free(cookies);
    return link;
}

static int multi_add(struct probes *p, size_t first, char *why, size_t max)
{
    struct multi *m = p->state;
    if (m->num_groups == MAX_FILES || p->num > MAX_SLOTS) {
        snprintf(why, max, "more than %d files or %d functions", MAX_FILES, MAX_SLOTS);
        return -1;
    }
    struct group *g = &m->groups[m->num_groups];
    *g = (struct group){ .first = first, .num = p->num - first, .stay = -1, .leaves = -1 };
    if (!g->num)
        return 0;
    atomic_store(&m->word[m->num_groups], g->generation);
    g->stay = link_group(p, g, false, 0);
    if (g->stay >= 0 || !errno)
        g->leaves = link_group(p, g, true, g->generation);
    if (g->leaves < 0 && errno) {
        snprintf(why, max, "uprobe_multi: %m");
        if (g->stay >= 0)
            close(g->stay);
        return -1;
    }
    m->num_groups++;
    return 0;
}

static int multi_read(struct probes *p)
{
    struct multi *m = p->state;
    for (size_t i = 0; i < p->num; i++) {
        uint32_t slot = (uint32_t)i;
        if (bpf_map_get(m->counters, &slot, m->per_cpu))
            return -1;
        struct counter sum = { 0 };
        for (size_t cpu = 0; cpu < m->num_cpus; cpu++) {
            sum.calls += m->per_cpu[cpu].calls;
            sum.units += m->per_cpu[cpu].units;
        }
        p->points[i].calls = sum.calls;
        p->points[i].units = sum.units;
    }
    return 0;
}

static void forget_tokens(const struct multi *m)
{
    uint32_t key;
    for (unsigned n = 0; n < MAX_TOKENS && !bpf_map_next(m->tokens, NULL, &key); n++)
        if (bpf_map_delete(m->tokens, &key))
            return;
}

/* Exchanges a group's link of leaves for one without those that are hot. */
static int exchange(struct probes *p, struct group *g)
{
    struct multi *m = p->state;
    _Atomic uint64_t *word = &m->word[g - m->groups];
    atomic_store(word, g->generation | EXCHANGING);
    int link = link_group(p, g, true, g->generation + 1);
    if (link < 0 && errno) {
        atomic_store(word, g->generation);
        return -1;
    }
    g->generation++;
    atomic_store(word, g->generation | EXCHANGING);
    close(g->leaves); /* returns when the last program of the old link has run */
    g->leaves = link;
    atomic_store(word, g->generation);
    forget_tokens(m);
    return 0;
}

static int multi_take_out(struct probes *p)
{
    struct multi *m = p->state;
    int result = 0;
    for (size_t i = 0; i < m->num_groups; i++) {
        struct group *g = &m->groups[i];
        bool newly = false;
        for (size_t k = g->first; k < g->first + g->num; k++)
            newly |= p->points[k].hot && !p->points[k].lost_since;
        if (newly && g->leaves >= 0)
            result |= exchange(p, g);
    }
    return result;
}

const struct probes_backend probes_multi = {
    .name = "multi",
    .exactness = COUNT_EXACT,
    .counts_bytes = true,
    .open = multi_open,
    .add = multi_add,
    .read = multi_read,
    .take_out = multi_take_out,
    .close = multi_close,
};
