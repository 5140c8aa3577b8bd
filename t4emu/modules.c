/* SPDX-License-Identifier: Apache-2.0 */
/* The files that are mapped, and where; each is added when one of its instructions is first
 * counted or named in a message. If a file is unloaded and another is mapped at its place, the
 * second is taken for the first. */
#define _GNU_SOURCE
#include "guest.h"
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum { MAX_MODULES = 256, NAMES = 64 * 1024 };

struct module {
    uint64_t start, end, bias;
    const char *path;
};
static struct module modules[MAX_MODULES];
static unsigned num_modules; /* the modules below this number are complete */
static char names[NAMES];
static size_t names_used;
static char lock;

static const struct module *known(uint64_t pc)
{
    const unsigned n = __atomic_load_n(&num_modules, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < n; i++)
        if (pc >= modules[i].start && pc < modules[i].end)
            return &modules[i];
    return NULL;
}

/* Returns a copy of a file's name, "?" if there is no room. The program itself has no name in the
 * loader's list. */
static const char *keep_name(const char *name)
{
    char self[PATH_MAX];
    if (!*name) {
        const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
        self[len < 0 ? 0 : len] = '\0';
        name = self;
    }
    const size_t size = strlen(name) + 1;
    if (size == 1 || size > NAMES - names_used)
        return "?";
    char *copy = memcpy(names + names_used, name, size);
    names_used += size;
    return copy;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *argument)
{
    const uint64_t pc = *(const uint64_t *)argument;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uint64_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || pc < start || pc >= start + segment->p_memsz)
            continue;
        if (num_modules == MAX_MODULES)
            return 1;
        modules[num_modules] = (struct module){ start, start + segment->p_memsz, info->dlpi_addr,
                                                keep_name(info->dlpi_name) };
        __atomic_store_n(&num_modules, num_modules + 1, __ATOMIC_RELEASE);
        return 1;
    }
    return 0;
}

static struct module_place place(const struct module *module, uint64_t pc)
{
    if (!module)
        return (struct module_place){ "?", pc };
    return (struct module_place){ module->path, pc - module->bias };
}

struct module_place module_known(uint64_t pc)
{
    return place(known(pc), pc);
}

/* Finds the module of an address, and adds it if it is new. If another thread is just adding
 * one, this thread does not wait, and a later call adds the module. */
struct module_place module_of(uint64_t pc)
{
    if (!known(pc) && !__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {
        dl_iterate_phdr(add_module, &pc);
        __atomic_clear(&lock, __ATOMIC_RELEASE);
    }
    return module_known(pc);
}
