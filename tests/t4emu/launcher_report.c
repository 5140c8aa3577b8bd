/* SPDX-License-Identifier: Apache-2.0 */
/* The tables, and the process that they are about: with --report the launcher stays. */
#define _GNU_SOURCE
#include "launcher_report.h"
#include "launcher.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- tables ---- */

/* Names come from files: what a terminal would obey is not printed. */
static void put_name(FILE *out, const char *name, int width)
{
    int len = 0;
    for (; *name; name++, len++)
        fputc((unsigned char)*name < ' ' || (unsigned char)*name > '~' ? '?' : *name, out);
    fprintf(out, "%*s", len < width ? width - len : 0, "");
}

static const char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void put_rows(FILE *out, const struct counts *counts, const char *title)
{
    int width = (int)strlen(title), files = 4;
    for (size_t i = 0; i < counts->len; i++) {
        const struct count *row = &counts->rows[i];
        const int name = row->name ? (int)strnlen(row->name, 60) : 1;
        const int file = row->file ? (int)strnlen(short_name(row->file), 40) : 0;
        width = name > width ? name : width;
        files = file > files ? file : files;
    }
    fprintf(out, "  %-*s  %-*s  %14s\n", width, title, files, counts->rows[0].file ? "FILE" : "",
            "INSTRUCTIONS");
    for (size_t i = 0; i < counts->len; i++) {
        const struct count *row = &counts->rows[i];
        fputs("  ", out);
        put_name(out, row->name ? row->name : "?", width + 2);
        put_name(out, row->file ? short_name(row->file) : "", files + 2);
        fprintf(out, "%14llu\n", (unsigned long long)row->count);
    }
}

void report_print(FILE *out, FILE *statistics, const char *sysroot)
{
    struct counts places = { 0 }, opcodes = { 0 };
    rewind(statistics);
    counts_read(&places, &opcodes, statistics);
    counts_resolve(&places, sysroot);
    counts_merge(&places);
    counts_merge(&opcodes);
    if (!opcodes.len)
        fputs("headrace: no instruction was emulated\n", out);
    else
        fprintf(out, "headrace: instructions that were emulated, in %llu process%s\n",
                (unsigned long long)places.processes, places.processes == 1 ? "" : "es");
    if (places.len)
        put_rows(out, &places, "FUNCTION");
    if (opcodes.len)
        put_rows(out, &opcodes, "OPCODE");
    counts_free(&places);
    counts_free(&opcodes);
}

/* ---- the process ---- */

static volatile pid_t child;

/* What a terminal sends goes to the program, too. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    const int of_terminal = info->si_code == SI_KERNEL;
    if (child > 0 && !(of_terminal && (number == SIGINT || number == SIGQUIT)))
        kill(child, number);
}

/* The program lives and dies by what we are sent, and we after it. */
static void stay(void)
{
    static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM };
    struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
    for (size_t i = 0; i < COUNT(numbers); i++)
        sigaction(numbers[i], &action, NULL);
    signal(SIGCHLD, SIG_DFL);
}

int run_and_wait(int (*run)(const void *), const void *argument)
{
    int status;
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        _exit(run(argument));
    }
    if (child > 0)
        stay();
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0) {
        tool_error("%s", strerror(errno));
        return EXIT_OURS;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) {
            tool_error("%s", strerror(errno));
            return EXIT_OURS;
        }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SIGNAL + WTERMSIG(status);
}

int append_statistics(FILE *statistics, const char *file)
{
    char buffer[65536];
    size_t n;
    FILE *out = strcmp(file, "-") ? fopen(file, "ae") : stderr;
    rewind(statistics);
    while (out && (n = fread(buffer, 1, sizeof buffer, statistics)))
        if (fwrite(buffer, 1, n, out) != n)
            break;
    if (out && !fflush(out) && !ferror(out))
        return out == stderr ? 0 : fclose(out);
    tool_error("%s: %s", file, strerror(errno));
    return EXIT_OURS;
}
