/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel key: manages long-term keys. Their files are readable only for the
 * service's user (keyfile.h). */
#define _GNU_SOURCE
#include "accel_key.h"
#include "../../accel/key_name.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct key_settings key_settings = { .folder = "/etc/headrace/keys" };

int key_path(char out[PATH_MAX], const char *name)
{
    if (!key_name_is_fine(name))
        return tool_usage("accel key: %s: a name must consist of at most %d letters, digits, dots, "
                          "underscores and hyphens, and not begin with a dot",
                          name, CONTROL_NAME - 1);
    return snprintf(out, PATH_MAX, "%s/%s", key_settings.folder, name) < PATH_MAX
               ? EXIT_SUCCESS
               : tool_error("%s: %s", key_settings.folder, strerror(ENAMETOOLONG));
}

int key_read(char text[KEYS_MAX_FILE], size_t *len, const char *name)
{
    char path[PATH_MAX];
    const int code = key_path(path, name);
    if (code)
        return code;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t got = fd < 0 ? -1 : read(fd, text, KEYS_MAX_FILE);
    const int error = errno;
    if (fd >= 0)
        close(fd);
    *len = got < 0 ? 0 : (size_t)got;
    return got < 0 ? tool_error("%s: %s", path, strerror(error)) : EXIT_SUCCESS;
}

/* ---- the folder ---- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_key(const struct dirent *entry)
{
    return key_name_is_fine(entry->d_name);
}

int key_folder(int (*each)(const char *name, void *what), void *what)
{
    struct dirent **names;
    int code = EXIT_SUCCESS;
    const int num = scandir(key_settings.folder, &names, is_key, by_name);
    if (num < 0)
        return tool_error("%s: %s", key_settings.folder, strerror(errno));
    for (int i = 0; i < num; i++) {
        if (!code)
            code = each(names[i]->d_name, what);
        free(names[i]);
    }
    free(names);
    return code;
}

/* ---- a line about a key ---- */

/* The columns of the list, with defaults for settings that a file does not have. The key is
 * never shown, whatever name a wrong file gives it. */
enum { COLUMN_SEALED = 2, COLUMN_UID, COLUMN_GID, NUM_COLUMNS };

static const struct {
    const char *word, *heading, *otherwise;
    int width;
} columns[NUM_COLUMNS] = {
    { "algorithm", "algorithm", "-", 19 },           { "use", "use", "all", 16 },
    [COLUMN_SEALED] = { "seal", "sealed", "no", 6 }, [COLUMN_UID] = { "uid", "users", "-", 12 },
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
    if (values[COLUMN_SEALED] != columns[COLUMN_SEALED].otherwise)
        values[COLUMN_SEALED] = "yes";
    if (values[COLUMN_UID] == columns[COLUMN_UID].otherwise &&
        values[COLUMN_GID] == columns[COLUMN_GID].otherwise)
        values[COLUMN_UID] = "root";
    print_row(name, values);
    explicit_bzero(&line, sizeof line);
}

void key_print(const char *name, const char *text, size_t len)
{
    print_headings();
    print_one(name, text, len);
}

/* ---- list, remove: the commands ---- */

/* What the list has come to. */
struct listing {
    int code;
    bool begun;
};

static int list_one(const char *name, void *what)
{
    struct listing *l = what;
    char text[KEYS_MAX_FILE];
    size_t len;
    const int code = key_read(text, &len, name);
    if (!l->begun)
        print_headings();
    l->begun = true;
    if (code)
        l->code = code; /* and the others follow */
    else
        print_one(name, text, len);
    explicit_bzero(text, sizeof text);
    return EXIT_SUCCESS;
}

static int list_main(void)
{
    struct listing listing = { EXIT_SUCCESS, false };
    if (key_settings.socket || (access(key_settings.folder, R_OK) && errno == EACCES))
        return tool_finish(key_list_offered());
    const int code = key_folder(list_one, &listing);
    return tool_finish(code ? code : listing.code);
}

