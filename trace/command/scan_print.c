/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "../escape.h"
#include "../names/names.h"
#include "../object/object.h"
#include "scan.h"
#include "tool.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums ---- */

struct sum {
    unsigned num[NUM_FAMILIES][NUM_HOWS];
    bool crypto, hardware;
};

static void sum_up(struct sum *sum, const struct scan_file *file)
{
    memset(sum, 0, sizeof *sum);
    for (size_t i = 0; i < file->num_functions; i++) {
        const struct scan_function *f = &file->functions[i];
        sum->num[f->family][f->how]++;
        sum->crypto |= family_is_crypto(f->family);
        sum->hardware |= family_is_crypto(f->family) && f->how == HOW_HARDWARE;
    }
}

struct totals {
    size_t elf, crypto, hardware, failed;
};

static struct totals total(const struct scan *s)
{
    struct totals t = { .failed = s->num_unreadable };
    struct sum sum;
    for (size_t i = 0; i < s->num_files; i++) {
        const struct scan_file *file = &s->files[i];
        t.elf += file->state == SCAN_READ;
        t.failed += file->state == SCAN_FAILED || file->state == SCAN_WAITING;
        sum_up(&sum, file);
        t.crypto += sum.crypto;
        t.hardware += sum.hardware;
    }
    return t;
}

/* ---- text ---- */

static void print_name(FILE *out, const char *name)
{
    char clean[ESCAPE_MAX];
    tool_print(out, NULL, "%s", escape_clean(clean, name, false));
}

/* Prints the variants of one way of computing, each once. */
static void print_variants(FILE *out, const struct scan_file *file, int family, int how)
{
    const char *seen[4];
    size_t num = 0;
    for (size_t i = 0; i < file->num_functions && num < COUNT(seen); i++) {
        const struct scan_function *f = &file->functions[i];
        size_t k = 0;
        if (f->family != family || f->how != how || !*f->variant)
            continue;
        while (k < num && strcmp(seen[k], f->variant) != 0)
            k++;
        if (k == num)
            seen[num++] = f->variant;
    }
    for (size_t i = 0; i < num; i++) {
        tool_print(out, NULL, "%s", i ? "; " : " (");
        print_name(out, seen[i]);
    }
    if (num)
        fputc(')', out);
}

static const char *colour_of(int how)
{
    return how == HOW_HARDWARE ? "32" : how == HOW_SOFTWARE ? "31" : NULL;
}

static void print_family(FILE *out, const struct scan_file *file, const struct sum *sum, int family)
{
    bool first = true;
    for (int how = HOW_NONE + 1; how < NUM_HOWS; how++) {
        if (!sum->num[family][how])
            continue;
        if (first)
            tool_print(out, NULL, "  %-12s ", family_info((enum family)family)->name);
        else
            fputs(", ", out);
        tool_print(out, colour_of(how), "%s %u", family_how_name((enum how)how),
                   sum->num[family][how]);
        print_variants(out, file, family, how);
        first = false;
    }
    if (!first)
        fputc('\n', out);
}

static char source_mark(const struct scan_function *f)
{
    return f->source == NAME_FINGERPRINT ? '~' : ' ';
}

static void print_functions(FILE *out, const struct scan_file *file)
{
    char name[ESCAPE_MAX], evidence[ESCAPE_MAX], where[32];
    for (size_t i = 0; i < file->num_functions; i++) {
        const struct scan_function *f = &file->functions[i];
        snprintf(where, sizeof where, "+0x%" PRIx64, f->start);
        escape_clean(name, *f->name ? f->name : where, false);
        escape_clean(evidence, f->evidence, false);
        tool_print(out, NULL, "      %-12s %-12s %s%c  %s [%c]\n", family_info(f->family)->name,
                   family_how_name(f->how), name, source_mark(f), evidence, f->grade);
    }
}

static void print_file(FILE *out, const struct scan_file *file, bool verbose)
{
    struct sum sum;
    sum_up(&sum, file);
    if (!sum.crypto && !(verbose && file->num_functions))
        return;
    print_name(out, file->path);
    tool_print(out, NULL, "  %s%s%s, %" PRIu64 " functions\n", file->arch, file->go ? ", Go" : "",
               file->stripped ? ", stripped" : "", file->num_all_functions);
    for (int family = FAMILY_NONE + 1; family < NUM_FAMILIES; family++)
        print_family(out, file, &sum, family);
    if (verbose)
        print_functions(out, file);
}

