/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace run: runs one command that is served by Headrace, and prints what was served.
 *
 * A private directory contains an openssl.cnf, which includes the current configuration and adds
 * the block of confblock.h, and the statistics file. It is deleted at the end, also after a signal:
 * signals are received one by one with sigwaitinfo(2) and forwarded to the command, and never end
 * this process.
 */
#define _GNU_SOURCE
#include "../../cli/file.h"
#include "../../cli/module.h"
#include "../../cli/temporary.h"
#include "../../cli/tool.h"
#include "binding.h"
#include "confblock.h"
#include "probe.h"
#include "summary.h"
#include "unserved.h"
#include <errno.h>
#include <headrace/headrace.h>
#include <headrace/stats.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool all, wins, direct, libmd;
static const char *libcrypto, *json;

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, BY_SIGNAL = 128 };

struct private
{
    char directory[PATH_MAX], config[PATH_MAX + 16], stats[PATH_MAX + 16];
    int fd; /* descriptor of the statistics file */
};

/* The options that load a binding, and the bindings. */
static const struct {
    const bool *asked;
    const struct binding *binding;
} bindings[] = { { &direct, &binding_direct }, { &libmd, &binding_libmd } };
static char entries[COUNT(bindings)][PATH_MAX];

/* ---- the private directory ---- */

static void remove_private(const struct private *p)
{
    if (p->fd >= 0)
        close(p->fd);
    unlink(p->config);
    unlink(p->stats);
    rmdir(p->directory);
}

static int make_private(struct private *p)
{
    const char *under = getenv("TMPDIR");
    snprintf(p->directory, sizeof p->directory, "%s/headrace.XXXXXX",
             under && *under == '/' ? under : "/tmp");
    if (!mkdtemp(p->directory))
        return tool_error("cannot make %s: %s", p->directory, strerror(errno));
    snprintf(p->config, sizeof p->config, "%s/openssl.cnf", p->directory);
    snprintf(p->stats, sizeof p->stats, "%s/stats", p->directory);
    p->fd = summary_make(p->stats);
    if (p->fd >= 0)
        return EXIT_SUCCESS;
    const int code = tool_error("cannot make %s: %s", p->stats, strerror(errno));
    remove_private(p);
    return code;
}

/* The text of the configuration: an .include of the current configuration, followed by the
 * block. */
static char *config_text(const struct openssl *ssl, const struct module *module)
{
    char effective[PATH_MAX], real[PATH_MAX], reason[200];
    char *text = NULL, *whole = NULL;
    module_effective_config(effective, ssl);
    const bool have = realpath(effective, real);
    char *base = have ? confblock_read_base(real, &whole) : strdup("");
    const struct confblock what = { .all = !wins,
                                    .module = module->is_default ? NULL : module->path,
                                    .under = whole,
                                    .keeps_wins = true };
    char *block =
        base ? confblock_make(ssl, base, strlen(base), &what, reason, sizeof reason) : NULL;
    if (base && !block)
        tool_error("OpenSSL cannot parse %s: %s", effective, reason);
    if (block && asprintf(&text, "%s %s\n%s", have ? ".include" : "# no", have ? real : effective,
                          block) < 0)
        text = NULL;
    free(block);
    free(base);
    free(whole);
    return text;
}

/* Tries the configuration. A command is not started if it would not be served, or not run at
 * all. */
static int try_config(const struct private *p, const struct openssl *ssl,
                      const struct module *module)
{
    struct probe probe;
    probe_config(&probe, ssl, p->config, module->path, false);
    if (probe.has_headrace)
        return EXIT_SUCCESS;
    return tool_error("Headrace would not be active: %s",
                      *probe.module_reason ? probe.module_reason : probe.reason);
}

/* ---- the command ---- */

static int set_environment(const struct private *p)
{
    int error = setenv("OPENSSL_CONF", p->config, 1) || setenv(HR_STATS_ENV, p->stats, 1);
    for (size_t i = 0; i < COUNT(bindings) && !error; i++)
        if (*bindings[i].asked)
            error = binding_export(bindings[i].binding, entries[i]);
    return error;
}

static void exec_command(const struct private *p, char **argv, const sigset_t *mask)
{
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (set_environment(p))
        _exit(tool_error("cannot set the environment: %s", strerror(errno)));
    execvp(argv[0], argv);
    const int error = errno;
    tool_error("cannot run %s: %s", argv[0], strerror(error));
    _exit(error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

/* Whether a signal is to be forwarded. One from the terminal reaches the command by itself,
 * because it goes to the whole foreground group. */
static bool to_hand_on(const siginfo_t *info)
{
    return info->si_signo != SIGCHLD && info->si_code <= 0;
}

static int wait_for(pid_t pid, const sigset_t *taken)
{
    siginfo_t info;
    int status;
    for (;;) {
        const pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended < 0 && errno != EINTR)
            return tool_error("cannot wait: %s", strerror(errno));
        if (ended == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status);
        if (sigwaitinfo(taken, &info) > 0 && to_hand_on(&info))
            kill(pid, info.si_signo);
    }
}

static int start_command(const struct private *p, char **argv, const sigset_t *taken,
                         const sigset_t *before)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0)
        return tool_error("cannot start %s: %s", argv[0], strerror(errno));
    if (pid == 0)
        exec_command(p, argv, before);
    return wait_for(pid, taken);
}

