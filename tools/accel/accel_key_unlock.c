/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel key unlock and passphrase, and how a passphrase makes a sealing key.  The service
 * gets that key and never the passphrase: so it needs neither Argon2id nor its memory, and a file
 * with the key opens no more than this folder. */
#define _GNU_SOURCE
#include "../encrypt/encrypt_key.h"
#include "accel_key.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a sealing key ---- */

static int read_key(struct seal_key *out, const char *path)
{
    char text[SEAL_KEY_FILE], why[LINES_ERROR];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text);
    const int error = errno;
    if (fd >= 0)
        close(fd);
    int code = EXIT_SUCCESS;
    if (len < 0)
        code = tool_error("%s: %s", path, strerror(error));
    else if (seal_key_parse(out, text, (size_t)len, why))
        code = tool_error("%s: %s", path, why);
    explicit_bzero(text, sizeof text);
    return code;
}

/* Makes the bytes of a key by the numbers and the salt of its seal. */
static int make_key(struct seal_key *key, const char *passphrase_file, bool twice)
{
    const struct header_costs costs = { .memory = key->seal.memory,
                                        .passes = key->seal.passes,
                                        .lanes = key->seal.lanes };
    const struct key_source source = { .passphrase_file = passphrase_file };
    if (!header_costs_are_fine(&costs))
        return tool_error("the seal asks for more memory or time than headrace ever does: "
                          "malicious or damaged");
    struct secrets *s = key_secrets_begin();
    const int wrong = key_stretch(s, &source, key->seal.salt, &costs, twice);
    memcpy(key->bytes, s->key, SEAL_KEY);
    key_secrets_wipe();
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int by_passphrase(struct seal_key *key, const char *what)
{
    uint8_t check[SEAL_CHECK];
    const int code = make_key(key, key_settings.passphrase_file, false);
    if (code)
        return code;
    seal_check(check, key);
    return memcmp(check, key->seal.check, SEAL_CHECK) ? tool_error("%s: wrong passphrase", what)
                                                      : EXIT_SUCCESS;
}

int key_sealing(struct seal_key *out, const struct seal *seal, const char *what)
{
    if (key_settings.sealing_key) {
        const int code = read_key(out, key_settings.sealing_key);
        return !code && seal && !seal_is_same(seal, &out->seal)
                   ? tool_error("%s: is sealed under another key than %s", what,
                                key_settings.sealing_key)
                   : code;
    }
    out->seal = *seal;
    return by_passphrase(out, what);
}

int key_sealing_new(struct seal_key *out, const char *passphrase_file)
{
    out->seal = (struct seal){ .lanes = header_new_costs.lanes,
                               .memory = header_new_costs.memory,
                               .passes = header_new_costs.passes };
    if (key_random(out->seal.salt, SEAL_SALT))
        return EXIT_FAILURE;
    const int code = make_key(out, passphrase_file, true);
    seal_check(out->seal.check, out);
    return code;
}

/* ---- the commands ---- */

static int find_seal(struct key_seal *out)
{
    const int code = key_folder_seal(out);
    return !code && !out->is_there ? tool_error("%s: no key is sealed", key_settings.folder) : code;
}

/* A trial of all sealed files: the service's log would be the first to tell which do not open. */
struct trial {
    const struct seal_key *key;
    int code;
};

static int try_key(const char *name, void *what)
{
    struct trial *trial = what;
    char text[KEYS_MAX_FILE];
    size_t len;
    const char *why = NULL;
    if (key_read(text, &len, name))
        trial->code = EXIT_FAILURE;
    else if (seal_is_there(text, len))
        why = seal_open(text, &len, name, trial->key);
    if (why)
        trial->code = tool_error("%s: %s", name, why);
    explicit_bzero(text, sizeof text);
    return EXIT_SUCCESS; /* and the others follow */
}

static int try_keys(const struct seal_key *key)
{
    struct trial trial = { key, EXIT_SUCCESS };
    const int code = key_folder(try_key, &trial);
    return code ? code : trial.code;
}

int key_unlock_main(void)
{
    const char *path = key_settings.sealing_key ? key_settings.sealing_key : SEAL_KEY_PATH;
    char text[SEAL_KEY_FILE];
    struct seal_key key = { 0 };
    struct key_seal found;
    int code = find_seal(&found);
    if (!code) {
        key.seal = found.seal;
        code = by_passphrase(&key, found.name);
    }
    if (!code)
        code = key_write(path, text, seal_key_text(text, &key), true);
    if (!code)
        tool_say("%s is for the service only: headrace accel reload makes it open the keys.\n",
                 path);
    if (!code)
        code = try_keys(&key);
    explicit_bzero(text, sizeof text);
    explicit_bzero(&key, sizeof key);
    return tool_finish(code);
}

/* The keys before and after a change of the passphrase. */
struct keys {
    struct seal_key old, new;
};

static int seal_anew(const char *name, void *what)
{
    const struct keys *keys = what;
    char path[PATH_MAX], text[KEYS_MAX_FILE];
    size_t len;
    int code = key_path(path, name);
    if (!code)
        code = key_read(text, &len, name);
    const char *why = NULL;
    if (!code && seal_is_there(text, len)) {
        why = seal_open(text, &len, name, &keys->old);
        code = why ? tool_error("%s: %s", name, why) : key_seal_by(text, &len, name, &keys->new);
        if (!code)
            code = key_write(path, text, len, true);
    }
    explicit_bzero(text, sizeof text);
    return code;
}

int key_passphrase_main(void)
{
    struct keys keys = { 0 };
    struct key_seal found;
    int code = find_seal(&found);
    if (!code)
        code = key_sealing(&keys.old, &found.seal, found.name);
    if (!code) /* a key that does not open would leave two passphrases in the folder */
        code = try_keys(&keys.old);
    if (!code && !key_settings.new_passphrase_file)
        fputs("The new passphrase, for all sealed keys of the folder.\n", stderr);
    if (!code)
        code = key_sealing_new(&keys.new, key_settings.new_passphrase_file);
    if (!code)
        code = key_folder(seal_anew, &keys);
    if (!code)
        puts("headrace accel key unlock makes the service's key of it.");
    explicit_bzero(&keys, sizeof keys);
    return tool_finish(code);
}
