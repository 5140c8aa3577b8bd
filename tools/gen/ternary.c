/* SPDX-License-Identifier: Apache-2.0 */
/* Gates that are any function of three signals. Three signals suffice for a wanted function if
 * no two inputs with different wanted values have the same values of all three signals. */
#include "random.h"
#include "search.h"

/* A cell: some of the 64 inputs, those where 1 is wanted and those where 0 is wanted. It is
 * mixed if it has both. A signal splits a mixed cell if it has one value at the inputs of one
 * kind, and the other value at those of the other kind. */
struct cell {
    uint64_t one, zero;
};

static int is_mixed(struct cell cell)
{
    return cell.one && cell.zero;
}

static struct cell within(struct cell cell, uint64_t in)
{
    return (struct cell){ cell.one & in, cell.zero & in };
}

/* Divides one or two cells by the value of `signal`. Returns the number of mixed parts in `to`. */
static int split_by(uint64_t signal, const struct cell *from, int num_from, struct cell *to)
{
    int num = 0;
    for (int i = 0; i < num_from; i++) {
        to[num] = within(from[i], signal);
        num += is_mixed(to[num]);
        to[num] = within(from[i], ~signal);
        num += is_mixed(to[num]);
    }
    return num;
}

static struct cell all_of(struct want want)
{
    return (struct cell){ want.care & want.value, want.care & ~want.value };
}

/* The gate of three signals that is the wanted function, if there is one; random at inputs that
 * do not matter. */
static struct gate gate_of(const struct netlist *list, int a, int b, int c, struct want want)
{
    struct gate gate = { { (uint8_t)a, (uint8_t)b, (uint8_t)c }, 0 };
    const uint64_t *value = list->value;
    const uint8_t any = (uint8_t)random_bits();
    for (int i = 0; i < 8; i++) {
        const uint64_t in = want.care & (i & 4 ? value[a] : ~value[a]) &
                            (i & 2 ? value[b] : ~value[b]) & (i & 1 ? value[c] : ~value[c]);
        const int bit = in ? (in & want.value) != 0 : any >> i & 1;
        gate.fn |= (uint8_t)(bit << i);
    }
    return gate;
}

/* The index in the pool of a signal that splits all cells, or -1. */
static int find_splitting(const struct pool *pool, const struct cell *cell, int num)
{
    for (int k = 0; k < pool->num; k += LANES) {
        const lanes value = *(const lanes *)&pool->value[k];
        unsigned good = (1 << LANES) - 1;
        for (int i = 0; i < num && good; i++) {
            const lanes in = value & (cell[i].one | cell[i].zero);
            const lanes ones = in ^ cell[i].one, zeros = in ^ cell[i].zero;
            good &= zero_lanes(&ones) | zero_lanes(&zeros);
        }
        if (good)
            return k + __builtin_ctz(good) < pool->num ? k + __builtin_ctz(good) : 0;
    }
    return -1;
}

/* The signals of the pool that have different values at two inputs of a cell, of which one wants
 * 1 and the other 0: any gate must read such a signal. Of a few such pairs of inputs, the pair
 * with fewest signals is taken. */
static uint64_t telling(const struct pool *pool, struct cell cell)
{
    uint64_t best = ~(uint64_t)0, one = cell.one;
    for (int i = 0; i < 4 && one; i++, one &= one - 1) {
        uint64_t zero = cell.zero;
        for (int k = 0; k < 4 && zero; k++, zero &= zero - 1) {
            const uint64_t differ =
                pool->column[__builtin_ctzll(one)] ^ pool->column[__builtin_ctzll(zero)];
            if (__builtin_popcountll(differ) < __builtin_popcountll(best))
                best = differ;
        }
    }
    return best;
}

/* Finds a gate of three signals of the pool; tries all of them. */
static int find_gate(const struct netlist *list, const struct pool *pool, struct want want,
                     struct gate *gate)
{
    const struct cell all = all_of(want);
    const uint8_t *id = pool->id;
    for (uint64_t is = telling(pool, all); is; is &= is - 1) {
        const int i = __builtin_ctzll(is);
        struct cell half[3], quarter[5];
        const int halves = split_by(pool->value[i], &all, 1, half);
        if (halves == 0) {
            *gate = gate_of(list, id[i], id[i], id[i], want);
            return 1;
        }
        for (uint64_t js = telling(pool, half[0]); js; js &= js - 1) {
            const int j = __builtin_ctzll(js);
            const int num = split_by(pool->value[j], half, halves, quarter);
            const int k = num ? find_splitting(pool, quarter, num) : j;
            if (k < 0)
                continue;
            *gate = gate_of(list, id[i], id[j], id[k], want);
            return 1;
        }
    }
    return 0;
}

