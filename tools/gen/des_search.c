/* SPDX-License-Identifier: Apache-2.0 */
/* des_search BASIS BOX SEED WALKS IDLE [FILE]: prints the smallest netlist of a box that WALKS
 * walks find. The walks have seeds from SEED on, and each ends when IDLE steps have found
 * nothing better. They start from the ternary netlist in FILE, or from nothing; search.h
 * describes the search. Whenever a walk ends with a better netlist than all before, it prints
 * that netlist and the command that finds it alone. */
#include "des_tables.h"
#include "random.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

struct call {
    const char *basis, *file;
    int box;
    long seed, walks, idle;
};

static int read_call(int argc, char **argv, struct call *call)
{
    if (argc < 6 || argc > 7)
        return 0;
    *call = (struct call){ argv[1],       argc > 6 ? argv[6] : NULL,
                           atoi(argv[2]), atol(argv[3]),
                           atol(argv[4]), atol(argv[5]) };
    return call->box >= 1 && call->box <= 8;
}

static int find_basis(const char *name, struct search *search)
{
    static const struct basis *const bases[] = { &basis_ternary, &basis_logic };
    for (int i = 0; i < 2; i++)
        if (strcmp(name, bases[i]->name) == 0)
            search->basis = bases[i];
    return search->basis != NULL;
}

/* Sets the wanted outputs; complemented[] tells of which outputs the basis can compute only the
 * complement. */
static void want_box(struct search *search, int box, int *complemented)
{
    for (int o = 0; o < OUTPUTS; o++) {
        const uint64_t value = des_sbox_output(box - 1, o);
        complemented[o] = search->basis->no_complement && (value & 1);
        search->goal[o] = complemented[o] ? ~value : value;
    }
}

static void print(const struct call *call, long seed, const struct netlist *found,
                  const int *complemented)
{
    struct netlist list = *found;
    for (int o = 0; o < OUTPUTS; o++)
        if (complemented[o])
            list.out[o].fn = FN_NOT;
    printf("box %d: %d gates: des_search %s %d %ld 1 %ld%s%s\n", call->box, netlist_gates(found),
           call->basis, call->box, seed, call->idle, call->file ? " " : "",
           call->file ? call->file : "");
    netlist_print(stdout, &list);
    fflush(stdout);
}

static int read_file(const struct call *call, struct netlist *list)
{
    FILE *file = fopen(call->file, "r");
    const int failed = !file || netlist_read(file, call->box, list);
    if (file)
        fclose(file);
    return !failed;
}

int main(int argc, char **argv)
{
    struct call call;
    struct search search = { 0 };
    struct netlist other;
    int complemented[OUTPUTS], best = MAX_SIGNALS;
    if (!read_call(argc, argv, &call) || !find_basis(call.basis, &search)) {
        fprintf(stderr, "usage: des_search ternary|logic BOX SEED WALKS IDLE [FILE]\n");
        return 2;
    }
    if (call.file && !read_file(&call, &other)) {
        fprintf(stderr, "des_search: no box %d in %s\n", call.box, call.file);
        return 1;
    }
    want_box(&search, call.box, complemented);
    for (long seed = call.seed; seed < call.seed + call.walks; seed++) {
        struct netlist list;
        random_start((uint64_t)seed);
        if (call.file)
            start_from(&search, &list, &other);
        else
            start_from_nothing(&search, &list);
        walk(&search, &list, call.idle);
        fprintf(stderr, "seed %ld: %d gates\n", seed, netlist_gates(&list));
        if (netlist_gates(&list) >= best)
            continue;
        best = netlist_gates(&list);
        print(&call, seed, &list, complemented);
    }
    return 0;
}
