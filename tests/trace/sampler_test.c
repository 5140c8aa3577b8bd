/* SPDX-License-Identifier: Apache-2.0
 *
 * Both back ends on programs of known behaviour: this one again, in the role that its argument
 * names.  Nothing is said of how many samples come in a time; a machine may be busy.
 */
#define _GNU_SOURCE
#include "sample/sampler.h"
#include "test.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STATUS = 42, THREADS = 6, CHILDREN = 3, SAMPLES = 10, MAX_MAPS = 4096 };

/* ---- the roles ---- */

static volatile sig_atomic_t signals_seen;

static void *spin_forever(void *unused)
{
    for (volatile unsigned long i = 0;; i++)
        ;
    return NULL;
}

/* The file that launched() removes when the samples that it waits for have come. */
#define SPIN_WHILE "HEADRACE_TEST_SPIN_WHILE"

static int spin(void)
{
    const char *path = getenv(SPIN_WHILE);
    struct timespec t = { 0 };
    while (path && !access(path, F_OK) && t.tv_sec < 60) {
        for (volatile unsigned i = 0; i < 100000; i++)
            ;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    }
    return STATUS;
}

static int spin_in_threads(void)
{
    pthread_t thread;
    for (int i = 1; i < THREADS; i++)
        pthread_create(&thread, NULL, spin_forever, NULL);
    spin_forever(NULL);
    return 0;
}

static int spin_in_children(void)
{
    for (int i = 0; i < CHILDREN; i++)
        if (fork() == 0)
            _exit(spin());
    while (wait(NULL) > 0)
        ;
    return STATUS;
}

static void count_signal(int number)
{
    signals_seen++;
}

/* signal_itself checks that every signal arrives, also those that stop a process. */
static int signal_itself(void)
{
    enum { TIMES = 300 };
    signal(SIGUSR1, count_signal);
    for (int i = 0; i < TIMES; i++)
        raise(SIGUSR1);
    const pid_t helper = fork();
    if (helper == 0) {
        siginfo_t info;
        const pid_t stopper = fork();
        if (stopper == 0) {
            raise(SIGSTOP);
            _exit(STATUS);
        }
        const bool stopped = !waitid(P_PID, (id_t)stopper, &info, WSTOPPED) &&
                             info.si_code == CLD_STOPPED && info.si_status == SIGSTOP;
        kill(stopper, SIGCONT);
        const bool ended = !waitid(P_PID, (id_t)stopper, &info, WEXITED) &&
                           info.si_code == CLD_EXITED && info.si_status == STATUS;
        _exit(stopped && ended ? STATUS : 1);
    }
    int status;
    waitpid(helper, &status, 0);
    return signals_seen == TIMES && WEXITSTATUS(status) == STATUS ? STATUS : 1;
}

static int die(void)
{
    raise(SIGKILL);
    return 0;
}

static const struct role {
    const char *name;
    int (*run)(void);
} roles[] = {
    { "spin", spin },
    { "threads", spin_in_threads },
    { "children", spin_in_children },
    { "signals", signal_itself },
    { "die", die },
};

/* ---- what came ---- */

struct seen {
    struct {
        pid_t pid;
        uint64_t start, end;
    } maps[MAX_MAPS];
    size_t num_maps;
    pid_t tids[64];
    size_t num_tids, num_pids; /* of threads and processes that had samples */
    unsigned samples, unmapped, without_registers, execs, forks, exits;
    pid_t parents[64], children[64];
    const char *enough;   /* file to remove when there are enough samples */
    unsigned wanted_pids; /* enough: SAMPLES, and of this many processes */
};

static void on_map(void *ctx, pid_t pid, const struct mapping *m)
{
    struct seen *seen = ctx;
    if (m->exec && seen->num_maps < MAX_MAPS) {
        seen->maps[seen->num_maps].pid = pid;
        seen->maps[seen->num_maps].start = m->start;
        seen->maps[seen->num_maps++].end = m->end;
    }
}

