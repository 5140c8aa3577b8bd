/* SPDX-License-Identifier: Apache-2.0 */
/* Two signs show from outside why a program was not served: the functions that it and its libraries
 * import, since a library context that a program makes with OSSL_LIB_CTX_new() reads no
 * openssl.cnf, and OPENSSL_CONF in its environment.  The libraries are those that its own dynamic
 * loader lists (ld.so --list), which does not run the program. */
#define _GNU_SOURCE
#include "unserved.h"
#include "../../cli/providers.h"
#include "../../cli/regular.h"
#include "../../cli/tool.h"
#include "binding.h"
#include "findings.h"
#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_FILE = 64 << 20, MAX_CONFIG = 1 << 20, MAX_LINES = 500, MAX_NAMED = 6 };

/* Reads at most `most` bytes of a regular file and puts a NUL behind them; NULL otherwise. Files of
 * /proc have no size. */
static char *read_some(const char *path, size_t most, size_t *len)
{
    struct stat st;
    const int fd = regular_open(path);
    char *text = NULL;
    if (fd < 0)
        return NULL;
    if (!fstat(fd, &st)) {
        const size_t room = st.st_size && (size_t)st.st_size < most ? (size_t)st.st_size : most;
        ssize_t n = 1;
        if ((text = malloc(room + 1)))
            for (*len = 0; n > 0 && *len<room; *len += n> 0 ? (size_t)n : 0)
                n = read(fd, text + *len, room - *len);
        if (text)
            text[*len] = '\0';
    }
    close(fd);
    return text;
}

/* ---- what a command is linked with ---- */

/* Whether a file contains this name between two zero bytes, as a string table does. */
static bool names(const char *path, const char *name)
{
    size_t len;
    char *text = read_some(path, MAX_FILE, &len), whole[64] = "";
    const size_t name_len = strlen(name);
    memcpy(whole + 1, name, name_len);
    const bool found = text && memmem(text, len, whole, name_len + 2);
    free(text);
    return found;
}

/* The path of a program's dynamic loader. Returns false for a script or a static program. */
static bool loader_of(char out[PATH_MAX], const char *file)
{
    size_t len;
    char *text = read_some(file, MAX_FILE, &len);
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)text;
    bool found = false;
    if (text && len > sizeof *header && !memcmp(text, ELFMAG, SELFMAG) &&
        header->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
        header->e_phoff < len && header->e_phentsize == sizeof(ElfW(Phdr)) &&
        header->e_phnum <= (len - header->e_phoff) / sizeof(ElfW(Phdr)))
        for (size_t i = 0; i < header->e_phnum && !found; i++) {
            ElfW(Phdr) segment;
            memcpy(&segment, text + header->e_phoff + i * sizeof segment, sizeof segment);
            found = segment.p_type == PT_INTERP && segment.p_offset < len;
            if (found)
                found = snprintf(out, PATH_MAX, "%.*s", (int)(len - segment.p_offset),
                                 text + segment.p_offset) > 0;
        }
    free(text);
    return found && *out == '/';
}

