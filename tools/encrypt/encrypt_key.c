/* SPDX-License-Identifier: Apache-2.0
 *
 * Key files, passphrases, and the derivation of keys from them (docs/file-format.md).
 */
#include "encrypt_key.h"
#include "../../cli/tool.h"
#include "../output.h"
#include "../prompt.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <headrace/algorithms.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct secrets secrets;

struct secrets *key_secrets_begin(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }); /* a core dump would contain the secrets */
    (void)!mlock(&secrets, sizeof secrets);
    return &secrets;
}

void key_secrets_wipe(void)
{
    explicit_bzero(&secrets, sizeof secrets);
}

int key_random(uint8_t *out, size_t out_len)
{
    for (size_t n = 0; n < out_len;) {
        const ssize_t got = getrandom(out + n, out_len - n, 0);
        if (got < 0 && errno != EINTR)
            return tool_error("no random bytes: %s", strerror(errno)), -1;
        if (got > 0)
            n += (size_t)got;
    }
    return 0;
}

/* ---- secrets of the user ---- */

static void warn_of_readers(const char *path, int fd)
{
    struct stat info;
    if (!fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_mode & (S_IRWXG | S_IRWXO))
        tool_error("warning: other users can read %s; chmod go= it", path);
}

/* Reads a small file completely into `input`; `what` is its name in messages. */
static int take_file(struct secrets *s, const char *path, const char *what)
{
    const bool standard = !strcmp(path, "-");
    const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t got = fd < 0 ? -1 : 1;
    if (fd >= 0 && !standard)
        warn_of_readers(path, fd);
    s->input_len = 0;
    while (got > 0 && s->input_len < sizeof s->input) {
        got = read(fd, s->input + s->input_len, sizeof s->input - s->input_len);
        if (got > 0)
            s->input_len += (size_t)got;
        else if (got < 0 && errno == EINTR)
            got = 1;
    }
    if (got < 0)
        tool_error("%s %s: %s", what, path, strerror(errno));
    else if (s->input_len > MAX_SECRET)
        tool_error("%s %s: more than %d bytes", what, path, MAX_SECRET);
    if (fd >= 0 && !standard)
        close(fd);
    return got < 0 || s->input_len > MAX_SECRET ? -1 : 0;
}

static const char *name_of(const struct key_source *source)
{
    return source->name ? source->name : "passphrase";
}

static int prompt(char *out, size_t *out_len, const char *question, const struct key_source *source)
{
    const int len = prompt_secret(out, MAX_SECRET, question);
    if (len >= 0) {
        *out_len = (size_t)len;
        return 0;
    }
    if (errno == ENXIO || errno == ENOTTY || errno == ENOENT)
        tool_error("no terminal to ask for a %s: see %s", name_of(source),
                   source->option ? source->option : "--passphrase-file");
    else if (errno == EMSGSIZE)
        tool_error("the %s has more than %d bytes", name_of(source), MAX_SECRET);
    else
        tool_error("no %s: %s", name_of(source), strerror(errno));
    return -1;
}

static int prompt_once(struct secrets *s, const struct key_source *source)
{
    char question[64];
    snprintf(question, sizeof question, "%s: ", name_of(source));
    *question = (char)toupper((unsigned char)*question);
    return prompt(s->input, &s->input_len, question, source);
}

static int prompt_twice(struct secrets *s, const struct key_source *source)
{
    static char again[MAX_SECRET + 1];
    size_t len = 0;
    (void)!mlock(again, sizeof again);
    if (prompt_once(s, source))
        return -1;
    const int result = prompt(again, &len, "Once more: ", source);
    const bool same = !result && len == s->input_len && !memcmp(again, s->input, len);
    explicit_bzero(again, sizeof again);
    if (!result && !same)
        tool_error("%s", source->name ? "the two differ" : "the passphrases differ");
    return same ? 0 : -1;
}

int key_passphrase(struct secrets *s, const struct key_source *source, bool twice)
{
    char what[64];
    int result;
    if (source->passphrase_file) {
        snprintf(what, sizeof what, "%s file", name_of(source));
        result = take_file(s, source->passphrase_file, what);
        const char *end = memchr(s->input, '\n', s->input_len);
        s->input_len = end ? (size_t)(end - s->input) : s->input_len;
    } else
        result = twice ? prompt_twice(s, source) : prompt_once(s, source);
    if (!result && !s->input_len)
        return tool_error("the %s is empty", name_of(source)), -1;
    return result;
}

int key_raw(struct secrets *s, const char *path)
{
    return take_file(s, path, "key file");
}

