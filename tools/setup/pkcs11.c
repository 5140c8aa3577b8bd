/* SPDX-License-Identifier: Apache-2.0 */
/* p11-kit loads the modules that files in three folders name (pkcs11.conf(5)).  They are read here,
 * since asking p11-kit would load all of them. */
#define _GNU_SOURCE
#include "pkcs11.h"
#include "../../cli/module.h"
#include "../../cli/regular.h"
#include "../../cli/tool.h"
#include "findings.h"
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "headrace-pkcs11.so"
/* Where p11-kit of the same prefix looks for names. */
#define MODULES HEADRACE_LIBDIR "/../pkcs11"

/* A file of p11-kit's, and the module that it names. */
struct entry {
    char file[PATH_MAX], module[PATH_MAX];
};

/* Reads the value of "module:"; tells whether it is our module's. */
static bool read_line(struct entry *entry, const char *line)
{
    static const char key[] = "module:";
    const char *value = line + strspn(line, " \t");
    if (strncmp(value, key, strlen(key)))
        return false;
    value += strlen(key);
    value += strspn(value, " \t");
    const int len = (int)strcspn(value, " \t\r\n");
    snprintf(entry->module, sizeof entry->module, *value == '/' ? "%.*s" : MODULES "/%.*s", len,
             value);
    const char *slash = strrchr(entry->module, '/');
    return !strcmp(slash + 1, NAME);
}

static bool read_file(struct entry *entry)
{
    char line[PATH_MAX];
    bool found = false;
    const int fd = regular_open(entry->file);
    FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
    if (!in && fd >= 0)
        close(fd);
    while (in && !found && fgets(line, sizeof line, in))
        found = read_line(entry, line);
    if (in)
        fclose(in);
    return found;
}

static bool read_folder(struct entry *entry, const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *one;
    bool found = false;
    while (dir && !found && (one = readdir(dir)))
        if (*one->d_name != '.' && (size_t)snprintf(entry->file, sizeof entry->file, "%s/%s",
                                                    folder, one->d_name) < sizeof entry->file)
            found = read_file(entry);
    if (dir)
        closedir(dir);
    return found;
}

/* Finds the file that names our module: the user's, which p11-kit does not read for root, the
 * administrator's, a package's. */
static bool find_entry(struct entry *entry)
{
    char own[PATH_MAX] = "";
    const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
    if (config && *config)
        snprintf(own, sizeof own, "%s/pkcs11/modules", config);
    else if (home && *home)
        snprintf(own, sizeof own, "%s/.config/pkcs11/modules", home);
    return (*own && geteuid() && read_folder(entry, own)) ||
           read_folder(entry, "/etc/pkcs11/modules") ||
           read_folder(entry, "/usr/share/p11-kit/modules");
}

static bool is_same(const char *a, const char *b)
{
    char x[PATH_MAX], y[PATH_MAX];
    return realpath(a, x) && realpath(b, y) && !strcmp(x, y);
}

/* Loads the module, which has no constructors, in this process. */
static bool loads(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const bool good = handle && dlsym(handle, "C_GetFunctionList");
    if (handle)
        dlclose(handle);
    return good;
}

void pkcs11_check(struct findings *found)
{
    char path[PATH_MAX];
    struct entry entry;
    struct finding *f;
    const bool is_there = module_find_pkcs11(path), is_named = find_entry(&entry);
    if (is_named && access(entry.module, R_OK)) {
        f = findings_add(found, PROBLEM, "PKCS#11", "%s names %s, which cannot be read", entry.file,
                         entry.module);
        finding_advise(f, "install the package headrace-pkcs11, or remove that file");
        return;
    }
    if (!is_there && !is_named) {
        findings_add(found, NOTE, "PKCS#11",
                     "no module: programs with keys behind PKCS#11 are not served; it is in the "
                     "package headrace-pkcs11");
        return;
    }
    const char *module = is_there ? path : entry.module;
    if (!loads(module)) {
        f = findings_add(found, PROBLEM, "PKCS#11", "%s does not load", module);
        finding_advise(f, "install the package headrace-pkcs11 again");
    } else if (is_named && is_same(module, entry.module)) {
        findings_add(found, FINE, "PKCS#11", "%s, which p11-kit finds by %s", module, entry.file);
    } else if (is_named) {
        findings_add(found, NOTE, "PKCS#11", "%s, but p11-kit finds %s, by %s", module,
                     entry.module, entry.file);
    } else {
        findings_add(found, NOTE, "PKCS#11",
                     "%s, which p11-kit does not find: it is used by programs that are told its "
                     "path (headrace-pkcs11(7))",
                     module);
    }
}
