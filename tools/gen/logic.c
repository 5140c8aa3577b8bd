/* SPDX-License-Identifier: Apache-2.0 */
/* Gates of two inputs that are 0 if both inputs are: AND, ANDN, OR, XOR. Then all signals are 0
 * at input 0, and no signal has to be complemented, except for outputs. Any function of two
 * signals is one of these up to complements, and the value of a signal at input 0 decides about
 * the complement. */
#include "random.h"
#include "search.h"

enum { AND, OR, ANDN, NDNA, XOR }; /* NDNA is ANDN with swapped inputs */
static const uint8_t fn_of[] = { FN_AND, FN_OR, FN_ANDN, FN_ANDN, FN_XOR };

static struct gate two(int a, int b, int kind)
{
    const uint8_t first = (uint8_t)(kind == NDNA ? b : a), second = (uint8_t)(kind == NDNA ? a : b);
    return (struct gate){ { first, second, second }, fn_of[kind] };
}

/* Finds the function that w must be, so that kind(d, w) is the wanted one. Returns 0 if there is
 * none. */
static int behind(int kind, uint64_t d, struct want want, struct want *w)
{
    const uint64_t one = want.value & want.care, zero = ~want.value & want.care;
    switch (kind) {
    case AND:
        *w = (struct want){ want.value, want.care & d };
        return !(one & ~d);
    case OR:
        *w = (struct want){ want.value, want.care & ~d };
        return !(zero & d);
    case ANDN: /* ~d & w */
        *w = (struct want){ want.value, want.care & ~d };
        return !(one & d);
    case NDNA: /* d & ~w */
        *w = (struct want){ ~want.value, want.care & d };
        return !(one & ~d);
    default:
        *w = (struct want){ want.value ^ d, want.care };
        return 1;
    }
}

static int find_xor(const struct pool *pool, struct want want, struct gate *gate)
{
    for (int i = 1; i < pool->num; i++)
        for (int k = 0; k < i; k += LANES) {
            const lanes value = *(const lanes *)&pool->value[k];
            const lanes wrong = (value ^ (pool->value[i] ^ want.value)) & want.care;
            const unsigned good = zero_lanes(&wrong);
            if (!good)
                continue;
            const int j = k + __builtin_ctz(good) < pool->num ? k + __builtin_ctz(good) : 0;
            *gate = two(pool->id[i], pool->id[j], XOR);
            return 1;
        }
    return 0;
}

/* Finds a gate of this kind: for each of the few signals that `kind` allows, looks for another
 * that makes it the wanted function. */
static int find_meeting(const struct pool *pool, struct want want, int kind, struct gate *gate)
{
    struct want other;
    for (int i = 0; i < pool->num; i++) {
        if (!behind(kind, pool->value[i], want, &other))
            continue;
        const int w = pool_same(pool, other);
        if (w < 0)
            continue;
        *gate = two(pool->id[i], w, kind);
        return 1;
    }
    return 0;
}

/* Finds a gate of two signals of the pool; tries all of them, in random order. */
static int find_gate(const struct pool *pool, struct want want, struct gate *gate)
{
    static const int kinds[] = { AND, OR, ANDN, XOR };
    const int first = random_below(4);
    for (int k = 0; k < 4; k++) {
        const int kind = kinds[(first + k) % 4];
        if (kind == XOR ? find_xor(pool, want, gate) : find_meeting(pool, want, kind, gate))
            return 1;
    }
    return 0;
}

static int find(struct netlist *list, struct pool *pool, struct want want, int gates);

/* Makes a gate of a random signal that its kind allows, and of another one that is found in
 * turn. */
static int find_under(struct netlist *list, struct pool *pool, struct want want, int gates)
{
    const int first = random_below(pool->num), kind = random_below(2) ? XOR : random_below(4);
    struct want other;
    for (int k = 0; k < pool->num; k++) {
        const int i = (first + k) % pool->num, d = pool->id[i];
        if (!behind(kind, pool->value[i], want, &other))
            continue;
        const int w = find(list, pool, other, gates - 1);
        return w < 0 ? -1 : netlist_add(list, two(d, w, kind));
    }
    return -1;
}

/* Makes a function that is right where a signal s is 0, and corrects it by another function
 * where s is 1: l ^ (s & m), or l | (s & m), or l & ~(s & m). l is restricted to values that can
 * still be corrected. */
static int find_mended(struct netlist *list, struct pool *pool, struct want want, int gates)
{
    static const int kinds[] = { XOR, OR, NDNA };
    const int i = random_below(pool->num), kind = kinds[random_below(3)], sign = random_below(2);
    const uint64_t in = sign ? ~pool->value[i] : pool->value[i];
    const uint64_t held = kind == XOR ? 0 : kind == OR ? ~want.value : want.value;
    const int from = list->num_signals, num = pool->num, s = pool->id[i];
    if (!(in & want.care) || !(~in & want.care))
        return -1;
    const struct want left = { want.value, want.care & (~in | held) };
    const int l = find(list, pool, left, gates - 2);
    if (l < 0)
        return -1;
    for (int k = from; k < list->num_signals; k++)
        pool_add(pool, k, list->value[k]);
    struct want mend;
    behind(kind, list->value[l], want, &mend);
    mend.care &= in;
    const int m = find(list, pool, mend, gates - 2 - (list->num_signals - from));
    pool_cut(pool, num);
    if (m < 0) {
        list->num_signals = from;
        return -1;
    }
    const int both = netlist_add(list, two(s, m, sign ? ANDN : AND));
    return netlist_add(list, two(l, both, kind));
}

static int find(struct netlist *list, struct pool *pool, struct want want, int gates)
{
    struct gate gate;
    int w = pool_same(pool, want);
    if (w >= 0 || gates <= 0)
        return w;
    if (find_gate(pool, want, &gate))
        return netlist_add(list, gate);
    for (int i = 0; i < 4 && gates >= 2 && w < 0; i++)
        w = find_under(list, pool, want, gates);
    for (int i = 0; i < 6 && gates >= 3 && w < 0; i++)
        w = find_mended(list, pool, want, gates);
    return w;
}

static int find_out(struct netlist *list, struct pool *pool, struct want want, int gates,
                    struct gate *out)
{
    const int w = find(list, pool, want, gates);
    if (w < 0)
        return 0;
    *out = (struct gate){ { (uint8_t)w, (uint8_t)w, (uint8_t)w }, FN_FIRST };
    return 1;
}

const struct basis basis_logic = { "logic", find, find_out, .no_complement = 1 };
