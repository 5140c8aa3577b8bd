/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads files in worker processes, because files are hostile and decoders may crash. A worker takes
 * the number of the next file from shared memory, and appends one record for each file to a file of
 * its own. If it dies, its slot in shared memory says which file it was reading, and another worker
 * takes its place.
 *
 * The workers share the memory for reading. A file that needs more than one's share is read again
 * when all others were read, by fewer workers and in the end by one.
 */
#define _GNU_SOURCE
#include "../budget.h"
#include "scan.h"
#include "tool.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_WORKERS = 64, SECONDS_A_FILE = 120, LATE_SECONDS = 5 };
/* The largest record of one file: it takes twenty times as much while it is printed as JSON. */
#define MAX_RECORD ((size_t)4 << 20)
static const char too_many[] = "has more functions with crypto than --max-memory leaves room for";

struct shared {
    _Atomic size_t next, done;
    _Atomic size_t written;              /* bytes of all records */
    _Atomic size_t current[MAX_WORKERS]; /* index of the file + 1; 0: between two files */
};

struct pool {
    struct scan *scan;
    struct shared *shared;
    size_t *order; /* file indices, largest files first */
    size_t num_order;
    unsigned num;
    pid_t pids[MAX_WORKERS];
    int outputs[MAX_WORKERS];
};

/* ---- a worker process ---- */

struct prefix {
    uint64_t file, len;
};

