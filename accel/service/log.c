/* SPDX-License-Identifier: Apache-2.0 */
#include "../../cli/quote.h"
#include "../ticks.h"
#include "headraced.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>

static bool verbose, journal;

void log_begin(bool be_verbose)
{
    verbose = be_verbose;
    journal = getenv("JOURNAL_STREAM") != NULL;
}

/* say writes a line with one call, because accelerators and the control thread may log at the same
 * time. */
static void say(int priority, const char *format, va_list args)
{
    char text[512], clean[4 * sizeof text + 32];
    vsnprintf(text, sizeof text, format, args);
    quote_text(clean, sizeof clean, text, 0);
    if (journal)
        fprintf(stderr, "<%d>%s\n", priority, clean);
    else
        fprintf(stderr, "headraced: %s\n", clean);
}

static bool denial_is_due(void)
{
    static uint64_t last;
    const uint64_t now = ticks_seconds();
    const bool due = now != last;
    last = now;
    return due;
}

#define LEVEL(name, priority, condition)     \
    void log_##name(const char *format, ...) \
    {                                        \
        va_list args;                        \
        va_start(args, format);              \
        if (condition)                       \
            say(priority, format, args);     \
        va_end(args);                        \
    }
LEVEL(error, LOG_ERR, true)
LEVEL(warning, LOG_WARNING, true)
LEVEL(info, LOG_INFO, true)
LEVEL(denial, LOG_INFO, denial_is_due())
LEVEL(verbose, LOG_DEBUG, verbose)