/* is_mapped looks up an address; a child has its parent's mappings too. */
static bool is_mapped(const struct seen *seen, pid_t pid, uint64_t ip)
{
    for (size_t i = 0; i < seen->num_maps; i++)
        if (seen->maps[i].pid == pid && ip >= seen->maps[i].start && ip < seen->maps[i].end)
            return true;
    for (size_t i = 0; i < seen->forks && i < COUNT_OF(seen->children); i++)
        if (seen->children[i] == pid && seen->parents[i] != pid)
            return is_mapped(seen, seen->parents[i], ip);
    return false;
}

static void on_sample(void *ctx, const struct sample *sample)
{
    struct seen *seen = ctx;
    seen->samples++;
    seen->unmapped += !is_mapped(seen, sample->pid, sample->ip);
    seen->without_registers += sample->num_regs == 0;
    size_t i = 0;
    while (i < seen->num_tids && seen->tids[i] != sample->tid)
        i++;
    if (i == seen->num_tids) {
        if (i < COUNT_OF(seen->tids))
            seen->tids[seen->num_tids++] = sample->tid;
        seen->num_pids += sample->pid == sample->tid;
    }
    if (seen->enough && seen->samples >= SAMPLES && seen->num_pids >= seen->wanted_pids) {
        unlink(seen->enough);
        seen->enough = NULL;
    }
}

static void on_exec(void *ctx, pid_t pid, const char *comm)
{
    struct seen *seen = ctx;
    seen->execs++;
    seen->num_maps = 0;
}

static void on_fork(void *ctx, pid_t parent, pid_t child)
{
    struct seen *seen = ctx;
    if (seen->forks < COUNT_OF(seen->children)) {
        seen->parents[seen->forks] = parent;
        seen->children[seen->forks] = child;
    }
    seen->forks++;
}

static void on_exit_of(void *ctx, pid_t pid)
{
    struct seen *seen = ctx;
    seen->exits++;
}

static const struct sampler_events events = {
    .sample = on_sample,
    .map = on_map,
    .exec = on_exec,
    .fork = on_fork,
    .exit = on_exit_of,
};

/* ---- running ---- */

static int run_role(struct seen *seen, const char *backend, const char *role, char why[300])
{
    char self[] = "/proc/self/exe", name[16];
    char *const argv[] = { self, name, NULL };
    struct launch launch;
    int status = -1;
    snprintf(name, sizeof name, "%s", role);
    if (launch_start(&launch, argv, NULL))
        abort();
    const struct sampler_target target = { .pid = launch.pid, .launched = true, .hz = 499 };
    struct sampler *s = sampler_open(backend, &target, &events, seen, why, 300);
    if (!s) {
        close(launch.go);
        waitpid(launch.pid, &status, 0);
        return -1;
    }
    if (launch_go(&launch))
        abort();
    while (sampler_poll(s, 100, &status) > 0)
        ;
    sampler_stop(s);
    sampler_close(s);
    return launch_failed(&launch) ? -1 : launch_status(status);
}

/* launched runs a role to its end under the sampler, and returns its exit status, or -1. */
static int launched(struct seen *seen, const char *backend, const char *role, char why[300])
{
    char path[] = "/tmp/headrace-spin-XXXXXX";
    const int fd = mkstemp(path);
    memset(seen, 0, sizeof *seen);
    seen->enough = path;
    seen->wanted_pids = strcmp(role, "children") ? 1 : CHILDREN;
    if (fd < 0 || close(fd) || setenv(SPIN_WHILE, path, 1))
        abort();
    const int status = run_role(seen, backend, role, why);
    unlink(path);
    seen->enough = NULL;
    return status;
}

static pid_t start(const char *role)
{
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "sampler_test", role, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static void end(pid_t pid)
{
    int status;
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
}

static struct sampler *attach(struct seen *seen, const char *backend, pid_t pid, char why[300])
{
    const struct sampler_target target = { .pid = pid, .hz = 499 };
    memset(seen, 0, sizeof *seen);
    return sampler_open(backend, &target, &events, seen, why, 300);
}

/* status_line reads the line of /proc/PID/status with this key, without the key. */
static void status_line(char out[64], pid_t pid, const char *key)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "re");
    *out = '\0';
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key)))
            snprintf(out, 64, "%.60s", line + strlen(key) + strspn(line + strlen(key), " \t"));
    if (f)
        fclose(f);
}

