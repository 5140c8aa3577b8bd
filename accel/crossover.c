/* SPDX-License-Identifier: Apache-2.0 */
#include "crossover.h"
#include <string.h>

static size_t place(uint16_t alg, uint8_t op)
{
    return HR_JOB_MAX_OPS * (size_t)alg + op;
}

/* add appends a rule or returns HR_EINVAL.  Rules for one alg and op must follow each other. */
static int add(struct crossover *c, const struct crossover_rule *rule)
{
    if (c->num == CROSSOVER_MAX || rule->alg >= ROW_NUMBERS || rule->op >= HR_JOB_MAX_OPS ||
        !rule->depth || rule->min > rule->max)
        return HR_EINVAL;
    uint16_t *first = &c->first[place(rule->alg, rule->op)];
    const struct crossover_rule *last = c->num ? &c->rules[c->num - 1] : NULL;
    if (*first && (last->alg != rule->alg || last->op != rule->op))
        return HR_EINVAL;
    c->rules[c->num++] = *rule;
    if (!*first)
        *first = c->num;
    return 0;
}

int crossover_take(struct crossover *out, const struct crossover_rule *rules, size_t num)
{
    memset(out, 0, sizeof *out);
    out->measured = 1;
    for (size_t i = 0; i < num; i++)
        if (add(out, &rules[i])) {
            memset(out, 0, sizeof *out);
            return HR_EINVAL;
        }
    return 0;
}

int crossover_wins(const struct crossover *c, uint16_t alg, uint8_t op, size_t len, size_t depth)
{
    if (!crossover_knows(c, alg, op))
        return 0;
    for (size_t i = c->first[place(alg, op)] - 1u; i < c->num; i++) {
        const struct crossover_rule *r = &c->rules[i];
        if (r->alg != alg || r->op != op)
            break;
        if (depth >= r->depth && len >= r->min && len <= r->max)
            return 1;
    }
    return 0;
}

int crossover_lends(const struct crossover *c, uint16_t alg, uint8_t op, size_t len, size_t load,
                    uint64_t now)
{
    enum { ASK_SHIFT = 26, ASK_PERIOD = 16, NEVER = UINT8_MAX };
    const int asks = (now >> ASK_SHIFT) % ASK_PERIOD == 0;
    const size_t most = load < NEVER ? load : NEVER - 1;
    return !crossover_knows(c, alg, op) || crossover_wins(c, alg, op, len, asks ? NEVER - 1 : most);
}

/* ---- the text ---- */

struct words {
    const char *at, *end;
};

/* word finds the line's next word and returns its length, or 0 at the end of the line. */
static size_t word(struct words *w, const char **out)
{
    while (w->at < w->end && (*w->at == ' ' || *w->at == '\t'))
        w->at++;
    *out = w->at;
    while (w->at < w->end && *w->at != ' ' && *w->at != '\t' && *w->at != '#')
        w->at++;
    return (size_t)(w->at - *out);
}

static int equal(const char *word, size_t len, const char *name)
{
    return strlen(name) == len && !memcmp(word, name, len);
}

/* names_row compares a word with a row's name.  The word has hyphens for the spaces of the name:
 * Internet-checksum. */
static int names_row(const char *word, size_t len, const char *name)
{
    size_t i = 0;
    while (i < len && name[i] && word[i] == (name[i] == ' ' ? '-' : name[i]))
        i++;
    return i == len && !name[i];
}

static int read_number(struct words *w, uint32_t max, uint32_t *out)
{
    const char *digits;
    const size_t len = word(w, &digits);
    uint64_t value = 0;
    for (size_t i = 0; i < len; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return 0;
        value = 10 * value + (uint64_t)(digits[i] - '0');
        if (value > max)
            return 0;
    }
    *out = (uint32_t)value;
    return len > 0;
}

static int read_alg(struct words *w, uint16_t *out)
{
    const char *name;
    const size_t len = word(w, &name);
    const struct hr_algorithm *row;
    *out = HR_ALG_NONE;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (names_row(name, len, row->name))
            *out = (uint16_t)row->alg;
    return *out != HR_ALG_NONE || equal(name, len, "copy");
}

static int read_op(struct words *w, uint8_t *out)
{
    static const struct {
        const char *word;
        uint8_t number;
    } operations[] = {
#define HR_OPERATION(number, SYM, word, use) { word, number },
#include <headrace/classes.def>
    };
    const char *name;
    const size_t len = word(w, &name);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (equal(name, len, operations[i].word)) {
            *out = operations[i].number;
            return 1;
        }
    return 0;
}

static int read_line(struct crossover *c, struct words w)
{
    struct crossover_rule rule;
    uint32_t depth;
    const char *first, *rest;
    struct words look = w;
    if (!word(&look, &first))
        return look.at == look.end || *look.at == '#';
    if (!read_alg(&w, &rule.alg) || !read_op(&w, &rule.op) || !read_number(&w, UINT8_MAX, &depth) ||
        !read_number(&w, UINT32_MAX, &rule.min) || !read_number(&w, UINT32_MAX, &rule.max))
        return 0;
    rule.depth = (uint8_t)depth;
    return !word(&w, &rest) && (w.at == w.end || *w.at == '#') && !add(c, &rule);
}

size_t crossover_parse(struct crossover *out, const char *text, size_t text_len)
{
    static const char title[] = "# headrace accel crossover 1\n";
    const char *end = text + text_len;
    memset(out, 0, sizeof *out);
    if (text_len < sizeof title - 1 || memcmp(text, title, sizeof title - 1))
        return 1;
    for (size_t line = 1; text < end; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop)
            stop = end;
        if (!read_line(out, (struct words){ text, stop })) {
            memset(out, 0, sizeof *out);
            return line;
        }
        text = stop + (stop < end);
    }
    out->measured = 1;
    return 0;
}
