/* SPDX-License-Identifier: Apache-2.0 */
/* The circumstances of a measurement (machine, time, command), for readers of the figures
 * elsewhere. */
#define _GNU_SOURCE
#include "../cli/emulated.h"
#include "../cli/quote_json.h"
#include "speed.h"
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* The CPU's name, if the system knows it; else the architecture. */
static json_t *cpu_name(void)
{
    static const char *const keys[] = { "model name", "cpu", "Processor" };
    FILE *in = fopen("/proc/cpuinfo", "re");
    char line[256], name[256] = "";
    struct utsname machine;
    while (in && !*name && fgets(line, sizeof line, in)) {
        const size_t key_len = strcspn(line, "\t:");
        const char *value = strchr(line, ':');
        for (size_t i = 0; value && i < COUNT(keys); i++)
            if (strlen(keys[i]) == key_len && !memcmp(line, keys[i], key_len))
                snprintf(name, sizeof name, "%s", value + strspn(value, ": \t"));
    }
    if (in)
        fclose(in);
    name[strcspn(name, "\n")] = '\0';
    if (!*name && !uname(&machine))
        snprintf(name, sizeof name, "%s", machine.machine);
    return quote_json(name);
}

static json_t *cpu_features(void)
{
    json_t *names = json_array();
    const struct hr_cpu_feature *f;
    for (size_t i = 0; (f = hr_cpu_feature_at(i)); i++)
        if (hr_cpu_features() & f->bit)
            json_array_append_new(names, json_string(f->name));
    return names;
}

static json_t *now(void)
{
    const time_t t = time(NULL);
    struct tm utc;
    char text[32] = "";
    if (gmtime_r(&t, &utc))
        strftime(text, sizeof text, "%FT%TZ", &utc);
    return json_string(text);
}

/* The command line of this process; the first word without its path. */
static json_t *command(void)
{
    json_t *words = json_array();
    FILE *in = fopen("/proc/self/cmdline", "re");
    char *word = NULL;
    size_t size = 0;
    while (in && getdelim(&word, &size, '\0', in) > 0) {
        const char *slash = json_array_size(words) ? NULL : strrchr(word, '/');
        json_array_append_new(words, quote_json(slash ? slash + 1 : word));
    }
    free(word);
    if (in)
        fclose(in);
    return words;
}

void speed_add_facts(json_t *root)
{
    json_object_set_new(root, "headrace", json_string(hr_version()));
    json_object_set_new(root, "cpu", cpu_name());
    json_object_set_new(root, "cpu_features", cpu_features());
    if (emulated_by())
        json_object_set_new(root, "emulator", json_string(emulated_by()));
    json_object_set_new(root, "date", now());
    json_object_set_new(root, "command", command());
}
