/* SPDX-License-Identifier: Apache-2.0 */
/* In a build without PKCS#11. */
#include "../../cli/tool.h"

static int token_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return tool_error("token: this build has no PKCS#11");
}

const struct command token_command = {
    .name = "token",
    .operands = "COMMAND [OPTION]...",
    .summary = "make tokens of PKCS#11, and put keys and certificates into them",
    .external = token_main,
};
