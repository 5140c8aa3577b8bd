/* SPDX-License-Identifier: Apache-2.0
 *
 * The digest of a file.
 */
#include "sums.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* As much as stays in a core's second-level cache between reading and hashing. */
enum { PIECE = 128 * 1024 };

static bool add_all(struct hr_digest_ctx *message, int fd)
{
    static uint8_t piece[PIECE] __attribute__((aligned(4096)));
    for (;;) {
        const ssize_t n = read(fd, piece, sizeof piece);
        if (n == 0)
            return true;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || hr_digest_update(message, piece, (size_t)n))
            return false;
    }
}

enum sums_read sums_file(uint8_t out[HR_DIGEST_MAX_OUT], hr_alg alg, const char *path,
                         bool missing_is_fine)
{
    const bool standard = !strcmp(path, "-");
    const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct hr_digest_ctx message;
    if (fd < 0 && errno == ENOENT && missing_is_fine)
        return SUMS_MISSING;
    if (fd < 0) {
        sums_complain(path, "%s", strerror(errno));
        return SUMS_FAILED;
    }
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* only advice: a pipe takes none */
    errno = EINVAL;
    const bool good =
        !hr_digest_init(&message, alg) && add_all(&message, fd) && !hr_digest_final(&message, out);
    if (!good)
        sums_complain(path, "%s", strerror(errno));
    if (!standard)
        close(fd);
    return good ? SUMS_READ : SUMS_FAILED;
}
