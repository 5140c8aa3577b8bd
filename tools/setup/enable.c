/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace enable: lets Headrace serve ordinary programs from now on.
 *
 * The new configuration is tried before it is written: a child process reads it as any program
 * would (probe.h). It is not written if OpenSSL cannot parse it, or if a provider that was active
 * would not be active any more.
 */
#define _GNU_SOURCE
#include "enable.h"
#include "../../cli/emulated.h"
#include "../../cli/file.h"
#include "../../cli/tool.h"
#include "../../measure/winmap.h"
#include "candidate.h"
#include "confblock.h"
#include "running.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool all, dry_run, shipped, calibrate, quick;
static const char *config, *service_name, *root, *libcrypto;

/* ---- files ---- */

void enable_backup_path(char out[PATH_MAX], const char *file)
{
    char target[PATH_MAX];
    if (!realpath(file, target))
        snprintf(target, sizeof target, "%s", file);
    if (snprintf(out, PATH_MAX, "%s" BACKUP_SUFFIX, target) >= PATH_MAX)
        *out = '\0';
}

void enable_remove_left(const char *file)
{
    char backup[PATH_MAX];
    file_remove_left(file);
    enable_backup_path(backup, file);
    if (*backup)
        file_remove_left(backup);
}

/* ---- the new text ---- */

/* The parts of a new file. */
struct plan {
    const struct openssl *ssl;
    const struct module *module;
    const char *path;  /* path of the configuration that gets the block */
    const char *base;  /* its text without our block */
    const char *start; /* beginning of the new file: that text, or an .include of it */
    const char *old;   /* text of the file that is replaced, or "" */
    const char *under; /* whole text of the file that is included, or NULL */
};

/* The win map in the form of the provider's parameters. */
struct wins {
    char list[WIN_MAX_PARAMETER];
    char measured[40]; /* the OpenSSL and the CPU of that, or "": not known */
};

/* The text of the new file; NULL after printing one line. */
static char *with_block(const struct plan *plan, const struct wins *wins, const char *without)
{
    char reason[200];
    char *text = NULL;
    const struct confblock what = { .all = all,
                                    .module = plan->module->is_default ? NULL : plan->module->path,
                                    .win = wins ? wins->list : NULL,
                                    .measured = wins ? wins->measured : NULL,
                                    .without = without,
                                    .under = plan->under };
    char *block =
        confblock_make(plan->ssl, plan->base, strlen(plan->base), &what, reason, sizeof reason);
    if (!block)
        tool_error("%s left as it is: OpenSSL cannot parse it: %s", plan->path, reason);
    else if (asprintf(&text, "%s%s", plan->start, block) < 0)
        text = NULL;
    free(block);
    return text;
}

/* Makes the text of the new file and tries it, as candidate_try() does; NULL if it fails. */
static char *tried(const struct plan *plan, const struct wins *wins, const char *without,
                   struct probe *after)
{
    char *text = with_block(plan, wins, without);
    if (text && candidate_try(plan->ssl, plan->path, plan->start, text, plan->module, after)) {
        free(text);
        text = NULL;
    }
    return text;
}

/* ---- what only Headrace has ---- */

/* Lists the rows that no other active provider has, such as single DES without the legacy provider:
 * nothing may work after enable that did not work before. */
static void find_alone(char *out, size_t out_len, const struct probe *probe)
{
    const struct hr_algorithm *row;
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < PROBE_ALGORITHMS && (row = hr_algorithm_at(i)); i++)
        if (!strcmp(probe->served_by[i], "headrace") && !probe->has_other[i] && used < out_len)
            used +=
                (size_t)snprintf(out + used, out_len - used, "%s%s", used ? " " : "", row->symbol);
}

/* ---- the win map ---- */

/* Gets the value of a key of the provider's section in the configuration `old`. Returns false if
 * there is none. */
static bool kept_value(char *out, size_t out_len, const char *old, const char *key)
{
    char line[32];
    snprintf(line, sizeof line, "\n%s = ", key);
    const char *at = strstr(old, line);
    *out = '\0';
    if (!at)
        return false;
    at += strlen(line);
    return (size_t)snprintf(out, out_len, "%.*s", (int)strcspn(at, "\r\n"), at) < out_len;
}

