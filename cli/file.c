/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "file.h"
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 64 << 20 }; /* in bytes: no configuration is longer, and /dev/zero is endless */

static int copy_stream(FILE *in, FILE *out)
{
    char part[4096];
    size_t n, total = 0;
    while ((n = fread(part, 1, sizeof part, in)) > 0 && (total += n) <= MOST)
        fwrite(part, 1, n, out);
    if (total > MOST)
        errno = EFBIG;
    return ferror(in) || total > MOST ? -1 : 0;
}

/* Opens a file for reading. A FIFO is refused, because opening it would wait for a writer. A
 * device is allowed: /dev/null is an empty configuration. */
static FILE *open_to_read(const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) || S_ISFIFO(st.st_mode)) {
        close(fd);
        errno = ENOTSUP;
        return NULL;
    }
    return fdopen(fd, "r");
}

char *file_read(const char *path, size_t *len)
{
    char *text = NULL;
    int failed = -1;
    FILE *in = open_to_read(path);
    FILE *out = in ? open_memstream(&text, len) : NULL;
    if (out)
        failed = copy_stream(in, out);
    if (failed)
        tool_error("cannot read %s: %s", path, strerror(errno));
    if (out && fclose(out))
        failed = tool_error("cannot read %s: %s", path, strerror(errno));
    if (in)
        fclose(in);
    if (!failed)
        return text;
    free(text);
    return NULL;
}

int file_make_parents(const char *path)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    for (char *slash = strchr(directory + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(directory, 0755) && errno != EEXIST)
            return tool_error("cannot make %s: %s", directory, strerror(errno));
        *slash = '/';
    }
    return EXIT_SUCCESS;
}