/* wait_for_status waits without limit, and returns false only if the process is gone. */
static bool wait_for_status(pid_t pid, const char *key, const char *wanted)
{
    char text[64];
    for (status_line(text, pid, key); *text; status_line(text, pid, key)) {
        if (!strncmp(text, wanted, strlen(wanted)))
            return true;
        usleep(10000);
    }
    return complain("%d has no %s", (int)pid, key) == 0;
}

/* ---- the tests ---- */

static struct seen seen;

static void samples_a_command(const char *backend)
{
    char why[300];
    const int status = launched(&seen, backend, "spin", why);
    tap(status == STATUS, "%s: exit status of COMMAND", backend);
    tap(seen.samples >= SAMPLES, "%s: samples came", backend);
    tap(seen.unmapped * 20 <= seen.samples, "%s: they are in mappings told before", backend);
    tap(seen.execs == 1 && seen.exits == 1, "%s: one exec, one exit", backend);
    tap(!*sample_reg_names[0] || seen.without_registers == 0, "%s: with registers", backend);
}

static void follows_children(const char *backend)
{
    char why[300];
    const int status = launched(&seen, backend, "children", why);
    tap(status == STATUS && seen.forks == CHILDREN, "%s: %d children", backend, CHILDREN);
    tap(seen.num_pids >= CHILDREN && seen.unmapped * 20 <= seen.samples,
        "%s: samples of each, in the mappings of their parent", backend);
}

static void leaves_signals_alone(const char *backend)
{
    char why[300];
    tap(launched(&seen, backend, "signals", why) == STATUS, "%s: every signal arrives", backend);
    tap(launched(&seen, backend, "die", why) == 128 + SIGKILL, "%s: killed by a signal", backend);
}

/* attaches samples a process that runs already, and stops it and lets it go on. */
static void attaches(const char *backend)
{
    char why[300], state[64];
    int status;
    const pid_t pid = start("threads");
    wait_for_status(pid, "Threads:", "6");
    struct sampler *s = attach(&seen, backend, pid, why);
    while (s && seen.num_tids < THREADS && sampler_poll(s, 50, &status) == 1)
        ;
    tap(seen.num_tids == THREADS, "%s: samples of each of %d threads", backend, THREADS);
    tap(seen.unmapped == 0, "%s: mappings of a process that ran already", backend);
    kill(pid, SIGSTOP);
    int more = 1;
    *state = '\0';
    while (s && more == 1 && *state != 'T' && *state != 't') {
        more = sampler_poll(s, 20, &status);
        status_line(state, pid, "State:");
    }
    tap(more == 1 && (*state == 'T' || *state == 't'), "%s: it may be stopped", backend);
    for (int i = 0; s && i < 5; i++)
        sampler_poll(s, 20, &status);
    status_line(state, pid, "State:");
    tap(*state == 'T' || *state == 't', "%s: it stays stopped", backend);
    if (s)
        sampler_close(s);
    tap(wait_for_status(pid, "TracerPid:", "0") && wait_for_status(pid, "State:", "T"),
        "%s: it is let go, and still stopped", backend);
    kill(pid, SIGCONT);
    tap(wait_for_status(pid, "State:", "R"), "%s: it runs again", backend);
    end(pid);
}

static void notices_the_end(const char *backend)
{
    char why[300];
    int status, more = 1;
    const pid_t pid = start("threads");
    wait_for_status(pid, "Threads:", "6");
    struct sampler *s = attach(&seen, backend, pid, why);
    kill(pid, SIGKILL);
    while (s && more == 1)
        more = sampler_poll(s, 50, &status);
    tap(more == 0, "%s: the target's end", backend);
    if (s)
        sampler_close(s);
    end(pid);
}

/* leaves_nothing_behind kills the sampler: the target must run on. */
static void leaves_nothing_behind(const char *backend)
{
    char why[300];
    int status, ready[2];
    const pid_t pid = start("threads");
    wait_for_status(pid, "Threads:", "6");
    if (pipe(ready))
        abort();
    const pid_t tracer = fork();
    if (tracer == 0) {
        struct sampler *s = attach(&seen, backend, pid, why);
        while (s && sampler_poll(s, 50, &status) == 1)
            if (seen.samples > 5 && write(ready[1], "", 1) != 1)
                break;
        _exit(1);
    }
    close(ready[1]);
    const bool began = read(ready[0], why, 1) == 1;
    end(tracer);
    close(ready[0]);
    tap(began && wait_for_status(pid, "TracerPid:", "0") && wait_for_status(pid, "State:", "R"),
        "%s: the target outlives a sampler that was killed", backend);
    end(pid);
}

