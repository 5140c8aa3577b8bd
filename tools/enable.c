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

/* `base` with the block at its end; NULL with one line printed. */
static char *with_block(const struct openssl *ssl, const char *path, const char *base,
                        size_t base_len, const struct module *module, const char *win)
{
    char reason[200];
    char *text = NULL;
    const struct confblock what = { .all = all,
                                    .module = module->is_default ? NULL : module->path,
                                    .win = win };
    char *block = confblock_make(ssl, base, base_len, &what, reason, sizeof reason);
    if (!block)
        tool_error("%s left as it is: OpenSSL cannot parse it: %s", path, reason);
    else if (asprintf(&text, "%s%s", base, block) < 0)
        text = NULL;
    free(block);
    return text;
}

/* ---- a file ---- */

static int write_config(const char *path, const char *old, const char *base, size_t base_len,
                        const char *text)
{
    char backup[PATH_MAX];
    if (!strcmp(old, text)) {
        printf("%s: already enabled, nothing to change\n", path);
        return EXIT_SUCCESS;
    }
    backup_path(backup, path);
    if (!*backup)
        return tool_error("%s: name too long", path);
    int code = file_replace(backup, base, base_len, path);
    if (!code)
        code = file_replace(path, text, strlen(text), NULL);
    if (code)
        return code;
    printf("%s: enabled (%s); the file as it was: %s\n", path,
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
    static char text[2048];
    static struct win_map map;
    *wins = NULL;
    if (all || shipped)
        return EXIT_SUCCESS;
    *wins = text;
    if (!calibrate && kept_wins(text, sizeof text, old))
        return EXIT_SUCCESS;
    const int code = calibrate_measure(&map, libcrypto, NULL, false);
    if (!code)
        win_map_parameter(&map, text, sizeof text);
    return code;
}

/* The whole new file, tried; NULL with one line printed.  What is cheap comes first. */
static char *make_config(const struct openssl *ssl, const char *path, const char *old,
                         const char *base, const struct module *module)
{
    const char *wins;
    char *text = with_block(ssl, path, base, strlen(base), module, NULL);
    int code = text ? candidate_try(ssl, path, base, strlen(base), text, module) : EXIT_FAILURE;
    if (!code)
        code = find_wins(&wins, old);
    free(text);
    text = code ? NULL : with_block(ssl, path, base, strlen(base), module, wins);
    if (text && wins && candidate_try(ssl, path, base, strlen(base), text, module)) {
        free(text);
        text = NULL;
    }
    return text;
}

static int enable_file(const struct openssl *ssl, const char *path, const struct module *module)
{
    size_t len = 0, begin, end;
    int code = EXIT_FAILURE;
    char *old = file_read(path, &len);
    if (!old)
        return EXIT_FAILURE;
    char *base = strdup(old), *text = NULL;
    const int found = confblock_find(old, &begin, &end);
    if (strlen(old) != len) {
        tool_error("%s left as it is: it holds zero bytes", path);
    } else if (found < 0) {
        tool_error("%s left as it is: one mark of headrace's block is missing", path);
    } else if (base) {
        if (found)
            memmove(base + begin, base + end, len - end + 1);
        text = make_config(ssl, path, old, base, module);
    }
    if (text)
        code = dry_run ? show(path, text + strlen(base) + 1)
                       : write_config(path, old, base, strlen(base), text);
    free(text);
    free(base);
    free(old);
    return code;
}

/* ---- a service ---- */

static int enable_service(const struct openssl *ssl, const struct module *module)
{
    struct service service;
    char included[PATH_MAX], real[PATH_MAX];
    char *base = NULL, *text = NULL;
    size_t old_len;
    int code = service_files(&service, service_name, root);
    if (code)
        return code;
    snprintf(included, sizeof included, "%s", config ? config : "");
    if (!config)
        system_config(included, ssl);
    if (!realpath(included, real))
        return tool_error("cannot read %s: %s", included, strerror(errno));
    code = EXIT_FAILURE;
    if (asprintf(&base, "# OpenSSL's configuration for %s.service, with Headrace.\n.include %s\n",
                 service.name, real) < 0)
        return tool_error("out of memory");
    char *old = access(service.config, R_OK) ? strdup("") : file_read(service.config, &old_len);
    text = old ? make_config(ssl, included, old, base, module) : NULL;
    if (text)
        code = service_write(&service, text, root, dry_run);
    free(text);
    free(old);
    free(base);
    return code;
}

static int enable_main(int argc, char **argv)
{
    struct module module;
    char path[PATH_MAX];
    if (all + shipped + calibrate > 1)
        return tool_usage("enable: one of --all, --shipped and --calibrate");
    if (root && !service_name)
        return tool_usage("enable: --root goes with --service");
    const struct openssl *ssl = openssl_open(libcrypto);
    if (!ssl)
        return EXIT_FAILURE;
    if (!module_find(&module, ssl))
        return tool_error("the provider is not installed: no %s", module.path);
    if (service_name)
        return tool_finish(enable_service(ssl, &module));
    if (config)
        snprintf(path, sizeof path, "%s", config);
    else
        system_config(path, ssl);
    return tool_finish(enable_file(ssl, path, &module));
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
