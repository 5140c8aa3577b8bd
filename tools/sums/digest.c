/* SPDX-License-Identifier: Apache-2.0 */
/* headrace digest: prints digests of files as Solaris's digest(1) does, and checks lists. */
#include "../../cli/algorithm.h"
#include "sums_forms.h"
#include <headrace/headrace.h>
#include <stdlib.h>

static int list(void)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (!tool_is_digest(row))
            continue;
        else if (row->flags & HR_CHECKSUM_ONLY && !tool_called("digest"))
            tool_say("%-11s a checksum: detects accidents, not forgery\n", row->symbol);
        else
            tool_say("%s\n", row->symbol);
    return EXIT_SUCCESS;
}

static int digest_main(int argc, char **argv)
{
    const char *name = sums_options.algorithm;
    struct sums_kind kind = { 0 };
    int code = sums_options_check("digest");
    if (!code && sums_options.list)
        return tool_finish(list());
    if (!code && !name && !sums_options.check)
        code = tool_usage("digest: -a ALG says which digest; -l lists them");
    if (!code && name && !(kind.row = algorithm_named(name)))
        code = EXIT_USAGE;
    if (!code && kind.row && !tool_is_digest(kind.row))
        code = tool_usage("digest: %s is no digest; -l lists them", kind.row->name);
    return code ? code : tool_finish(sums_files(&kind, tool_is_digest, argc, argv));
}

static const struct tool_option options[] = { SUMS_OPTIONS, { .name = NULL } };

const struct command digest_command = {
    .name = "digest",
    .operands = "[FILE]...",
    .summary = "print and check digests of files",
    .options = options,
    .main = digest_main,
    .is_program = true,
};
