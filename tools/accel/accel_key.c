/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel key: manages long-term keys. Their files are readable only for the
 * service's user (keyfile.h). */
#define _GNU_SOURCE
#include "../../accel/config/keyfile.h"
#include "../../cli/algorithm.h"
#include "../output.h"
#include "accel.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <headrace/headrace.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder = "/etc/headrace/keys", *algorithm, *uses, *users, *groups, *from;

static int path_of(char out[PATH_MAX], const char *name)
{
    if (!keyfile_name_is_fine(name))
        return tool_usage("accel key: %s: a name must consist of at most %d letters, digits, dots, "
                          "underscores and hyphens, and not begin with a dot",
                          name, CONTROL_NAME - 1);
    return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX
               ? EXIT_SUCCESS
               : tool_error("%s: %s", folder, strerror(ENAMETOOLONG));
}

/* ---- new ---- */

/* Reads a key of the user: the file's bytes as they are. */
static int read_key(uint8_t key[CONTROL_KEY + 1], size_t *len)
{
    const int fd = strcmp(from, "-") ? open(from, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    ssize_t n = 0;
    *len = 0;
    while (fd >= 0 && (n = read(fd, key + *len, CONTROL_KEY + 1 - *len)) > 0)
        *len += (size_t)n;
    if (fd < 0 || n < 0)
        return tool_error("%s: %s", from, strerror(errno));
    if (fd != STDIN_FILENO)
        close(fd);
    return *len > CONTROL_KEY ? tool_error("%s: a key has at most %d bytes", from, CONTROL_KEY)
                              : EXIT_SUCCESS;
}

static int make_key(const struct hr_algorithm *row, uint8_t key[CONTROL_KEY + 1], size_t *len)
{
    if (from) {
        const int code = read_key(key, len);
        if (code)
            return code;
    } else {
        *len = row->key_len ? row->key_len : row->out_len;
        if (getrandom(key, *len, 0) != (ssize_t)*len)
            return tool_error("no random bytes: %s", strerror(errno));
    }
    if (!*len || (row->key_len && *len != row->key_len))
        return tool_error("a key of %s has %u bytes", row->name, row->key_len);
    return EXIT_SUCCESS;
}

/* A hexadecimal digit by arithmetic, without a table, because it is part of a key. */
static char digit(unsigned n)
{
    return (char)(n + '0' + ((9 - n) >> 31) * ('a' - '0' - 10));
}

static size_t write_text(char text[KEYS_MAX_FILE], const struct hr_algorithm *row,
                         const uint8_t *key, size_t len)
{
    const struct {
        const char *word, *value;
    } lines[] = {
        { "algorithm", row->name }, { "use", uses }, { "uid", users }, { "gid", groups }
    };
    int n = 0;
    for (size_t i = 0; i < COUNT(lines); i++)
        if (lines[i].value && n < KEYS_MAX_FILE / 2)
            n += snprintf(text + n, KEYS_MAX_FILE / 2 - (size_t)n, "%s = %s\n", lines[i].word,
                          lines[i].value);
    if (n > KEYS_MAX_FILE / 2)
        return 0;
    n += sprintf(text + n, "key = ");
    for (size_t i = 0; i < len; i++) {
        text[n++] = digit(key[i] >> 4);
        text[n++] = digit(key[i] & 15);
    }
    text[n++] = '\n';
    return (size_t)n;
}

/* Writes a key file. The folder's owner is the service's user. */
static int store(const char *path, const char *text, size_t len)
{
    struct stat s;
    struct output o;
    if (mkdir(folder, 0700) && errno != EEXIST)
        return tool_error("%s: %s", folder, strerror(errno));
    if (stat(folder, &s))
        return tool_error("%s: %s", folder, strerror(errno));
    if (s.st_mode & (S_IWGRP | S_IWOTH))
        return tool_error("%s: other users may write to it; chmod 0700 it first", folder);
    if (!access(path, F_OK))
        return tool_error("%s: exists already, and programs may depend on it; remove it first",
                          path);
    if (output_open(&o, path, 0600, false))
        return EXIT_FAILURE;
    if ((!geteuid() && fchown(o.fd, s.st_uid, s.st_gid)) ||
        write(o.fd, text, len) != (ssize_t)len) {
        tool_error("%s: %s", path, strerror(errno));
        output_discard(&o);
        return EXIT_FAILURE;
    }
    return output_commit(&o) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int make_text(char text[KEYS_MAX_FILE], size_t *len)
{
    static struct named_key parsed;
    static struct keyfile_parts parts;
    uint8_t key[CONTROL_KEY + 1];
    size_t key_len = 0;
    char error[LINES_ERROR];
    if (!algorithm)
        return tool_usage("accel key new: name the key's algorithm by --algorithm");
    const struct hr_algorithm *row = algorithm_named(algorithm);
    if (!row)
        return EXIT_USAGE;
    if (!algorithm_name_has_mode(row, algorithm))
        return tool_usage("accel key new: %s names no mode; say one, as in AES-256-GCM", algorithm);
    if (!(hr_class_of(row)->has & HR_HAS_KEY))
        return tool_usage("accel key new: %s takes no key", row->name);
    int code = make_key(row, key, &key_len);
    *len = code ? 0 : write_text(text, row, key, key_len);
    /* Checks the text as the service will. */
    if (!code && (!*len || keyfile_parse(&parsed, &parts, text, *len, file_who, error)))
        code = tool_usage("accel key new: %s", *len ? strstr(error, ": ") + 2 : "too long");
    explicit_bzero(&parsed, sizeof parsed);
    explicit_bzero(&parts, sizeof parts);
    explicit_bzero(key, sizeof key);
    return code;
}

/* ---- a line about a key ---- */

/* The columns of the list, with defaults for settings that a file does not have. The key is
 * never shown, whatever name a wrong file gives it. */
enum { COLUMN_UID = 2, COLUMN_GID, NUM_COLUMNS };

static const struct {
    const char *word, *heading, *otherwise;
    int width;
} columns[NUM_COLUMNS] = {
    { "algorithm", "algorithm", "-", 19 },
    { "use", "use", "all", 16 },
    [COLUMN_UID] = { "uid", "users", "-", 12 },
    [COLUMN_GID] = { "gid", "groups", "-", 0 },
};

static void print_row(const char *name, const char *const values[NUM_COLUMNS])
{
    tool_say("%-16s", name);
    for (size_t i = 0; i < NUM_COLUMNS; i++)
        tool_say("  %-*s", columns[i].width, values[i]);
    putchar('\n');
}

static void print_headings(void)
{
    const char *values[NUM_COLUMNS];
    for (size_t i = 0; i < NUM_COLUMNS; i++)
        values[i] = columns[i].heading;
    print_row("name", values);
}

static void print_one(const char *name, const char *text, size_t len)
{
    char kept[NUM_COLUMNS][LINE_MAX_LEN];
    const char *values[NUM_COLUMNS];
    struct lines l;
    struct line line;
    for (size_t i = 0; i < NUM_COLUMNS; i++)
        values[i] = columns[i].otherwise;
    lines_begin(&l, text, len);
    while (lines_next(&l, &line) > 0)
        for (size_t i = 0; line.word && i < NUM_COLUMNS; i++)
            if (!strcmp(line.word, columns[i].word))
                values[i] = strcpy(kept[i], line.value);
    if (values[COLUMN_UID] == columns[COLUMN_UID].otherwise &&
        values[COLUMN_GID] == columns[COLUMN_GID].otherwise)
        values[COLUMN_UID] = "root";
    print_row(name, values);
    explicit_bzero(&line, sizeof line);
}

/* ---- new: the command ---- */

/* Shows the new key as the list does, so that defaults are seen. */
static void say_made(const char *path, const char *text, size_t len)
{
    print_headings();
    print_one(strrchr(path, '/') + 1, text, len);
    puts("headrace accel reload makes the service read it.");
}

static int new_main(const char *name)
{
    char path[PATH_MAX], text[KEYS_MAX_FILE];
    size_t len = 0;
    int code = path_of(path, name);
    if (!code)
        code = make_text(text, &len);
    if (!code)
        code = store(path, text, len);
    if (!code)
        say_made(path, text, len);
    explicit_bzero(text, sizeof text);
    return tool_finish(code);
}

/* ---- list, remove: the commands ---- */

static int list_one(int dir, const char *name)
{
    char text[KEYS_MAX_FILE];
    const int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (len < 0)
        tool_error("%s/%s: %s", folder, name, strerror(errno));
    else
        print_one(name, text, (size_t)len);
    if (fd >= 0)
        close(fd);
    explicit_bzero(text, sizeof text);
    return len < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_key(const struct dirent *entry)
{
    return keyfile_name_is_fine(entry->d_name);
}

static int list_main(void)
{
    struct dirent **names;
    int code = EXIT_SUCCESS;
    const int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int num = dir < 0 ? -1 : scandir(folder, &names, is_key, by_name);
    if (num < 0)
        code = tool_error("%s: %s", folder, strerror(errno));
    if (num > 0)
        print_headings();
    for (int i = 0; i < num; i++) {
        if (list_one(dir, names[i]->d_name))
            code = EXIT_FAILURE;
        free(names[i]);
    }
    if (num >= 0)
        free(names);
    if (dir >= 0)
        close(dir);
    return tool_finish(code);
}

static int remove_main(const char *name)
{
    char path[PATH_MAX];
    const int code = path_of(path, name);
    if (!code && unlink(path))
        return tool_error("%s: %s", path, strerror(errno));
    return code;
}

static int key_main(int argc, char **argv)
{
    if (argc == 1 && !strcmp(argv[0], "list"))
        return list_main();
    if (argc == 2 && !strcmp(argv[0], "new"))
        return new_main(argv[1]);
    if (argc == 2 && !strcmp(argv[0], "remove"))
        return remove_main(argv[1]);
    return tool_usage("accel key: say new NAME, list, or remove NAME");
}

static const struct tool_option options[] = {
    { "algorithm", 'a', "NAME", "new: the key's algorithm, such as AES-256-GCM", NULL, &algorithm },
    { "use", 'u', "LIST", "new: encrypt, decrypt, mac, verify [all]", NULL, &uses },
    { "uid", 0, "LIST", "new: users whose processes may use it [root]", NULL, &users },
    { "gid", 0, "LIST", "new: groups whose processes may use it", NULL, &groups },
    { "from", 'f', "FILE", "new: the key's bytes, - for standard input [random]", NULL, &from },
    { "keys", 'k', "DIR", "folder of the keys [/etc/headrace/keys]", NULL, &folder },
    { .name = NULL },
};

const struct command accel_key_command = {
    .name = "accel key",
    .operands = "new NAME | list | remove NAME",
    .summary = "manage long-term keys (afterwards: headrace accel reload)",
    .options = options,
    .main = key_main,
};
