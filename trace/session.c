/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a trace. COMMAND is started first and held, so that the sampler and the probes are in place
 * before its first instruction. Privileges are dropped before it runs.
 */
#define _GNU_SOURCE
#include "session.h"
#include "attribute/attribute.h"
#include "budget.h"
#include "names/names.h"
#include "process/process.h"
#include "sample/sampler.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WITH_PROBES_MS = 4, ALONE_MS = 100, BUDGET = 20000 };

struct session {
    const struct session_options *options;
    struct launch launch;
    struct attribution *attribution;
    struct sampler *sampler;
    struct probes *probes;
    struct report_uncovered *gaps; /* files that could not be probed */
    size_t num_gaps;
    int64_t started;
    double begin, since; /* beginning of the trace and of the interval (monotonic) */
    bool ended;          /* wait_status is valid */
    int wait_status;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- probes ---- */

static void add_gap(struct report_uncovered **gaps, size_t *num, const char *what, const char *why)
{
    struct report_uncovered *more = reallocarray(*gaps, *num + 1, sizeof *more);
    if (!more)
        return;
    *gaps = more;
    more[*num] = (struct report_uncovered){ strdup(what), strdup(why) };
    if (more[*num].what && more[*num].why) {
        ++*num;
        return;
    }
    free(more[*num].what);
    free(more[*num].why);
}

static void on_object(void *ctx, struct object *object, int fd, bool late)
{
    struct session *s = ctx;
    char why[200] = "";
    budget_enter();
    const int failed = probes_add(s->probes, object, fd, late, why, sizeof why) < 0;
    const bool cut = budget_look();
    budget_leave();
    if (failed || cut)
        add_gap(&s->gaps, &s->num_gaps, object->path, cut ? budget_no_time : why);
}

static void on_held(void *ctx, pid_t pid)
{
    struct session *s = ctx;
    attribute_attach(s->attribution, pid);
}

static void serve_probes(struct session *s)
{
    if (!s->probes)
        return;
    probes_serve(s->probes, on_held, s);
    attribute_tell(s->attribution, true);
    probes_tick(s->probes);
}

/* ---- beginning ---- */

/* Raises the limit of open files, because each mapped file is kept open. It is called after
 * COMMAND was started, which must not inherit the limit. */
static void raise_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_target(struct session *s, char *why, size_t max)
{
    const struct session_options *o = s->options;
    if (o->command && launch_start(&s->launch, o->command, o->user)) {
        if (o->user && errno == EINVAL)
            snprintf(why, max, "there is no user %s", o->user);
        else
            snprintf(why, max, "cannot start %s: %s", o->command[0], strerror(errno));
        return -1;
    }
    signals_take(o->command ? s->launch.pid : 0);
    raise_limit();
    return 0;
}

static int open_sampler(struct session *s, char *why, size_t max)
{
    const struct session_options *o = s->options;
    const struct object_options objects = { .use_cache = !o->no_cache,
                                            .use_debuginfo = true,
                                            .use_fingerprints = true };
    const struct sampler_target target = { .pid = o->command ? s->launch.pid : o->pid,
                                           .launched = o->command != NULL,
                                           .hz = o->hz,
                                           .kernel = true };
    s->attribution = attribute_new(&objects, !o->command && !o->pid);
    if (!s->attribution) {
        snprintf(why, max, "no memory");
        return -1;
    }
    if (!target.pid)
        attribute_leave_out(s->attribution);
    s->sampler = sampler_open(o->sampler, &target, &attribute_events, s->attribution, why, max);
    return s->sampler ? 0 : -1;
}

static int open_probes(struct session *s, char *why, size_t max)
{
    const struct session_options *o = s->options;
    if (!o->count)
        return 0;
    const struct probes_target target = {
        .pid = o->command ? s->launch.pid : o->pid,
        .launched = o->command != NULL,
        .hold = o->command && strcmp(sampler_backend(s->sampler), "ptrace") != 0,
        .budget = BUDGET,
    };
    s->probes = probes_open(o->probe_backend, &target, why, max);
    if (!s->probes)
        return -1;
    attribute_on_object(s->attribution, on_object, s);
    if (o->pid)
        attribute_attach(s->attribution, o->pid);
    else if (!o->command)
        attribute_tell(s->attribution, false);
    return 0;
}

static int begin(struct session *s, char *why, size_t max)
{
    struct timespec t;
    if (open_target(s, why, max) || open_sampler(s, why, max) || open_probes(s, why, max))
        return -1;
    privileges_drop(s->options->writes_files,
                    s->probes && !strcmp(probes_backend(s->probes), "uprobe"));
    clock_gettime(CLOCK_REALTIME, &t);
    s->started = t.tv_sec;
    s->begin = s->since = now();
    if (s->options->seconds > 0)
        budget_end_at(s->begin + s->options->seconds);
    if (s->options->command && launch_go(&s->launch)) {
        snprintf(why, max, "cannot start %s: %s", s->options->command[0], strerror(errno));
        return -1;
    }
    return 0;
}

/* ---- reports ---- */

static char *joined(char *const *words)
{
    size_t len = 1;
    for (char *const *w = words; *w; w++)
        len += strlen(*w) + 1;
    char *text = calloc(1, len), *at = text;
    for (char *const *w = words; text && *w; w++)
        at = stpcpy(stpcpy(at, w == words ? "" : " "), *w);
    return text;
}

static char *command_of(pid_t pid)
{
    char name[32];
    process_name(name, sizeof name, pid);
    return strdup(name);
}

static void add_notes(const struct session *s, struct report *r)
{
    char why[300];
    const char *note = sampler_note(s->sampler);
    if (note)
        add_gap(&r->gaps, &r->num_gaps, "sampler", note);
    const char *missing = fingerprints_missing();
    if (missing)
        add_gap(&r->gaps, &r->num_gaps, missing,
                "no database of fingerprints: functions of stripped files have no names");
    if (s->probes && !strcmp(s->options->probe_backend, "auto") &&
        !strcmp(probes_backend(s->probes), "ptrace"))
        add_gap(&r->gaps, &r->num_gaps, "counts",
                "calls are not counted: it is only known whether a function was called, and short "
                "runs may be missed; counts need root, or CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE");
    if (s->probes && probes_miss_children(s->probes, why, sizeof why))
        add_gap(&r->gaps, &r->num_gaps, "counts", why);
    for (size_t i = 0; i < s->num_gaps; i++)
        add_gap(&r->gaps, &r->num_gaps, s->gaps[i].what, s->gaps[i].why);
}

static int fill(const struct session *s, struct report *r)
{
    const struct session_options *o = s->options;
    size_t num_probes = 0;
    const struct probe *probes = s->probes ? probes_read(s->probes, &num_probes) : NULL;
    *r = (struct report){
        .mode = o->command ? "command"
                : o->pid   ? "pid"
                           : "system",
        .command = o->command ? joined(o->command)
                   : o->pid   ? command_of(o->pid)
                              : NULL,
        .pid = o->command ? s->launch.pid : o->pid,
        .started = s->started,
        .seconds = now() - s->since,
        .exit_status = s->ended ? launch_status(s->wait_status) : -1,
        .backend = sampler_backend(s->sampler),
        .probe_backend = s->probes ? probes_backend(s->probes) : NULL,
        .hz = sampler_hz(s->sampler),
        .kernel = true,
    };
    if (attribute_report(s->attribution, r, probes, num_probes))
        return -1;
    add_notes(s, r);
    return report_complete(r);
}

static int interval(struct session *s)
{
    struct report r;
    int end = 0;
    if (!fill(s, &r))
        end = s->options->on_interval(s->options->ctx, &r);
    report_free(&r);
    attribute_clear(s->attribution);
    budget_refill();
    s->since = now();
    return end;
}

/* ---- the trace ---- */

/* The longest time that sampler_poll may wait, in milliseconds. */
static int timeout(const struct session *s)
{
    const struct session_options *o = s->options;
    double left = (s->probes ? WITH_PROBES_MS : ALONE_MS) / 1e3;
    if (o->seconds > 0 && s->begin + o->seconds - now() < left)
        left = s->begin + o->seconds - now();
    if (o->interval > 0 && s->since + o->interval - now() < left)
        left = s->since + o->interval - now();
    return left > 0 ? (int)(left * 1e3) + 1 : 0;
}

static void watch(struct session *s)
{
    const struct session_options *o = s->options;
    while (!signals_stop()) {
        serve_probes(s);
        const int more = sampler_poll(s->sampler, timeout(s), &s->wait_status);
        if (more == 0 && o->command)
            s->ended = true;
        if (more == 0 || (more < 0 && errno != EINTR))
            return;
        if (o->interval > 0 && now() >= s->since + o->interval && interval(s))
            return;
        if (o->seconds > 0 && now() >= s->begin + o->seconds)
            return;
    }
}

int session_wait(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) != pid)
        if (errno != EINTR)
            return -1;
    return launch_status(status);
}

