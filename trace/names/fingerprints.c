/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the database of fingerprints, a text file with one line for each function, sorted:
 *
 *     HASH NAME ORIGIN
 *
 * HASH has 32 hexadecimal digits, NAME has no spaces, ORIGIN is the rest of the line. # begins a
 * comment.
 */
#define _GNU_SOURCE
#include "fingerprints.h"
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE = 1 << 26, HASH = 16, MAX_TEXT = 255 };

/* ---- one line ---- */

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_hash(uint8_t out[HASH], const char *text)
{
    for (size_t i = 0; i < HASH; i++) {
        const int high = digit(text[2 * i]);
        const int low = high < 0 ? -1 : digit(text[2 * i + 1]);
        if (low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool is_plain(const char *text)
{
    if (!*text || strlen(text) > MAX_TEXT)
        return false;
    for (; *text; text++)
        if (*text < 0x20 || *text > 0x7e)
            return false;
    return true;
}

/* Parses a line, which ends with a NUL; NULs are put behind its fields. */
static bool parse_line(struct fingerprint *out, char *line)
{
    char *name = line + 2 * HASH + 1;
    if (strlen(line) <= 2 * HASH || name[-1] != ' ' || !parse_hash(out->hash, line))
        return false;
    char *origin = strchr(name, ' ');
    if (!origin)
        return false;
    *origin++ = '\0';
    out->name = name;
    out->origin = origin;
    return is_plain(name) && is_plain(origin);
}

/* ---- all lines ---- */

int fingerprint_order(const void *a, const void *b)
{
    return memcmp(((const struct fingerprint *)a)->hash, ((const struct fingerprint *)b)->hash,
                  HASH);
}

static bool append(struct fingerprints *db, size_t *room, const struct fingerprint *one)
{
    if (db->num == *room) {
        const size_t more = 2 * *room + 256;
        struct fingerprint *at = realloc(db->at, more * sizeof *at);
        if (!at)
            return false;
        db->at = at;
        *room = more;
    }
    db->at[db->num++] = *one;
    return true;
}

bool fingerprints_parse(struct fingerprints *db, const char *text, size_t len)
{
    size_t room = 0;
    *db = (struct fingerprints){ .text = malloc(len + 1) };
    if (!db->text)
        return false;
    memcpy(db->text, text, len);
    db->text[len] = '\0';
    bool ok = true;
    for (char *line = db->text, *end; ok && line < db->text + len; line = end + 1) {
        struct fingerprint one;
        end = memchr(line, '\n', (size_t)(db->text + len - line));
        end = end ? end : db->text + len;
        *end = '\0';
        if (*line && *line != '#')
            ok = strlen(line) == (size_t)(end - line) && parse_line(&one, line) &&
                 append(db, &room, &one);
    }
    if (!ok) {
        fingerprints_free(db);
        return false;
    }
    if (db->num)
        qsort(db->at, db->num, sizeof *db->at, fingerprint_order);
    return true;
}

static char *read_all(const char *path, size_t *len)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    char *text = NULL;
    *len = 0;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MAX_FILE)
        text = malloc((size_t)st.st_size + 1);
    while (text && *len < (size_t)st.st_size) {
        const ssize_t n = read(fd, text + *len, (size_t)st.st_size - *len);
        if (n <= 0)
            break;
        *len += (size_t)n;
    }
    close(fd);
    return text;
}

bool fingerprints_read(struct fingerprints *db, const char *path)
{
    size_t len;
    char *text = read_all(path, &len);
    *db = (struct fingerprints){ .num = 0 };
    const bool ok = text && fingerprints_parse(db, text, len);
    free(text);
    return ok;
}

void fingerprints_free(struct fingerprints *db)
{
    free(db->at);
    free(db->text);
    *db = (struct fingerprints){ .num = 0 };
}

const struct fingerprint *fingerprints_find(const struct fingerprints *db, const uint8_t hash[16])
{
    struct fingerprint key = { .name = NULL };
    memcpy(key.hash, hash, HASH);
    return db->num ? bsearch(&key, db->at, db->num, sizeof key, fingerprint_order) : NULL;
}

/* ---- the installed database ---- */

#define FILE_NAME "/fingerprints.txt"

static struct fingerprints shipped;

/* The path of a database beside the program, as in a build tree; NULL if there is none. */
static const char *module_beside_program(void)
{
    static char path[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", path, sizeof path - sizeof FILE_NAME);
    char *end = len > 0 ? memrchr(path, '/', (size_t)len) : NULL;
    if (!end)
        return NULL;
    strcpy(end, FILE_NAME);
    return access(path, R_OK) ? NULL : path;
}

static const char *found_path;

static void find_path(void)
{
    found_path = module_beside_program();
    if (!found_path)
        found_path = HEADRACE_DATADIR FILE_NAME;
}

static const char *shipped_path(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *path = secure_getenv("HEADRACE_FINGERPRINTS");
    pthread_once(&once, find_path);
    return path ? path : found_path;
}

static void read_shipped(void)
{
    fingerprints_read(&shipped, shipped_path());
}

const char *fingerprints_missing(void)
{
    fingerprint_lookup((const uint8_t[HASH]){ 0 });
    return shipped.num ? NULL : shipped_path();
}

struct fingerprint_version fingerprint_version(void)
{
    struct stat st;
    if (stat(shipped_path(), &st))
        return (struct fingerprint_version){ 0 };
    return (struct fingerprint_version){ (uint64_t)st.st_ino, (uint64_t)st.st_size,
                                         (uint64_t)st.st_mtim.tv_sec,
                                         (uint64_t)st.st_mtim.tv_nsec };
}

const struct fingerprint *fingerprint_lookup(const uint8_t hash[16])
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_shipped);
    return fingerprints_find(&shipped, hash);
}