/* Writes the OpenSSL and the CPU of now as the provider does (win.c): "3.0" and the features. */
static void describe_machine(char *out, size_t out_len, const struct openssl *ssl)
{
    const char *version = ssl->OpenSSL_version(OPENSSL_VERSION); /* "OpenSSL 3.0.19 27 Jan 2026" */
    int major = 0, minor = 0;
    (void)sscanf(version, "%*s %d.%d", &major, &minor);
    snprintf(out, out_len, "%d.%d %016llx", major, minor, (unsigned long long)hr_cpu_features());
}

/* Whether the configuration `old` has wins that were measured with this OpenSSL on this CPU. */
static bool keep_wins(struct wins *wins, const char *old, const char *now)
{
    return kept_value(wins->list, sizeof wins->list, old, "win") &&
           (!kept_value(wins->measured, sizeof wins->measured, old, "measured") ||
            !strcmp(wins->measured, now));
}

static struct win_map measured; /* num is 0 where nothing was measured */

/* Sets *out to the values for the provider's parameters, kept or measured, or to NULL if none are
 * needed. */
static int find_wins(const struct wins **out, const struct plan *plan)
{
    static struct wins wins;
    char now[sizeof wins.measured];
    *out = NULL;
    if (all || shipped)
        return EXIT_SUCCESS;
    describe_machine(now, sizeof now, plan->ssl);
    *out = &wins;
    if (!calibrate && keep_wins(&wins, plan->old, now))
        return EXIT_SUCCESS;
    if (emulated_by() && !calibrate) {
        tool_say("This CPU is emulated (%s): nothing is measured, and the shipped table is used.\n",
                 emulated_by());
        *out = NULL;
        return EXIT_SUCCESS;
    }
    tool_say("Measuring what is faster here than OpenSSL, public key too: some %s seconds of "
             "CPU time, so longer while other programs run ...\n",
             quick ? "5" : "30");
    fflush(stdout);
    const int code = calibrate_measure(&measured, libcrypto, NULL, quick);
    strcpy(wins.measured, now);
    if (!code)
        winrule_parameter(&measured, wins.list, sizeof wins.list);
    return code;
}

static char without[2048]; /* symbols of rows that find_alone() found */

/* Makes the text. It is first tried without wins, so that problems show before the long
 * measurement. */
static char *make_config(const struct plan *plan)
{
    static struct probe probe;
    const struct wins *wins;
    char *text = tried(plan, NULL, NULL, &probe);
    const int code = text ? find_wins(&wins, plan) : EXIT_FAILURE;
    if (!code && !all)
        find_alone(without, sizeof without, &probe);
    if (!code && !wins && !*without)
        return text;
    free(text);
    return code ? NULL : tried(plan, wins, without, &probe);
}

/* ---- a file ---- */

enum { BEST = 10 }; /* rows that are told */

static const char *how(void)
{
    if (all)
        return "all algorithms";
    return shipped ? "by the table for CPUs of this kind; nothing was measured"
                   : "the algorithms that are faster here";
}

/* Whether the configuration is the one that programs read by themselves. */
static bool is_systems(const struct plan *plan)
{
    char system[PATH_MAX], a[PATH_MAX], b[PATH_MAX];
    module_system_config(system, plan->ssl);
    return realpath(system, a) && realpath(plan->path, b) && !strcmp(a, b);
}

static void print_running(void)
{
    static struct running running;
    running_find(&running, false);
    running_print(&running, "are not served");
}

static int write_config(const struct plan *plan, const char *text)
{
    char backup[PATH_MAX];
    enable_remove_left(plan->path);
    if (!strcmp(plan->old, text)) {
        tool_say("%s: already enabled, nothing to change\n", plan->path);
        return EXIT_SUCCESS;
    }
    enable_backup_path(backup, plan->path);
    if (!*backup)
        return tool_error("%s: name too long", plan->path);
    int code = file_replace(backup, plan->base, strlen(plan->base), plan->path);
    if (!code)
        code = file_replace(plan->path, text, strlen(text), NULL);
    if (code)
        return code;
    tool_say("%s: enabled (%s)\nThe file as it was: %s\n", plan->path, how(), backup);
    winmap_print_best(&measured, without, BEST, stdout);
    puts("Programs started from now on are served. headrace disable undoes this.");
    if (is_systems(plan))
        print_running();
    return EXIT_SUCCESS;
}

