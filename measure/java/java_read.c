/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what org.headrace.jce.Calibrate prints (its comment says what). The program is whatever
 * `java` and jar the user named, so nothing of its output is trusted. */
#include "calibrate_java.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 3 + JAVA_RATIOS };

/* Splits a line at its tabs; 0 if there are too many. */
static size_t split(char *line, char *field[MAX_FIELDS])
{
    size_t num = 0;
    for (char *next = line; next; num++) {
        if (num == MAX_FIELDS)
            return 0;
        field[num] = next;
        next = strchr(next, '\t');
        if (next)
            *next++ = '\0';
    }
    return num;
}

/* Copies a word of printable ASCII, in which `also` may be, too. */
static bool take(char *out, size_t room, const char *word, const char *also)
{
    const size_t len = strlen(word);
    for (size_t i = 0; i < len; i++)
        if ((word[i] <= ' ' || word[i] > '~') && !strchr(also, word[i]))
            return false;
    if (len >= room)
        return false;
    memcpy(out, word, len + 1);
    return true;
}
#define TAKE(out, word, also) take(out, sizeof(out), word, also)

static bool take_number(uint64_t *out, const char *word, int base, uint64_t most)
{
    char *end;
    if (!strchr("0123456789abcdef", word[0]) || !word[0])
        return false;
    *out = strtoull(word, &end, base);
    return !*end && *out <= most;
}

static bool read_java(struct java_results *r, char **field)
{
    uint64_t version;
    if (r->version || !take_number(&version, field[1], 10, 999) || !version ||
        !take_number(&r->cpu, field[2], 16, UINT64_MAX))
        return false;
    r->version = (unsigned)version;
    return TAKE(r->name, field[3], " ");
}

static bool read_services(struct java_results *r, char **field)
{
    uint64_t num;
    if (!take_number(&num, field[1], 10, sizeof r->services / sizeof *r->services))
        return false;
    r->announced = (size_t)num;
    return true;
}

static bool read_service(struct java_results *r, char **field)
{
    static const char *const verdicts[] = { "yes", "no", "new", "unmeasured", "failed" };
    if (r->num_services >= r->announced)
        return false;
    struct java_service *s = &r->services[r->num_services++];
    *s = (struct java_service){ .first = r->num_operations };
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (!strcmp(field[3], verdicts[i]))
            /* In a map a line of another letter would be a comment, or begin a CPU's part. */
            return field[1][0] >= 'A' && field[1][0] <= 'Z' && field[2][0] &&
                   TAKE(s->type, field[1], "") && TAKE(s->algorithm, field[2], "") &&
                   TAKE(s->verdict, field[3], "") && TAKE(s->provider, field[4], " ");
    return false;
}

/* A field SIZE=RATIO. */
static bool read_ratio(struct java_operation *o, char *field)
{
    char *end, *value = strchr(field, '=');
    if (!value)
        return false;
    *value++ = '\0';
    const double ratio = strtod(value, &end);
    if (end == value || *end || !isfinite(ratio) || ratio < 0 || ratio > 1e9)
        return false;
    o->ratio[o->num] = ratio;
    return TAKE(o->size[o->num++], field, "");
}

static bool read_ratios(struct java_results *r, char **field, size_t num)
{
    if (!r->num_services || r->num_operations >= sizeof r->operations / sizeof *r->operations)
        return false;
    struct java_operation *o = &r->operations[r->num_operations++];
    *o = (struct java_operation){ .num = 0 };
    bool good = TAKE(o->name, field[1], "") && TAKE(o->unit, field[2], "");
    for (size_t i = 3; i < num; i++)
        good = good && read_ratio(o, field[i]);
    r->services[r->num_services - 1].num++;
    return good;
}

bool java_read_line(struct java_results *r, char *line)
{
    char *field[MAX_FIELDS];
    const size_t num = split(line, field);
    if (!num || r->has_ended)
        return false;
    if (!strcmp(field[0], "java") && num == 4)
        return read_java(r, field);
    if (!r->version)
        return false;
    if (!strcmp(field[0], "services") && num == 2)
        return read_services(r, field);
    if (!strcmp(field[0], "service") && num == 5)
        return read_service(r, field);
    if (!strcmp(field[0], "ratios") && num > 3)
        return read_ratios(r, field, num);
    r->has_ended = !strcmp(field[0], "end") && num == 1 && r->num_services == r->announced;
    return r->has_ended;
}

bool java_wins(const struct java_service *service)
{
    return !strcmp(service->verdict, "yes") || !strcmp(service->verdict, "new");
}
