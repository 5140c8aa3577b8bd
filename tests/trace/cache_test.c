/* SPDX-License-Identifier: Apache-2.0 */
/* The tracer's cache of objects: an entry gives back what was written; damaged entries, and those
 * of other users, are not used. */
#define _GNU_SOURCE /* setresuid */
#include "elf_maker.h"
#include "object/object_private.h"
#include "test.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

static struct object_options cached = { .use_cache = true };

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same(const struct object *a, const struct object *b)
{
    bool ok = !strcmp(a->build_id, b->build_id) && a->arch == b->arch &&
              a->big_endian == b->big_endian && a->is_go == b->is_go &&
              a->is_static == b->is_static && a->is_stripped == b->is_stripped &&
              a->num_segments == b->num_segments && a->num_functions == b->num_functions &&
              a->num_sites == b->num_sites;
    for (size_t i = 0; ok && i < a->num_segments; i++) {
        const struct segment *x = &a->segments[i], *y = &b->segments[i];
        ok = x->vaddr == y->vaddr && x->offset == y->offset && x->file_len == y->file_len &&
             x->mem_len == y->mem_len && x->exec == y->exec && x->write == y->write;
    }
    for (size_t i = 0; ok && i < a->num_sites; i++)
        ok = a->sites[i].address == b->sites[i].address && a->sites[i].len == b->sites[i].len &&
             a->sites[i].bit == b->sites[i].bit;
    for (size_t i = 0; ok && i < a->num_functions; i++) {
        const struct function *x = &a->functions[i], *y = &b->functions[i];
        ok = x->start == y->start && x->end == y->end && x->proof == y->proof &&
             x->source == y->source && x->marks == y->marks && x->constants == y->constants &&
             same_text(x->name, y->name) && same_text(x->version, y->version);
    }
    return ok;
}

/* ---- the encoding ---- */

static struct object_private *decode(const uint8_t *bytes, size_t len)
{
    struct object_private *p = calloc(1, sizeof *p);
    uint8_t *exact = malloc(len + 1); /* so that a sanitizer sees its end */
    memcpy(exact, bytes, len);
    exact = realloc(exact, len ? len : 1);
    p->fd = -1;
    const bool ok = object_decode(p, exact, len);
    free(exact);
    p->object.segments = p->segments;
    p->object.sites = p->sites;
    p->object.functions = p->functions;
    if (ok)
        return p;
    object_free(&p->object);
    return NULL;
}

static const struct segment segments[] = { { 0x1000, 0, 4096, 8192, true, false },
                                           { UINT64_MAX - 9, 4096, 5, 9, false, true } };
static const struct constant_site sites[] = { { 0x1100, 256, 0 }, { 0x1100, 16, 1 } };
static const struct function functions[] = {
    { .start = 0x1000,
      .end = 0x1010,
      .name = "named",
      .proof = PROOF_FDE | PROOF_SYMBOL,
      .source = NAME_SYMBOL },
    { .start = 0x1010,
      .end = 0x1500,
      .marks = (marks)1 << (NUM_MARKS - 1),
      .constants = (constant_set)1 << (NUM_CONSTANTS - 1) | 1 },
    { .start = UINT64_MAX - 9,
      .end = UINT64_MAX - 1,
      .name = "far",
      .version = "Library 1.0",
      .proof = PROOF_FDE,
      .source = NAME_FINGERPRINT,
      .marks = 1 },
};
static const struct object made = {
    .build_id = "00112233",
    .arch = ARCH_PPC64,
    .big_endian = true,
    .is_static = true,
    .segments = segments,
    .num_segments = 2,
    .functions = functions,
    .num_functions = 3,
    .sites = sites,
    .num_sites = 2,
};

static void test_encoding(void)
{
    size_t len;
    uint8_t *bytes = object_encode(&made, &len);
    struct object_private *back = decode(bytes, len);
    tap(back && same(&made, &back->object), "cache: decoded is what was encoded");
    if (back)
        object_free(&back->object);

    int wrong = 0;
    for (size_t i = 0; i < len; i++)
        wrong += (back = decode(bytes, i)) != NULL;
    tap(!wrong, "cache: no part of an entry is taken for one");

    wrong = 0;
    for (int i = 0; i < 50000; i++) {
        uint8_t *damaged = malloc(len);
        memcpy(damaged, bytes, len);
        for (uint32_t n = 1 + random_below(3); n-- > 0;)
            damaged[8 + random_below((uint32_t)len - 8)] = (uint8_t)random_below(256);
        back = decode(damaged, len);
        for (size_t k = 0; back && k < back->object.num_functions; k++) {
            const struct function *f = &back->object.functions[k];
            wrong += f->end < f->start || (k && f->start < f[-1].end) || f->marks >> NUM_MARKS ||
                     f->constants >> NUM_CONSTANTS;
        }
        for (size_t k = 0; back && k < back->object.num_sites; k++)
            wrong += back->object.sites[k].bit >= NUM_CONSTANTS;
        if (back)
            object_free(&back->object);
        free(damaged);
    }
    tap(!wrong, "cache: a damaged entry is refused or orderly");
    free(bytes);
}