static int show(const char *path, const char *text)
{
    tool_say("would write %s:\n", path);
    tool_lines(stdout, text);
    return EXIT_SUCCESS;
}

static int enable_file(const struct openssl *ssl, const char *path, const struct module *module)
{
    char *old, *text = NULL;
    int code = EXIT_FAILURE;
    char *base = confblock_read_base(path, &old);
    const struct plan plan = { ssl, module, path, base, base, old, NULL };
    if (base && (dry_run || !file_may_replace(path, false)))
        text = make_config(&plan);
    if (text)
        code = dry_run ? show(path, text + strlen(base) + 1) : write_config(&plan, text);
    free(text);
    free(base);
    free(old);
    return code;
}

/* ---- a service ---- */

static int enable_service(const struct openssl *ssl, const char *path, const struct module *module)
{
    struct service service;
    char real[PATH_MAX];
    char *whole = NULL, *start = NULL, *text = NULL;
    size_t old_len;
    int code = service_files(&service, service_name, root);
    if (!code)
        code = service_find_unit(&service, root);
    if (code || (!dry_run && (code = file_may_replace(service.config, true))))
        return code;
    code = EXIT_FAILURE;
    char *base = confblock_read_base(path, &whole);
    char *old = access(service.config, R_OK) ? strdup("") : file_read(service.config, &old_len);
    if (base && old && realpath(path, real) &&
        asprintf(&start, "# OpenSSL's configuration for %s.service, with Headrace.\n.include %s\n",
                 service.name, real) > 0)
        text = make_config(&(struct plan){ ssl, module, path, base, start, old, whole });
    if (text)
        code = service_write(&service, text, root, dry_run);
    free(text);
    free(start);
    free(old);
    free(base);
    free(whole);
    return code;
}

/* Variables that mask features in this shell. Other programs do not have them, so the wins are
 * measured without. */
static const char *const not_for_others[] = { "HEADRACE_CPU", "OPENSSL_ia32cap" };

static int enable_main(int argc, char **argv)
{
    struct module module;
    char path[PATH_MAX];
    if (all + shipped + calibrate > 1)
        return tool_usage("enable: use only one of --all, --shipped and --calibrate");
    if (root && !service_name)
        return tool_usage("enable: --root needs --service");
    for (size_t i = 0; i < COUNT(not_for_others); i++)
        unsetenv(not_for_others[i]);
    const struct openssl *ssl = openssl_open(libcrypto);
    if (!ssl)
        return EXIT_FAILURE;
    if (!module_find(&module, ssl))
        return tool_error("the provider is not installed: no %s", module.path);
    if (config)
        snprintf(path, sizeof path, "%s", config);
    else
        module_system_config(path, ssl);
    return tool_finish((service_name ? enable_service : enable_file)(ssl, path, &module));
}

static const struct tool_option enable_options[] = {
    { "all", 0, NULL, "serve all algorithms, not only the faster ones", &all, NULL },
    { "calibrate", 0, NULL, "measure again (the first time this is done anyway)", &calibrate,
      NULL },
    { "quick", 'q', NULL, "measure for seconds only: may choose wrongly", &quick, NULL },
    { "shipped", 0, NULL, "do not measure: use the table for this kind of CPU", &shipped, NULL },
    { "config", 0, "FILE", "change this openssl.cnf instead of the system's", NULL, &config },
    { "service", 0, "NAME", "serve only this systemd service, by a separate file", NULL,
      &service_name },
    { "dry-run", 0, NULL, "try and show the new configuration, write nothing", &dry_run, NULL },
    { "libcrypto", 0, "PATH", "use this libcrypto instead of the system's", NULL, &libcrypto },
    { "root", 0, "DIR", "with --service: write below DIR, for images", NULL, &root },
    { .name = NULL },
};

const struct command enable_command = {
    .name = "enable",
    .summary = "make programs use Headrace through OpenSSL (edits openssl.cnf)",
    .options = enable_options,
    .main = enable_main,
    .no_operands = true,
};
