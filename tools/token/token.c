/* SPDX-License-Identifier: Apache-2.0 */
/* headrace token COMMAND: tokens of PKCS#11. */
#include "token.h"
#include "../group.h"

struct token_settings token_settings;

static const struct command *const rows[] = {
#define X(name) &token_##name##_command,
    TOKEN_COMMANDS(X) NULL
#undef X
};

static int token_main(int argc, char **argv)
{
    static const struct group group = { "token", rows, "headrace-token(1)" };
    return group_main(&group, argc, argv);
}

const struct command token_command = {
    .name = "token",
    .operands = "COMMAND [OPTION]...",
    .summary = "make tokens of PKCS#11, and put keys and certificates into them",
    .external = token_main,
};
