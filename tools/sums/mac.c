/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace mac: prints MACs of files as Solaris's mac(1) does, and checks lists. Keys come from a
 * file or the terminal, never from the command line, which every user of the machine can read.
 */
#define _GNU_SOURCE
#include "../../cli/algorithm.h"
#include "../key_sizes.h"
#include "../prompt.h"
#include "sums_forms.h"
#include <errno.h>
#include <fcntl.h>
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_KEY = 64 * 1024, MAX_NONCE = 1024 };

static const char *key_file, *nonce_hex;
static union hr_any_key expanded;

struct bytes {
    size_t len;
    uint8_t at[MAX_KEY + 1];
};

/* Whether keys may have any length, as HMAC's. */
static bool takes_any_key(const struct hr_algorithm *row)
{
    return hr_class_of(row)->has & HR_HAS_ANY_KEY;
}

/* Whether a key, or a key and a nonce, may be used for one message only: HMAC and CMAC have no
 * nonce, and may use a key for many messages. */
static bool takes_one_message(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_NMAC;
}

static const char *nonce_words(const struct hr_algorithm *row)
{
    if (!row->iv_len)
        return takes_one_message(row) ? ", for one message" : "";
    if (row->alg == HR_KASUMI_F9)
        return ", nonce: COUNT (32 bits), FRESH (32), DIRECTION (a byte, 00 or 01)";
    return row->alg == HR_POLY1305_AES ? ", nonce: 128 bits" : ", nonce: any length, best 96 bits";
}

/* Prints a row as Solaris's mac(1) does, with the lengths of keys in bits. */
static void list_solaris(const struct hr_algorithm *row)
{
    const bool any = takes_any_key(row);
    const int most = any ? MAX_KEY : row->key_len;
    key_sizes_row(sums_words(row).solaris, any ? 8 : 8 * most, 8 * most);
}

static int list(void)
{
    const struct hr_algorithm *row;
    const bool solaris = tool_called("mac");
    if (solaris)
        key_sizes_head();
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        if (!tool_is_mac(row))
            continue;
        if (solaris) {
            list_solaris(row);
            continue;
        }
        tool_say("%-16s ", sums_words(row).solaris);
        if (takes_any_key(row))
            puts("key: any length");
        else
            tool_say("key: %d bits%s\n", 8 * row->key_len, nonce_words(row));
    }
    return EXIT_SUCCESS;
}

/* ---- keys and nonces ---- */

/* Converts hexadecimal digits, in place or not. Returns false if the text is not hexadecimal. */
static bool from_hex(uint8_t *out, size_t *out_len, size_t out_size, const char *hex, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    if (len % 2 || len / 2 > out_size)
        return false;
    for (size_t i = 0; i < len; i++) {
        const char c = hex[i];
        const char *digit = memchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c, 16);
        if (!digit)
            return false;
        out[i / 2] = (uint8_t)((i % 2 ? out[i / 2] << 4 : 0) | (digit - digits));
    }
    *out_len = len / 2;
    return true;
}

