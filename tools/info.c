/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace info: shows the features of the CPU, and which kernels use them.
 */
#include "../cli/algorithm.h"
#include "../cli/emulated.h"
#include "../cli/quote_json.h"
#include "../cli/tool.h"
#include <headrace/headrace.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define APPLICATIONS "amd64" /* the name that isainfo(1) uses */
#elif defined(__aarch64__)
#define APPLICATIONS "aarch64"
#elif defined(__sparc__)
#define APPLICATIONS "sparcv9"
#else
#define APPLICATIONS "other"
#endif

static bool verbose, json;

static const char *state_of(uint64_t bit)
{
    if (hr_cpu_features() & bit)
        return "present";
    return hr_cpu_detected() & bit ? "masked by HEADRACE_CPU" : "absent";
}

/* ---- isainfo -v ---- */

static void print_isainfo(void)
{
    enum { TAB = 8, WIDTH = 68 };
    size_t n = 0, column = 0;
    tool_say("64-bit %s applications\n", APPLICATIONS);
    while (hr_cpu_feature_at(n))
        n++;
    while (n--) { /* newest first, as isainfo prints them */
        const struct hr_cpu_feature *f = hr_cpu_feature_at(n);
        const size_t len = strlen(f->name);
        if (!(hr_cpu_features() & f->bit))
            continue;
        const bool wrap = column + 1 + len > WIDTH;
        column = column && !wrap ? column + 1 + len : TAB + len;
        tool_say(wrap ? "\n\t%s" : column == TAB + len ? "\t%s" : " %s", f->name);
    }
    if (column)
        putchar('\n');
}

/* ---- features ---- */

static void print_features(void)
{
    const struct hr_cpu_feature *f;
    tool_print(stdout, "1", "CPU features\n");
    for (size_t i = 0; (f = hr_cpu_feature_at(i)); i++) {
        const char *state = state_of(f->bit);
        const bool present = *state == 'p';
        tool_say("  %-12s %-34s ", f->name, f->words);
        tool_print(stdout, present ? "32" : *state == 'm' ? "33" : NULL, "%s\n", state);
    }
}

/* ---- kernels ---- */

/* Writes why a kernel is not used, "needs sha512ni: absent": one clause for each reason why
 * features are missing. */
static void why_not(char *out, size_t out_len, uint64_t needs)
{
    static const char *const states[] = { "absent", "masked" };
    const struct hr_cpu_feature *f;
    if (needs & HR_KERNEL_VARTIME) {
        snprintf(out, out_len, "used only on request: its time depends on keys and data");
        return;
    }
    size_t n = (size_t)snprintf(out, out_len, "needs");
    for (size_t s = 0; s < COUNT(states); s++) {
        size_t named = 0;
        for (size_t i = 0; (f = hr_cpu_feature_at(i)) && n < out_len; i++)
            if (f->bit & needs && *state_of(f->bit) == *states[s])
                n += (size_t)snprintf(out + n, out_len - n, "%s %s", named++ ? "," : "", f->name);
        if (named && n < out_len)
            n += (size_t)snprintf(out + n, out_len - n, ": %s;", states[s]);
    }
    if (n < out_len && n > 0 && out[n - 1] == ';')
        out[n - 1] = '\0';
}

/* Lanes, and all operations of public key, are behind those that hr_num_ops counts. */
enum { NUM_OPS = HR_OP_PK + 1 };

/* Widths of columns: the longest name of a row is CAMELLIA-128-CFB128. */
enum { NAME = 19, OP = 8, KERNEL = 11, INDENT = 2 + NAME + 1 + OP + 1 + KERNEL + 1 };

static bool has_op(const struct hr_algorithm *row, size_t op)
{
    struct hr_kernel first;
    return !hr_kernel_at(&first, row->alg, (enum hr_op)op, 0);
}

static const char *op_name(const struct hr_algorithm *row, size_t op)
{
    return hr_op_name(row->alg, (enum hr_op)op);
}

/* Whether the texts for both directions of a cipher are the same. */
static bool is_symmetric(const struct hr_algorithm *row)
{
    struct hr_kernel to, from;
    const int chosen = hr_kernel_chosen(row->alg, HR_OP_ENCRYPT);
    if (row->digest || !has_op(row, HR_OP_DECRYPT) ||
        chosen != hr_kernel_chosen(row->alg, HR_OP_DECRYPT))
        return false;
    for (int i = 0; i <= chosen; i++)
        if (hr_kernel_at(&to, row->alg, HR_OP_ENCRYPT, (size_t)i) ||
            hr_kernel_at(&from, row->alg, HR_OP_DECRYPT, (size_t)i) ||
            strcmp(to.name, from.name) != 0 || to.needs != from.needs)
            return false;
    return true;
}

static void print_op(const struct hr_algorithm *row, size_t op, const char *op_words, bool first)
{
    struct hr_kernel kernel;
    const int chosen = hr_kernel_chosen(row->alg, (enum hr_op)op);
    if (chosen < 0 || hr_kernel_at(&kernel, row->alg, (enum hr_op)op, (size_t)chosen))
        return;
    tool_say("  %-*s %-*s ", NAME, first ? row->name : "", OP, op_words);
    tool_print(stdout, kernel.needs ? "32" : "33", chosen ? "%-*s " : "%-*s\n", chosen ? KERNEL : 0,
               kernel.name);
    for (int i = 0; i < chosen; i++) {
        char why[160], line[240];
        if (hr_kernel_at(&kernel, row->alg, (enum hr_op)op, (size_t)i))
            break;
        why_not(why, sizeof why, kernel.needs & ~hr_cpu_features());
        snprintf(line, sizeof line, "%s %s", kernel.name, why);
        if (i)
            tool_say("%*s", INDENT, "");
        tool_wrap(stdout, line, INDENT);
    }
}

