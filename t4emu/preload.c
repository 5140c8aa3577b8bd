/* SPDX-License-Identifier: Apache-2.0 */
/* libheadrace-t4emu.so is preloaded into a sparc64 program and executes instructions that QEMU
 * does not know. It is the first library to be initialised (-z initfirst). */
#define _GNU_SOURCE
#include "../cli/quote.h"
#include "config.h"
#include "guest.h"
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_EMULATOR = 125 };

struct guest guest;

void guest_say(const char *format, ...)
{
    char text[PATH_MAX + 256], line[PATH_MAX + 512] = "t4emu: ";
    const size_t prefix = strlen(line);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    quote_text(line + prefix, sizeof line - prefix - 1, text, 0);
    strcat(line, "\n");
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        return; /* the output is closed */
}

void *guest_next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        guest_say("the C library has no %s", name);
        _exit(EXIT_EMULATOR);
    }
    return found;
}

static void configure(void)
{
    const char *strict = getenv("T4EMU_STRICT"), *cfr = getenv("T4EMU_CFR");
    char why[256];
    guest.model = t4_config_default();
    if (t4_config_strict(&guest.model, strict ? strict : "", why, sizeof why) ||
        t4_config_cfr(&guest.model, cfr ? cfr : "", why, sizeof why)) {
        guest_say("%s", why);
        _exit(EXIT_EMULATOR);
    }
}

/* Copies a variable, because the program may change it. */
static const char *keep(const char *name, char *copy, size_t size)
{
    const char *value = getenv(name);
    if (!value || !*value || strlen(value) >= size)
        return NULL;
    return strcpy(copy, value);
}

static void keep_paths(void)
{
    static char stats[PATH_MAX], qemu[PATH_MAX], sysroot[PATH_MAX], library[PATH_MAX];
    Dl_info self;
    guest.trace = getenv("T4EMU_TRACE") != NULL;
    guest.stats = keep("T4EMU_STATS", stats, sizeof stats);
    guest.qemu = keep("T4EMU_QEMU", qemu, sizeof qemu);
    guest.sysroot = keep("T4EMU_SYSROOT", sysroot, sizeof sysroot);
    if (dladdr(&guest, &self) && self.dli_fname && strlen(self.dli_fname) < sizeof library)
        guest.library = strcpy(library, self.dli_fname);
}

/* Starts with the given environment, because the C library's initialiser, which sets `environ`,
 * runs later. */
static void start_with(char **environment)
{
    static int started;
    if (started)
        return;
    started = 1;
    if (!environ)
        environ = environment;
    configure();
    keep_paths();
    signals_start();
    auxv_start();
    exec_start(); /* changes the environment, which lies before the vector */
    illegal_start();
    count_start();
}

void guest_start(void)
{
    start_with(environ);
}

__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
    start_with(environment);
}
