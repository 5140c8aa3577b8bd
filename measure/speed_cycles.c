/* SPDX-License-Identifier: Apache-2.0 */
/* `headrace speed --cycles poly1305-aes`: the table of D. J. Bernstein's pages on the speed of
 * Poly1305-AES. It shows how many cycles a whole call takes, by the length of the message,
 * whether the arguments are aligned to 64 bytes, whether the key is expanded or raw, and whether
 * the authenticator is valid or forged. */
#include "race.h"
#include "speed.h"
#include <headrace/poly1305aes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEN = 4096, PLACES = 64, SKEW = 1, CASES = 6 };

static const size_t lengths[] = { 0,    1,    8,    15,   16,   17,   24,   31,   32,   33,
                                  48,   64,   65,   80,   96,   112,  128,  129,  160,  192,
                                  224,  256,  320,  384,  448,  512,  576,  640,  768,  896,
                                  1024, 1025, 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096 };

/* The arguments of a call. The byte strings begin at multiples of 64, or SKEW bytes behind. */
struct message {
    unsigned char *kr, *n, *m, *a, *forged, *out;
    struct hr_poly1305_aes_key *key;
    size_t len;
};

static void raw_authenticate(void *ctx, uint64_t n)
{
    const struct message *m = ctx;
    while (n--)
        poly1305aes_authenticate(m->out, m->kr, m->n, m->m, m->len);
}

static void kept_authenticate(void *ctx, uint64_t n)
{
    const struct message *m = ctx;
    while (n--)
        hr_poly1305_aes_authenticate(m->out, m->key, m->n, m->m, m->len);
}

static void must_be(int valid, int wanted)
{
    if (!valid != !wanted)
        abort();
}

static void raw_valid(void *ctx, uint64_t n)
{
    const struct message *m = ctx;
    while (n--)
        must_be(poly1305aes_verify(m->a, m->kr, m->n, m->m, m->len), 1);
}

static void kept_valid(void *ctx, uint64_t n)
{
    const struct message *m = ctx;
    while (n--)
        must_be(hr_poly1305_aes_verify(m->a, m->key, m->n, m->m, m->len), 1);
}

static void raw_forged(void *ctx, uint64_t n)
{
    const struct message *m = ctx;
    while (n--)
        must_be(poly1305aes_verify(m->forged, m->kr, m->n, m->m, m->len), 0);
}

static void kept_forged(void *ctx, uint64_t n)
{
    const struct message *m = ctx;
    while (n--)
        must_be(hr_poly1305_aes_verify(m->forged, m->key, m->n, m->m, m->len), 0);
}

static const struct {
    const char *name, *key;
    void (*run)(void *ctx, uint64_t n);
} cases[CASES] = {
    { "authenticate", "raw", raw_authenticate },
    { "authenticate", "kept", kept_authenticate },
    { "valid", "raw", raw_valid },
    { "valid", "kept", kept_valid },
    { "forged", "raw", raw_forged },
    { "forged", "kept", kept_forged },
};

/* The results for one length, indexed by [case][aligned, unaligned]. */
struct line {
    double ticks[CASES][2], ns[CASES][2];
};

static void measure(struct line *line, struct message messages[2], size_t len,
                    const struct speed_plan *plan)
{
    static struct race race;
    for (int skewed = 0; skewed < 2; skewed++) {
        struct message *m = &messages[skewed];
        struct contender who[CASES];
        m->len = len;
        poly1305aes_authenticate(m->a, m->kr, m->n, m->m, len);
        memcpy(m->forged, m->a, 16);
        m->forged[15] ^= 0x80;
        for (int i = 0; i < CASES; i++)
            who[i] = (struct contender){ cases[i].run, m };
        race_begin(&race, who, CASES, plan->slice_ns);
        race_run(&race, who, plan->slices);
        for (int i = 0; i < CASES; i++) {
            line->ticks[i][skewed] = race_ticks(&race, (unsigned)i);
            line->ns[i][skewed] = race_ns(&race, (unsigned)i);
        }
    }
}