/* ---- the summary ---- */

static void report_nothing(const char *name)
{
    tool_error("%s never loaded libcrypto%s (or has its own inside): nothing served", name,
               libmd ? " or libmd" : "");
    tool_error("headrace trace -- %s shows what it uses", name);
}

/* Says that the user's OPENSSL_CONF, on which the private configuration is based, has no Headrace
 * by itself. */
static void report_config(void)
{
    const char *config = getenv("OPENSSL_CONF");
    if (config && *config && unserved_by_config(config))
        tool_error("OPENSSL_CONF names %s, which does not enable Headrace: without headrace run, "
                   "programs with it are not served",
                   config);
}

static int report(const struct private *p, const char *name, int code)
{
    char reason[PATH_MAX + 200];
    struct hr_stats_file *file = summary_read(p->fd);
    if (!file)
        return tool_error("no memory for the summary");
    const bool ran = code != NOT_FOUND && code != NOT_EXECUTABLE;
    const bool loaded = summary_any(file);
    const bool known = ran && !summary_served(file) && !(loaded && wins) &&
                       unserved_reason(reason, sizeof reason, name, loaded);
    if (json) {
        code = summary_json(json, file, known ? reason : NULL) ? EXIT_FAILURE : code;
    } else {
        if (loaded)
            summary_print(stderr, file);
        if (known)
            tool_error("not served: %s", reason);
        else if (ran && !loaded)
            report_nothing(name);
        report_config();
    }
    free(file);
    return code;
}

/* Blocks the signals that wait_for receives: no other can end this program and leave its files.
 * *before gets the signal mask for the command. */
static void take_signals(sigset_t *taken, sigset_t *before)
{
    temporary_signals(taken);
    sigaddset(taken, SIGCHLD);
    sigaddset(taken, SIGWINCH);
    sigprocmask(SIG_BLOCK, taken, before);
    /* Our parent may have set it to be ignored: then there would be no exit status. */
    signal(SIGCHLD, SIG_DFL);
}

static int run_main(int argc, char **argv)
{
    struct private p;
    struct module module;
    sigset_t taken, before;
    if (argc == 0)
        return tool_usage("run: name a command: headrace run -- CMD [ARGUMENT]...");
    if (all && wins)
        return tool_usage("run: --all or --wins, not both");
    if (json && file_may_replace(json, false))
        return EXIT_FAILURE;
    for (size_t i = 0; i < COUNT(bindings); i++)
        if (*bindings[i].asked && binding_find(entries[i], bindings[i].binding, argv[0]))
            return EXIT_FAILURE;
    const struct openssl *ssl = openssl_open(libcrypto);
    if (!ssl)
        return EXIT_FAILURE;
    if (!module_find(&module, ssl))
        return tool_error("the provider is not installed: no %s", module.path);
    char *text = config_text(ssl, &module);
    if (!text)
        return EXIT_FAILURE;
    take_signals(&taken, &before);
    int code = make_private(&p);
    if (!code) {
        code = file_replace(p.config, text, strlen(text), NULL);
        if (!code)
            code = try_config(&p, ssl, &module);
        if (!code)
            code = report(&p, argv[0], start_command(&p, argv, &taken, &before));
        remove_private(&p);
    }
    free(text);
    return code;
}

static const struct tool_option run_options[] = {
    { "all", 0, NULL, "serve all algorithms (the default)", &all, NULL },
    { "wins", 0, NULL, "serve only what was measured to be faster", &wins, NULL },
    { "direct", 0, NULL, "serve SHA256(), HMAC() and other one-shot calls too", &direct, NULL },
    { "libmd", 0, NULL, "serve programs that are linked with libmd too", &libmd, NULL },
    { "json", 0, "FILE", "write the summary to FILE as JSON, do not print it", NULL, &json },
    { "libcrypto", 0, "PATH", "use this libcrypto instead of the system's", NULL, &libcrypto },
    { .name = NULL },
};

const struct command run_command = {
    .name = "run",
    .operands = "-- CMD [ARGUMENT]...",
    .own_options = true,
    .summary = "run a command with Headrace, and print what was served",
    .options = run_options,
    .main = run_main,
};
