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
 */
#include "bpf.h"
#include "probes_program.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The word of a file: active generation 0..31, exchange in progress 32. */
#define EXCHANGING ((uint64_t)1 << 32)

struct group { /* of one file */
    size_t first, num;
    uint32_t generation;
    int stay, leaves; /* links; -1 */
};

struct multi {
    struct counters counters;
    int words, tokens;      /* maps */
    int stay, leaf;         /* programs */
    int measured;           /* a link, or -1 */
    _Atomic uint64_t *word; /* memory of the map */
    struct group *groups;
    size_t num_groups;
};

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
    const int all[] = { m->measured, m->words, m->tokens, m->stay, m->leaf };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            close(all[i]);
    free(m->groups);
    counters_close(&m->counters);
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
    p->counts_bytes = true;
    m->stay = m->leaf = m->words = m->tokens = m->measured = -1;
    m->counters.map = -1;
    m->groups = calloc(MAX_FILES, sizeof *m->groups);
    m->words = bpf_map_new(BPF_MAP_TYPE_ARRAY, 4, 8, MAX_FILES, BPF_F_MMAPABLE);
    m->tokens = bpf_map_new(BPF_MAP_TYPE_HASH, 4, 8, MAX_TOKENS, BPF_F_NO_PREALLOC);
    if (!m->groups || counters_open(&m->counters) || m->words < 0 || m->tokens < 0)
        goto fail;
    void *word =
        mmap(NULL, MAX_FILES * sizeof *m->word, PROT_READ | PROT_WRITE, MAP_SHARED, m->words, 0);
    if (word == MAP_FAILED)
        goto fail;
    m->word = word;
    struct program program = { .tree = p->tree,
                               .counters = m->counters.map,
                               .attach_type = HR_BPF_TRACE_UPROBE_MULTI };
    m->stay = program_load(&program);
    program.words = m->words;
    program.tokens = m->tokens;
    m->leaf = program_load(&program);
    if (m->stay < 0 || m->leaf < 0)
        goto fail;
    m->measured = probes_measure(p, m->leaf);
    if (p->target.launched && p->target.hold)
        p->holder = holder_open(p->target.pid, p->tree, true, why, max);
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
    return counters_read(&((struct multi *)p->state)->counters, p);
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
            newly |= p->points[k].hot && !p->points[k].out;
        if (newly && g->leaves >= 0)
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
    .take_out = multi_take_out,
    .close = multi_close,
};
