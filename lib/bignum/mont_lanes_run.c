/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of powers in lanes by fixed windows: every window of the exponents costs the same
 * squarings, one product, and a look at the whole table of powers. */
#include "../internal.h"
#include "../pk/stack.h"
#include "mont_lanes_words.h"
#include "mont_power.h"

struct group {
    uint64_t *words;
    const struct mont_lanes_kernel *kernel;
    const struct mont_lane *lane;
    size_t num_lanes, limbs, digits; /* of each number, of which a kernel takes some at once */
    const struct form *form;
};

/* One power, or the product of two. */
struct form {
    void (*make_table)(struct group *g);
    uint64_t (*index)(const struct mont_lane *lane, size_t at); /* of the bits from `at` on */
    unsigned window;
};

/* ---- numbers in lanes ---- */

/* The bits of x from `at` on; those past its end are zero. */
static uint64_t bits_at(const uint64_t *x, size_t num, size_t at)
{
    const size_t limb = at / 64, shift = at % 64;
    uint64_t bits = limb < num ? x[limb] >> shift : 0;
    if (shift && limb + 1 < num)
        bits |= x[limb + 1] << (64 - shift);
    return bits;
}

static uint64_t *word_at(struct group *g, size_t at, size_t l)
{
    return g->words + (g->kernel->rows ? l * LANES_WORDS + at : at * g->kernel->lanes + l);
}

/* Numbers below 2^53 are the same as doubles and as integers, and the CPU converts them by one
 * instruction.  These are functions that are not inlined, so that no compiler converts the integers
 * of another kernel too, and then chooses: as doubles they are denormal, which is an exception
 * where the caller wants one. */
static __attribute__((noinline)) uint64_t double_of(uint64_t digit)
{
    const double number = (double)(int64_t)digit;
    memcpy(&digit, &number, sizeof digit);
    return digit;
}

static __attribute__((noinline)) uint64_t whole_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return (uint64_t)(int64_t)number;
}

static void put_digit(struct group *g, size_t at, size_t l, uint64_t digit)
{
    *word_at(g, at, l) = g->kernel->doubles ? double_of(digit) : digit;
}

static uint64_t digit_at(struct group *g, size_t at, size_t l)
{
    const uint64_t digit = *word_at(g, at, l);
    return g->kernel->doubles ? whole_of(digit) : digit;
}

static void put_number(struct group *g, size_t at, size_t l, const uint64_t *x, size_t x_num,
                       size_t num_digits)
{
    for (size_t j = 0; j < num_digits; j++)
        put_digit(g, at + j, l, bits_at(x, x_num, LANES_DIGIT * j) & LANES_MASK);
}

static void put_one(struct group *g, size_t at)
{
    static const uint64_t one[] = { 1 };
    for (size_t l = 0; l < g->kernel->lanes; l++)
        put_number(g, at, l, one, 1, g->digits);
}

/* Copies a number whose digits are so many words apart. */
static void copy(struct group *g, size_t to, size_t to_step, size_t from, size_t from_step)
{
    const size_t lanes = g->kernel->lanes;
    if (g->kernel->rows)
        for (size_t l = 0; l < lanes; l++)
            memcpy(word_at(g, to, l), word_at(g, from, l), LANES_DIGITS * sizeof *g->words);
    else
        for (size_t j = 0; j < g->digits; j++)
            memcpy(word_at(g, to + j * to_step, 0), word_at(g, from + j * from_step, 0),
                   lanes * sizeof *g->words);
}

static size_t power_at(const struct group *g, size_t i)
{
    return LANES_TABLE + (g->kernel->rows ? i * LANES_DIGITS : i);
}

static void keep_power(struct group *g, size_t i)
{
    copy(g, power_at(g, i), LANES_POWERS, LANES_POWER, 1);
}

static void fetch_power(struct group *g, size_t to, size_t i)
{
    copy(g, to, 1, power_at(g, i), LANES_POWERS);
}

static void steps(struct group *g, unsigned squarings, const uint64_t *index)
{
    g->kernel->steps(g->words, g->digits, squarings, index);
}

/* ---- moduli ---- */

