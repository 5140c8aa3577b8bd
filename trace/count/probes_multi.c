/* SPDX-License-Identifier: Apache-2.0
 *
 * The back end for uprobe_multi (kernel 6.6): one link holds many probes, and the cookie of each
 * says in which slot of a per-CPU array it counts. Links are few, because detaching one takes up to
 * 50 ms: each file has one link for functions that stay probed, and one for leaves, which have a
 * budget.
 *
 * To remove a leaf that is too hot, the link of the file's leaves is replaced by a new link without
 * it. While both links are attached, each hit of a remaining leaf runs two programs, and exactly
 * one of them may count. The cookie contains the link's generation, and a word of memory the active
 * generation: the new link counts only once its generation is active. The kernel runs the newest
 * consumer of a probe first, so the new link's program decides, and leaves its decision for the old
 * one in a map indexed by thread: the old one counts if and only if the new one did not. So no hit
 * during the exchange is lost or counted twice.
 *
 * If possible, a link is for one process: the kernel then puts breakpoints into no other process,
 * and other users of the same file lose no time. The link stays with its process through execve. A
 * child process needs links of its own before it runs: the holder stops it at its beginning. If
 * there is no holder (-p), or after MAX_OWNERS processes, whose links would take too long to
 * detach, "rest" links for every process count the remaining ones: all processes of the tree
 * without links of their own.
 */
#include "bpf.h"
#include "probes_program.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The word of a file: bits 0..31 active generation, bit 32 exchange in progress. */
#define EXCHANGING ((uint64_t)1 << 32)

/* The sides of a link: one of up to MAX_OWNERS processes, or the rest. */
enum { MAX_OWNERS = 8, REST = MAX_OWNERS, SIDES };
enum { STAY, LEAVES, KINDS };

struct group { /* the probes of one file */
    size_t first, num;
    uint32_t generation;
    int links[KINDS][SIDES]; /* -1: no link */
};

struct multi {
    struct counters counters;
    int words, tokens;        /* descriptors of maps */
    int programs[KINDS][2];   /* [1]: for the rest */
    int measured;             /* descriptor of a link, or -1 */
    _Atomic uint64_t *word;   /* the map's memory */
    pid_t owners[MAX_OWNERS]; /* pids; 0: free */
    bool rest;                /* there are links for the rest */
    uint64_t forks;           /* forks of the tree before its processes were listed */
    struct group *groups;
    size_t num_groups;
};

static void close_links(int links[SIDES])
{
    for (size_t i = 0; i < SIDES; i++) {
        if (links[i] >= 0)
            close(links[i]);
        links[i] = -1;
    }
}

static void multi_close(struct probes *p)
{
    struct multi *m = p->state;
    if (!m)
        return;
    for (size_t i = 0; i < m->num_groups; i++)
        for (size_t kind = 0; kind < KINDS; kind++)
            close_links(m->groups[i].links[kind]);
    if (m->word)
        munmap((void *)(uintptr_t)m->word, MAX_FILES * sizeof *m->word);
    const int all[] = { m->measured,
                        m->words,
                        m->tokens,
                        m->programs[STAY][0],
                        m->programs[STAY][1],
                        m->programs[LEAVES][0],
                        m->programs[LEAVES][1] };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            close(all[i]);
    free(m->groups);
    program_counters_close(&m->counters);
    free(m);
    p->state = NULL;
    tree_close(p->tree);
    p->tree = NULL;
}

static int load_programs(struct probes *p)
{
    struct multi *m = p->state;
    struct program program = { .counters = m->counters.map,
                               .tree = p->tree,
                               .attach_type = HR_BPF_TRACE_UPROBE_MULTI };
    for (size_t kind = 0; kind < KINDS; kind++) {
        program.words = kind == LEAVES ? m->words : 0;
        program.tokens = kind == LEAVES ? m->tokens : 0;
        for (size_t rest = 0; rest < 2; rest++) {
            program.rest = rest;
            m->programs[kind][rest] = program_load(&program);
            if (m->programs[kind][rest] < 0)
                return -1;
        }
    }
    return 0;
}

/* Measures the cost of a hit. Returns whether a link for one process sees all its threads: in
 * the first kernels with such links (until 6.10), only the thread with the given id runs the
 * program. */
static bool measure(struct probes *p)
{
    struct multi *m = p->state;
    struct tree *all = tree_open(&(struct probes_target){ 0 }, NULL, 0);
    if (!all)
        return false;
    struct program program = { .counters = m->counters.map,
                               .tree = all,
                               .attach_type = HR_BPF_TRACE_UPROBE_MULTI };
    int counting = program_load(&program);
    tree_close(all);
    if (counting < 0)
        return false;
    m->measured = probes_measure(p, counting, SPARE_SLOT | NO_ARGUMENT << ARGUMENT_SHIFT);
    close(counting); /* the link keeps a reference */
    const uint64_t before = program_counters_spare(&m->counters);
    if (m->measured >= 0)
        probes_pass_aside();
    return program_counters_spare(&m->counters) > before;
}

