/* SPDX-License-Identifier: Apache-2.0 */
/* Any output of the JVM that `headrace calibrate --java` starts: each line is read within its own
 * bytes, what was taken stays within its tables, and makes a win map of the provider's form; and
 * what was read reads the same when it is printed as the JVM prints it. */
#include "../measure/java/calibrate_java.h"
#include "fuzz.h"
#include <string.h>

static void read_all(struct java_results *r, const uint8_t *data, size_t size)
{
    memset(r, 0, sizeof *r);
    while (size) {
        const uint8_t *newline = memchr(data, '\n', size);
        const size_t len = newline ? (size_t)(newline - data) : size;
        char *line = malloc(len + 1);
        CHECK(line != NULL);
        memcpy(line, data, len);
        line[len] = '\0';
        const bool good = java_read_line(r, line);
        free(line);
        if (!good)
            return;
        data += len + (newline != NULL);
        size -= len + (newline != NULL);
    }
}

/* Whether a text ends within its room, and has printable characters only. */
static bool is_word(const char *text, size_t room, bool may_have_spaces)
{
    const size_t len = strnlen(text, room);
    for (size_t i = 0; i < len; i++)
        if (text[i] < ' ' || text[i] > '~' || (text[i] == ' ' && !may_have_spaces))
            return false;
    return len < room;
}
#define IS_WORD(text, may_have_spaces) is_word(text, sizeof(text), may_have_spaces)

static void check_service(const struct java_results *r, const struct java_service *s)
{
    CHECK(IS_WORD(s->type, false) && IS_WORD(s->algorithm, false) && IS_WORD(s->verdict, false));
    CHECK(IS_WORD(s->provider, true) && *s->algorithm);
    CHECK(*s->type >= 'A' && *s->type <= 'Z'); /* neither a comment of a map nor its word "cpu" */
    CHECK(s->first + s->num <= r->num_operations);
    for (size_t i = s->first; i < s->first + s->num; i++) {
        const struct java_operation *o = &r->operations[i];
        CHECK(IS_WORD(o->name, false) && IS_WORD(o->unit, false));
        CHECK(o->num && o->num <= JAVA_RATIOS);
        for (size_t j = 0; j < o->num; j++)
            CHECK(IS_WORD(o->size[j], false) && o->ratio[j] >= 0 && o->ratio[j] <= 1e9);
    }
}

/* Prints what was read in the form of org.headrace.jce.Calibrate. */
static char *print_all(const struct java_results *r, size_t *len)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, len);
    CHECK(out != NULL);
    fprintf(out, "java\t%u\t%llx\t%s\n", r->version, (unsigned long long)r->cpu, r->name);
    fprintf(out, "services\t%zu\n", r->announced);
    for (size_t i = 0; i < r->num_services; i++) {
        const struct java_service *s = &r->services[i];
        fprintf(out, "service\t%s\t%s\t%s\t%s\n", s->type, s->algorithm, s->verdict, s->provider);
        for (const struct java_operation *o = &r->operations[s->first], *end = o + s->num; o < end;
             o++) {
            fprintf(out, "ratios\t%s\t%s", o->name, o->unit);
            for (size_t j = 0; j < o->num; j++)
                fprintf(out, "\t%s=%.17g", o->size[j], o->ratio[j]);
            fputc('\n', out);
        }
    }
    fprintf(out, "end\n");
    CHECK(!fclose(out));
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct java_results r, again;
    read_all(&r, data, size);
    CHECK(r.num_services <= sizeof r.services / sizeof *r.services);
    CHECK(r.num_operations <= sizeof r.operations / sizeof *r.operations);
    if (!r.has_ended)
        return 0;
    for (size_t i = 0; i < r.num_services; i++)
        check_service(&r, &r.services[i]);
    size_t len, len_again;
    char *text = print_all(&r, &len);
    read_all(&again, (const uint8_t *)text, len);
    CHECK(again.has_ended);
    char *text_again = print_all(&again, &len_again);
    CHECK(len == len_again && !memcmp(text, text_again, len));
    free(text);
    free(text_again);
    return 0;
}
