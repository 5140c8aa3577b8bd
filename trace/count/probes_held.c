/* SPDX-License-Identifier: Apache-2.0
 *
 * The main process's side of holding a launched program (probes_hold.c has the tracer process's):
 * finds the dynamic loader of each executed program, puts a probe into it that stops the program,
 * and releases stopped processes.
 *
 * A breakpoint in another process can do harm: valgrind and emulators read the code of their
 * program, find the breakpoint, and abort. So a link is for a single process if the kernel can do
 * that and there are only few; further loaders get links for all processes.
 */
#include "bpf.h"
#include "probes_hold.h"
#include "probes_internal.h"
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MAX_LOADERS = 24,  /* each container has a loader file of its own */
    MAX_OF_PROCESS = 8 /* links; detaching one takes up to 50 ms */
};

struct holder {
    int socket;
    pid_t tracer;
    int program; /* the BPF program that sends the signal */
    bool multi;  /* link by uprobe_multi; else by perf_event */
    bool apart;  /* links may be for single processes */
    struct tree *tree;
    struct loader {
        uint64_t device, inode;
        pid_t pid; /* process of the link; 0: all processes */
        int link;
    } loaders[MAX_LOADERS];
    size_t num_loaders;
};

/* The file offset of a function in .dynsym; 0 if it is not there. */
static uint64_t symbol_offset(Elf *elf, const char *name)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Sym symbol;
    while ((section = elf_nextscn(elf, section))) {
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM || !header.sh_entsize ||
            !(data = elf_getdata(section, NULL)))
            continue;
        size_t num = data->d_size / header.sh_entsize;
        for (size_t i = 0; i < num && gelf_getsym(data, (int)i, &symbol); i++) {
            const char *text = elf_strptr(elf, header.sh_link, symbol.st_name);
            GElf_Shdr home;
            Elf_Scn *in = elf_getscn(elf, symbol.st_shndx);
            if (text && !strcmp(text, name) && in && gelf_getshdr(in, &home))
                return symbol.st_value - home.sh_addr + home.sh_offset;
        }
    }
    return 0;
}

static uint64_t debug_state_offset(int fd)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    uint64_t offset = elf ? symbol_offset(elf, "_dl_debug_state") : 0;
    if (elf)
        elf_end(elf);
    return offset;
}

/* The address where the kernel mapped the dynamic loader; 0 if the program has none. */
static uint64_t loader_base(pid_t pid)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
    FILE *f = fopen(path, "re");
    Elf64_auxv_t entry;
    uint64_t base = 0;
    while (f && !base && fread(&entry, sizeof entry, 1, f) == 1 && entry.a_type != AT_NULL)
        if (entry.a_type == AT_BASE)
            base = entry.a_un.a_val;
    if (f)
        fclose(f);
    return base;
}

static bool is_of(const struct loader *l, const struct stat *st)
{
    return l->device == st->st_dev && l->inode == st->st_ino;
}

static bool is_loader(const struct holder *h, const struct stat *st)
{
    for (size_t i = 0; i < h->num_loaders; i++)
        if (is_of(&h->loaders[i], st))
            return true;
    return false;
}

static bool is_watched(const struct holder *h, const struct stat *st, pid_t pid)
{
    for (size_t i = 0; i < h->num_loaders; i++)
        if (is_of(&h->loaders[i], st) && (!h->loaders[i].pid || h->loaders[i].pid == pid))
            return true;
    return false;
}

static bool is_room_for_its_own(const struct holder *h)
{
    size_t num = 0;
    for (size_t i = 0; i < h->num_loaders; i++)
        num += h->loaders[i].pid != 0;
    return h->apart && num < MAX_OF_PROCESS;
}

/* Closes the links of a pid that now belongs to another process, or of a process in which
 * another thread called execve. */
static void forget_process(struct holder *h, pid_t pid)
{
    size_t kept = 0;
    for (size_t i = 0; i < h->num_loaders; i++)
        if (h->loaders[i].pid == pid)
            close(h->loaders[i].link);
        else
            h->loaders[kept++] = h->loaders[i];
    h->num_loaders = kept;
}

