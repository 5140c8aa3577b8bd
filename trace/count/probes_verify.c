/* SPDX-License-Identifier: Apache-2.0
 *
 * The last check before a probe is placed. A probe inside an instruction kills the process, so the
 * file that is open now must be the one that was analysed: its build-id and the bytes at every
 * place must be the same.
 */
#include "probes_internal.h"
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void hexadecimal(char *out, size_t max, const uint8_t *bytes, size_t len)
{
    out[0] = 0;
    for (size_t i = 0; i < len && 2 * i + 3 <= max; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* Finds the build-id among the notes of one segment. */
static bool find_in_notes(char *out, size_t max, Elf_Data *notes)
{
    GElf_Nhdr note;
    size_t at = 0, name, description;
    while ((at = gelf_getnote(notes, at, &note, &name, &description)))
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            !memcmp((const char *)notes->d_buf + name, "GNU", 4)) {
            hexadecimal(out, max, (const uint8_t *)notes->d_buf + description, note.n_descsz);
            return true;
        }
    return false;
}

/* Gets GNU's build-id of an open file, in hexadecimal; "" if there is none. */
static void read_build_id(char *out, size_t max, int fd)
{
    out[0] = 0;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    size_t num = 0;
    if (!elf)
        return;
    if (elf_getphdrnum(elf, &num))
        num = 0;
    GElf_Phdr header;
    bool found = false;
    for (size_t i = 0; i < num && !found; i++) {
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE ||
            header.p_filesz > 1 << 20)
            continue;
        Elf_Data *notes = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz,
                                               header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
        found = notes && find_in_notes(out, max, notes);
    }
    elf_end(elf);
}

int probes_verify_file(const struct object *o, int fd, char *why, size_t max)
{
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        snprintf(why, max, "not a regular file");
        return -1;
    }
    if (st.st_mode & (S_ISUID | S_ISGID)) {
        snprintf(why, max, "set-user-ID and set-group-ID programs are not probed");
        return -1;
    }
    char now[sizeof o->build_id];
    read_build_id(now, sizeof now, fd);
    if (now[0] && strcmp(now, o->build_id)) {
        snprintf(why, max, "the file's build-id is not the one that was analysed");
        return -1;
    }
    return 0;
}

bool probes_verify_place(struct object *o, const struct function *f, uint64_t address,
                         uint64_t offset, int fd)
{
    uint8_t now[16];
    struct code code = object_code(o, f);
    uint64_t at = address - code.address;
    if (at >= code.len)
        return false;
    size_t len = code.len - at < sizeof now ? code.len - at : sizeof now;
    return pread(fd, now, len, (off_t)offset) == (ssize_t)len && !memcmp(now, code.bytes + at, len);
}
