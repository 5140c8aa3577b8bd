/* SPDX-License-Identifier: Apache-2.0 */
/* Sealed key files: what is sealed opens to what it was; no changed, cut or longer file opens, nor
 * one under another name or key. */
#define _GNU_SOURCE
#include "config/seal.h"
#include "config/keyfile.h"
#include "test.h"

static const char terms[] = "algorithm = Ed25519\nuse = sign\nuid = 1000\n";
static struct seal_key key;

static void make_key(struct seal_key *k)
{
    random_bytes(k, sizeof *k);
    k->seal.lanes %= 16;
    k->seal.memory %= 1 << 18;
    k->seal.passes %= 16;
    seal_check(k->seal.check, k);
}

/* ---- a file ---- */

struct file {
    char text[KEYS_MAX_FILE];
    size_t len;
};

static void put(struct file *f, const void *bytes, size_t len)
{
    memcpy(f->text + f->len, bytes, len);
    f->len += len;
}

/* make makes a key file whose private part is a line of this many digits, or for 0 none. */
static size_t make(struct file *f, size_t digits)
{
    f->len = 0;
    put(f, terms, sizeof terms - 1);
    const size_t at = f->len;
    if (digits)
        put(f, "private = ", 10);
    for (size_t i = 0; i < digits; i++)
        put(f, &"0123456789abcdef"[random_below(16)], 1);
    if (digits)
        put(f, "\n", 1);
    return at;
}

static const char *seal(struct file *f, size_t at, size_t max)
{
    uint8_t salt[SEAL_SALT];
    random_bytes(salt, sizeof salt);
    return seal_close(f->text, &f->len, max, at, "web", &key, salt);
}

/* ---- tests ---- */

static void check_round(struct file *f, struct file *sealed, size_t digits)
{
    const size_t at = make(f, digits);
    *sealed = *f;
    if (seal(sealed, at, sizeof sealed->text))
        complain("%zu digits are not sealed", digits);
    if (digits > 8 && memmem(sealed->text, sealed->len, f->text + at + 10, digits))
        complain("%zu digits stand in the file", digits);
    if (memcmp(sealed->text, f->text, at) || !seal_is_there(sealed->text, sealed->len) ||
        seal_is_there(f->text, f->len))
        complain("%zu digits: wrong terms", digits);
    if (seal_open(sealed->text, &sealed->len, "web", &key) || sealed->len != f->len ||
        memcmp(sealed->text, f->text, f->len))
        complain("%zu digits are not what they were", digits);
}

static void test_rounds(struct file *f, struct file *sealed)
{
    for (size_t digits = 0; digits < 600; digits += 1 + digits / 100)
        check_round(f, sealed, digits);
    check_round(f, sealed, 2 * CONTROL_LENT);
    tap(1, "what is sealed opens to what it was, for private parts of 0 to %d digits",
        2 * CONTROL_LENT);
}

/* A file is sealed into the least memory in which it fits, and not into less. */
static void test_room(struct file *f, struct file *sealed)
{
    for (size_t digits = 0; digits < 400; digits++) {
        const size_t at = make(f, digits);
        *sealed = *f;
        if (seal(sealed, at, sizeof sealed->text))
            complain("%zu digits are not sealed", digits);
        const size_t least = sealed->len;
        *sealed = *f;
        if (!seal(sealed, at, least - 1))
            complain("%zu digits fit where they do not", digits);
        *sealed = *f;
        if (seal(sealed, at, least) || seal_open(sealed->text, &sealed->len, "web", &key) ||
            sealed->len != f->len || memcmp(sealed->text, f->text, f->len))
            complain("%zu digits do not fit where they do", digits);
    }
    tap(1, "a file is sealed into the least memory that has room, and not into less");
}

static void refuse(const struct file *sealed, size_t len, const char *name,
                   const struct seal_key *by, const char *how, size_t where)
{
    static struct file copy;
    memcpy(copy.text, sealed->text, len);
    if (!seal_is_there(copy.text, len))
        complain("%s %zu: not taken for a sealed file", how, where);
    copy.len = len;
    if (!seal_open(copy.text, &copy.len, name, by))
        complain("%s %zu: opens", how, where);
}