static bool has_failed(const struct scan_file *file)
{
    return file->state == SCAN_FAILED || file->state == SCAN_WAITING;
}

static const char *why_of(const struct scan_file *file)
{
    return file->why && *file->why ? file->why : "not read";
}

int scan_text(FILE *out, const struct scan *s, bool verbose)
{
    const struct totals t = total(s);
    for (size_t i = 0; i < s->num_files; i++)
        print_file(out, &s->files[i], verbose);
    for (size_t i = 0; i < s->num_files && verbose; i++)
        if (has_failed(&s->files[i])) {
            fputs("not read: ", out);
            print_name(out, s->files[i].path);
            tool_print(out, NULL, ": %s\n", why_of(&s->files[i]));
        }
    fprintf(out, "%zu files, %zu of them programs and libraries: %zu hold crypto, %zu in hardware",
            s->num_files, t.elf, t.crypto, t.hardware);
    tool_print(out, NULL, "; %zu not read%s\n", t.failed,
               t.failed && !verbose ? " (-v names them)" : "");
    if (s->cut)
        fprintf(out, "not all files are listed: --max-memory or --max-time is over\n");
    return fflush(out) || ferror(out) ? -1 : 0;
}

/* ---- JSON ---- */

static json_t *text(const char *hostile)
{
    char clean[ESCAPE_MAX];
    return hostile && *hostile ? json_string(escape_clean(clean, hostile, false)) : json_null();
}

static json_t *function_json(const struct scan_function *f)
{
    char where[32];
    const char grade[] = { (char)f->grade, '\0' };
    snprintf(where, sizeof where, "0x%" PRIx64, f->start);
    return json_pack("{s:s, s:o, s:s, s:o, s:o, s:s, s:b, s:o, s:s}", "algorithm",
                     family_info(f->family)->name, "mode", text(f->mode), "how",
                     family_how_name(f->how), "variant", text(f->variant), "function",
                     text(f->name), "address", where, "fingerprint", f->source == NAME_FINGERPRINT,
                     "evidence", text(f->evidence), "grade", grade);
}

static json_t *file_json(const struct scan_file *file)
{
    json_t *functions = json_array();
    for (size_t i = 0; i < file->num_functions; i++)
        json_array_append_new(functions, function_json(&file->functions[i]));
    if (has_failed(file)) {
        json_decref(functions);
        return json_pack("{s:o, s:s}", "file", text(file->path), "error", why_of(file));
    }
    return json_pack("{s:o, s:o, s:o, s:b, s:b, s:I, s:o}", "file", text(file->path), "arch",
                     text(file->arch), "build_id", text(file->build_id), "stripped", file->stripped,
                     "go", file->go, "functions", (json_int_t)file->num_all_functions, "crypto",
                     functions);
}

static json_t *summary_json(const struct scan *s)
{
    const struct totals t = total(s);
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:b}", "files", (json_int_t)s->num_files, "elf",
                     (json_int_t)t.elf, "crypto", (json_int_t)t.crypto, "hardware",
                     (json_int_t)t.hardware, "not_read", (json_int_t)t.failed, "complete", !s->cut);
}

static int dump(FILE *out, json_t *json, size_t flags)
{
    const int failed = !json || json_dumpf(json, out, flags) || fputc('\n', out) == EOF;
    json_decref(json);
    return failed ? -1 : 0;
}

static bool has_something(const struct scan_file *file)
{
    return file->num_functions || has_failed(file);
}

/* Prints each file as soon as its object is made, because all objects together take twenty times
 * the memory of the results. */
int scan_json(FILE *out, const struct scan *s, bool lines)
{
    const size_t flags = lines ? JSON_COMPACT : JSON_INDENT(1);
    bool any = false;
    int failed = 0;
    if (!lines) {
        fputs("{\n\"summary\": ", out);
        failed = dump(out, summary_json(s), flags);
        fputs(",\n\"files\": [\n", out);
    }
    for (size_t i = 0; i < s->num_files && !failed; i++) {
        if (!has_something(&s->files[i]))
            continue;
        if (any && !lines)
            fputs(",\n", out);
        any = true;
        failed = dump(out, file_json(&s->files[i]), flags);
    }
    if (failed)
        return -1;
    if (lines)
        return dump(out, json_pack("{s:o}", "summary", summary_json(s)), flags);
    return fputs("]\n}\n", out) == EOF ? -1 : 0;
}
