/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel key new and import: makes key files, which only the service's user can read. */
#define _GNU_SOURCE
#include "../../accel/config/hex.h"
#include "../../cli/algorithm.h"
#include "../output.h"
#include "accel_key.h"
#include <errno.h>
#include <fcntl.h>
#include <headrace/headrace.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* A key that is being made, until the end of the command. */
static struct making {
    const struct hr_algorithm *row;
    uint8_t key[CONTROL_KEY + 1]; /* of others than public key: */
    size_t key_len;
    struct keyfile_parts parts; /* of public key */
    char text[KEYS_MAX_FILE];
    size_t len;
    bool full;
    struct key_opened check;
} m;

/* ---- keys of others than public key ---- */

/* Reads a key of the user: the file's bytes as they are. */
static int read_key(void)
{
    const char *from = key_settings.from;
    const int fd = strcmp(from, "-") ? open(from, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    ssize_t n = 0;
    while (fd >= 0 && (n = read(fd, m.key + m.key_len, CONTROL_KEY + 1 - m.key_len)) > 0)
        m.key_len += (size_t)n;
    if (fd < 0 || n < 0)
        return tool_error("%s: %s", from, strerror(errno));
    if (fd != STDIN_FILENO)
        close(fd);
    return m.key_len > CONTROL_KEY ? tool_error("%s: a key has at most %d bytes", from, CONTROL_KEY)
                                   : EXIT_SUCCESS;
}

static int make_symmetric(void)
{
    if (key_settings.from) {
        const int code = read_key();
        if (code)
            return code;
    } else {
        m.key_len = m.row->key_len ? m.row->key_len : m.row->out_len;
        if (getrandom(m.key, m.key_len, 0) != (ssize_t)m.key_len)
            return tool_error("no random bytes: %s", strerror(errno));
    }
    if (!m.key_len || (m.row->key_len && m.key_len != m.row->key_len))
        return tool_error("a key of %s has %u bytes", m.row->name, m.row->key_len);
    return EXIT_SUCCESS;
}

/* ---- keys of public key ---- */

static bool is_public(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_RSA || row->cls == HR_CLASS_SIGN;
}

static int make_signing(void)
{
    static struct hr_sign_key key;
    uint8_t bytes[8192];
    size_t len = sizeof bytes;
    int error = hr_sign_key_generate(&key, m.row->alg, NULL);
    if (!error)
        error = hr_sign_key_seed(bytes, &len, &key);
    hr_sign_key_wipe(&key);
    if (!error && !(key_add_part(&m.parts, bytes, len) && key_add_part(&m.parts, NULL, 0)))
        error = HR_EKEYLEN;
    explicit_bzero(bytes, sizeof bytes);
    return error ? tool_error("%s: %s", m.row->name, hr_strerror(error)) : EXIT_SUCCESS;
}

static int make_public(void)
{
    if (key_settings.from)
        return tool_usage("accel key new: headrace accel key import takes keys of %s from PEM",
                          m.row->name);
    return m.row->cls == HR_CLASS_RSA ? key_generate_rsa(&m.parts, m.row) : make_signing();
}

/* ---- the file's text ---- */

static __attribute__((format(printf, 1, 2))) void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(m.text + m.len, sizeof m.text - m.len, format, args);
    va_end(args);
    m.full |= n < 0 || (size_t)n >= sizeof m.text - m.len;
    m.len += m.full ? 0 : (size_t)n;
}

/* Writes a number, in lines that all begin with its word. */
static void say_number(const char *word, const uint8_t *bytes, size_t len)
{
    enum { LINE = CONTROL_KEY };
    for (size_t i = 0; i < len && !m.full; i += LINE) {
        const size_t num = len - i < LINE ? len - i : LINE;
        say("%s = ", word);
        if (sizeof m.text - m.len < 2 * num + 2) {
            m.full = true;
            return;
        }
        hex_write(m.text + m.len, bytes + i, num);
        m.len += 2 * num;
        say("\n");
    }
}

static void say_parts(void)
{
    static const char *const words[] = { "n", "e", "d", "p", "q", "dp", "dq", "qinv" };
    struct pk_parts split;
    if (pk_split(&split, m.parts.bytes, m.parts.len))
        m.full = true;
    else if (m.row->cls != HR_CLASS_RSA)
        say_number("private", split.at[0].bytes, split.at[0].len);
    else
        for (size_t i = 0; i < COUNT(words) && i < split.num; i++)
            say_number(words[i], split.at[i].bytes, split.at[i].len);
}

static void write_text(void)
{
    const struct key_settings *s = &key_settings;
    const struct {
        const char *word, *value;
    } lines[] = { { "algorithm", m.row->name }, { "use", s->uses },
                  { "padding", s->paddings },   { "digest", s->digests },
                  { "uid", s->users },          { "gid", s->groups },
                  { "rate", s->rate },          { "log", s->log ? "yes" : NULL } };
    for (size_t i = 0; i < COUNT(lines); i++)
        if (lines[i].value)
            say("%s = %s\n", lines[i].word, lines[i].value);
    if (m.parts.len)
        say_parts();
    else
        say_number("key", m.key, m.key_len);
}

