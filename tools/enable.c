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
#include "confblock.h"
#include "file.h"
#include "probe.h"
#include "tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool all, dry_run;
static const char *config, *service_name, *root, *libcrypto, *win;

/* ---- files ---- */

int service_files(struct service *out, const char *name, const char *under)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_.:@-\\";
    size_t len = strlen(name);
    if (len > 8 && !strcmp(name + len - 8, ".service"))
        len -= 8;
    if (!len || len >= sizeof out->name || strspn(name, letters) < len || *name == '.')
        return tool_usage("%s is no name of a systemd service", name);
    snprintf(out->name, sizeof out->name, "%.*s", (int)len, name);
    under = under ? under : "";
    snprintf(out->config, PATH_MAX, "%s/etc/headrace/%s.cnf", under, out->name);
    snprintf(out->drop_in, PATH_MAX, "%s/etc/systemd/system/%s.service.d/headrace.conf", under,
             out->name);
    return EXIT_SUCCESS;
}

void backup_path(char out[PATH_MAX], const char *file)
{
    char target[PATH_MAX];
    if (!realpath(file, target))
        snprintf(target, sizeof target, "%s", file);
    if (snprintf(out, PATH_MAX, "%s" BACKUP_SUFFIX, target) >= PATH_MAX)
        *out = '\0';
}

/* ---- trying ---- */

/* Whether every provider of `before` is still active. */
static bool keeps_providers(const struct probe *before, const struct probe *after)
{
    for (const char *name = before->providers; *name; name += strcspn(name, " ") + 1) {
        const char *at =
            memmem(after->providers, strlen(after->providers), name, strcspn(name, " ") + 1);
        if (!at)
            return false;
    }
    return true;
}

/* The text as a file that needs no place on disk. */
static int probe_text(struct probe *out, const struct openssl *ssl, const char *text, size_t len,
                      const char *module)
{
    char path[32];
    const int fd = memfd_create("openssl.cnf", 0);
    if (fd < 0 || write(fd, text, len) != (ssize_t)len) {
        if (fd >= 0)
            close(fd);
        return tool_error("cannot try the new configuration: %s", strerror(errno));
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    probe_config(out, ssl, path, module, true);
    close(fd);
    return EXIT_SUCCESS;
}

static int try_candidate(const struct openssl *ssl, const char *path, const char *base,
                         size_t base_len, const char *text, const struct module *module)
{
    struct probe before, after;
    int code = probe_text(&before, ssl, base, base_len, module->path);
    if (!code)
        code = probe_text(&after, ssl, text, strlen(text), module->path);
    if (code)
        return code;
    if (!after.has_headrace)
        return tool_error("%s left as it is: the provider does not load: %s", path,
                          *after.module_reason ? after.module_reason : after.reason);
    if (before.loaded && !after.loaded)
        return tool_error("%s left as it is: OpenSSL would refuse it: %s", path, after.reason);
    if (!keeps_providers(&before, &after))
        return tool_error("%s left as it is: only %swould be active, not %s", path, after.providers,
                          before.providers);
    if (!before.loaded)
        fprintf(stderr, "headrace: %s had an error before: %s\n", path, before.reason);
    return EXIT_SUCCESS;
}

/* `base` with the block at its end; NULL with one line printed. */
static char *with_block(const struct openssl *ssl, const char *path, const char *base,
                        size_t base_len, const struct module *module)
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
        text = with_block(ssl, path, base, strlen(base), module);
    }
    if (text)
        code = try_candidate(ssl, path, base, strlen(base), text, module);
    if (text && !code)
        code = dry_run ? show(path, text + strlen(base) + 1)
                       : write_config(path, old, base, strlen(base), text);
    free(text);
    free(base);
    free(old);
    return code;
}

/* ---- a service ---- */

static int write_both(const struct service *service, const char *text, const char *drop_in)
{
    if (dry_run) {
        show(service->config, text);
        return show(service->drop_in, drop_in);
    }
    int code = file_make_parents(service->config);
    if (!code)
        code = file_make_parents(service->drop_in);
    if (!code)
        code = file_replace(service->config, text, strlen(text), NULL);
    if (!code && (code = file_replace(service->drop_in, drop_in, strlen(drop_in), NULL)))
        unlink(service->config);
    if (!code)
        printf("%s\n%s\nwritten. Now: systemctl daemon-reload && systemctl restart %s\n",
               service->config, service->drop_in, service->name);
    return code;
}

static int write_service(const struct service *service, const char *text)
{
    char *drop_in;
    const char *seen = service->config + (root ? strlen(root) : 0);
    if (asprintf(&drop_in,
                 "# Made by headrace enable --service; headrace disable --service takes it away.\n"
                 "[Service]\nEnvironment=OPENSSL_CONF=%s\n",
                 seen) < 0)
        return tool_error("out of memory");
    const int code = write_both(service, text, drop_in);
    free(drop_in);
    return code;
}

static int enable_service(const struct openssl *ssl, const struct module *module)
{
    struct service service;
    char included[PATH_MAX], real[PATH_MAX];
    char *base = NULL, *text = NULL;
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
    text = with_block(ssl, included, base, strlen(base), module);
    if (text)
        code = try_candidate(ssl, service.config, base, strlen(base), text, module);
    if (!code)
        code = write_service(&service, text);
    free(text);
    free(base);
    return code;
}

static int enable_main(int argc, char **argv)
{
    struct module module;
    char path[PATH_MAX];
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