/* Places the arguments in `memory`, each in an area of its own. */
static void place(struct message *m, unsigned char *memory, struct hr_poly1305_aes_key *key,
                  size_t skew)
{
    unsigned char **const bytes[] = { &m->kr, &m->n, &m->a, &m->forged, &m->out, &m->m };
    for (size_t i = 0; i < COUNT(bytes); i++)
        *bytes[i] = memory + 2 * PLACES * i + skew;
    for (size_t i = 0; i < 2 * PLACES * COUNT(bytes) + MAX_LEN; i++)
        memory[skew + i] = (unsigned char)(i * 167 >> 3);
    hr_poly1305_aes_key_init(key, m->kr);
    m->key = key;
}

static void print_heading(const char *unit)
{
    tool_say("Poly1305-AES, %s a call\n\n", unit);
    tool_say("%-6s", "");
    for (int i = 0; i < CASES; i += 2)
        tool_say("%32s", cases[i].name);
    tool_say("\n%-6s", "key");
    for (int i = 0; i < CASES; i++)
        tool_say("%16s", cases[i].key);
    tool_say("\n%-6s", "bytes");
    for (int i = 0; i < CASES; i++)
        tool_say("%10s%6s", "aligned", "not");
    putchar('\n');
}

static void print_line(size_t len, const struct line *line, int in_ticks)
{
    printf("%-6zu", len);
    for (int i = 0; i < CASES; i++)
        for (int skewed = 0; skewed < 2; skewed++)
            printf(" %*.0f", skewed ? 5 : 9,
                   in_ticks ? line->ticks[i][skewed] : line->ns[i][skewed]);
    putchar('\n');
}

static void add_line(json_t *rows, size_t len, const struct line *line, int in_ticks)
{
    for (int i = 0; i < CASES; i++)
        for (int skewed = 0; skewed < 2; skewed++) {
            json_t *row = json_object();
            json_object_set_new(row, "size", json_integer((json_int_t)len));
            json_object_set_new(row, "call", json_string(cases[i].name));
            json_object_set_new(row, "key", json_string(cases[i].key));
            json_object_set_new(row, "aligned", json_boolean(!skewed));
            json_object_set_new(row, "ns", json_real(line->ns[i][skewed]));
            if (in_ticks)
                json_object_set_new(row, "tsc", json_real(line->ticks[i][skewed]));
            json_array_append_new(rows, row);
        }
}

int speed_cycles(const struct speed_plan *plan, bool json)
{
    static _Alignas(64) unsigned char memory[2][12 * PLACES + MAX_LEN + PLACES];
    static struct hr_poly1305_aes_key keys[2];
    static struct line line;
    struct message messages[2];
    const int in_ticks = race_timer_ticks() != 0;
    json_t *root = json ? json_object() : NULL, *rows = json ? json_array() : NULL;
    for (int skewed = 0; skewed < 2; skewed++)
        place(&messages[skewed], memory[skewed], &keys[skewed], skewed ? SKEW : 0);
    if (!json)
        print_heading(in_ticks ? "cycles of the TSC, whose rate is constant," : "nanoseconds");
    for (size_t i = 0; i < COUNT(lengths); i++) {
        measure(&line, messages, lengths[i], plan);
        if (json)
            add_line(rows, lengths[i], &line, in_ticks);
        else
            print_line(lengths[i], &line, in_ticks);
    }
    if (!json)
        return EXIT_SUCCESS;
    speed_add_facts(root);
    json_object_set_new(root, "algorithm", json_string("Poly1305-AES"));
    json_object_set_new(root, "clock", json_string(in_ticks ? "tsc" : "ns"));
    json_object_set_new(root, "cycles", rows);
    const int code = speed_print_json(root);
    json_decref(root);
    return code;
}
