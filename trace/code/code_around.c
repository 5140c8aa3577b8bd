/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the innermost loop around an address: a natural loop (Aho, Lam, Sethi, Ullman:
 * Compilers, 9.6.6) of a backward branch. Such a loop consists of all instructions that reach
 * the branch without passing the loop's head. */
#include "code_insn.h"
#include <stdlib.h>
#include <string.h>

/* Candidate loops are tried from the smallest, at most this many: real code does not nest
 * deeper. */
enum { MAX_LOOPS = 64 };

struct edge {
    uint32_t from, to; /* indices of instructions */
};

struct graph {
    const struct listing *listing;
    struct edge *edges; /* sorted by `to` */
    size_t num_edges;
    uint32_t *body; /* indices of a loop's instructions; also the work list of the search */
    uint8_t *in_body, *is_target;
};

static int by_to(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->to != y->to ? (x->to > y->to) - (x->to < y->to)
                          : (x->from > y->from) - (x->from < y->from);
}

static int by_size(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    const uint32_t i = x->from - x->to, j = y->from - y->to;
    return i != j ? (i > j) - (i < j) : (x->to > y->to) - (x->to < y->to);
}

static bool goes_on(enum flow flow)
{
    return flow == FLOW_NEXT || flow == FLOW_COND || flow == FLOW_CALL;
}

static bool graph_make(struct graph *graph, const struct listing *listing, const struct code *code)
{
    *graph = (struct graph){ .listing = listing,
                             .in_body = listing->state,
                             .is_target = listing->state + listing->num };
    graph->edges = calloc(listing->num, sizeof *graph->edges);
    graph->body = calloc(listing->num, sizeof *graph->body);
    if (!graph->edges || !graph->body)
        return false;
    for (size_t i = 0; i < listing->num; i++) {
        const struct insn *insn = &listing->at[i];
        const size_t to =
            insn->has_target ? listing_find(listing, code, insn->target) : listing->num;
        if (to == listing->num)
            continue;
        graph->is_target[to] = 1;
        if (insn->flow != FLOW_CALL)
            graph->edges[graph->num_edges++] = (struct edge){ (uint32_t)i, (uint32_t)to };
    }
    qsort(graph->edges, graph->num_edges, sizeof *graph->edges, by_to);
    return true;
}

static void graph_free(struct graph *graph)
{
    free(graph->edges);
    free(graph->body);
}

