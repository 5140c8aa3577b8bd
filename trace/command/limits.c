/* SPDX-License-Identifier: Apache-2.0 */
#include "limits.h"
#include "tool.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Below this a trace would not find its own way. */
static const double least_memory = 1 << 20, most_memory = (double)(SIZE_MAX / 2);

static int read_memory(size_t *out, const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    double value = strtod(text, &end);
    const char *unit = end != text && *end ? strchr(units, *end) : NULL;
    for (const char *u = units; unit && u <= unit; u++)
        value *= 1024;
    end += unit != NULL;
    if (end == text || *end || !isfinite(value) || value < least_memory || value > most_memory)
        return -1;
    *out = (size_t)value;
    return 0;
}

int limits_read(size_t *memory, double *seconds, const char *memory_text, const char *time_text,
                const char *command)
{
    char *end = NULL;
    if (memory_text && read_memory(memory, memory_text))
        return tool_usage("%s: --max-memory %s: must be a size of at least 1M, such as 512M",
                          command, memory_text);
    if (!time_text)
        return 0;
    *seconds = strtod(time_text, &end);
    if (end == time_text || *end || !isfinite(*seconds) || *seconds < 0.001 || *seconds > 1e9)
        return tool_usage("%s: --max-time %s: must be seconds, at least 0.001", command, time_text);
    return 0;
}