/* Opens the file that is mapped at an address. */
static int open_mapped(pid_t pid, uint64_t address, struct stat *st)
{
    struct maps maps = { 0 };
    const char *why;
    if (maps_read(&maps, pid))
        return -1;
    const struct mapping *m = maps_find(&maps, address);
    int fd = m && m->inode ? mapping_open(pid, m, &why) : -1;
    maps_free(&maps);
    if (fd >= 0 && fstat(fd, st)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void watch_loader(struct holder *h, pid_t pid)
{
    struct stat st;
    uint64_t base = loader_base(pid);
    int fd = base ? open_mapped(pid, base, &st) : -1;
    if (fd < 0)
        return;
    uint64_t offset = debug_state_offset(fd);
    if (offset && h->num_loaders < MAX_LOADERS && !is_watched(h, &st, pid)) {
        struct loader *l = &h->loaders[h->num_loaders];
        *l = (struct loader){ .device = st.st_dev,
                              .inode = st.st_ino,
                              .pid = is_room_for_its_own(h) ? pid : 0 };
        l->link = h->multi ? bpf_link_uprobes(h->program, fd, &offset, NULL, 1, l->pid)
                           : bpf_uprobe(h->program, fd, offset, 0);
        h->num_loaders += l->link >= 0;
    }
    close(fd);
}

static bool in_loader(const struct holder *h, pid_t pid, uint64_t ip)
{
    struct stat st;
    int fd = open_mapped(pid, ip, &st);
    if (fd >= 0)
        close(fd);
    return fd >= 0 && is_loader(h, &st);
}

int held_fd(const struct holder *h)
{
    return h->socket;
}

static void on_birth(struct probes *p, const struct held *held, pid_t pid)
{
    if (p->backend->born && (held->where == HELD_AT_BIRTH || held->replaced))
        p->backend->born(p, pid);
}

int held_serve(struct probes *p, probes_held_fn *fn, void *ctx)
{
    struct holder *h = p->holder;
    struct held held;
    int num = 0;
    ssize_t len;
    while ((len = recv(h->socket, &held, sizeof held, MSG_DONTWAIT)) == sizeof held) {
        pid_t pid = tree_process_of(held.tid);
        struct released go = { .tid = held.tid };
        if (held.where == HELD_AT_BIRTH)
            tree_born(h->tree, pid);
        on_birth(p, &held, pid);
        if (held.where == HELD_AT_BIRTH || held.replaced)
            forget_process(h, pid);
        if (held.where != HELD_BY_LOADER)
            watch_loader(h, pid);
        else if (!in_loader(h, pid, held.ip))
            go.signal = SIGURG; /* another signal, or ours, delayed because it was blocked */
        if (held.where != HELD_AT_BIRTH)
            fn(ctx, pid);
        if (send(h->socket, &go, sizeof go, MSG_NOSIGNAL) != sizeof go)
            return -1;
        num++;
    }
    return len ? num : -1; /* 0: the tracer process has ended */
}

static int load_sender(const struct tree *tree, bool multi)
{
    enum { OUT };
    struct bpf_code c = { 0 };
    tree_filter(tree, &c, OUT);
    bpf_alu_imm(&c, BPF_MOV, BPF_REG_1, SIGURG);
    bpf_call(&c, BPF_FUNC_send_signal_thread);
    bpf_label(&c, OUT);
    bpf_exit(&c);
    return bpf_load(&c, BPF_PROG_TYPE_KPROBE, multi ? HR_BPF_TRACE_UPROBE_MULTI : 0, NULL, 0);
}

/* Starts to hold a process. Beginnings of processes (births) are of interest if links are for
 * single processes, or if the tree has no other way to learn of them. */
struct holder *held_open(pid_t pid, struct tree *tree, bool multi, char *why, size_t max)
{
    const bool births = multi || !tree_is_exact(tree);
    struct holder *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->tree = tree;
    h->multi = multi;
    h->program = load_sender(tree, multi);
    h->tracer = h->program >= 0 ? hold_start(&h->socket, pid, births, why, max) : -1;
    if (h->tracer > 0) {
        if (births)
            tree_hold(tree);
        return h;
    }
    if (h->program < 0)
        snprintf(why, max, "bpf(2): %m");
    else
        close(h->program);
    free(h);
    return NULL;
}

void held_apart(struct holder *h)
{
    h->apart = true;
}

void held_close(struct holder *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < h->num_loaders; i++)
        close(h->loaders[i].link);
    close(h->program);
    close(h->socket); /* ends the tracer process */
    waitpid(h->tracer, NULL, 0);
    free(h);
}
