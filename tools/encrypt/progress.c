/* SPDX-License-Identifier: Apache-2.0
 *
 * Shows the progress, the rate and the time that is left.
 */
#include "progress.h"
#include "../../cli/tool.h"
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Commands that end within a second print nothing. */
static const int64_t second = 1000000000, first_after = second, then_every = second / 5;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * second + t.tv_nsec;
}

void progress_start(struct progress *p, int fd, enum progress_form form)
{
    struct stat info;
    *p = (struct progress){ .form = form, .wanted = form || tool_progress() };
    if (!p->wanted)
        return;
    const off_t at = lseek(fd, 0, SEEK_CUR);
    if (at >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_size > at)
        p->total = (uint64_t)(info.st_size - at);
    p->start = now();
    p->shown = p->start + first_after - then_every;
}

/* Prints a size with at most four characters and a unit: "1.9 GB". */
static void print_bytes(double x)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
    size_t i = 0;
    for (; x >= 1000 && i + 1 < COUNT(units); i++)
        x /= 1000;
    tool_print(stderr, NULL, i && x < 10 ? "%.1f %s" : "%.0f %s", x, units[i]);
}

static void print_line(const struct progress *p, double seconds)
{
    const double rate = (double)p->done / seconds;
    fputs("\r\033[K", stderr);
    if (p->total)
        fprintf(stderr, "%3.0f%%  ", 100.0 * (double)p->done / (double)p->total);
    print_bytes((double)p->done);
    if (p->total) {
        fputs(" of ", stderr);
        print_bytes((double)p->total);
    }
    fputs("  ", stderr);
    print_bytes(rate);
    fputs("/s", stderr);
    if (p->total > p->done && rate > 0) {
        const long left = (long)((double)(p->total - p->done) / rate + 0.5);
        fprintf(stderr, "  %ld:%02ld left", left / 60, left % 60);
    }
    fflush(stderr);
}

/* Prints the marks that are due, as the manual page of Solaris's encrypt describes them. */
static void print_marks(struct progress *p)
{
    enum { PERIOD = 40 * 1024, COLUMNS = 76, QUARTER = COLUMNS / 4 };
    uint64_t due = p->done / PERIOD;
    if (p->form == PROGRESS_BAR)
        due = p->total ? COLUMNS * (p->done < p->total ? p->done : p->total) / p->total : 0;
    for (; p->shown_marks < due; p->shown_marks++) {
        const bool quarter = p->form == PROGRESS_BAR && (p->shown_marks + 1) % QUARTER == 0;
        tool_print(stderr, NULL, "%c", quarter ? '|' : '.');
    }
}

void progress_add(struct progress *p, uint64_t num_bytes)
{
    p->done += num_bytes;
    if (!p->wanted)
        return;
    if (p->form) {
        print_marks(p);
        return;
    }
    const int64_t t = now();
    if (t - p->shown < then_every)
        return;
    p->shown = t;
    p->on_line = true;
    print_line(p, (double)(t - p->start) / (double)second);
}

void progress_end(struct progress *p, bool good)
{
    if (p->form)
        tool_print(stderr, NULL, "%s\n", good ? "Done" : "");
    if (p->on_line)
        fputs("\r\033[K", stderr);
    p->on_line = false;
}
