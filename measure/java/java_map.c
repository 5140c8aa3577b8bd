/* SPDX-License-Identifier: Apache-2.0 */
/* The win map of the provider for Java as a file: what WinMap.java reads, and says about it. */
#define _GNU_SOURCE
#include "../../cli/file.h"
#include "../../cli/tool.h"
#include "calibrate_java.h"
#include <headrace/headrace.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool java_map_path(char out[PATH_MAX], unsigned version)
{
    const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
    const char *folder = config && *config ? config : home,
               *below = config && *config ? "" : "/.config";
    if (!geteuid()) {
        folder = "/etc";
        below = "";
    }
    return folder && *folder &&
           snprintf(out, PATH_MAX, "%s%s/headrace/java/java-%u.map", folder, below, version) <
               PATH_MAX;
}

/* The processor's name, as Linux tells it. */
static void processor(char out[100])
{
    char line[256];
    FILE *in = fopen("/proc/cpuinfo", "re");
    out[0] = '\0';
    while (in && !out[0] && fgets(line, sizeof line, in))
        if (!strncmp(line, "model name", 10) && strchr(line, ':'))
            snprintf(out, 100, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"),
                     strchr(line, ':') + 2);
    if (in)
        fclose(in);
}

static void write_text(const struct java_results *r, FILE *out)
{
    char cpu[100];
    processor(cpu);
    fprintf(out, "# What Headrace computes faster than the providers of the JDK; made by\n");
    fprintf(out, "# headrace calibrate --java (%s) of Headrace %s on\n", r->name, hr_version());
    fprintf(out, "# %s.\n", cpu);
    fprintf(out, "cpu %llx %llx\n", (unsigned long long)r->cpu, ~(unsigned long long)r->cpu);
    for (size_t i = 0; i < r->num_services; i++)
        if (java_wins(&r->services[i]))
            fprintf(out, "%s %s\n", r->services[i].type, r->services[i].algorithm);
}

int java_map_write(const struct java_results *r, const char *path)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    if (out)
        write_text(r, out);
    const int code = out && !fclose(out) ? file_replace(path, text, len, NULL)
                                         : tool_error("cannot write %s: out of memory", path);
    free(text);
    return code;
}
