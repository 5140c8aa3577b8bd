/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace enable: plain programs are served by Headrace from then on.
 *
 * The candidate is tried first, by a child that reads it as any program would (probe.h): what
 * OpenSSL would not parse, or what would take a provider away that was there before, is not
 * written.
 */
#define _GNU_SOURCE
#include "enable.h"
#include "candidate.h"
#include "confblock.h"
#include "emulated.h"
#include "file.h"
#include "tool.h"
#include "winmap.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool all, dry_run, shipped, calibrate;
static const char *config, *service_name, *root, *libcrypto;

/* ---- files ---- */

void backup_path(char out[PATH_MAX], const char *file)
{
    char target[PATH_MAX];
    if (!realpath(file, target))
        snprintf(target, sizeof target, "%s", file);
    if (snprintf(out, PATH_MAX, "%s" BACKUP_SUFFIX, target) >= PATH_MAX)
        *out = '\0';
}

/* ---- the new text ---- */

/* What a new file is made of. */
struct plan {
    const struct openssl *ssl;
    const struct module *module;
    const char *path;  /* the configuration that the block is for */
    const char *base;  /* its text, without our block */
    const char *start; /* how the new file begins: with that text, or with an .include of it */
    const char *old;   /* the file that the new one replaces, or "" */
};

/* The new file; NULL with one line printed. */
static char *with_block(const struct plan *plan, const char *win)
{
    char reason[200];
    char *text = NULL;
    const struct confblock what = { .all = all,
                                    .module = plan->module->is_default ? NULL : plan->module->path,
                                    .win = win };
    char *block =
        confblock_make(plan->ssl, plan->base, strlen(plan->base), &what, reason, sizeof reason);
    if (!block)
        tool_error("%s left as it is: OpenSSL cannot parse it: %s", plan->path, reason);
    else if (asprintf(&text, "%s%s", plan->start, block) < 0)
        text = NULL;
    free(block);
    return text;
}

/* The same, tried. */
static char *tried(const struct plan *plan, const char *win)
{
    char *text = with_block(plan, win);
    if (text && candidate_try(plan->ssl, plan->path, plan->start, text, plan->module)) {
        free(text);
        text = NULL;
    }
    return text;
}

/* ---- the win map ---- */

/* The value that the block in `old` has, or none. */
static bool kept_wins(char *out, size_t out_len, const char *old)
{
    static const char key[] = "\nwin = ";
    const char *at = strstr(old, key);
    if (!at)
        return false;
    at += strlen(key);
    return (size_t)snprintf(out, out_len, "%.*s", (int)strcspn(at, "\r\n"), at) < out_len;
}

/* Sets *wins to the provider's parameter, kept or measured, or to NULL: none is needed. */
static int find_wins(const char **wins, const char *old)
{
    static char text[WIN_MAX_PARAMETER];
    static struct win_map map;
    *wins = NULL;
    if (all || shipped)
        return EXIT_SUCCESS;
    *wins = text;
    if (!calibrate && kept_wins(text, sizeof text, old))
        return EXIT_SUCCESS;
    if (emulator() && !calibrate) {
        printf("This CPU is emulated (%s): nothing is measured, the shipped table decides.\n",
               emulator());
        *wins = NULL;
        return EXIT_SUCCESS;
    }
    const int code = calibrate_measure(&map, libcrypto, NULL, false);
    if (!code)
        win_map_parameter(&map, text, sizeof text);
    return code;
}

/* Without the wins first: what is cheap goes before the measurement. */
static char *make_config(const struct plan *plan)
{
    const char *wins;
    char *text = tried(plan, NULL);
    const int code = text ? find_wins(&wins, plan->old) : EXIT_FAILURE;
    if (!code && !wins)
        return text;
    free(text);
    return code ? NULL : tried(plan, wins);
}

/* ---- a file ---- */

static int write_config(const struct plan *plan, const char *text)
{
    char backup[PATH_MAX];
    if (!strcmp(plan->old, text)) {
        printf("%s: already enabled, nothing to change\n", plan->path);
        return EXIT_SUCCESS;
    }
    backup_path(backup, plan->path);
    if (!*backup)
        return tool_error("%s: name too long", plan->path);
    int code = file_replace(backup, plan->base, strlen(plan->base), plan->path);
    if (!code)
        code = file_replace(plan->path, text, strlen(text), NULL);
    if (code)
        return code;
    printf("%s: enabled (%s)\nThe file as it was: %s\n", plan->path,
           all ? "everything Headrace has" : "measured wins", backup);
    puts("Programs started from now on are served. headrace disable takes it back.");
    return EXIT_SUCCESS;
}

static int show(const char *path, const char *text)
{
    printf("would write %s:\n", path);
    fputs(text, stdout);
    return EXIT_SUCCESS;
}

static int enable_file(const struct openssl *ssl, const char *path, const struct module *module)
{
    char *old, *text = NULL;
    int code = EXIT_FAILURE;
    char *base = confblock_read_base(path, &old);
    const struct plan plan = { ssl, module, path, base, base, old };
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
    if (code || (!dry_run && (code = file_may_replace(service.config, true))))
        return code;
    code = EXIT_FAILURE;
    char *base = confblock_read_base(path, &whole);
    char *old = access(service.config, R_OK) ? strdup("") : file_read(service.config, &old_len);
    if (base && old && realpath(path, real) &&
        asprintf(&start, "# OpenSSL's configuration for %s.service, with Headrace.\n.include %s\n",
                 service.name, real) > 0)
        text = make_config(&(struct plan){ ssl, module, path, base, start, old });
    if (text)
        code = service_write(&service, text, root, dry_run);
    free(text);
    free(start);
    free(old);
    free(base);
    free(whole);
    return code;
}

/* What this shell masks, other programs have: the wins are measured without. */
static const char *const not_for_others[] = { "HEADRACE_CPU", "OPENSSL_ia32cap" };

static int enable_main(int argc, char **argv)
{
    struct module module;
    char path[PATH_MAX];
    if (all + shipped + calibrate > 1)
        return tool_usage("enable: one of --all, --shipped and --calibrate");
    if (root && !service_name)
        return tool_usage("enable: --root goes with --service");
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
        system_config(path, ssl);
    return tool_finish((service_name ? enable_service : enable_file)(ssl, path, &module));
}

static const struct tool_option enable_options[] = {
    { "all", 0, NULL, "serve all that Headrace has, not only measured wins", &all, NULL },
    { "calibrate", 0, NULL, "measure the wins anew (done the first time anyway)", &calibrate,
      NULL },
    { "shipped", 0, NULL, "take the wins from the table for this kind of CPU", &shipped, NULL },
    { "config", 0, "FILE", "this openssl.cnf instead of the system's", NULL, &config },
    { "service", 0, "NAME", "only this systemd service, by a file of its own", NULL,
      &service_name },
    { "dry-run", 0, NULL, "try it, show what would be written, write nothing", &dry_run, NULL },
    { "libcrypto", 0, "PATH", "this libcrypto instead of the system's", NULL, &libcrypto },
    { "root", 0, "DIR", "with --service: write below DIR, for images", NULL, &root },
    { .name = NULL },
};

const struct command enable_command = {
    .name = "enable",
    .summary = "have plain programs served by Headrace (edits openssl.cnf)",
    .options = enable_options,
    .main = enable_main,
    .no_operands = true,
};
