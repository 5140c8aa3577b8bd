/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises QEMU. It emulates /proc/self/exe, cmdline and maps for the program, but not
 * /proc/self/comm, which is the emulator's. */
#include "emulated.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Whether a file is mapped whose name contains this text. */
static bool mapped(const char *part)
{
    char line[4096];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && !found && fgets(line, sizeof line, maps))
        found = strstr(line, part);
    if (maps)
        fclose(maps);
    return found;
}

static const char *find(char *out, size_t out_len)
{
    char name[32] = "";
    FILE *comm = fopen("/proc/self/comm", "r");
    if (!comm)
        return NULL;
    const char *got = fgets(name, sizeof name, comm);
    fclose(comm);
    if (!got || strncmp(name, "qemu-", 5))
        return NULL;
    name[strcspn(name, "\n")] = '\0';
    snprintf(out, out_len, "%s%s", mapped("libheadrace-t4emu") ? "headrace-t4emu on " : "", name);
    return out;
}

const char *emulated_by(void)
{
    static char text[64];
    static const char *found;
    static bool asked;
    if (!asked)
        found = find(text, sizeof text);
    asked = true;
    return found;
}