/* The i-th algorithm to be shown: of the operands, or of all rows. NULL behind the last one. */
static const struct hr_algorithm *asked(int argc, char **argv, size_t i)
{
    if (argc == 0)
        return hr_algorithm_at(i);
    return i < (size_t)argc ? algorithm_named(argv[i]) : NULL;
}

static void print_kernels(int argc, char **argv)
{
    const struct hr_algorithm *row;
    tool_print(stdout, "1", "  %-*s %-*s %-*s %s\n", NAME, "algorithm", OP, "op", KERNEL, "kernel",
               "better ones not used");
    for (size_t i = 0; (row = asked(argc, argv, i)); i++) {
        /* a MAC uses its digest's kernel, which is shown once if all are shown */
        const size_t first = argc == 0 && row->digest ? HR_OP_ITERATE : 0;
        const bool both = is_symmetric(row);
        for (size_t op = first; op < NUM_OPS; op++)
            if (has_op(row, op) && (argc || !row->digest || op != HR_OP_LANES) &&
                (!both || op != HR_OP_DECRYPT))
                print_op(row, op, both && op == first ? "both" : op_name(row, op),
                         op == first || op == HR_OP_PK);
        if (argc && row->flags & HR_WEAK)
            tool_print(stdout, "31", "  %-*s weak: its keys can be found by trying all of them\n",
                       NAME, "");
        if (tool_is_public_key(row) && !has_op(row, HR_OP_PK))
            tool_say("  %-*s public key\n", NAME, row->name);
        else if (tool_is_xof(row))
            tool_say("  %-*s %-*s uses SHA-3's kernels\n", NAME, row->name, OP, "squeeze");
        else if (row->cls == HR_CLASS_KDF)
            tool_say("  %-*s %-*s uses HMAC's kernels\n", NAME, row->name, OP, "derive");
    }
    if (argc == 0)
        printf("\n"
               "both: encrypt and decrypt, or wrap and unwrap.\n"
               "HMAC uses its digest's kernels for mac and lanes.\n");
}

/* ---- JSON ---- */

static json_t *json_features(uint64_t set)
{
    json_t *list = json_array();
    const struct hr_cpu_feature *f;
    for (size_t i = 0; (f = hr_cpu_feature_at(i)); i++)
        if (f->bit & set)
            json_array_append_new(list, json_string(f->name));
    return list;
}

static json_t *json_states(void)
{
    json_t *list = json_array();
    const struct hr_cpu_feature *f;
    for (size_t i = 0; (f = hr_cpu_feature_at(i)); i++) {
        const char *state = state_of(f->bit);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", f->name, "words", f->words,
                                              "state", *state == 'm' ? "masked" : state));
    }
    return list;
}

static json_t *json_op(const struct hr_algorithm *row, size_t op)
{
    json_t *kernels = json_array();
    struct hr_kernel kernel;
    const int chosen = hr_kernel_chosen(row->alg, (enum hr_op)op);
    for (size_t i = 0; !hr_kernel_at(&kernel, row->alg, (enum hr_op)op, i); i++)
        json_array_append_new(kernels, json_pack("{s:s, s:o, s:o, s:b}", "kernel", kernel.name,
                                                 "needs", json_features(kernel.needs), "lacks",
                                                 json_features(kernel.needs & ~hr_cpu_features()),
                                                 "chosen", (int)i == chosen));
    return json_pack("{s:s, s:s, s:o}", "algorithm", row->name, "op", op_name(row, op), "kernels",
                     kernels);
}

static void print_json(int argc, char **argv)
{
    json_t *ops = json_array();
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = asked(argc, argv, i)); i++)
        for (size_t op = 0; op < NUM_OPS; op++)
            if (has_op(row, op))
                json_array_append_new(ops, json_op(row, op));
    json_t *all = json_pack("{s:s, s:s, s:s*, s:o, s:o}", "version", hr_version(), "architecture",
                            APPLICATIONS, "emulator", emulated_by(), "features", json_states(),
                            "operations", ops);
    json_dumpf(all, stdout, JSON_INDENT(2) | QUOTE_JSON);
    putchar('\n');
    json_decref(all);
}

static int info_main(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (!algorithm_named(argv[i]))
            return EXIT_USAGE;
    if (json) {
        print_json(argc, argv);
    } else if (verbose) {
        print_isainfo();
    } else {
        if (argc == 0) {
            if (emulated_by())
                tool_say("This CPU is emulated: %s\n\n", emulated_by());
            print_features();
            tool_print(stdout, "1", "\nKernels, one for each operation\n");
        }
        print_kernels(argc, argv);
    }
    return tool_finish(EXIT_SUCCESS);
}

static const struct tool_option info_options[] = {
    { "verbose", 'v', NULL, "capability names only, as isainfo -v prints them", &verbose, NULL },
    { "json", 0, NULL, "print JSON", &json, NULL },
    { .name = NULL },
};

const struct command info_command = {
    .name = "info",
    .operands = "[ALGORITHM]...",
    .summary = "show the CPU's features and the kernels that Headrace uses",
    .options = info_options,
    .main = info_main,
};