static int remove_main(const char *name)
{
    char path[PATH_MAX];
    const int code = key_path(path, name);
    if (!code && unlink(path))
        return tool_error("%s: %s", path, strerror(errno));
    return code;
}

static const struct verb {
    const char *name;
    int (*main)(const char *name);
} verbs[] = {
    { "new", key_new_main },         { "import", key_import_main },
    { "public", key_public_main },   { "reference", key_reference_main },
    { "request", key_request_main }, { "remove", remove_main },
    { "seal", key_seal_main },       { "unseal", key_unseal_main },
};

static const struct folder_verb {
    const char *name;
    int (*main)(void);
} folder_verbs[] = {
    { "list", list_main },
    { "unlock", key_unlock_main },
    { "passphrase", key_passphrase_main },
};

static int key_main(int argc, char **argv)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }); /* a core dump would contain the key */
    for (size_t i = 0; argc == 1 && i < COUNT(folder_verbs); i++)
        if (!strcmp(argv[0], folder_verbs[i].name))
            return folder_verbs[i].main();
    for (size_t i = 0; argc == 2 && i < COUNT(verbs); i++)
        if (!strcmp(argv[0], verbs[i].name))
            return verbs[i].main(argv[1]);
    return tool_usage("accel key: say new, import, public, reference, request, remove, seal or "
                      "unseal with a NAME, or list, unlock or passphrase");
}

static const struct tool_option options[] = {
    { "algorithm", 'a', "NAME", "new: the algorithm, e.g. AES-256-GCM or RSA-2048", NULL,
      &key_settings.algorithm },
    { "use", 'u', "LIST", "what it may do [all; of public key: sign]", NULL, &key_settings.uses },
    { "uid", 0, "LIST", "users whose processes may use it [root]", NULL, &key_settings.users },
    { "gid", 0, "LIST", "groups whose processes may use it", NULL, &key_settings.groups },
    { "padding", 0, "LIST", "of RSA: pkcs1, pss [both]; oaep, pkcs1, tls [oaep]", NULL,
      &key_settings.paddings },
    { "digest", 0, "LIST", "of RSA and ECDSA [SHA-256, SHA-384, SHA-512]", NULL,
      &key_settings.digests },
    { "rate", 0, "N", "of public key: uses a second at most", NULL, &key_settings.rate },
    { "log", 0, NULL, "of public key: the service logs each use", &key_settings.log, NULL },
    { "from", 'f', "FILE", "new: the bytes; import: PEM; -: standard input", NULL,
      &key_settings.from },
    { "replace", 0, NULL, "new, import: replaces a key of this name", &key_settings.replace, NULL },
    { "seal", 0, NULL, "new, import: seals the file under a passphrase", &key_settings.seal, NULL },
    { "passphrase-file", 0, "FILE", "reads the passphrase from FILE", NULL,
      &key_settings.passphrase_file },
    { "new-passphrase-file", 0, "FILE", "passphrase: reads the new one from FILE", NULL,
      &key_settings.new_passphrase_file },
    { "sealing-key", 0, "FILE", "instead of a passphrase; unlock: writes it to FILE", NULL,
      &key_settings.sealing_key },
    { "subject", 0, "NAME", "request: such as CN=example.org,O=Example", NULL,
      &key_settings.subject },
    { "dns", 0, "LIST", "request: the host names of the certificate", NULL, &key_settings.names },
    { "keys", 'k', "DIR", "folder of the keys [/etc/headrace/keys]", NULL, &key_settings.folder },
    { "socket", 's', "PATH", "list, public, reference: asks the service there", NULL,
      &key_settings.socket },
    { .name = NULL },
};

const struct command accel_key_command = {
    .name = "accel key",
    .operands = "ACTION NAME | list | unlock | passphrase",
    .summary = "make, import and describe long-term keys (then: accel reload)",
    .options = options,
    .main = key_main,
};
