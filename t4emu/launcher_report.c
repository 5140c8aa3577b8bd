/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the tables of --report, and waits for the program: with --report, the launcher stays
 * while the program runs. */
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
    tool_print(out, NULL, "  %-*s  %-*s  %14s\n", width, title, files,
               counts->rows[0].file ? "FILE" : "", "INSTRUCTIONS");
    for (size_t i = 0; i < counts->len; i++) {
        const struct count *row = &counts->rows[i];
        tool_print(out, NULL, "  %-*s  %-*s  %14llu\n", width, row->name ? row->name : "?", files,
                   row->file ? short_name(row->file) : "", (unsigned long long)row->count);
    }
}

void report_print(FILE *out, FILE *statistics, const char *sysroot)
{
    struct counts places = { 0 }, opcodes = { 0 };
    rewind(statistics);
    counts_read(&places, &opcodes, statistics);
    symbols_resolve(&places, sysroot);
    counts_merge(&places);
    counts_merge(&opcodes);
    if (!opcodes.len)
        fputs("headrace: no instruction was emulated\n", out);
    else
        tool_print(out, NULL, "headrace: instructions that were emulated, in %llu process%s\n",
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

/* Forwards a signal to the program, but not SIGINT and SIGQUIT from a terminal, which reach the
 * program anyway. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    const int of_terminal = info->si_code == SI_KERNEL;
    if (child > 0 && !(of_terminal && (number == SIGINT || number == SIGQUIT)))
        kill(child, number);
}

/* Makes the launcher forward signals to the program instead of ending by them. */
static void stay(void)
{
    static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM };
    struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
    for (size_t i = 0; i < COUNT(numbers); i++)
        sigaction(numbers[i], &action, NULL);
    signal(SIGCHLD, SIG_DFL);
}

int report_run_and_wait(int (*run)(const void *), const void *argument)
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

int report_append_statistics(FILE *statistics, const char *file)
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
