/* SPDX-License-Identifier: Apache-2.0
 *
 * The features of this CPU, by the flags in /proc/cpuinfo, where the kernel leaves out features
 * that programs cannot use. The line is called "flags" on x86 and "Features" on arm64.
 */
#define _GNU_SOURCE
#include "cpu_flags.h"
#include "report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

#if defined(__x86_64__) || defined(__i386__)
static const char line_name[] = "flags";
#define FLAGS(info) ((info)->x86_flags)
#define SET(info) ((info)->x86_set)
const char cpu_name[] = "x86";
#elif defined(__aarch64__)
static const char line_name[] = "Features";
#define FLAGS(info) ((info)->arm64_flags)
#define SET(info) ((info)->arm64_set)
const char cpu_name[] = "arm64";
#else
static const char line_name[] = "flags";
#define FLAGS(info) ((void)(info), "")
#define SET(info) ((void)(info), "")
const char cpu_name[] = "";
#endif

const char *cpu_set(enum family family)
{
    return SET(family_info(family));
}

bool cpu_could(enum family family)
{
    return *FLAGS(family_info(family));
}

/* Whether one of the words `wanted` is in `line`; both are separated by blanks. */
static bool any_word(const char *wanted, const char *line)
{
    while (*(wanted += strspn(wanted, " "))) {
        const size_t len = strcspn(wanted, " ");
        for (const char *at = line; (at = strstr(at, " ")) && at[1]; at++)
            if (!strncmp(at + 1, wanted, len) && strchr(" \n", at[1 + len]))
                return true;
        wanted += len;
    }
    return false;
}

uint32_t cpu_families_of(FILE *cpuinfo)
{
    char *line = NULL;
    size_t max = 0;
    uint32_t families = 0;
    while (getline(&line, &max, cpuinfo) > 0) {
        if (strncmp(line, line_name, strlen(line_name)) != 0)
            continue;
        for (unsigned i = FAMILY_NONE + 1; i < NUM_FAMILIES; i++)
            if (any_word(FLAGS(family_info((enum family)i)), line))
                families |= UINT32_C(1) << i;
        break; /* the lines of the other CPUs are the same */
    }
    free(line);
    return families;
}

uint32_t cpu_families(void)
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    if (!f)
        return 0;
    const uint32_t families = cpu_families_of(f);
    fclose(f);
    return families;
}
