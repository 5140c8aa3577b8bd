/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace disable: removes what enable added, and not one byte more.
 */
#define _GNU_SOURCE
#include "../../cli/file.h"
#include "../../cli/tool.h"
#include "confblock.h"
#include "enable.h"
#include "running.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool dry_run,
    is_systems; /* is_systems: the configuration that programs read by themselves */
static const char *config, *service_name, *root, *libcrypto;

/* Deletes the backup if it is equal to the file. */
static void drop_backup(const char *path, const char *text)
{
    char backup[PATH_MAX];
    size_t len;
    enable_backup_path(backup, path);
    if (!*backup || access(backup, F_OK))
        return;
    char *kept = file_read(backup, &len);
    if (kept && !strcmp(kept, text))
        unlink(backup);
    else
        tool_say("%s kept: the file was edited since\n", backup);
    free(kept);
}

static int show(const char *path, const char *text, size_t len)
{
    char *block = strndup(text, len);
    if (!block)
        return tool_error("out of memory");
    tool_say("would take out of %s:\n", path);
    tool_lines(stdout, block);
    free(block);
    return EXIT_SUCCESS;
}

static void print_running(void)
{
    static struct running running;
    running_find(&running, true);
    running_print(&running, "are served");
}

static int take_out(const char *path, const char *text, const char *base)
{
    size_t begin, end;
    if (!dry_run)
        enable_remove_left(path);
    if (confblock_find(text, &begin, &end) == 0) {
        tool_say("%s: not enabled, nothing to change\n", path);
        return EXIT_SUCCESS;
    }
    if (dry_run)
        return show(path, text + begin + 1, end - begin - 1);
    const int code = file_replace(path, base, strlen(base), NULL);
    if (code)
        return code;
    drop_backup(path, base);
    tool_say("%s: disabled; programs started from now on are not served\n", path);
    if (is_systems)
        print_running();
    return EXIT_SUCCESS;
}

static int disable_file(const char *path)
{
    char *text;
    char *base = confblock_read_base(path, &text);
    const int code = base ? take_out(path, text, base) : EXIT_FAILURE;
    free(base);
    free(text);
    return code;
}

static int take_away(const char *path)
{
    if (dry_run) {
        tool_say("would take %s away\n", path);
        return EXIT_SUCCESS;
    }
    if (unlink(path) && errno != ENOENT)
        return tool_error("cannot take %s away: %s", path, strerror(errno));
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    *strrchr(directory, '/') = '\0';
    (void)rmdir(directory); /* fails if the directory contains other files */
    return EXIT_SUCCESS;
}

static int disable_service(void)
{
    struct service service;
    int code = service_files(&service, service_name, root);
    if (code)
        return code;
    if (!dry_run) {
        file_remove_left(service.config);
        file_remove_left(service.drop_in);
    }
    if (access(service.config, F_OK) && access(service.drop_in, F_OK)) {
        if ((code = service_find_unit(&service, root)))
            return code;
        tool_say("%s: not enabled, nothing to change\n", service.name);
        return EXIT_SUCCESS;
    }
    code = take_away(service.drop_in);
    if (!code)
        code = take_away(service.config);
    if (!code && !dry_run)
        tool_say("%s: disabled. Now: systemctl daemon-reload && systemctl restart %s\n",
                 service.name, service.name);
    return code;
}

static int disable_main(int argc, char **argv)
{
    char path[PATH_MAX];
    if (service_name)
        return tool_finish(disable_service());
    if (root)
        return tool_usage("disable: --root goes with --service");
    if (config)
        return tool_finish(disable_file(config));
    const struct openssl *ssl = openssl_open(libcrypto);
    if (!ssl)
        return EXIT_FAILURE;
    module_system_config(path, ssl);
    is_systems = true;
    return tool_finish(disable_file(path));
}

static const struct tool_option disable_options[] = {
    { "config", 0, "FILE", "change this openssl.cnf instead of the system's", NULL, &config },
    { "service", 0, "NAME", "disable it for this systemd service", NULL, &service_name },
    { "dry-run", 0, NULL, "show what would change, change nothing", &dry_run, NULL },
    { "libcrypto", 0, "PATH", "use this libcrypto instead of the system's", NULL, &libcrypto },
    { "root", 0, "DIR", "with --service: work below DIR, for images", NULL, &root },
    { .name = NULL },
};

const struct command disable_command = {
    .name = "disable",
    .summary = "undo what enable did",
    .options = disable_options,
    .main = disable_main,
    .no_operands = true,
};