static bool add_owner(struct probes *p, pid_t pid)
{
    struct multi *m = p->state;
    size_t at = 0;
    while (at < MAX_OWNERS && m->owners[at])
        at++;
    if (at == MAX_OWNERS || tree_own(p->tree, pid))
        return false;
    m->owners[at] = pid;
    return true;
}

/* Decides whether the processes that exist get links of their own, or all belong to the rest. */
static void choose_owners(struct probes *p, bool possible)
{
    struct multi *m = p->state;
    pid_t pids[MAX_OWNERS + 1];
    m->rest = true;
    if (!possible || !tree_tells_processes(p->tree))
        return;
    m->forks = tree_forks(p->tree); /* first: a later process is new */
    const size_t num = tree_processes(p->tree, pids, MAX_OWNERS + 1);
    m->rest = num > MAX_OWNERS;
    for (size_t i = 0; i < num && !m->rest; i++)
        m->rest = !add_owner(p, pids[i]);
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
    p->counts_bytes = true;
    memset(m->programs, -1, sizeof m->programs);
    m->words = m->tokens = m->measured = -1;
    m->counters.map = -1;
    m->groups = calloc(MAX_FILES, sizeof *m->groups);
    m->words = bpf_map_new(BPF_MAP_TYPE_ARRAY, 4, 8, MAX_FILES, BPF_F_MMAPABLE);
    m->tokens = bpf_map_new(BPF_MAP_TYPE_HASH, 4, 8, MAX_TOKENS, BPF_F_NO_PREALLOC);
    if (!m->groups || program_counters_open(&m->counters) || m->words < 0 || m->tokens < 0)
        goto fail;
    void *word =
        mmap(NULL, MAX_FILES * sizeof *m->word, PROT_READ | PROT_WRITE, MAP_SHARED, m->words, 0);
    if (word == MAP_FAILED)
        goto fail;
    m->word = word;
    /* First: whether births are held decides what programs can tell. */
    if (p->target.launched && p->target.hold)
        p->holder = held_open(p->target.pid, p->tree, true, why, max);
    if (load_programs(p))
        goto fail;
    choose_owners(p, measure(p));
    if (p->holder && !m->rest)
        held_apart(p->holder);
    return 0;
fail:
    snprintf(why, max, errno == EPERM ? "bpf(2) needs CAP_BPF and CAP_PERFMON" : "bpf(2): %m");
    held_close(p->holder);
    p->holder = NULL;
    multi_close(p);
    return -1;
}

/* Links the points of a group that are leaves, or those that are not, by `kind`. Returns the
 * link, or -1 with errno (0: there is no such point). */
static int link_side(struct probes *p, const struct group *g, size_t kind, size_t side,
                     uint32_t generation)
{
    struct multi *m = p->state;
    uint64_t *offsets = calloc(g->num, sizeof *offsets), *cookies = calloc(g->num, sizeof *cookies);
    uint32_t num = 0;
    int link = -1;
    errno = ENOMEM;
    for (size_t i = g->first; offsets && cookies && i < g->first + g->num; i++) {
        const struct point *at = &p->points[i];
        if (at->leaf != (kind == LEAVES) || at->hot)
            continue;
        offsets[num] = at->offset;
        cookies[num++] = i | (uint64_t)at->arg << ARGUMENT_SHIFT |
                         (uint64_t)(g - m->groups) << FILE_SHIFT |
                         (uint64_t)generation << GENERATION_SHIFT;
    }
    errno = num ? errno : 0;
    if (num)
        link = bpf_link_uprobes(m->programs[kind][side == REST], p->points[g->first].file, offsets,
                                cookies, num, side == REST ? 0 : m->owners[side]);
    free(offsets);
    free(cookies);
    return link;
}

/* Links a group for all sides. Returns 0, or -1 with errno, and then leaves no link. A process
 * that has ended needs no link. */
static int link_kind(struct probes *p, const struct group *g, size_t kind, uint32_t generation,
                     int links[SIDES])
{
    const struct multi *m = p->state;
    memset(links, -1, SIDES * sizeof *links);
    for (size_t side = 0; side < SIDES; side++) {
        if (side == REST ? !m->rest : !m->owners[side])
            continue;
        links[side] = link_side(p, g, kind, side, generation);
        if (links[side] >= 0 || !errno || (side != REST && errno == ESRCH))
            continue;
        int error = errno;
        close_links(links);
        errno = error;
        return -1;
    }
    return 0;
}

