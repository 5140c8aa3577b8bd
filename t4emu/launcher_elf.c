/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether a file is a program into which the library can be preloaded. The file may be
 * anything: libelf checks offsets and sizes. */
#define _GNU_SOURCE
#include "launcher.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The dynamic loader that the program names, or "". */
static void interpreter(Elf *elf, int fd, char name[PATH_MAX])
{
    size_t count;
    *name = '\0';
    if (elf_getphdrnum(elf, &count))
        return;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_INTERP ||
            segment.p_filesz >= PATH_MAX || segment.p_offset > INT64_MAX)
            continue;
        const ssize_t len = pread(fd, name, segment.p_filesz, (off_t)segment.p_offset);
        name[len < 0 ? 0 : len] = '\0';
        return;
    }
}

static int check_elf(Elf *elf, int fd, const char *path, const char *sysroot)
{
    GElf_Ehdr header;
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header)) {
        tool_error("%s: not a program, but a script or data; name a sparc64 program, or the "
                   "script's interpreter",
                   path);
        return EXIT_NOT_RUNNABLE;
    }
    if (header.e_machine != EM_SPARCV9 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2MSB ||
        (header.e_type != ET_EXEC && header.e_type != ET_DYN)) {
        tool_error("%s: not a program for 64-bit SPARC", path);
        return EXIT_NOT_RUNNABLE;
    }
    char loader[PATH_MAX], place[2 * PATH_MAX];
    interpreter(elf, fd, loader);
    if (!*loader) {
        tool_error("%s: linked statically: nothing can be preloaded into it", path);
        return EXIT_NOT_RUNNABLE;
    }
    const int n = snprintf(place, sizeof place, "%s%s", sysroot, loader);
    if (n < 0 || (size_t)n >= sizeof place || (access(place, R_OK) && access(loader, R_OK))) {
        tool_error(
            "%s needs %s, which is not below %s: install the C library for sparc64 (Debian's "
            "package libc6-sparc64-cross), or name another folder with --sysroot",
            path, loader, sysroot);
        return EXIT_OURS;
    }
    return 0;
}

int elf_check_program(const char *path, const char *sysroot)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        tool_error("%s: %s", path, strerror(errno));
        return EXIT_NOT_RUNNABLE;
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const int status = check_elf(elf, fd, path, sysroot);
    elf_end(elf);
    close(fd);
    return status;
}
