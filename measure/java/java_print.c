/* SPDX-License-Identifier: Apache-2.0 */
/* Shows what was measured of the provider for Java: as a table, and as JSON. */
#include "../../cli/quote_json.h"
#include "../../cli/tool.h"
#include "calibrate_java.h"
#include <stdlib.h>
#include <string.h>

/* The rule of org.headrace.jce.Calibrate, for the heading and the colours. */
#define FLOOR 0.98
#define GAIN 1.02

enum { NAME_WIDTH = 20 };

static const char *colour(double ratio)
{
    if (ratio > GAIN)
        return "32";
    return ratio < FLOOR ? "31" : NULL;
}

/* Whether two rows can stand below one line of sizes. */
static bool is_alike(const struct java_service *a, const struct java_operation *x,
                     const struct java_service *b, const struct java_operation *y)
{
    bool same = !strcmp(a->type, b->type) && !strcmp(x->unit, y->unit) && x->num == y->num;
    for (size_t i = 0; same && i < x->num; i++)
        same = !strcmp(x->size[i], y->size[i]);
    return same;
}

static void print_sizes(const struct java_service *s, const struct java_operation *o, FILE *out)
{
    char heading[80];
    snprintf(heading, sizeof heading, "%s, %s", s->type, o->unit);
    tool_print(out, NULL, "  %-*s", NAME_WIDTH + 9, heading);
    for (size_t i = 0; i < o->num; i++)
        tool_print(out, NULL, "%7s", o->size[i]);
    fprintf(out, "  win\n");
}

static void print_operation(const struct java_service *s, const struct java_operation *o,
                            bool is_first, FILE *out)
{
    const char *name = is_first ? s->algorithm : "";
    if (strlen(name) > NAME_WIDTH) {
        tool_print(out, NULL, "  %s\n", name);
        name = "";
    }
    tool_print(out, NULL, "  %-*s %-8s", NAME_WIDTH, name, o->name);
    for (size_t i = 0; i < o->num; i++)
        tool_print(out, colour(o->ratio[i]), "%7.*f", o->ratio[i] < 100 ? 3 : 1, o->ratio[i]);
    if (is_first)
        tool_print(out, java_wins(s) ? "32" : NULL, "  %s", java_wins(s) ? "yes" : "no");
    fputc('\n', out);
}

/* Prints the services of a verdict in words, type by type. */
static void print_others(const struct java_results *r, const char *verdict, const char *words,
                         FILE *out)
{
    char *text = NULL;
    size_t len;
    FILE *list = open_memstream(&text, &len);
    const char *type = "";
    for (size_t i = 0; list && i < r->num_services; i++) {
        const struct java_service *s = &r->services[i];
        if (strcmp(s->verdict, verdict))
            continue;
        fprintf(list, "%s%s%s", *type ? strcmp(type, s->type) ? "; " : ", " : "",
                strcmp(type, s->type) ? s->type : "", strcmp(type, s->type) ? " " : "");
        fprintf(list, "%s", s->algorithm);
        type = s->type;
    }
    if (list && !fclose(list) && *text) {
        tool_print(out, NULL, "\n%s\n  ", words);
        tool_wrap(out, text, 2);
    }
    free(text);
}

void java_print(const struct java_results *r, FILE *out)
{
    const struct java_service *above = NULL;
    tool_print(out, NULL,
               "Win map of Java: time of the JDK's providers divided by Headrace's\n"
               "(%s); yes: no value below %.2f, and one above %.2f\n",
               r->name, FLOOR, GAIN);
    for (size_t i = 0; i < r->num_services; i++) {
        const struct java_service *s = &r->services[i];
        for (size_t k = 0; k < s->num; k++) {
            const struct java_operation *o = &r->operations[s->first + k];
            if (!above || !is_alike(above, o - 1, s, o))
                print_sizes(s, o, out);
            print_operation(s, o, !k, out);
            above = s;
        }
    }
    print_others(r, "new", "The JDK has none of these, and so they win:", out);
    print_others(r, "unmeasured", "Not measured, and left to the JDK:", out);
    print_others(r, "failed", "Failed, and left to the JDK:", out);
}

static json_t *service_object(const struct java_results *r, const struct java_service *s)
{
    json_t *object = json_object(), *operations = json_array();
    json_object_set_new(object, "type", quote_json(s->type));
    json_object_set_new(object, "algorithm", quote_json(s->algorithm));
    json_object_set_new(object, "verdict", quote_json(s->verdict));
    json_object_set_new(object, "win", json_boolean(java_wins(s)));
    json_object_set_new(object, "provider", quote_json(s->provider));
    for (size_t i = 0; i < s->num; i++) {
        const struct java_operation *o = &r->operations[s->first + i];
        json_t *operation = json_object(), *ratios = json_object();
        json_object_set_new(operation, "name", quote_json(o->name));
        json_object_set_new(operation, "unit", quote_json(o->unit));
        for (size_t k = 0; k < o->num; k++)
            json_object_set_new(ratios, o->size[k], json_real(o->ratio[k]));
        json_object_set_new(operation, "ratios", ratios);
        json_array_append_new(operations, operation);
    }
    json_object_set_new(object, "operations", operations);
    return object;
}

int java_write_json(const struct java_results *r, FILE *out)
{
    char cpu[24];
    json_t *root = json_object(), *services = json_array();
    snprintf(cpu, sizeof cpu, "%llx", (unsigned long long)r->cpu);
    for (size_t i = 0; i < r->num_services; i++)
        json_array_append_new(services, service_object(r, &r->services[i]));
    json_object_set_new(root, "java", json_integer((json_int_t)r->version));
    json_object_set_new(root, "name", quote_json(r->name));
    json_object_set_new(root, "cpu", quote_json(cpu));
    json_object_set_new(root, "floor", json_real(FLOOR));
    json_object_set_new(root, "gain", json_real(GAIN));
    json_object_set_new(root, "services", services);
    const int failed = json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(4) | QUOTE_JSON);
    json_decref(root);
    return fputc('\n', out) == EOF || failed ? -1 : 0;
}