static void test_changes(struct file *f, struct file *sealed)
{
    const size_t at = make(f, 64);
    *sealed = *f;
    if (seal(sealed, at, sizeof sealed->text))
        complain("not sealed");
    for (size_t i = 0; i < 8 * sealed->len; i++) {
        sealed->text[i / 8] ^= (char)(1 << i % 8);
        refuse(sealed, sealed->len, "web", &key, "bit", i);
        sealed->text[i / 8] ^= (char)(1 << i % 8);
    }
    tap(1, "a file with a changed bit does not open");
    for (size_t len = at + 10; len < sealed->len; len++)
        refuse(sealed, len, "web", &key, "length", len);
    sealed->text[sealed->len] = '\n';
    refuse(sealed, sealed->len + 1, "web", &key, "length", sealed->len + 1);
    sealed->text[sealed->len - 1] = '0';
    refuse(sealed, sealed->len + 1, "web", &key, "an odd number of digits", 0);
    sealed->text[sealed->len - 1] = '\n';
    tap(1, "a file that is cut or longer does not open");
}

/* The same bytes in other lines are a changed file, too. */
static void test_forms(struct file *f, struct file *sealed)
{
    const size_t at = make(f, 37); /* so that the last sealed line is full */
    *sealed = *f;
    if (seal(sealed, at, sizeof sealed->text))
        complain("not sealed");
    const char *line = memmem(sealed->text, sealed->len, "\nsealed = ", 10);
    const size_t middle = (size_t)(line - sealed->text) + 10 + 64;
    f->len = 0;
    put(f, sealed->text, middle);
    put(f, "\nsealed = ", 10);
    put(f, sealed->text + middle, sealed->len - middle);
    refuse(f, f->len, "web", &key, "a line that is cut in two", 0);
    f->len = 0;
    put(f, sealed->text, sealed->len);
    put(f, "sealed = \n", 10);
    refuse(f, f->len, "web", &key, "a line without digits", 0);
    tap(1, "bytes have one form only");
}

static void test_others(const struct file *sealed)
{
    struct seal_key other = key;
    for (const char *const *name = (const char *const[]){ "", "we", "webb", "Web", NULL }; *name;
         name++)
        refuse(sealed, sealed->len, *name, &key, *name, 0);
    for (size_t i = 0; i < 8 * SEAL_KEY; i++) {
        other.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        refuse(sealed, sealed->len, "web", &other, "key", i);
        other.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    other.seal.passes++;
    refuse(sealed, sealed->len, "web", &other, "passes", 0);
    static struct file copy;
    copy = *sealed;
    tap(!seal_open(copy.text, &copy.len, "web", &key),
        "a file opens under its name and its key, and no other");
}

static void test_key_files(void)
{
    char text[SEAL_KEY_FILE], error[LINES_ERROR];
    struct seal_key read;
    const size_t len = seal_key_text(text, &key);
    if (seal_key_parse(&read, text, len, error) || memcmp(&read, &key, sizeof key))
        complain("%s", error);
    for (size_t i = 0; i < 8 * (len - 1); i++) { /* the last newline is not needed */
        text[i / 8] ^= (char)(1 << i % 8);
        if (!seal_key_parse(&read, text, len, error) && memcmp(&read, &key, sizeof key))
            complain("bit %zu makes another key", i);
        text[i / 8] ^= (char)(1 << i % 8);
    }
    for (size_t i = 0; i + 1 < len; i++)
        if (!seal_key_parse(&read, text, i, error))
            complain("%zu bytes are a key", i);
    tap(1, "the file of a sealing key is read as it was written, or refused");
}

int main(void)
{
    static struct file f, sealed;
    make_key(&key);
    test_rounds(&f, &sealed);
    test_room(&f, &sealed);
    test_changes(&f, &sealed);
    test_others(&sealed);
    test_forms(&f, &sealed);
    test_key_files();
    return tap_done();
}