static void put_multiple(struct group *g, size_t l, const struct modulus *m)
{
    uint64_t z[MONT_LANES_LIMBS + 1], carry = 1;
    const uint64_t k = m->m0 & LANES_MASK;
    for (size_t i = 0; i < m->num; i++) {
        const bn_wide product = (bn_wide)m->m[i] * k + carry;
        z[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    z[m->num] = carry;
    put_number(g, LANES_V, l, z, m->num + 1, g->digits + 1);
    put_digit(g, LANES_K, l, k);
    put_number(g, LANES_W, l, m->m, m->num, g->digits + 1);
    WIPE(&z);
}

/* Puts r2 = 2^(128 limbs) into power and 2^shift into factor, so that power^2 factor / R is R^2,
 * where the square is divided by R, too.  The shift is below the bits of R unless a modulus is
 * shorter than the lane by a quarter: such a one is taken as if it had more limbs. */
static void put_r2(struct group *g, size_t l, const struct modulus *m)
{
    uint64_t n[MONT_LANES_LIMBS] = { 0 }, r2[MONT_LANES_LIMBS];
    uint64_t power_of_2[MONT_LANES_LIMBS + 1];
    const size_t r_bits = LANES_DIGIT * g->digits;
    struct modulus longer = *m;
    if (4 * 64 * m->num <= 3 * r_bits) {
        memcpy(n, m->m, m->num * sizeof *n);
        mont_init(&longer, n, g->limbs, r2);
    }
    const size_t shift = 4 * (r_bits - 64 * longer.num);
    memset(power_of_2, 0, sizeof power_of_2);
    power_of_2[shift / 64] = UINT64_C(1) << shift % 64;
    put_number(g, LANES_POWER, l, longer.r2, longer.num, g->digits);
    put_number(g, LANES_FACTOR, l, power_of_2, COUNT(power_of_2), g->digits);
    WIPE(&n);
    WIPE(&r2);
}

/* Lanes that nobody needs compute what the first one does. */
static const struct mont_lane *lane_of(const struct group *g, size_t l)
{
    return &g->lane[l < g->num_lanes ? l : 0];
}

static void put_moduli(struct group *g)
{
    for (size_t l = 0; l < g->kernel->lanes; l++) {
        if (g->kernel->rows)
            memset(word_at(g, 0, l), 0, LANES_TABLE * sizeof *g->words);
        put_multiple(g, l, &lane_of(g, l)->m);
        put_r2(g, l, &lane_of(g, l)->m);
    }
    steps(g, 1, NULL); /* R^2 */
}

/* ---- powers ---- */

static void put_x(struct group *g)
{
    for (size_t l = 0; l < g->kernel->lanes; l++)
        put_number(g, LANES_FACTOR, l, lane_of(g, l)->x, lane_of(g, l)->m.num, g->digits);
}

static void put_y(struct group *g)
{
    for (size_t l = 0; l < g->kernel->lanes; l++)
        put_number(g, LANES_FACTOR, l, lane_of(g, l)->y, lane_of(g, l)->m.num, g->digits);
}

/* table[to] = table[from] * factor / R */
static void make_power(struct group *g, size_t to, size_t from)
{
    fetch_power(g, LANES_POWER, from);
    steps(g, 0, NULL);
    keep_power(g, to);
}

/* table[i] = x^i */
static void make_table(struct group *g)
{
    keep_power(g, 0); /* R^2 */
    put_x(g);
    make_power(g, 1, 0);
    put_one(g, LANES_FACTOR);
    make_power(g, 0, 0);
    fetch_power(g, LANES_FACTOR, 1);
    for (size_t i = 2; i < LANES_POWERS; i++)
        make_power(g, i, i - 1);
}

/* table[SIDE a + b] = x^a y^b */
enum { HALF_WINDOW = LANES_WINDOW / 2, SIDE = 1 << HALF_WINDOW };

static void make_table_of_two(struct group *g)
{
    keep_power(g, 0);
    put_x(g);
    make_power(g, SIDE, 0);
    put_y(g);
    make_power(g, 1, 0);
    put_one(g, LANES_FACTOR);
    make_power(g, 0, 0);
    fetch_power(g, LANES_FACTOR, 1);
    for (size_t i = 2; i < SIDE; i++)
        make_power(g, i, i - 1);
    fetch_power(g, LANES_FACTOR, SIDE);
    for (size_t i = SIDE + 1; i < LANES_POWERS; i++)
        make_power(g, i, i - SIDE);
}

static uint64_t exponent_bits(const uint64_t *e, const struct mont_lane *lane, size_t at)
{
    return bits_at(e, (lane->e_bits + 63) / 64, at);
}

static uint64_t index_of_one(const struct mont_lane *lane, size_t at)
{
    return exponent_bits(lane->e, lane, at) % LANES_POWERS;
}

static uint64_t index_of_two(const struct mont_lane *lane, size_t at)
{
    return exponent_bits(lane->e, lane, at) % SIDE * SIDE + exponent_bits(lane->f, lane, at) % SIDE;
}

static const struct form one_power = { make_table, index_of_one, LANES_WINDOW };
static const struct form two_powers = { make_table_of_two, index_of_two, HALF_WINDOW };

static void raise(struct group *g)
{
    uint64_t index[MONT_LANES_MOST];
    size_t windows = 0;
    for (size_t l = 0; l < g->num_lanes; l++) {
        const size_t own = (g->lane[l].e_bits + g->form->window - 1) / g->form->window;
        windows = own > windows ? own : windows;
    }
    fetch_power(g, LANES_POWER, 0);
    for (size_t i = windows; i--;) {
        for (size_t l = 0; l < g->kernel->lanes; l++)
            index[l] = g->form->index(lane_of(g, l), i * g->form->window);
        steps(g, i == windows - 1 ? 0 : g->form->window, index);
    }
    WIPE(&index);
}

/* ---- results ---- */

/* z = x mod m, for x below 3 m. */
static void reduce_twice(uint64_t *z, uint64_t *x, const struct modulus *m)
{
    uint64_t over[MONT_LANES_LIMBS + 1];
    const size_t num = m->num;
    for (int i = 0; i < 2; i++) {
        over[num] = x[num] - bn_sub(over, x, m->m, num);
        const uint64_t is_less = bn_mask(over[num] >> 63);
        bn_select(x, is_less, x, over, num + 1);
    }
    memcpy(z, x, num * sizeof *z);
    WIPE(&over);
}

static void take_result(struct group *g, size_t l)
{
    uint64_t x[MONT_LANES_LIMBS + 2] = { 0 };
    const struct modulus *const m = &g->lane[l].m;
    for (size_t j = 0; j < g->digits && LANES_DIGIT * j < 64 * (m->num + 1); j++) {
        const uint64_t digit = digit_at(g, LANES_POWER + j, l);
        const size_t limb = LANES_DIGIT * j / 64, shift = LANES_DIGIT * j % 64;
        x[limb] |= digit << shift;
        if (shift > 64 - LANES_DIGIT)
            x[limb + 1] |= digit >> (64 - shift);
    }
    reduce_twice(g->lane[l].z, x, m);
    WIPE(&x);
}

static void take_results(struct group *g)
{
    for (size_t l = 0; l < g->num_lanes; l++)
        take_result(g, l);
}

/* ---- the calls ---- */

enum { R_BITS = 4 }; /* which R has more than numbers, as their products stay below 14.4 n / R */

static struct group new_group(uint64_t *words, const struct mont_lanes_kernel *kernel,
                              const struct mont_lane *lane, size_t num)
{
    struct group g = { .words = words,
                       .kernel = kernel,
                       .lane = lane,
                       .num_lanes = num,
                       .form = lane->y ? &two_powers : &one_power };
    size_t limbs = 0;
    for (size_t l = 0; l < num; l++)
        limbs = lane[l].m.num > limbs ? lane[l].m.num : limbs;
    const size_t tiles = (limbs + LANES_TILE_LIMBS - 1) / LANES_TILE_LIMBS;
    if (kernel->rows) {
        g.limbs = limbs > LANES_TILE_LIMBS ? limbs : LANES_TILE_LIMBS;
        g.digits = (64 * g.limbs + R_BITS + LANES_DIGIT - 1) / LANES_DIGIT;
    } else {
        g.limbs = LANES_TILE_LIMBS * tiles;
        g.digits = LANES_TILE * tiles;
    }
    return g;
}

static __attribute__((noinline)) void run(struct group *g)
{
    put_moduli(g);
    g->form->make_table(g);
    raise(g);
    put_one(g, LANES_FACTOR);
    steps(g, 0, NULL);
    take_results(g);
}

static inline void run_in(uint64_t *words, const struct mont_lanes_kernel *kernel,
                          const struct mont_lane *lane, size_t num)
{
    struct group g = new_group(words, kernel, lane, num);
    run(&g);
    pk_wipe_stack();
    wipe_bytes(words, (kernel->rows ? LANES_WORDS : LANES_TABLE + g.digits * LANES_POWERS) *
                          kernel->lanes * sizeof *words);
}

/* Four lanes of half the length, which one operation of RSA takes, need a quarter of the stack,
 * 33 KiB; eight of half the length, which many of RSA take, or four, need 66 KiB; eight 107. */
enum { FEW_LANES = MONT_LANES_MOST / 2 };
static_assert(LANES_WORDS <= 2 * LANES_HALF_WORDS, "four long lanes fit where eight short ones do");
static_assert(2 * LANES_WORDS <= FEW_LANES * LANES_HALF_WORDS,
              "and two rows where four short ones");
static_assert(LANES_WORDS + LANES_TABLE <= LANES_TABLE * MONT_LANES_MOST, "without their tables");

static __attribute__((noinline)) void run_few(const struct mont_lanes_kernel *kernel,
                                              const struct mont_lane *lane, size_t num)
{
    alignas(64) uint64_t words[LANES_HALF_WORDS * FEW_LANES];
    run_in(words, kernel, lane, num);
}

static __attribute__((noinline)) void run_half(const struct mont_lanes_kernel *kernel,
                                               const struct mont_lane *lane, size_t num)
{
    alignas(64) uint64_t words[LANES_HALF_WORDS * MONT_LANES_MOST];
    run_in(words, kernel, lane, num);
}

static __attribute__((noinline)) void run_most(const struct mont_lanes_kernel *kernel,
                                               const struct mont_lane *lane, size_t num)
{
    alignas(64) uint64_t words[LANES_WORDS * MONT_LANES_MOST];
    run_in(words, kernel, lane, num);
}

static void run_group(const struct mont_lanes_kernel *kernel, const struct mont_lane *lane,
                      size_t num)
{
    const int is_few = kernel->lanes <= FEW_LANES,
              is_short =
                  kernel->rows || new_group(NULL, kernel, lane, num).digits <= LANES_DIGITS / 2;
    if (is_few && is_short)
        run_few(kernel, lane, num);
    else if (is_few || is_short)
        run_half(kernel, lane, num);
    else
        run_most(kernel, lane, num);
}

static void run_alone(const struct mont_lane *lane)
{
    if (lane->y)
        mont_power_two_vartime(lane->z, lane->x, lane->e, lane->y, lane->f,
                               (lane->e_bits + 63) / 64, &lane->m);
    else
        mont_power_bits(lane->z, lane->x, lane->e, lane->e_bits, &lane->m);
}

void mont_lanes_run(const struct mont_lanes_kernel *kernel, const struct mont_lane *lane,
                    size_t num)
{
    if (kernel->steps)
        run_group(kernel, lane, num);
    else
        for (size_t l = 0; l < num; l++)
            run_alone(&lane[l]);
}

/* The last product is by a factor that is not in Montgomery's form, and so leaves that form. */
static __attribute__((noinline)) void run_vartime(struct group *g)
{
    const uint64_t *const e = g->lane->e;
    unsigned squarings = 0;
    put_moduli(g);
    put_x(g);
    steps(g, 0, NULL);
    copy(g, LANES_FACTOR, 1, LANES_POWER, 1);
    for (size_t at = bn_bits(e, (g->lane->e_bits + 63) / 64) - 1; at--;) {
        squarings++;
        if (e[at / 64] >> at % 64 & 1) {
            steps(g, squarings, NULL);
            squarings = 0;
        }
    }
    put_one(g, LANES_FACTOR);
    for (size_t l = 0; l < g->kernel->lanes; l++)
        if (lane_of(g, l)->factor)
            put_number(g, LANES_FACTOR, l, lane_of(g, l)->factor, lane_of(g, l)->m.num, g->digits);
    steps(g, squarings, NULL);
    take_results(g);
}

static void run_group_vartime(const struct mont_lanes_kernel *kernel, const struct mont_lane *lane,
                              size_t num)
{
    alignas(64) uint64_t words[LANES_TABLE * MONT_LANES_MOST];
    struct group g = new_group(words, kernel, lane, num);
    run_vartime(&g);
    pk_wipe_stack();
    WIPE(&words);
}

void mont_lanes_run_vartime(const struct mont_lanes_kernel *kernel, const struct mont_lane *lane,
                            size_t num)
{
    if (kernel->steps) {
        run_group_vartime(kernel, lane, num);
        return;
    }
    for (size_t l = 0; l < num; l++) {
        const struct modulus *const m = &lane[l].m;
        mont_power_vartime(lane[l].z, lane[l].x, lane->e, (lane->e_bits + 63) / 64, m);
        if (lane[l].factor)
            mont_product(lane[l].z, lane[l].z, lane[l].factor, m);
    }
}
