/* SPDX-License-Identifier: Apache-2.0
 *
 * Files and places that are not probed.
 */
#define _GNU_SOURCE
#include "count/probes_internal.h"
#include "test.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy_of_self(char *path, mode_t mode, off_t changed_at)
{
    static char buffer[1 << 16];
    strcpy(path, "/tmp/headrace-probes-XXXXXX");
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = mkostemp(path, O_CLOEXEC);
    ssize_t len;
    while ((len = read(from, buffer, sizeof buffer)) > 0)
        if (write(to, buffer, (size_t)len) != len)
            break;
    if (changed_at && pread(to, buffer, 1, changed_at) == 1) {
        buffer[0] ^= 1;
        if (pwrite(to, buffer, 1, changed_at) != 1)
            complain("cannot change the copy");
    }
    fchmod(to, mode);
    close(from);
    return to;
}

int main(void)
{
    const struct object_options options = { .use_cache = false };
    const char *why;
    char path[40], text[128] = "";
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct object *o = object_open(self, "probes_test", &options, &why);
    int setuid = copy_of_self(path, 04755, 0);
    tap(probes_verify_file(o, setuid, text, sizeof text) == -1 && strstr(text, "set-user-ID"),
        "set-user-ID files are refused");
    unlink(path);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    tap(probes_verify_file(o, null, text, sizeof text) == -1, "what is not a file is refused");
    o->build_id[0] ^= 1;
    tap(probes_verify_file(o, self, text, sizeof text) == -1 && strstr(text, "build-id"),
        "another build-id is refused");
    o->build_id[0] ^= 1;
    tap(!probes_verify_file(o, self, text, sizeof text), "the file itself is not");
    const struct function *f = NULL;
    for (size_t i = 0; i < o->num_functions; i++)
        if (o->functions[i].name && !strcmp(o->functions[i].name, "leaf_0"))
            f = &o->functions[i];
    uint64_t offset = 0;
    for (size_t i = 0; f && i < o->num_segments; i++)
        if (f->start - o->segments[i].vaddr < o->segments[i].file_len)
            offset = f->start - o->segments[i].vaddr + o->segments[i].offset;
    int changed = copy_of_self(path, 0755, (off_t)offset + 1);
    unlink(path);
    tap(f && probes_verify_place(o, f, f->start, offset, self) &&
            !probes_verify_place(o, f, f->start, offset, changed),
        "a place whose bytes changed is refused");
    close(setuid);
    close(null);
    close(changed);
    close(self);
    object_free(o);
    return tap_done();
}
