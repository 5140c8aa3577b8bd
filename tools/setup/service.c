/* SPDX-License-Identifier: Apache-2.0 */
/* A service's own configuration, and the drop-in (systemd.unit(5)) that names it. */
#define _GNU_SOURCE
#include "../../cli/file.h"
#include "../../cli/tool.h"
#include "enable.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int write_both(const struct service *service, const char *text, const char *drop_in)
{
    int code = file_make_parents(service->config);
    if (!code)
        code = file_make_parents(service->drop_in);
    if (!code)
        code = file_replace(service->config, text, strlen(text), NULL);
    if (!code && (code = file_replace(service->drop_in, drop_in, strlen(drop_in), NULL)))
        unlink(service->config);
    if (!code)
        tool_say("%s\n%s\nwritten. Now: systemctl daemon-reload && systemctl restart %s\n",
                 service->config, service->drop_in, service->name);
    return code;
}

static void show(const char *path, const char *text)
{
    tool_say("would write %s:\n", path);
    tool_lines(stdout, text);
}

int service_write(const struct service *service, const char *text, const char *root, bool dry_run)
{
    char *drop_in;
    const char *seen = service->config + (root ? strlen(root) : 0);
    if (asprintf(&drop_in,
                 "# Made by headrace enable --service; headrace disable --service takes it away.\n"
                 "[Service]\nEnvironment=OPENSSL_CONF=%s\n",
                 seen) < 0)
        return tool_error("out of memory");
    int code = EXIT_SUCCESS;
    if (dry_run) {
        show(service->config, text);
        show(service->drop_in, drop_in);
    } else {
        code = write_both(service, text, drop_in);
    }
    free(drop_in);
    return code;
}