/* Reads a key file. One byte more than the longest key is read, to detect longer files. */
static int read_key(struct bytes *key)
{
    const int fd = open(key_file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : 1;
    key->len = 0;
    while (n > 0 && key->len < sizeof key->at) {
        n = read(fd, key->at + key->len, sizeof key->at - key->len);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            key->len += (size_t)n;
    }
    const int error = errno;
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return tool_error("mac: key file %s: %s", key_file, strerror(error));
    return key->len > MAX_KEY
               ? tool_error("mac: key file %s: longer than %d bytes", key_file, MAX_KEY)
               : EXIT_SUCCESS;
}

/* Asks for a key on the terminal. The key of an HMAC is the line itself; other keys have a fixed
 * length and are typed as hexadecimal digits. */
static int type_key(struct bytes *key, const struct hr_algorithm *row)
{
    const bool digits = !takes_any_key(row);
    char line[1024];
    const int len = prompt_secret(line, sizeof line, digits ? "Enter key (hex):" : "Enter key:");
    int code = EXIT_SUCCESS;
    if (len < 0)
        return tool_error("mac: no key file (-k), and no key from the terminal: %s",
                          strerror(errno));
    if (!digits)
        memcpy(key->at, line, key->len = (size_t)len);
    else if (!from_hex(key->at, &key->len, MAX_KEY, line, (size_t)len))
        code = tool_error("mac: the typed key is not hexadecimal");
    explicit_bzero(line, sizeof line);
    return code;
}

static int expand(struct sums_kind *kind, const struct bytes *key)
{
    if (!key->len)
        return tool_error("mac: the key is empty");
    const int error = hr_any_key_init(&expanded, kind->row->alg, key->at, key->len);
    kind->key = &expanded;
    if (error == HR_EKEYLEN)
        return tool_error("mac: a key of %s has %d bytes, not %zu", kind->row->name,
                          kind->row->key_len, key->len);
    return error ? tool_error("mac: %s", hr_strerror(error)) : EXIT_SUCCESS;
}

static int take_key(struct sums_kind *kind)
{
    static struct bytes key;
    int code = key_file ? read_key(&key) : type_key(&key, kind->row);
    if (!code)
        code = expand(kind, &key);
    explicit_bzero(&key, sizeof key);
    return code;
}

static int take_nonce(struct sums_kind *kind)
{
    static uint8_t nonce[MAX_NONCE];
    const struct hr_algorithm *row = kind->row;
    const bool wants = row->iv_len;
    if (wants != (nonce_hex != NULL))
        return wants ? tool_usage(
                           "mac: %s needs a nonce that was never used with this key: --nonce HEX",
                           row->name)
                     : tool_usage("mac: %s takes no nonce", row->name);
    if (!wants)
        return EXIT_SUCCESS;
    if (!from_hex(nonce, &kind->nonce_len, sizeof nonce, nonce_hex, strlen(nonce_hex)) ||
        !kind->nonce_len)
        return tool_usage("mac: a nonce must be an even number of hexadecimal digits, not %s",
                          nonce_hex);
    const bool exact = row->alg == HR_POLY1305_AES || row->alg == HR_KASUMI_F9;
    if (exact && kind->nonce_len != row->iv_len)
        return tool_usage("mac: a nonce of %s has %d bytes, not %zu", row->name, row->iv_len,
                          kind->nonce_len);
    if (row->alg == HR_KASUMI_F9 && nonce[row->iv_len - 1] > 1)
        return tool_usage("mac: the last byte of a nonce of %s is DIRECTION, 00 or 01", row->name);
    kind->nonce = nonce;
    return EXIT_SUCCESS;
}

/* ---- the command ---- */

static const struct hr_algorithm *asked;

static bool is_asked(const struct hr_algorithm *row)
{
    return row == asked;
}

static int read_algorithm(int num_files)
{
    if (!sums_options.algorithm)
        return tool_usage("mac: -a ALG says which MAC; -l lists them");
    if (!(asked = algorithm_named(sums_options.algorithm)))
        return EXIT_USAGE;
    if (!tool_is_mac(asked))
        return tool_usage("mac: %s is no MAC; -l lists them", asked->name);
    if (takes_one_message(asked) && num_files > 1 && !sums_options.check)
        return tool_usage("mac: a %s of %s may be used for one message only: name one FILE",
                          asked->iv_len ? "nonce" : "key", asked->name);
    return EXIT_SUCCESS;
}

static int mac_main(int argc, char **argv)
{
    struct sums_kind kind = { 0 };
    int code = sums_options_check("mac");
    if (!code && sums_options.list)
        return tool_finish(list());
    if (!code)
        code = read_algorithm(argc);
    kind.row = asked;
    if (!code)
        code = take_nonce(&kind);
    if (!code)
        code = take_key(&kind);
    if (!code)
        code = tool_finish(sums_files(&kind, is_asked, argc, argv));
    explicit_bzero(&expanded, sizeof expanded);
    return code;
}

static const struct tool_option options[] = {
    SUMS_OPTIONS,
    { "key", 'k', "FILE", "read the key from FILE; else ask on the terminal", NULL, &key_file },
    { "nonce", 0, "HEX", "nonce, if needed; never use it twice with a key", NULL, &nonce_hex },
    { "iv", 0, "HEX", "the same", NULL, &nonce_hex },
    { .name = NULL },
};

const struct command mac_command = {
    .name = "mac",
    .operands = "[FILE]...",
    .summary = "print and check MACs of files",
    .options = options,
    .main = mac_main,
    .is_program = true,
};
