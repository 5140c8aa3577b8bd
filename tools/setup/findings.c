/* SPDX-License-Identifier: Apache-2.0 */
#include "findings.h"
#include "../../cli/quote_json.h"
#include "../../cli/tool.h"
#include <stdarg.h>
#include <string.h>

static const struct {
    const char *word, *colour;
} levels[] = {
    [FINE] = { "fine", "32" },
    [NOTE] = { "note", "33" },
    [PROBLEM] = { "problem", "31" },
};

struct finding *findings_add(struct findings *f, enum level level, const char *about,
                             const char *format, ...)
{
    static struct finding spare;
    struct finding *finding = f->num < COUNT(f->all) ? &f->all[f->num++] : &spare;
    va_list args;
    *finding = (struct finding){ .level = level, .about = about };
    va_start(args, format);
    vsnprintf(finding->text, sizeof finding->text, format, args);
    va_end(args);
    return finding;
}

void finding_advise(struct finding *finding, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(finding->advice, sizeof finding->advice, format, args);
    va_end(args);
}

size_t findings_problems(const struct findings *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->num; i++)
        n += f->all[i].level == PROBLEM;
    return n;
}

void findings_print(const struct findings *f, FILE *out)
{
    enum { TEXT = 23 };
    for (size_t i = 0; i < f->num; i++) {
        const struct finding *finding = &f->all[i];
        tool_print(out, NULL, "%-13s ", finding->about);
        tool_print(out, levels[finding->level].colour, "%-8s ", levels[finding->level].word);
        tool_wrap(out, finding->text, TEXT);
        if (!*finding->advice)
            continue;
        tool_print(out, NULL, "%13s ", "");
        tool_print(out, "1", "%-8s ", "do:");
        tool_wrap(out, finding->advice, TEXT);
    }
}

json_t *findings_json(const struct findings *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->num; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "about", f->all[i].about,
                                              "level", levels[f->all[i].level].word, "text",
                                              quote_json(f->all[i].text), "advice",
                                              quote_json(f->all[i].advice)));
    return list;
}
