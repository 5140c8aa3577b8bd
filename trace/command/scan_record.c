/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens and classifies one file, and writes the result as a record that a worker process hands to
 * its parent.
 */
#define _GNU_SOURCE
#include "../budget.h"
#include "../classify/classify.h"
#include "scan.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const arch_names[NUM_ARCHES] = {
    [ARCH_NONE] = "",       [ARCH_X86_64] = "x86-64",   [ARCH_X86_32] = "x86",
    [ARCH_ARM64] = "arm64", [ARCH_SPARC64] = "sparc64", [ARCH_PPC64] = "ppc64",
    [ARCH_S390X] = "s390x",
};

/* ---- writing ---- */

struct header {
    uint32_t state, num_functions;
    uint64_t num_all_functions;
    uint8_t stripped, go;
};

static void put_text(FILE *f, const char *text)
{
    const char *some = text ? text : "";
    fwrite(some, 1, strlen(some) + 1, f);
}

static void put_function(FILE *f, const struct finding *found, uint64_t start, const char *name,
                         uint8_t source)
{
    const uint8_t bytes[4] = { (uint8_t)found->family, (uint8_t)found->how, (uint8_t)found->grade,
                               source };
    fwrite(bytes, 1, sizeof bytes, f);
    fwrite(&start, 1, sizeof start, f);
    put_text(f, name);
    put_text(f, found->mode);
    put_text(f, found->variant);
    put_text(f, found->evidence);
}

enum { MAX_FINDINGS = 8 };

static bool worth_asking(const struct object *o, const struct function *f)
{
    return f->marks || f->constants || f->structure || (f->name && o->num_sites);
}

static uint32_t put_functions(FILE *f, struct object *o, uint64_t *families)
{
    struct finding found[MAX_FINDINGS];
    uint32_t num = 0;
    for (size_t i = 0; i < o->num_functions; i++) {
        const struct function *function = &o->functions[i];
        const size_t n = worth_asking(o, function)
                             ? classify_function(found, MAX_FINDINGS, o, function, false)
                             : 0;
        for (size_t k = 0; k < n; k++, num++) {
            *families |= (uint64_t)1 << found[k].family;
            put_function(f, &found[k], function->start, function->name, function->source);
        }
    }
    return num;
}

/* Writes the tables to which no known function refers, if they belong to an algorithm that
 * nothing else revealed. */
static uint32_t put_data(FILE *f, const struct object *o, uint64_t families)
{
    uint32_t num = 0;
    for (size_t i = 0; i < o->num_sites; i++) {
        const struct constant_info *info = constant_info((enum constant_bit)o->sites[i].bit);
        struct finding found = { .family = info->family, .how = HOW_SOFTWARE, .grade = GRADE_B };
        if (families >> info->family & 1)
            continue;
        families |= (uint64_t)1 << info->family;
        if (family_info(info->family)->kind == KIND_CHECKSUM)
            found.how = HOW_CHECKSUM;
        else if (family_info(info->family)->kind == KIND_ARITHMETIC)
            found.how = HOW_ARITHMETIC;
        snprintf(found.evidence, sizeof found.evidence, "%s in its data", info->text);
        put_function(f, &found, o->sites[i].address, "", NAME_NONE);
        num++;
    }
    return num;
}

static int put_object(FILE *record, struct object *o)
{
    struct header h = { .state = SCAN_READ,
                        .num_all_functions = o->num_functions,
                        .stripped = o->is_stripped,
                        .go = o->is_go };
    uint64_t families = 0;
    char *text = NULL;
    size_t len = 0;
    FILE *body = open_memstream(&text, &len);
    if (!body)
        return -1;
    put_text(body, arch_names[(unsigned)o->arch < NUM_ARCHES ? o->arch : ARCH_NONE]);
    put_text(body, o->build_id);
    h.num_functions = put_functions(body, o, &families);
    h.num_functions += put_data(body, o, families);
    const int failed = fclose(body);
    if (!failed) {
        fwrite(&h, 1, sizeof h, record);
        fwrite(text, 1, len, record);
    }
    free(text);
    return failed ? -1 : 0;
}

static int put_state(FILE *record, enum scan_state state, const char *why)
{
    const struct header h = { .state = state };
    fwrite(&h, 1, sizeof h, record);
    put_text(record, why);
    return 0;
}

int scan_encode_failure(FILE *record, const char *why)
{
    return put_state(record, SCAN_FAILED, why);
}

static bool is_elf(int fd)
{
    char magic[4];
    return pread(fd, magic, sizeof magic, 0) == sizeof magic && !memcmp(magic, "\177ELF", 4);
}

int scan_encode(FILE *record, const char *path, bool no_cache)
{
    const struct object_options options = { .use_cache = !no_cache,
                                            .use_debuginfo = true,
                                            .use_fingerprints = true };
    const char *why = "";
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return put_state(record, SCAN_FAILED, strerror(errno));
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_elf(fd)) {
        close(fd);
        return put_state(record, SCAN_NOT_ELF, "");
    }
    struct object *o = object_open(fd, path, &options, &why);
    close(fd);
    if (!o)
        return put_state(record, SCAN_FAILED, why);
    budget_enter();
    const int failed = put_object(record, o);
    const bool late = budget_look();
    budget_leave();
    object_free(o);
    if (late) { /* what was written is of a part only */
        rewind(record);
        return put_state(record, SCAN_FAILED, budget_no_time);
    }
    return failed;
}

/* ---- reading ---- */

struct reader {
    const char *at, *end;
    bool failed;
};

static void take(struct reader *r, void *out, size_t len)
{
    r->failed |= (size_t)(r->end - r->at) < len;
    if (r->failed) {
        memset(out, 0, len);
        return;
    }
    memcpy(out, r->at, len);
    r->at += len;
}

static const char *take_text(struct reader *r)
{
    const char *text = r->at, *end = r->failed ? NULL : memchr(r->at, 0, (size_t)(r->end - r->at));
    r->failed |= !end;
    if (r->failed)
        return "";
    r->at = end + 1;
    return text;
}

static void take_function(struct reader *r, struct scan_function *f)
{
    uint8_t bytes[4];
    take(r, bytes, sizeof bytes);
    take(r, &f->start, sizeof f->start);
    f->family = bytes[0] < NUM_FAMILIES ? bytes[0] : FAMILY_NONE;
    f->how = bytes[1] < NUM_HOWS ? bytes[1] : HOW_NONE;
    f->grade = bytes[2];
    f->source = bytes[3];
    f->name = take_text(r);
    f->mode = take_text(r);
    f->variant = take_text(r);
    f->evidence = take_text(r);
}

int scan_decode(struct scan_file *file, char *record, size_t len)
{
    struct reader r = { record, record + len, false };
    struct header h;
    take(&r, &h, sizeof h);
    file->record = record;
    file->state = h.state;
    file->why = "";
    if (h.state != SCAN_READ) {
        file->why = take_text(&r);
        return r.failed ? -1 : 0;
    }
    file->stripped = h.stripped;
    file->go = h.go;
    file->num_all_functions = h.num_all_functions;
    file->arch = take_text(&r);
    file->build_id = take_text(&r);
    if (h.num_functions > len || /* each function takes more than a byte */
        !budget_take((h.num_functions + (size_t)1) * sizeof *file->functions))
        return -1;
    file->functions = calloc(h.num_functions + (size_t)1, sizeof *file->functions);
    if (!file->functions)
        return -1;
    for (uint32_t i = 0; i < h.num_functions && !r.failed; i++)
        take_function(&r, &file->functions[file->num_functions++]);
    return r.failed ? -1 : 0;
}
