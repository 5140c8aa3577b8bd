/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "candidate.h"
#include "../../cli/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Whether every provider that was active in `before` is still active. */
static bool keeps_providers(const struct probe *before, const struct probe *after)
{
    const char *name = before->providers, *now = after->providers;
    for (size_t len; *name; name += len) {
        len = strcspn(name, " ") + 1;
        const char *at = memmem(now, strlen(now), name, len);
        if (!at || (at > now && at[-1] != ' '))
            return false;
    }
    return true;
}

/* Probes a text as a file in memory. */
static int probe_text(struct probe *out, const struct openssl *ssl, const char *text,
                      const char *module)
{
    char path[32];
    const size_t len = strlen(text);
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

int candidate_try(const struct openssl *ssl, const char *path, const char *base, const char *text,
                  const struct module *module, struct probe *after)
{
    struct probe before;
    int code = probe_text(&before, ssl, base, module->path);
    if (!code)
        code = probe_text(after, ssl, text, module->path);
    if (code)
        return code;
    if (!after->has_headrace)
        return tool_error("%s left as it is: the provider would not be active: %s", path,
                          *after->module_reason ? after->module_reason : after->reason);
    if (before.loaded && !after->loaded)
        return tool_error("%s left as it is: OpenSSL would refuse it: %s", path, after->reason);
    if (!keeps_providers(&before, after))
        return tool_error("%s left as it is: only %swould be active, not %s", path,
                          after->providers, before.providers);
    if (!before.loaded)
        tool_error("%s had an error before: %s", path, before.reason);
    return EXIT_SUCCESS;
}