static int write_all(int fd, const char *bytes, size_t len)
{
    while (len) {
        const ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

/* Makes the record of a file, or of the reason why it has none: then path is NULL. */
static char *make_record(size_t *len, const char *path, bool no_cache, const char *why)
{
    char *text = NULL;
    FILE *record = open_memstream(&text, len);
    if (!record)
        _exit(EXIT_FAILURE);
    const int failed =
        path ? scan_encode(record, path, no_cache) : scan_encode_failure(record, why);
    if (fclose(record) || failed)
        _exit(EXIT_FAILURE);
    return text;
}

static void read_one(const struct pool *p, int fd, size_t file)
{
    size_t len;
    const bool ending = budget_ending();
    char *text = make_record(&len, ending ? NULL : p->scan->files[file].path, p->scan->no_cache,
                             budget_no_time);
    if (len > MAX_RECORD ||
        atomic_fetch_add(&p->shared->written, len) + len > p->scan->max_memory / 4) {
        free(text);
        text = make_record(&len, NULL, false, too_many);
    }
    const struct prefix prefix = { .file = file, .len = len };
    if (write_all(fd, (const char *)&prefix, sizeof prefix) || write_all(fd, text, len))
        _exit(EXIT_FAILURE);
    free(text);
}

static void work(const struct pool *p, unsigned worker, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    budget_set(budget_taken() + p->scan->max_memory / 2 / p->num, 0);
    for (;;) {
        const size_t i = atomic_fetch_add(&p->shared->next, 1);
        if (i >= p->num_order)
            _exit(EXIT_SUCCESS);
        /* the parent reads this only after waitpid() has reported the end of this worker */
        atomic_store(&p->shared->current[worker], p->order[i] + 1);
        alarm(SECONDS_A_FILE);
        read_one(p, p->outputs[worker], p->order[i]);
        atomic_store(&p->shared->current[worker], 0);
        atomic_fetch_add(&p->shared->done, 1);
    }
}

static int start(struct pool *p, unsigned worker)
{
    const pid_t parent = getpid();
    p->pids[worker] = fork();
    if (p->pids[worker] == 0)
        work(p, worker, parent);
    return p->pids[worker] < 0 ? -1 : 0;
}

/* ---- the parent process ---- */

static void show_progress(const struct pool *p)
{
    enum { WIDTH = 40 };
    static const char bar[] = "########################################";
    const size_t all = p->num_order, done = atomic_load(&p->shared->done);
    if (!tool_progress() || !all)
        return;
    const int part = (int)(done * WIDTH / all);
    fprintf(stderr, "\r[");
    tool_print(stderr, NULL, "%.*s%*s] %zu of %zu files", part, bar, WIDTH - part, "", done, all);
}

static void hide_progress(void)
{
    if (tool_progress())
        fputs("\r\033[K", stderr);
}

/* Records why a file could not be read: a worker ended while reading it, by a time limit, by
 * another signal, or without memory. */
static void note_death(struct pool *p, unsigned worker, int status)
{
    const size_t file = atomic_exchange(&p->shared->current[worker], 0);
    if (!file)
        return;
    struct scan_file *f = &p->scan->files[file - 1];
    f->state = SCAN_FAILED;
    f->why = budget_ending() && WIFSIGNALED(status)               ? budget_no_time
             : WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "takes too long"
             : WIFSIGNALED(status)                                ? "its reader crashed"
                                                                  : "no memory";
    atomic_fetch_add(&p->shared->done, 1);
}

static bool reap(struct pool *p, unsigned worker)
{
    int status;
    if (p->pids[worker] <= 0 || waitpid(p->pids[worker], &status, WNOHANG) != p->pids[worker])
        return false;
    p->pids[worker] = 0;
    const bool died = !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS;
    if (died) {
        note_death(p, worker, status);
        if (!budget_ending())
            start(p, worker);
    }
    return true;
}

/* Kills workers that have not ended in time. */
static void hurry(const struct pool *p, time_t *ending)
{
    if (!budget_ending())
        return;
    if (!*ending)
        *ending = time(NULL);
    for (unsigned i = 0; i < p->num && time(NULL) - *ending > LATE_SECONDS; i++)
        if (p->pids[i] > 0)
            kill(p->pids[i], SIGKILL);
}

static bool any_left(const struct pool *p)
{
    for (unsigned i = 0; i < p->num; i++)
        if (p->pids[i] > 0)
            return true;
    return false;
}

static void wait_all(struct pool *p)
{
    const struct timespec pause = { .tv_nsec = 20000000 };
    time_t ending = 0;
    while (any_left(p)) {
        bool ended = false;
        for (unsigned i = 0; i < p->num; i++)
            ended |= reap(p, i);
        show_progress(p);
        hurry(p, &ending);
        if (!ended)
            nanosleep(&pause, NULL);
    }
    hide_progress();
}

/* ---- records ---- */

static bool read_all(FILE *f, void *out, size_t len)
{
    return fread(out, 1, len, f) == len;
}

/* Reads the records of a worker. The last one may be cut short if the worker died. */
static void collect(struct scan *s, int fd)
{
    struct prefix prefix;
    FILE *f = fdopen(fd, "r");
    if (!f)
        return;
    rewind(f);
    while (read_all(f, &prefix, sizeof prefix) && prefix.file < s->num_files &&
           prefix.len <= MAX_RECORD) {
        struct scan_file *file = &s->files[prefix.file];
        char *record = malloc(prefix.len + 1);
        if (!record || !read_all(f, record, prefix.len) || file->record) {
            free(record);
            break;
        }
        budget_short = false;
        if (!budget_take(prefix.len) || scan_decode(file, record, prefix.len)) {
            free(file->record ? NULL : record);
            file->state = SCAN_FAILED;
            file->why = budget_short ? too_many : "its reader failed";
            file->num_functions = 0;
        }
    }
    fclose(f);
}

/* ---- the entry point of worker and parent ---- */

static const struct scan *sorting;
static int larger_first(const void *left, const void *right)
{
    const size_t x = *(const size_t *)left, y = *(const size_t *)right;
    if (sorting->files[x].size != sorting->files[y].size)
        return sorting->files[x].size < sorting->files[y].size ? 1 : -1;
    return x < y ? -1 : 1;
}

static int make_order(struct pool *p)
{
    p->order = malloc((p->scan->num_files + 1) * sizeof *p->order);
    if (!p->order)
        return -1;
    for (size_t i = 0; i < p->scan->num_files; i++)
        p->order[i] = i;
    p->num_order = p->scan->num_files;
    sorting = p->scan;
    qsort(p->order, p->scan->num_files, sizeof *p->order, larger_first);
    return 0;
}

static int make_outputs(struct pool *p)
{
    for (unsigned i = 0; i < p->num; i++) {
        p->outputs[i] = memfd_create("headrace-scan", MFD_CLOEXEC);
        if (p->outputs[i] < 0)
            return -1;
    }
    return 0;
}

/* Reads the files of the order, with all workers. */
static int run(struct pool *p)
{
    atomic_store(&p->shared->next, 0);
    atomic_store(&p->shared->done, 0);
    atomic_store(&p->shared->written, 0);
    memset(p->outputs, 0, sizeof p->outputs);
    int failed = make_outputs(p);
    fflush(NULL);
    for (unsigned i = 0; i < p->num && !failed; i++)
        failed = start(p, i);
    wait_all(p);
    for (unsigned i = 0; i < p->num && p->outputs[i] > 0; i++)
        collect(p->scan, p->outputs[i]);
    return failed;
}

/* Keeps in the order only the files that need more memory than a worker had. */
static void keep_large(struct pool *p)
{
    size_t num = 0;
    for (size_t i = 0; i < p->num_order; i++) {
        struct scan_file *f = &p->scan->files[p->order[i]];
        if (f->state != SCAN_FAILED || !f->why || strcmp(f->why, budget_no_memory))
            continue;
        free(f->record);
        f->record = NULL;
        p->order[num++] = p->order[i];
    }
    p->num_order = num;
}

int scan_work(struct scan *s, unsigned num_workers)
{
    enum { FEWER = 4 };
    struct pool p = { .scan = s, .num = num_workers < MAX_WORKERS ? num_workers : MAX_WORKERS };
    p.shared =
        mmap(NULL, sizeof *p.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p.shared == MAP_FAILED)
        return -1;
    int failed = make_order(&p) || run(&p);
    while (!failed && p.num > 1 && !budget_ending()) {
        p.num = p.num > FEWER ? p.num / FEWER : 1;
        keep_large(&p);
        failed = p.num_order && run(&p);
    }
    for (size_t i = 0; i < s->num_files; i++)
        if (s->files[i].state == SCAN_WAITING && budget_ending())
            s->files[i].why = budget_no_time;
    free(p.order);
    munmap(p.shared, sizeof *p.shared);
    return failed ? -1 : 0;
}