/* Checks the text as the service will. */
static int check(const char *verb)
{
    char error[LINES_ERROR];
    struct key_opened *k = &m.check;
    if (m.full)
        return tool_usage("accel key %s: too long", verb);
    if (keyfile_parse(&k->key, &k->parts, m.text, m.len, file_who, error))
        return tool_usage("accel key %s: %s", verb, strstr(error, ": ") + 2);
    if (!k->parts.len)
        return EXIT_SUCCESS;
    int wrong = pk_split(&k->split, k->parts.bytes, k->parts.len);
    if (!wrong)
        wrong = pk_key_init(&k->object, k->key.alg, &k->split);
    return wrong ? tool_error("no key of %s: %s", m.row->name, hr_strerror(wrong)) : EXIT_SUCCESS;
}

static int make_text(const char *verb)
{
    if (is_public(m.row) && !key_settings.uses)
        key_settings.uses = "sign";
    write_text();
    return check(verb);
}

/* ---- the file ---- */

/* Begins a file. What is no regular file would be written directly, and given away: the folder's
 * owner, whose key it is, could have put a link to a device in its place. */
static int begin_file(struct output *o, const char *path, bool replace)
{
    struct stat s;
    const bool is_other = !strcmp(path, "-") || (!stat(path, &s) && !S_ISREG(s.st_mode));
    if (!is_other && output_open(o, path, 0600, replace))
        return EXIT_FAILURE;
    if (!is_other && !o->direct)
        return EXIT_SUCCESS;
    if (!is_other)
        output_discard(o);
    return tool_error("%s: not a regular file", path);
}

static bool write_all(int fd, const char *text, size_t len)
{
    for (ssize_t n; len; text += n, len -= (size_t)n)
        if ((n = write(fd, text, len)) < 0)
            return false;
    return true;
}

int key_write(const char *path, const char *text, size_t len, bool replace)
{
    struct stat s;
    struct output o;
    if (stat(key_settings.folder, &s))
        return tool_error("%s: %s", key_settings.folder, strerror(errno));
    if (begin_file(&o, path, replace))
        return EXIT_FAILURE;
    if ((!geteuid() && fchown(o.fd, s.st_uid, s.st_gid)) || !write_all(o.fd, text, len)) {
        tool_error("%s: %s", path, strerror(errno));
        output_discard(&o);
        return EXIT_FAILURE;
    }
    return output_commit(&o) ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Writes the key's file, sealed if that is asked for. */
static int store(const char *path, const char *name)
{
    const char *folder = key_settings.folder;
    struct stat s;
    if (mkdir(folder, 0700) && errno != EEXIST)
        return tool_error("%s: %s", folder, strerror(errno));
    if (stat(folder, &s))
        return tool_error("%s: %s", folder, strerror(errno));
    if (s.st_mode & (S_IWGRP | S_IWOTH))
        return tool_error("%s: other users may write to it; chmod 0700 it first", folder);
    if (!key_settings.replace && !access(path, F_OK))
        return tool_error("%s: exists already, and programs may depend on it; remove it first, or "
                          "say --replace",
                          path);
    const int code = key_settings.seal ? key_seal(m.text, &m.len, name) : EXIT_SUCCESS;
    return code ? code : key_write(path, m.text, m.len, key_settings.replace);
}

/* ---- the commands ---- */

static int finish(int code, const char *name)
{
    if (!code) {
        key_print(name, m.text, m.len);
        if (key_settings.seal)
            puts("headrace accel key unlock makes the key that opens it.");
        puts("headrace accel reload makes the service read it.");
    }
    explicit_bzero(&m, sizeof m);
    return tool_finish(code);
}

static int choose_row(void)
{
    const char *name = key_settings.algorithm;
    if (!name)
        return tool_usage("accel key new: name the key's algorithm by --algorithm");
    m.row = algorithm_named(name);
    if (!m.row)
        return EXIT_USAGE;
    if (!algorithm_name_has_mode(m.row, name))
        return tool_usage("accel key new: %s names no mode; say one, as in AES-256-GCM", name);
    return is_public(m.row) || hr_class_of(m.row)->has & HR_HAS_KEY
               ? EXIT_SUCCESS
               : tool_usage("accel key new: %s takes no key", m.row->name);
}

int key_new_main(const char *name)
{
    char path[PATH_MAX];
    int code = key_path(path, name);
    if (!code)
        code = choose_row();
    if (!code)
        code = is_public(m.row) ? make_public() : make_symmetric();
    if (!code)
        code = make_text("new");
    return finish(code ? code : store(path, name), name);
}

int key_import_main(const char *name)
{
    char path[PATH_MAX];
    int code = key_path(path, name);
    if (!code && !key_settings.from)
        code = tool_usage("accel key import: name the file in PEM by --from");
    if (!code)
        code = key_read_pem(&m.row, &m.parts, key_settings.from);
    if (!code && key_settings.algorithm && strcasecmp(key_settings.algorithm, m.row->name))
        code = tool_error("%s: a key of %s", key_settings.from, m.row->name);
    if (!code)
        code = make_text("import");
    return finish(code ? code : store(path, name), name);
}
