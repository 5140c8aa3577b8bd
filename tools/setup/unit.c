/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the unit of a service in the folders of systemd.unit(5), so that a misspelt name is an
 * error. */
#define _GNU_SOURCE
#include "../../cli/near.h"
#include "../../cli/tool.h"
#include "enable.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const folders[] = {
    "/etc/systemd/system",           "/run/systemd/system",     "/run/systemd/generator",
    "/run/systemd/generator.late", /* units made of /etc/init.d */
    "/usr/local/lib/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system",
};

static const char suffix[] = ".service";

static bool has_unit(const char *root, const char *name, size_t len)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < COUNT(folders); i++)
        if (snprintf(path, sizeof path, "%s%s/%.*s%s", root, folders[i], (int)len, name, suffix) <
                PATH_MAX &&
            !access(path, F_OK))
            return true;
    return false;
}

static int is_service(const struct dirent *entry)
{
    const size_t len = strlen(entry->d_name), end = sizeof suffix - 1;
    return len > end && !strcmp(entry->d_name + len - end, suffix);
}

/* Cuts the suffix off each name of a list, and offers the names. */
static void offer_names(struct near *near, struct dirent **list, int num)
{
    for (int i = 0; i < num; i++) {
        const size_t len = strlen(list[i]->d_name) - (sizeof suffix - 1);
        list[i]->d_name[len] = '\0';
        near_offer(near, list[i]->d_name, list[i]->d_name, len);
    }
}

/* Prints that there is no such unit, with names that are near. */
static int no_unit(const char *root, const char *name)
{
    struct dirent **lists[COUNT(folders)];
    int nums[COUNT(folders)];
    char path[PATH_MAX], names[256];
    struct near near = near_begin(name);
    for (size_t i = 0; i < COUNT(folders); i++) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        nums[i] = scandir(path, &lists[i], is_service, alphasort);
        offer_names(&near, lists[i], nums[i]);
    }
    near_text(&near, names, sizeof names);
    for (size_t i = 0; i < COUNT(folders); i++) {
        for (int j = 0; j < nums[i]; j++)
            free(lists[i][j]);
        if (nums[i] >= 0)
            free(lists[i]);
    }
    return tool_usage("there is no %s.service%s", name, names);
}

int service_find_unit(const struct service *service, const char *root)
{
    const char *at = strchr(service->name, '@'); /* NAME@.service is the template of NAME@x */
    root = root ? root : "";
    if (has_unit(root, service->name, strlen(service->name)) ||
        (at && has_unit(root, service->name, (size_t)(at + 1 - service->name))))
        return EXIT_SUCCESS;
    return no_unit(root, service->name);
}
