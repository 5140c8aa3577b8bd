/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises code that looks like crypto although nothing names it, by the loop around a sample or
 * the largest one around that. The limits are measured: tests/trace/truth_lookalikes_test.py has
 * ciphers that they find, and programs that they leave alone. docs/tests.md states the rule.
 */
#define _DEFAULT_SOURCE
#include "../process/process.h"
#include "classify_rules.h"
#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Long chains of XOR and rotations. Words of a vector are mostly rotated by two shifts. */
static bool is_long_chain(const struct mix *m, bool vector)
{
    const uint32_t turns = m->rotates + (vector ? m->shifts / 2 : 0);
    return turns >= 8 && m->xors >= 8 && (m->rotates + m->shifts + m->xors) * 4 >= m->works &&
           m->products * 4 <= turns && m->lookups * 2 <= m->xors;
}

/* Loops of one or two rounds that consist of little but XOR, rotations and shifts. Hash functions
 * of hash tables multiply, or stand in longer code; those of random numbers mask words. */
static bool is_round(const struct mix *m)
{
    enum { LONGEST = 32 };
    const uint32_t turns = m->rotates + m->shifts;
    return m->works <= LONGEST && m->xors >= 4 && turns >= 4 &&
           (m->xors + turns) * 5 >= m->works * 2 && !m->products && m->masks * 2 < m->xors &&
           m->lookups * 2 <= m->xors;
}

static bool is_shuffling(const struct mix *m)
{
    return m->shuffles >= 6 && m->xors >= 6 && !m->products;
}

/* Whether the loop may use tables as ciphers do: several look-ups, joined by XOR. */
static bool may_use_tables(const struct mix *m)
{
    return m->lookups >= 2 && m->xors >= 2;
}

/* Whether memory has a permutation of bytes. Words are not looked at: a buffer with random or
 * compressed data has balanced bits too. */
bool unnamed_table_at(pid_t pid, uint64_t address)
{
    uint8_t bytes[256];
    const ssize_t n = process_read(pid, address, bytes, sizeof bytes);
    const bool found = n > 0 && constants_unnamed(bytes, (size_t)n);
    explicit_bzero(bytes, sizeof bytes);
    return found;
}

/* Whether the file has such a table; its process may have ended. */
static bool is_in_file(const struct code *code, uint64_t address)
{
    static const size_t lens[] = { 2048, 1024, 256 };
    for (size_t i = 0; code->data && i < COUNT(lens); i++) {
        const uint8_t *bytes = code->data(code->data_ctx, address, lens[i]);
        if (bytes && constants_unnamed(bytes, lens[i]))
            return true;
    }
    return false;
}

/* ---- the tables from which code loads ---- */

enum { MAX_TABLES = 16, LOW = 65536 };
struct tables {
    uint64_t at[MAX_TABLES];
    size_t num;
};

static void add_table(void *ctx, uint64_t from, uint64_t to)
{
    struct tables *t = ctx;
    for (size_t i = 0; i < t->num; i++)
        if (t->at[i] == to)
            return;
    if (to >= LOW && t->num < MAX_TABLES)
        t->at[t->num++] = to;
}

static bool has_table(const struct code *code, pid_t pid, uint64_t bias)
{
    struct tables t = { .num = 0 };
    code_loads(code, add_table, &t);
    for (size_t i = 0; i < t.num; i++)
        if (is_in_file(code, t.at[i]) || unnamed_table_at(pid, t.at[i] + bias))
            return true;
    return false;
}

/* ---- a sample ---- */

void unnamed_finding(struct finding *out, const char *evidence)
{
    *out = (struct finding){ .family = FAMILY_UNNAMED, .how = HOW_UNCLASSIFIED, .grade = GRADE_B };
    snprintf(out->evidence, sizeof out->evidence, "%s", evidence);
}

bool unnamed_judge(struct finding *out, const struct around *around, const struct code *code,
                   pid_t pid, uint64_t bias)
{
    const struct mix *outer = around->outer.works ? &around->outer : &around->mix;
    const bool tables = may_use_tables(&around->mix) || may_use_tables(outer);
    if (tables && has_table(code, pid, bias))
        unnamed_finding(out, "XOR of entries of a table without order");
    else if ((is_long_chain(outer, around->vector_bits >= 128) ||
              (around->in_loop && is_round(&around->mix))) &&
             code_rotations(code) != ROTATIONS_TABLE_HASH)
        unnamed_finding(out, "chain of XOR and rotations");
    else if (is_shuffling(&around->mix))
        unnamed_finding(out, "XOR and permutations of bytes");
    return tables;
}
