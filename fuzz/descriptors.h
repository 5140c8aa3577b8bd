/* SPDX-License-Identifier: Apache-2.0 */
/* For targets that check whether descriptors are left open. */
#ifndef HR_FUZZ_DESCRIPTORS_H
#define HR_FUZZ_DESCRIPTORS_H

#include "fuzz.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

/* Counts sockets, memfds and descriptors without a file type.  Others belong to the fuzzer, which
 * opens files and talks to a symbolizer. */
static inline unsigned count_descriptors(void)
{
    unsigned n = 0;
    DIR *dir = opendir("/proc/self/fd");
    CHECK(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        struct stat s;
        const int fd = atoi(entry->d_name);
        n += entry->d_name[0] != '.' && !fstat(fd, &s) &&
             (S_ISSOCK(s.st_mode) || !(s.st_mode & S_IFMT) || fcntl(fd, F_GET_SEALS) >= 0);
    }
    closedir(dir);
    return n;
}

#endif
