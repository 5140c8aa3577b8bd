/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes digests of small files, many at once (hr_digest_many): up to 64 files are read
 * when it is the first one's turn. Everything else, including files that cannot be read, is left to
 * sums_file.
 */
#include "sums.h"
#include <errno.h>
#include <fcntl.h>
#include <headrace/queue.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* All data read ahead fit into a core's second-level cache. */
enum { MANY = 64, SMALL = 64 * 1024, ROOM = 512 * 1024 };

/* Files `first` to end - 1 of a command; `place` is 1 + the index among those that were read, or
 * 0. */
struct group {
    int first, end;
    uint8_t place[MANY];
    uint8_t digests[MANY * HR_DIGEST_MAX_OUT];
    uint8_t *room;
};

/* Reads the whole file if it has at most `len` bytes; else returns -1. */
static ssize_t read_whole(int fd, uint8_t *out, size_t len)
{
    size_t got = 0;
    uint8_t more;
    for (;;) {
        const ssize_t n = got < len ? read(fd, out + got, len - got) : read(fd, &more, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            return (ssize_t)got;
        if (n < 0 || got == len)
            return -1;
        got += (size_t)n;
    }
}

/* Reads a small file. A device or a pipe is not even opened before its turn. */
static ssize_t read_small(const char *path, uint8_t *out, size_t len)
{
    struct stat status;
    if (!strcmp(path, "-") || stat(path, &status) || !S_ISREG(status.st_mode) ||
        status.st_size > (off_t)len)
        return -1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;
    const ssize_t got = read_whole(fd, out, len);
    close(fd);
    return got;
}

static void read_ahead(struct group *g, const struct hr_algorithm *row, char **paths, int num)
{
    const void *in[MANY];
    size_t len[MANY], used = 0, num_read = 0;
    memset(g->place, 0, sizeof g->place);
    if (!g->room && !(g->room = malloc(ROOM)))
        return;
    for (; g->end < num && g->end - g->first < MANY; g->end++) {
        const size_t room = ROOM - used < SMALL ? ROOM - used : SMALL;
        const ssize_t got = read_small(paths[g->end], g->room + used, room);
        if (got < 0 && room < SMALL)
            break; /* it may fit into the next group */
        if (got < 0)
            continue;
        in[num_read] = g->room + used;
        len[num_read] = (size_t)got;
        used += (size_t)got;
        g->place[g->end - g->first] = (uint8_t)++num_read;
    }
    if (hr_digest_many(g->digests, row->alg, in, len, num_read))
        memset(g->place, 0, sizeof g->place);
}

enum sums_read sums_file_of(uint8_t out[HR_DIGEST_MAX_OUT], const struct sums_kind *kind,
                            char **paths, int num, int i)
{
    static struct group g;
    const size_t out_len = kind->row->out_len;
    if (kind->key || num < 2)
        return sums_file(out, kind, paths[i], false);
    if (i >= g.end) {
        g.first = g.end = i;
        read_ahead(&g, kind->row, paths, num);
    }
    if (i >= g.end || !g.place[i - g.first])
        return sums_file(out, kind, paths[i], false);
    memcpy(out, g.digests + (g.place[i - g.first] - 1u) * out_len, out_len);
    return SUMS_READ;
}