/* Attaches with too few descriptors: root sees all threads, else the note says what is left out. */
static int attach_with_few_descriptors(pid_t pid)
{
    const struct rlimit few = { 132, 132 };
    char why[300];
    int status;
    if (setrlimit(RLIMIT_NOFILE, &few))
        return 1;
    struct sampler *s = attach(&seen, "perf", pid, why);
    if (!s)
        return 2;
    if (sampler_note(s) && strstr(sampler_note(s), "left out"))
        return 0;
    while (seen.num_tids < THREADS && sampler_poll(s, 50, &status) == 1)
        ;
    return seen.num_tids == THREADS ? 0 : 3;
}

static void has_few_descriptors(void)
{
    int status = -1;
    const pid_t pid = start("threads");
    wait_for_status(pid, "Threads:", "6");
    const pid_t child = fork();
    if (child == 0)
        _exit(attach_with_few_descriptors(pid));
    waitpid(child, &status, 0);
    tap(status == 0, "perf: more threads than descriptors (%d)", status >> 8);
    end(pid);
}

static void says_what_is_missing(void)
{
    char why[300] = "";
    const struct sampler_target nobody = { .pid = INT32_MAX, .hz = 499 };
    tap(!sampler_open("auto", &nobody, &events, &seen, why, sizeof why) &&
            strstr(why, "there is no process"),
        "no such process");
    const struct sampler_target self = { .pid = getpid(), .hz = 499 };
    tap(!sampler_open("dtrace", &self, &events, &seen, why, sizeof why) && strstr(why, "dtrace"),
        "no such back end");
    const struct sampler_target all = { .hz = 499 };
    tap(!sampler_open("ptrace", &all, &events, &seen, why, sizeof why) && strstr(why, "all"),
        "ptrace has no view of the system");
    const struct sampler_target init = { .pid = 1, .hz = 499 };
    if (geteuid() == 0)
        tap_skip("root may", "another user's process");
    else
        tap(!sampler_open("auto", &init, &events, &seen, why, sizeof why) &&
                strstr(why, "CAP_PERFMON") && !strchr(why, '\n'),
            "another user's process");
}

static void samples_the_system(void)
{
    char why[300] = "";
    int status;
    const struct sampler_target all = { .hz = 499 };
    const pid_t pid = start("threads");
    memset(&seen, 0, sizeof seen);
    struct sampler *s = sampler_open("perf", &all, &events, &seen, why, sizeof why);
    while (s && seen.num_tids < THREADS && sampler_poll(s, 50, &status) == 1)
        ;
    if (!s)
        tap_skip(why, "the whole system");
    else
        tap(seen.num_tids >= THREADS, "the whole system");
    if (s)
        sampler_close(s);
    end(pid);
}

int main(int argc, char **argv)
{
    static const char *const backends[] = { "perf", "ptrace" };
    char why[300] = "";
    for (size_t i = 0; i < COUNT_OF(roles) && argc > 1; i++)
        if (!strcmp(argv[1], roles[i].name))
            _exit(roles[i].run()); /* _exit: at exit a sanitizer would use ptrace */
    for (size_t i = 0; i < COUNT_OF(backends); i++) {
        if (launched(&seen, backends[i], "spin", why) < 0) {
            tap_skip(why, "%s", backends[i]);
            continue;
        }
        samples_a_command(backends[i]);
        follows_children(backends[i]);
        leaves_signals_alone(backends[i]);
        attaches(backends[i]);
        notices_the_end(backends[i]);
        leaves_nothing_behind(backends[i]);
    }
    if (launched(&seen, "perf", "spin", why) < 0)
        tap_skip(why, "few descriptors");
    else
        has_few_descriptors();
    says_what_is_missing();
    samples_the_system();
    return tap_done();
}