static void end(struct session *s)
{
    for (size_t i = 0; i < s->num_gaps; i++) {
        free(s->gaps[i].what);
        free(s->gaps[i].why);
    }
    free(s->gaps);
    if (s->probes)
        probes_close(s->probes);
    if (s->sampler)
        sampler_close(s->sampler);
    attribute_free(s->attribution);
}

enum session_end session_run(struct report *out, const struct session_options *options, char *why,
                             size_t max)
{
    struct session s = { .options = options, .launch = { .go = -1, .failed = -1 } };
    *out = (struct report){ .exit_status = -1 };
    budget_set(options->max_memory, options->max_seconds);
    budget_on_stop(signals_ending);
    if (begin(&s, why, max)) {
        if (s.launch.go >= 0) {
            close(s.launch.go); /* the child, which waits to execute COMMAND, ends */
            session_wait(s.launch.pid);
        }
        end(&s);
        return SESSION_IMPOSSIBLE;
    }
    watch(&s);
    sampler_stop(s.sampler);
    const bool failed = s.ended && launch_failed(&s.launch);
    enum session_end how = failed ? SESSION_NOT_RUN : SESSION_DONE;
    if (!failed && fill(&s, out)) {
        snprintf(why, max, "no memory for the report");
        how = SESSION_IMPOSSIBLE;
    }
    if (s.ended)
        out->exit_status = launch_status(s.wait_status);
    end(&s);
    return how;
}