static int multi_add(struct probes *p, size_t first, char *why, size_t max)
{
    struct multi *m = p->state;
    if (m->num_groups == MAX_FILES || p->num > MAX_SLOTS) {
        snprintf(why, max, "more than %d files or %d functions", MAX_FILES, MAX_SLOTS);
        return -1;
    }
    struct group *g = &m->groups[m->num_groups];
    *g = (struct group){ .first = first, .num = p->num - first };
    if (!g->num)
        return 0;
    atomic_store(&m->word[m->num_groups], g->generation);
    if (link_kind(p, g, STAY, 0, g->links[STAY])) {
        snprintf(why, max, "uprobe_multi: %m");
        return -1;
    }
    if (link_kind(p, g, LEAVES, 0, g->links[LEAVES])) {
        snprintf(why, max, "uprobe_multi: %m");
        close_links(g->links[STAY]);
        return -1;
    }
    m->num_groups++;
    return 0;
}

/* ---- new processes ---- */

/* Links all groups for one process, or for the rest. Returns whether all could be linked. */
static bool link_newcomer(struct probes *p, size_t side)
{
    struct multi *m = p->state;
    bool all = true;
    for (size_t i = 0; i < m->num_groups; i++) {
        struct group *g = &m->groups[i];
        for (size_t kind = 0; kind < KINDS; kind++) {
            if (g->links[kind][side] >= 0)
                close(g->links[kind][side]);
            g->links[kind][side] = link_side(p, g, kind, side, g->generation);
            all &= g->links[kind][side] >= 0 || !errno;
        }
    }
    return all;
}

/* Some calls were not counted: exact counts become "at least". */
static void note_missed(struct probes *p)
{
    for (size_t i = 0; i < p->num_functions; i++)
        if (p->functions[i].exactness == COUNT_EXACT)
            p->functions[i].exactness = COUNT_AT_LEAST;
}

static void count_rest(struct probes *p)
{
    struct multi *m = p->state;
    if (m->rest)
        return;
    m->rest = true;
    if (!link_newcomer(p, REST))
        note_missed(p);
}

static size_t owner_of(const struct multi *m, pid_t pid)
{
    size_t side = 0;
    while (side < MAX_OWNERS && m->owners[side] != pid)
        side++;
    return side;
}

/* Frees the slots of processes that have ended, as long as no file has links. */
static void forget_ended(struct multi *m)
{
    for (size_t side = 0; side < MAX_OWNERS && !m->num_groups; side++)
        if (m->owners[side] && kill(m->owners[side], 0) && errno == ESRCH)
            m->owners[side] = 0;
}

static void multi_born(struct probes *p, pid_t pid)
{
    struct multi *m = p->state;
    size_t side = owner_of(m, pid);
    if (side == MAX_OWNERS) {
        forget_ended(m);
        if (m->rest || !add_owner(p, pid)) {
            count_rest(p);
            return;
        }
        side = owner_of(m, pid);
    }
    if (link_newcomer(p, side))
        return;
    for (size_t i = 0; i < m->num_groups;
         i++) /* so that hits are counted once, by the rest's link */
        for (size_t kind = 0; kind < KINDS; kind++) {
            if (m->groups[i].links[kind][side] >= 0)
                close(m->groups[i].links[kind][side]);
            m->groups[i].links[kind][side] = -1;
        }
    m->owners[side] = 0;
    (void)tree_add(p->tree, pid);
    count_rest(p);
}

static void multi_follow(struct probes *p)
{
    struct multi *m = p->state;
    if (p->holder || m->rest || tree_forks(p->tree) == m->forks)
        return;
    count_rest(p);
    note_missed(p);
}

static int multi_read(struct probes *p)
{
    return program_counters_read(&((struct multi *)p->state)->counters, p);
}

static void forget_tokens(const struct multi *m)
{
    uint32_t key;
    for (unsigned n = 0; n < MAX_TOKENS && !bpf_map_next(m->tokens, NULL, &key); n++)
        if (bpf_map_delete(m->tokens, &key))
            return;
}

/* Replaces the links of a group's leaves by new links without the hot leaves. */
static int exchange(struct probes *p, struct group *g)
{
    struct multi *m = p->state;
    _Atomic uint64_t *word = &m->word[g - m->groups];
    atomic_store(word, g->generation | EXCHANGING);
    int links[SIDES];
    if (link_kind(p, g, LEAVES, g->generation + 1, links)) {
        atomic_store(word, g->generation);
        return -1;
    }
    g->generation++;
    atomic_store(word, g->generation | EXCHANGING);
    close_links(g->links[LEAVES]); /* waits until the programs of the old links have ended */
    memcpy(g->links[LEAVES], links, sizeof links);
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
            newly |= p->points[k].hot && !p->points[k].out;
        if (newly)
            result |= exchange(p, g);
    }
    return result;
}

const struct probes_backend probes_multi = {
    .name = "multi",
    .exactness = COUNT_EXACT,
    .open = multi_open,
    .add = multi_add,
    .read = multi_read,
    .born = multi_born,
    .follow = multi_follow,
    .take_out = multi_take_out,
    .close = multi_close,
};