static int find(struct netlist *list, struct pool *pool, struct want want, int gates);

/* Finds the third signal of a gate whose others are in the pool at d and e. These leave some
 * cells mixed: in each of these cells, the third signal must be the wanted function or its
 * complement. */
static int find_third(struct netlist *list, struct pool *pool, struct want want, int gates, int d,
                      int e)
{
    const struct cell all = all_of(want);
    struct cell half[3], cell[5];
    const int halves = split_by(pool->value[d], &all, 1, half);
    const int num = split_by(pool->value[e], half, halves, cell);
    struct want third = { want.value, 0 };
    for (int i = 0; i < num; i++) {
        const uint64_t in = cell[i].one | cell[i].zero;
        third.care |= in;
        third.value ^= random_below(2) ? in : 0;
    }
    return num ? find(list, pool, third, gates) : -1;
}

/* Makes a function by a selection: a signal of the pool selects one function where it is 1, and
 * another where it is 0. */
static int find_choice(struct netlist *list, struct pool *pool, struct want want, int gates, int s)
{
    const uint64_t in = random_below(2) ? pool->value[s] : ~pool->value[s];
    const int from = list->num_signals, num = pool->num, id = pool->id[s];
    if (!(in & want.care) || !(~in & want.care))
        return -1;
    const int a = find(list, pool, (struct want){ want.value, want.care & in }, gates - 2);
    if (a < 0)
        return -1;
    for (int i = from; i < list->num_signals; i++)
        pool_add(pool, i, list->value[i]);
    const int left = gates - 1 - (list->num_signals - from);
    const int b = find(list, pool, (struct want){ want.value, want.care & ~in }, left);
    pool_cut(pool, num);
    if (b < 0) {
        list->num_signals = from;
        return -1;
    }
    return netlist_add(list, gate_of(list, id, a, b, want));
}

static int find(struct netlist *list, struct pool *pool, struct want want, int gates)
{
    struct gate gate;
    const int same = pool_same(pool, want);
    if (same >= 0 || gates <= 0)
        return same;
    if (find_gate(list, pool, want, &gate))
        return netlist_add(list, gate);
    for (int i = 0; i < 3 && gates >= 2; i++) {
        const int d = random_below(pool->num), e = random_below(pool->num);
        const int w = find_third(list, pool, want, gates - 1, d, e);
        if (w >= 0)
            return netlist_add(list, gate_of(list, pool->id[d], pool->id[e], w, want));
    }
    for (int i = 0; i < 4 && gates >= 3; i++) {
        const int w = find_choice(list, pool, want, gates, random_below(pool->num));
        if (w >= 0)
            return w;
    }
    return -1;
}

static int find_two(const struct netlist *list, const struct pool *pool, struct want want,
                    struct gate *out)
{
    const struct cell all = all_of(want);
    for (int i = 0; i < pool->num; i++) {
        struct cell half[3];
        const int num = split_by(pool->value[i], &all, 1, half);
        const int j = num ? find_splitting(pool, half, num) : i;
        if (j < 0)
            continue;
        *out = gate_of(list, pool->id[i], pool->id[j], pool->id[j], want);
        return 1;
    }
    return 0;
}

static int find_out(struct netlist *list, struct pool *pool, struct want want, int gates,
                    struct gate *out)
{
    if (find_two(list, pool, want, out))
        return 1;
    for (int i = 0; i < 12 && gates > 0; i++) {
        const int d = random_below(pool->num);
        const int w = find_third(list, pool, want, gates, d, d);
        if (w < 0)
            continue;
        *out = gate_of(list, pool->id[d], w, w, want);
        return 1;
    }
    const int w = gates > 0 ? find(list, pool, want, gates) : -1;
    if (w < 0)
        return 0;
    *out = (struct gate){ { (uint8_t)w, (uint8_t)w, (uint8_t)w }, FN_FIRST };
    return 1;
}

const struct basis basis_ternary = { "ternary", find, find_out, .outs_move = 1 };
