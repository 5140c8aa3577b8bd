/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the debug information of an object, which distributions install in a separate file named by
 * the build-id.
 */
#include "object_build.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool debuginfo_read(struct image *image, const char *build_id, const char **why)
{
    char path[128];
    *image = (struct image){ .bytes = NULL };
    *why = NULL;
    if (strlen(build_id) < 8)
        return false;
    snprintf(path, sizeof path, "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id, build_id + 2);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    const bool ok = image_read(image, fd, IMAGE_TABLES, why);
    close(fd);
    return ok;
}