static size_t first_edge_to(const struct graph *graph, uint32_t to)
{
    size_t low = 0, high = graph->num_edges;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (graph->edges[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void reach(struct graph *graph, size_t *num, uint32_t i)
{
    if (!graph->in_body[i])
        graph->body[(*num)++] = i;
    graph->in_body[i] = 1;
}

/* Fills graph->body with the instructions that reach the branch. Returns how many, or 0 if the head
 * or ip is not among them. Without the head there is no loop: the branch returns from code that was
 * placed elsewhere. */
static size_t loop_body(struct graph *graph, const struct edge *back)
{
    const struct insn *at = graph->listing->at;
    size_t num = 0;
    memset(graph->in_body + back->to, 0, back->from - back->to + 1);
    reach(graph, &num, back->from);
    for (size_t next = 0; next < num; next++) {
        const uint32_t i = graph->body[next];
        if (i == back->to)
            continue;
        if (i > back->to && goes_on(at[i - 1].flow))
            reach(graph, &num, i - 1);
        for (size_t e = first_edge_to(graph, i); e < graph->num_edges && graph->edges[e].to == i;
             e++)
            if (graph->edges[e].from >= back->to && graph->edges[e].from <= back->from)
                reach(graph, &num, graph->edges[e].from);
    }
    return graph->in_body[back->to] && graph->in_body[graph->listing->ip] ? num : 0;
}

struct sum {
    marks marks;
    uint32_t num, moves, logic;
    uint16_t vector_bits;
    bool stores;
    struct mix mix;
};

static void sum_add(struct sum *sum, const struct insn *insn)
{
    sum->marks |= insn->marks;
    sum->num++;
    sum->moves += insn->work == WORK_MOVE || insn->work == WORK_PAD;
    sum->logic += insn->work >= WORK_AND && insn->work <= WORK_ROTATE;
    struct mix *mix = &sum->mix;
    mix->works += insn->work != WORK_MOVE && insn->work != WORK_PAD;
    mix->xors += insn->work == WORK_XOR || insn->work == WORK_TERN;
    mix->rotates += insn->work == WORK_ROTATE;
    mix->shifts += insn->work == WORK_SHIFT;
    mix->products += insn->work == WORK_MUL;
    mix->masks += insn->mask;
    mix->lookups += insn->lookup;
    mix->shuffles += insn->shuffle;
    sum->stores = sum->stores || insn->stores;
    if (insn->vector_bits > sum->vector_bits)
        sum->vector_bits = insn->vector_bits;
}

static void tell(struct around *out, const struct sum *sum)
{
    out->num_insns = sum->num;
    out->vector_bits = sum->vector_bits;
    out->stores = sum->stores;
    out->mix = sum->mix;
    out->logic_permille =
        (uint16_t)(sum->num > sum->moves ? sum->logic * 1000ull / (sum->num - sum->moves) : 0);
}

/* The straight run around ip: back and forward to the next branch or branch target. */
static struct sum straight_run(const struct graph *graph)
{
    const struct listing *listing = graph->listing;
    struct sum sum = { 0 };
    size_t first = listing->ip, last = listing->ip;
    while (first && !graph->is_target[first] &&
           (listing->at[first - 1].flow == FLOW_NEXT || listing->at[first - 1].flow == FLOW_CALL))
        first--;
    while (last + 1 < listing->num && !graph->is_target[last + 1] &&
           (listing->at[last].flow == FLOW_NEXT || listing->at[last].flow == FLOW_CALL))
        last++;
    for (size_t i = first; i <= last; i++)
        sum_add(&sum, &listing->at[i]);
    return sum;
}

/* Lists the candidate loops around ip in `loops`, the smallest first. Returns how many. */
static size_t loops_around(struct edge *loops, const struct graph *graph)
{
    size_t num = 0;
    for (size_t e = 0; e < graph->num_edges; e++)
        if (graph->edges[e].to <= graph->listing->ip && graph->edges[e].from >= graph->listing->ip)
            loops[num++] = graph->edges[e];
    qsort(loops, num, sizeof *loops, by_size);
    return num < MAX_LOOPS ? num : MAX_LOOPS;
}

static void find_loop(struct around *out, struct graph *graph, struct edge *loops)
{
    enum { LARGEST = 600 };
    const size_t num_loops = loops_around(loops, graph);
    for (size_t i = 0; i < num_loops && !(out->loop & MARKS_CRYPTO); i++) {
        const size_t num = loop_body(graph, &loops[i]);
        struct sum sum = { 0 };
        for (size_t k = 0; k < num; k++)
            sum_add(&sum, &graph->listing->at[graph->body[k]]);
        if (num && num <= LARGEST)
            out->outer = sum.mix;
        /* Keeps the innermost loop, or a larger one with marks, or a larger one with crypto
         * marks. */
        if (num && (!out->in_loop || (sum.marks && !out->loop) || (sum.marks & MARKS_CRYPTO))) {
            tell(out, &sum);
            out->loop = sum.marks;
            out->in_loop = true;
        }
    }
}

void code_around(struct around *out, const struct code *code, uint64_t ip)
{
    *out = (struct around){ 0 };
    struct listing listing;
    struct graph graph;
    if (!listing_make(&listing, code, ip))
        return;
    struct edge *loops = calloc(listing.num, sizeof *loops);
    if (graph_make(&graph, &listing, code) && loops) {
        const struct sum run = straight_run(&graph);
        tell(out, &run);
        out->run = run.marks;
        for (size_t i = 0; i < listing.num; i++)
            out->function |= listing.at[i].marks;
        find_loop(out, &graph, loops);
        out->decoded = true;
    }
    free(loops);
    graph_free(&graph);
    listing_free(&listing);
}