/* Starts `loader --list file`, and returns its output. */
static FILE *list_libraries(pid_t *pid, const char *loader, const char *file)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    *pid = fork();
    if (!*pid) {
        const int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 0);
        dup2(ends[1], 1);
        dup2(nothing, 2);
        execl(loader, loader, "--list", file, (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    if (*pid > 0)
        return fdopen(ends[0], "r");
    close(ends[0]);
    return NULL;
}

/* Signs that the libraries of a command give. */
struct links {
    char libcrypto[64]; /* its file's name, or "" */
    char maker[64];     /* the name of the first file that imports OSSL_LIB_CTX_new, or "" */
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void look_at(struct links *links, const char *path)
{
    const char *name = last_part(path);
    if (!strncmp(name, "libcrypto.so", 12))
        snprintf(links->libcrypto, sizeof links->libcrypto, "%s", name);
    else if (!*links->maker && strncmp(name, "libssl.so", 9) && names(path, "OSSL_LIB_CTX_new"))
        snprintf(links->maker, sizeof links->maker, "%s", name);
}

/* Reads lines such as "	libm.so.6 => /lib/libm.so.6 (0x7f...)". */
static void look_at_libraries(struct links *links, const char *loader, const char *file)
{
    char line[PATH_MAX + 200];
    pid_t pid;
    FILE *list = list_libraries(&pid, loader, file);
    for (int i = 0; list && i < MAX_LINES && fgets(line, sizeof line, list); i++) {
        char *path = strstr(line, " => /"), *end = path ? strstr(path, " (0x") : NULL;
        if (end) {
            *end = '\0';
            look_at(links, path + 4);
        }
    }
    if (list) {
        fclose(list);
        waitpid(pid, NULL, 0);
    }
}

bool unserved_reason(char *out, size_t out_len, const char *command, bool loaded)
{
    char file[PATH_MAX], loader[PATH_MAX];
    struct links links = { "", "" };
    if (!binding_command(file, command) || !loader_of(loader, file))
        return false;
    look_at(&links, file);
    look_at_libraries(&links, loader, file);
    if (!*links.libcrypto || (loaded && !*links.maker))
        return false;
    if (strcmp(links.libcrypto, "libcrypto.so.1.1") == 0)
        snprintf(out, out_len, "%s is linked with %s, which has no providers", command,
                 links.libcrypto);
    else if (*links.maker)
        snprintf(out, out_len,
                 "%s can make a library context of its own (%s calls OSSL_LIB_CTX_new), which does "
                 "not read openssl.cnf",
                 command, links.maker);
    else
        snprintf(out, out_len,
                 "%s is linked with %s, but called nothing that Headrace serves, or keeps OpenSSL "
                 "from reading openssl.cnf",
                 command, links.libcrypto);
    return true;
}

/* ---- configurations ---- */

bool unserved_by_config(const char *path)
{
    size_t len;
    char *text = read_some(path, MAX_CONFIG, &len);
    const bool named = text && memmem(text, len, "headrace", 8);
    free(text);
    return !named;
}

/* The value of OPENSSL_CONF in an environment as /proc shows it, or NULL. */
static const char *conf_of(const char *block, size_t len)
{
    static const char variable[] = "OPENSSL_CONF=";
    for (size_t at = 0; at < len; at += strlen(block + at) + 1)
        if (!strncmp(block + at, variable, sizeof variable - 1))
            return block + at + sizeof variable - 1;
    return NULL;
}

static bool uses_libcrypto(const char *pid)
{
    char path[300];
    size_t len;
    snprintf(path, sizeof path, "/proc/%s/maps", pid);
    char *maps = read_some(path, MAX_FILE / 16, &len);
    const char *slash = maps;
    while (slash && (slash = strchr(slash, '/')) && !has_providers(slash + 1))
        slash++;
    free(maps);
    return slash != NULL;
}

/* Adds "nginx (12, /etc/own.cnf)" to the list for a process that is not served. A relative path,
 * and every path of a process with another root, means what it means to that process. */
static bool add_process(char *list, size_t list_len, const char *pid, size_t num)
{
    char path[300], comm[32] = "", config[PATH_MAX];
    size_t len, used = strlen(list);
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    char *block = read_some(path, MAX_CONFIG, &len);
    const char *conf = block ? conf_of(block, len) : NULL;
    if (conf)
        snprintf(config, sizeof config, "/proc/%s/%s/%s", pid, *conf == '/' ? "root" : "cwd", conf);
    const bool unserved = conf && unserved_by_config(config) && uses_libcrypto(pid);
    if (unserved && num < MAX_NAMED) {
        snprintf(path, sizeof path, "/proc/%s/comm", pid);
        char *name = read_some(path, sizeof comm - 1, &len);
        snprintf(comm, sizeof comm, "%.*s", name ? (int)strcspn(name, "\n") : 0, name ? name : "");
        snprintf(list + used, list_len - used, "%s%s (%s, %.200s)", num ? "; " : "", comm, pid,
                 conf);
        free(name);
    }
    if (block)
        explicit_bzero(block, len); /* it may contain passwords */
    free(block);
    return unserved;
}

void unserved_programs(struct findings *f)
{
    char list[MAX_NAMED * 300] = "", more[40] = "";
    size_t num = 0;
    struct dirent *entry;
    DIR *proc = opendir("/proc");
    while (proc && (entry = readdir(proc)))
        if (isdigit((unsigned char)*entry->d_name))
            num += add_process(list, sizeof list, entry->d_name, num);
    if (proc)
        closedir(proc);
    if (num > MAX_NAMED)
        snprintf(more, sizeof more, "; and %zu more", num - MAX_NAMED);
    if (num)
        findings_add(f, NOTE, "programs",
                     "not served, because their OPENSSL_CONF names a file that does not enable "
                     "Headrace: %s%s",
                     list, more);
}