/* ---- files ---- */

static char base[] = "/tmp/headrace-cache-test-XXXXXX", folder[64], entry[512], object_path[64];

/* find_entry sets `entry` to the path of the cache's only entry. It returns false unless there is
 * exactly one. */
static bool find_entry(void)
{
    DIR *dir = opendir(folder);
    int num = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.') {
            snprintf(entry, sizeof entry, "%s/%s", folder, e->d_name);
            num++;
        }
    if (dir)
        closedir(dir);
    return num == 1;
}

static struct object *open_object(void)
{
    const char *why;
    const int fd = open(object_path, O_RDONLY | O_CLOEXEC);
    struct object *o = object_open(fd, object_path, &cached, &why);
    close(fd);
    return o;
}

static bool comes_from_cache(void)
{
    struct object *o = open_object();
    const bool result = o && o->cached;
    object_free(o);
    return result;
}

/* make_object writes an ELF file with one function, and zeros behind it so that it is large enough
 * for the cache. */
static bool make_object(void)
{
    static const struct maker_symbol symbol = { "one", MAKER_BASE + MAKER_FIRST, 64, STT_FUNC };
    static const uint8_t zeros[1 << 17];
    struct maker m = { 0 };
    uint8_t code[64];
    memset(code, 0x90, sizeof code);
    maker_section(&m, ".text", SHT_PROGBITS, SHF_EXECINSTR, maker_append(&m, code, 64), 64);
    maker_symbols(&m, &symbol, 1, false);
    maker_note(&m, "GNU", NT_GNU_BUILD_ID, "\x01\x23\x45\x67", 4);
    maker_finish(&m);
    FILE *f = fopen(object_path, "w");
    if (!f)
        return false;
    const bool ok =
        fwrite(m.bytes, 1, m.len, f) == m.len && fwrite(zeros, 1, sizeof zeros, f) == sizeof zeros;
    return !fclose(f) && ok;
}

static void damage(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || pwrite(fd, "Z", 1, 20) != 1)
        complain("%s cannot be damaged", path);
    close(fd);
}

static void test_files(void)
{
    struct object *cold = open_object();
    tap(cold && !cold->cached && find_entry(), "cache: the first time makes an entry");
    struct object *warm = open_object();
    tap(warm && warm->cached && !warm->image && same(cold, warm),
        "cache: the second time takes it, without reading the file");
    const struct function *f = warm ? object_function(warm, MAKER_BASE + MAKER_FIRST) : NULL;
    tap(f && object_code(warm, f).len == 64 && object_code(warm, f).bytes[0] == 0x90,
        "cache: code is read when it is asked for");
    object_free(cold);
    object_free(warm);

    tap(!chmod(entry, 0620) && !comes_from_cache() && find_entry() && comes_from_cache(),
        "cache: an entry that others may write is not believed, and made anew");
    damage(entry);
    tap(!comes_from_cache() && comes_from_cache(), "cache: nor is a damaged one");
    tap(!truncate(entry, 20) && !comes_from_cache() && comes_from_cache(),
        "cache: nor a short one");
    tap(!unlink(entry) && !symlink(object_path, entry) && !comes_from_cache(),
        "cache: nor a symbolic link");
    tap(!unlink(entry) && !mkfifo(entry, 0600) && !comes_from_cache(),
        "cache: nor a pipe, which is not waited for");
    unlink(entry);
    tap(!chmod(folder, 0777) && !comes_from_cache() && !find_entry() && !chmod(folder, 0700),
        "cache: a folder that others may write is not used");
    cached.use_fingerprints = true;
    tap(!comes_from_cache() && comes_from_cache() && !setenv("HEADRACE_FINGERPRINTS", base, 1) &&
            !comes_from_cache(),
        "cache: with other fingerprints it is another entry");
    tap(comes_from_cache() && make_object() && !comes_from_cache(),
        "cache: a file that was written again is another");
}

static void clean(void)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        snprintf(entry, sizeof entry, "%s/%s", folder, e->d_name);
        unlink(entry);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
    unlink(object_path);
    rmdir(base);
}

/* be_nobody makes root the user nobody, because root's cache is the whole system's. It returns
 * whether the process is no root then. */
static bool be_nobody(void)
{
    if (geteuid() != 0)
        return true;
    return !setresgid(65534, 65534, 65534) && !setresuid(65534, 65534, 65534) &&
           !prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* for the leak checker */
}

int main(void)
{
    test_encoding();
    if (!be_nobody() || !mkdtemp(base) || setenv("XDG_CACHE_HOME", base, 1)) {
        tap(0, "cache: a folder of an ordinary user");
        return tap_done();
    }
    snprintf(folder, sizeof folder, "%s/headrace", base);
    snprintf(object_path, sizeof object_path, "%s/object", base);
    if (make_object())
        test_files();
    else
        tap(0, "cache: %s can be written", object_path);
    clean();
    return tap_done();
}
