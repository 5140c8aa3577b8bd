/* SPDX-License-Identifier: Apache-2.0
 *
 * The cache of inventories on disk, so that a library is analysed once and not by each trace.
 * Root's cache is /var/cache/headrace, a user's is $XDG_CACHE_HOME/headrace or ~/.cache/headrace.
 * The name of a file is a hash of the object's identity and of the versions of this program and of
 * its fingerprints, on which the inventory depends. Only files that belong to us, and that nobody
 * else may write, are used. All failures are silent: then the object is analysed.
 */
#define _GNU_SOURCE /* secure_getenv */
#include "../budget.h"
#include "../names/names.h"
#include "object_build.h"
#include "object_private.h"
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    MAX_ENTRY = 64 << 20,  /* bytes of one entry */
    MAX_TOTAL = 128 << 20, /* bytes of all entries; the oldest ones are deleted */
    PREFIX = 1 << 14,      /* bytes at the beginning of an object, which contain its build-id */
};

static bool is_ours(int fd, mode_t type)
{
    struct stat st;
    return !fstat(fd, &st) && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid() &&
           !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static int open_folder(void)
{
    char path[4096] = "/var/cache/headrace";
    if (geteuid() != 0) {
        const char *base = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
        int n = -1;
        if (base && *base == '/')
            n = snprintf(path, sizeof path, "%s/headrace", base);
        else if (home && *home == '/')
            n = snprintf(path, sizeof path, "%s/.cache/headrace", home);
        if (n < 0 || (size_t)n >= sizeof path)
            return -1;
    }
    char *const last = strrchr(path, '/');
    *last = '\0';
    mkdir(path, 0700);
    *last = '/';
    mkdir(path, 0700);
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && !is_ours(fd, S_IFDIR)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Gets the build-id from the beginning of the file; false if it is not there. */
static bool read_build_id(char *out, size_t max, int fd)
{
    uint8_t prefix[PREFIX];
    struct elf elf;
    const char *why;
    bool is_go;
    const ssize_t len = pread(fd, prefix, sizeof prefix, 0);
    if (len <= 0 || !elf_read(&elf, prefix, (size_t)len, &why))
        return false;
    elf_build_id(out, max, &elf, &is_go);
    return *out;
}

bool cache_key(char out[CACHE_KEY_LEN + 1], int fd, const struct stat *st,
               const struct object_options *options)
{
    struct stat self = { 0 };
    struct {
        char build_id[80]; /* followed by zeros */
        uint64_t numbers[12];
        struct fingerprint_version fingerprints;
    } key = { 0 };
    if (!read_build_id(key.build_id, sizeof key.build_id, fd))
        return false;
    stat("/proc/self/exe", &self);
    const uint64_t numbers[] = {
        st->st_dev,
        st->st_ino,
        (uint64_t)st->st_size,
        (uint64_t)st->st_mtim.tv_sec,
        (uint64_t)st->st_mtim.tv_nsec,
        (uint64_t)st->st_ctim.tv_sec,
        (uint64_t)st->st_ctim.tv_nsec,
        self.st_ino,
        (uint64_t)self.st_size,
        (uint64_t)self.st_mtim.tv_sec,
        (uint64_t)self.st_mtim.tv_nsec,
        (uint64_t)options->use_debuginfo | options->use_fingerprints << 1,
    };
    static_assert(sizeof numbers == sizeof key.numbers, "one more number");
    memcpy(key.numbers, numbers, sizeof numbers);
    if (options->use_fingerprints)
        key.fingerprints = fingerprint_version();
    const XXH128_hash_t hash = XXH3_128bits(&key, sizeof key);
    snprintf(out, CACHE_KEY_LEN + 1, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    return true;
}

static uint8_t *read_entry(int folder, const char *name, size_t *len)
{
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    uint8_t *bytes = NULL;
    if (fd < 0)
        return NULL;
    if (is_ours(fd, S_IFREG) && !fstat(fd, &st) && st.st_size > 0 && st.st_size <= MAX_ENTRY &&
        budget_take((size_t)st.st_size) && (bytes = malloc((size_t)st.st_size)) &&
        read(fd, bytes, (size_t)st.st_size) != st.st_size) {
        free(bytes);
        bytes = NULL;
    }
    if (bytes) {
        *len = (size_t)st.st_size;
        futimens(fd, NULL); /* marks the entry as used, so that it is not deleted as the oldest */
    }
    close(fd);
    return bytes;
}

static void forget(struct object_private *p)
{
    free(p->segments);
    free(p->functions);
    free(p->sites);
    free(p->strings);
    char *const path = p->object.path;
    *p = (struct object_private){ .fd = p->fd, .identity = p->identity, .object.path = path };
}

bool cache_load(struct object_private *p, const char *key)
{
    size_t len;
    const int folder = open_folder();
    if (folder < 0)
        return false;
    uint8_t *bytes = read_entry(folder, key, &len);
    close(folder);
    if (!bytes)
        return false;
    /* The checksum detects errors of the disk. Contents that decode are well-formed whoever
     * wrote them. */
    uint64_t sum = 0;
    bool ok = len > sizeof sum;
    if (ok) {
        memcpy(&sum, bytes, sizeof sum);
        ok = sum == XXH3_64bits(bytes + sizeof sum, len - sizeof sum) &&
             object_decode(p, bytes + sizeof sum, len - sizeof sum);
    }
    free(bytes);
    if (!ok)
        forget(p);
    return ok;
}

/* ---- storing ---- */

struct old {
    struct timespec used;
    uint64_t len;
    char name[64]; /* of an entry, or of a half-written file that a killed process left */
};

static int by_age(const void *a, const void *b)
{
    const struct old *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static size_t list_entries(DIR *dir, struct old **olds, uint64_t *total)
{
    size_t num = 0, max = 0;
    struct stat st;
    for (struct dirent *e; (e = readdir(dir));) {
        if (strlen(e->d_name) >= sizeof(*olds)->name ||
            fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        if (num == max) {
            max = max ? 2 * max : 256;
            struct old *more = realloc(*olds, max * sizeof *more);
            if (!more)
                return num;
            *olds = more;
        }
        struct old *o = &(*olds)[num++];
        *o = (struct old){ .used = st.st_mtim, .len = (uint64_t)st.st_size };
        strcpy(o->name, e->d_name);
        *total += o->len;
    }
    return num;
}

static void drop_oldest(int folder)
{
    const int fd = dup(folder);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct old *olds = NULL;
    uint64_t total = 0;
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    const size_t num = list_entries(dir, &olds, &total);
    if (num)
        qsort(olds, num, sizeof *olds, by_age);
    for (size_t i = 0; i < num && total > MAX_TOTAL; i++) {
        unlinkat(folder, olds[i].name, 0);
        total -= olds[i].len;
    }
    free(olds);
    closedir(dir);
}

static bool write_all(int fd, const uint8_t *bytes, size_t len)
{
    while (len) {
        const ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

void cache_store(const struct object_private *p, const char *key)
{
    char beside[CACHE_KEY_LEN + 32];
    size_t len;
    const int folder = open_folder();
    if (folder < 0)
        return;
    snprintf(beside, sizeof beside, ".%s.%ld", key, (long)getpid());
    uint8_t *bytes = object_encode(&p->object, &len);
    const int fd = bytes && len <= MAX_ENTRY
                       ? openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
                       : -1;
    if (fd >= 0) {
        const uint64_t sum = XXH3_64bits(bytes, len);
        const bool written =
            write_all(fd, (const uint8_t *)&sum, sizeof sum) && write_all(fd, bytes, len);
        if (close(fd) || !written || renameat(folder, beside, folder, key))
            unlinkat(folder, beside, 0);
        else if (key[CACHE_KEY_LEN - 1] == '0') /* one store in sixteen checks the total size */
            drop_oldest(folder);
    }
    free(bytes);
    close(folder);
}