/* All ones if x < bound, else zero; bound is small. */
static unsigned below(unsigned x, unsigned bound)
{
    return 0 - (((x - bound) & ~x) >> 31);
}

/* The value of a hexadecimal digit, computed without a branch or an index that depends on it;
 * 256 if it is none. */
static unsigned digit(unsigned char c)
{
    const unsigned decimal = c - '0', letter = (c | 32U) - 'a';
    const unsigned is_decimal = below(decimal, 10), is_letter = below(letter, 6);
    return (decimal & is_decimal) | ((letter + 10) & is_letter) | (256 & ~(is_decimal | is_letter));
}

/* Converts 64 hexadecimal digits into a key. Returns whether all were digits. */
static bool from_hex(uint8_t out[KEY_LEN], const char *in)
{
    unsigned seen = 0;
    for (size_t i = 0; i < KEY_LEN; i++) {
        const unsigned high = digit((unsigned char)in[2 * i]);
        const unsigned low = digit((unsigned char)in[2 * i + 1]);
        seen |= high | low;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return seen < 16;
}

int key_file(struct secrets *s, const char *path)
{
    if (key_raw(s, path))
        return -1;
    if (s->input_len == KEY_LEN) {
        memcpy(s->key, s->input, KEY_LEN);
        return 0;
    }
    size_t len = s->input_len;
    while (len > 2 * KEY_LEN && (s->input[len - 1] == '\n' || s->input[len - 1] == '\r'))
        len--;
    if (len == 2 * KEY_LEN && from_hex(s->key, s->input))
        return 0;
    tool_error("key file %s: neither %d bytes nor %d hexadecimal digits; --new-key makes one", path,
               KEY_LEN, 2 * KEY_LEN);
    return -1;
}

static char to_digit(unsigned x)
{
    return (char)('0' + x + (((9 - x) >> 31) & 1) * ('a' - '0' - 10));
}

int key_new(const char *path)
{
    struct secrets *s = key_secrets_begin();
    struct output out;
    int result = -1;
    if (output_open(&out, path, 0600, false))
        return -1;
    if (key_random(s->key, KEY_LEN)) {
        output_discard(&out);
        return -1;
    }
    for (size_t i = 0; i < KEY_LEN; i++) {
        s->input[2 * i] = to_digit(s->key[i] >> 4);
        s->input[2 * i + 1] = to_digit(s->key[i] & 15);
    }
    s->input[2 * KEY_LEN] = '\n';
    if (write(out.fd, s->input, 2 * KEY_LEN + 1) == 2 * KEY_LEN + 1)
        result = output_commit(&out);
    else {
        tool_error("%s: %s", path, strerror(errno));
        output_discard(&out);
    }
    key_secrets_wipe();
    return result;
}

/* ---- keys of a file ---- */

int key_stretch(struct secrets *s, const struct key_source *source, const uint8_t salt[HEADER_SALT],
                const struct header_costs *costs, bool twice)
{
    if (!argon2_is_there)
        return tool_error("this build has no Argon2, which passphrases need"), -1;
    if (key_passphrase(s, source, twice))
        return -1;
    const char *wrong = argon2_passphrase(s->key, s->input, s->input_len, salt, costs);
    explicit_bzero(s->input, sizeof s->input);
    return wrong ? (tool_error("%s", wrong), -1) : 0;
}

static int stretch(struct secrets *s, const struct key_source *source, const struct header *header,
                   bool encrypting)
{
    if (source->key_file)
        return tool_error("the file was encrypted with a passphrase, not with a key file"), -1;
    return key_stretch(s, source, header->salt, &header->costs, encrypting);
}

int key_derive(struct secrets *s, const struct key_source *source, const struct header *header,
               bool encrypting)
{
    static const char label[] = "headrace encrypted file";
    uint8_t info[sizeof label - 1 + HEADER_LEN];
    if (header->kind == HEADER_KEY_FILE && !source->key_file)
        return tool_error("the file was encrypted with a key file: see --key-file"), -1;
    if (header->kind == HEADER_KEY_FILE ? key_file(s, source->key_file)
                                        : stretch(s, source, header, encrypting))
        return -1;
    memcpy(info, label, sizeof label - 1);
    header_build(info + sizeof label - 1, header);
    if (hr_hkdf(s->derived, sizeof s->derived, HR_HMAC_SHA256, header->salt, HEADER_SALT, s->key,
                KEY_LEN, info, sizeof info - HEADER_CHECK))
        return tool_error("the file's key cannot be derived"), -1;
    explicit_bzero(s->input, sizeof s->input);
    explicit_bzero(s->key, sizeof s->key);
    return 0;
}
