/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel key seal and unseal: encrypts the private part of a key's file, and decrypts it.
 * All sealed files of a folder have one seal, so that one passphrase, and one run of Argon2id, is
 * enough for all of them. */
#define _GNU_SOURCE
#include "../encrypt/encrypt_key.h"
#include "accel_key.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

static int look_at(const char *name, void *what)
{
    struct key_seal *found = what;
    char text[KEYS_MAX_FILE];
    struct seal seal;
    size_t len;
    const int code = key_read(text, &len, name);
    const bool is_sealed = !code && seal_find(&seal, text, len);
    explicit_bzero(text, sizeof text);
    if (!is_sealed)
        return code;
    if (found->is_there && !seal_is_same(&seal, &found->seal))
        return tool_error("the keys %s and %s are sealed under different keys: unseal one of them, "
                          "and seal it again",
                          found->name, name);
    if (!found->is_there) {
        found->seal = seal;
        found->is_there = true;
        strcpy(found->name, name);
    }
    return EXIT_SUCCESS;
}

/* Waits until no other run of the command seals files of the folder, until this program ends: two
 * that found no seal would each begin one. A file system without locks has none. */
static void lock_folder(void)
{
    static int fd = -1;
    if (fd < 0)
        fd = open(key_settings.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        (void)flock(fd, LOCK_EX);
}

int key_folder_seal(struct key_seal *out)
{
    lock_folder();
    memset(out, 0, sizeof *out);
    return key_folder(look_at, out);
}

/* ---- sealing ---- */

/* Puts the lines of the private part behind all others, with comments, which may contain anything.
 * Returns its place. */
static size_t part_lines(char text[KEYS_MAX_FILE], size_t len)
{
    char private[KEYS_MAX_FILE];
    size_t num_private = 0, num_others = 0;
    struct lines l;
    struct line line;
    for (size_t at = 0, next; at < len; at = next) {
        const char *newline = memchr(text + at, '\n', len - at);
        next = newline ? (size_t)(newline + 1 - text) : len;
        lines_begin(&l, text + at, next - at);
        if (lines_next(&l, &line) > 0 && line.word && !keyfile_is_private(line.word)) {
            memmove(text + num_others, text + at, next - at);
            num_others += next - at;
        } else {
            memcpy(private + num_private, text + at, next - at);
            num_private += next - at;
        }
    }
    memcpy(text + num_others, private, num_private);
    explicit_bzero(private, sizeof private);
    explicit_bzero(&line, sizeof line);
    return num_others;
}

int key_seal_by(char text[KEYS_MAX_FILE], size_t *len, const char *name, const struct seal_key *key)
{
    uint8_t salt[SEAL_SALT];
    if (*len == KEYS_MAX_FILE || key_random(salt, sizeof salt))
        return *len == KEYS_MAX_FILE ? tool_error("%s: too long", name) : EXIT_FAILURE;
    if (*len && text[*len - 1] != '\n')
        text[(*len)++] = '\n';
    const size_t at = part_lines(text, *len);
    /* The service reads less than KEYS_MAX_FILE bytes. */
    const char *why = seal_close(text, len, KEYS_MAX_FILE - 1, at, name, key, salt);
    return why ? tool_error("%s: %s", name, why) : EXIT_SUCCESS;
}

int key_seal(char text[KEYS_MAX_FILE], size_t *len, const char *name)
{
    struct seal_key key = { 0 };
    struct key_seal folder;
    int code = key_folder_seal(&folder);
    if (!code && (folder.is_there || key_settings.sealing_key))
        code = key_sealing(&key, folder.is_there ? &folder.seal : NULL, folder.name);
    else if (!code)
        code = key_sealing_new(&key, key_settings.passphrase_file);
    if (!code)
        code = key_seal_by(text, len, name, &key);
    explicit_bzero(&key, sizeof key);
    return code;
}

/* ---- opening ---- */

int key_unseal(char *text, size_t *len, const char *name)
{
    struct seal_key key = { 0 };
    struct seal seal;
    if (!seal_is_there(text, *len))
        return EXIT_SUCCESS;
    if (!seal_find(&seal, text, *len))
        return tool_error("%s: its seal is damaged", name);
    int code = key_sealing(&key, &seal, name);
    const char *why = code ? NULL : seal_open(text, len, name, &key);
    if (why)
        code = tool_error("%s: %s", name, why);
    explicit_bzero(&key, sizeof key);
    return code;
}

/* ---- the commands ---- */

/* Checks that the service will take a file before it is sealed. */
static int check(const char *text, size_t len, const char *name)
{
    static struct named_key key;
    static struct keyfile_parts parts;
    char why[LINES_ERROR];
    if (seal_is_there(text, len))
        return tool_error("%s: is sealed already", name);
    const int wrong = keyfile_parse(&key, &parts, text, len, file_who, why);
    explicit_bzero(&key, sizeof key);
    explicit_bzero(&parts, sizeof parts);
    return wrong ? tool_error("%s: %s", name, why) : EXIT_SUCCESS;
}

static int check_sealed(const char *text, size_t len, const char *name)
{
    return seal_is_there(text, len) ? EXIT_SUCCESS : tool_error("%s: is not sealed", name);
}

static int change(const char *name, int (*may)(const char *text, size_t len, const char *name),
                  int (*how)(char *text, size_t *len, const char *name))
{
    char path[PATH_MAX], text[KEYS_MAX_FILE];
    size_t len;
    int code = key_path(path, name);
    if (!code)
        code = key_read(text, &len, name);
    if (!code)
        code = may(text, len, name);
    if (!code)
        code = how(text, &len, name);
    if (!code)
        code = key_write(path, text, len, true);
    explicit_bzero(text, sizeof text);
    return code;
}

int key_seal_main(const char *name)
{
    return change(name, check, key_seal);
}

int key_unseal_main(const char *name)
{
    return change(name, check_sealed, key_unseal);
}
