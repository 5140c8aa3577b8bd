/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "stats.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Atomic uint16_t stats_generation;

struct total {
    _Atomic uint64_t calls, bytes;
};

/* totals are the sums of the threads that have no shard. */
static struct total totals[NUM_ROWS];

/* A shard has the sums of one thread, which alone writes to it, so that it needs no locked
 * instruction.  Its owner is the thread's pthread_self().  A thread that ends leaves its shard to
 * the next thread with that address. */
enum { SHARD_BITS = 6, NUM_SHARDS = 1 << SHARD_BITS };
static struct shard {
    _Alignas(64) _Atomic uintptr_t owner; /* 0: free */
    struct total totals[NUM_ROWS];
} shards[NUM_SHARDS];

/* `file` is the mapped file or NULL, and own_slot this process's slot in it.  `users` counts the
 * calls of stats_open.  The lock is held in stats_open and stats_close only. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static struct hr_stats_file *file;
static size_t file_size;
static _Atomic uint32_t num_slots;
static _Atomic(struct hr_stats_slot *) own_slot;

static_assert(NUM_ROWS < HR_STATS_ENTRIES, "a slot holds every row and an end");

/* SHARED32 and SHARED64 make a field of the file atomic, since other processes read and write it
 * too. */
#define SHARED32(field) ((_Atomic uint32_t *)&(field))
#define SHARED64(field) ((_Atomic uint64_t *)&(field))

/* ---- slots ---- */

static uint8_t kernel_index(hr_alg alg, enum hr_op op)
{
    const int index = hr_kernel_chosen(alg, op);
    return index < 0 || index > 254 ? 255 : (uint8_t)index;
}

static const char *binding = "";

static void fill(struct hr_stats_slot *slot)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    slot->pid = (uint32_t)getpid();
    slot->start = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    snprintf(slot->comm, sizeof slot->comm, "%s", program_invocation_short_name);
    snprintf(slot->via, sizeof slot->via, "%s", binding);
    snprintf(slot->version, sizeof slot->version, "%s", hr_version());
    for (size_t i = 0; i < NUM_ROWS; i++) {
        const hr_alg alg = hr_algorithm_at(i)->alg;
        slot->entries[i].alg = (uint16_t)alg;
        slot->entries[i].kernel[HR_OP_ENCRYPT] = kernel_index(alg, HR_OP_ENCRYPT);
        slot->entries[i].kernel[HR_OP_DECRYPT] = kernel_index(alg, HR_OP_DECRYPT);
    }
    atomic_store_explicit(SHARED32(slot->state), HR_STATS_READY, memory_order_release);
}

static int is_ours(struct hr_stats_slot *slot)
{
    return atomic_load_explicit(SHARED32(slot->state), memory_order_acquire) == HR_STATS_READY &&
           slot->pid == (uint32_t)getpid() &&
           !strncmp(slot->comm, program_invocation_short_name, sizeof slot->comm - 1) &&
           !strncmp(slot->via, binding, sizeof slot->via) &&
           slot->entries[NUM_ROWS - 1].alg == hr_algorithm_at(NUM_ROWS - 1)->alg;
}

/* claim returns the slot that this process had before it unloaded the binding, or the first free
 * one, or NULL if all are taken. */
static struct hr_stats_slot *claim(void)
{
    for (uint32_t i = 0; i < num_slots; i++) {
        struct hr_stats_slot *slot = &file->slots[i];
        uint32_t expected = HR_STATS_FREE;
        if (is_ours(slot))
            return slot;
        if (atomic_compare_exchange_strong(SHARED32(slot->state), &expected, HR_STATS_TAKEN)) {
            fill(slot);
            return slot;
        }
    }
    atomic_fetch_add(SHARED32(file->header.lost), 1);
    return NULL;
}

/* slot_of_process returns the process's slot, and claims one at the first call after a fork.  If
 * two threads claim at the same time, the second takes the first one's slot and frees its own. */
static struct hr_stats_slot *slot_of_process(void)
{
    struct hr_stats_slot *slot = atomic_load_explicit(&own_slot, memory_order_acquire);
    if (slot || !num_slots)
        return slot;
    struct hr_stats_slot *mine = claim();
    if (!mine) {
        num_slots = 0; /* full: claim is not called again */
        return NULL;
    }
    if (atomic_compare_exchange_strong(&own_slot, &slot, mine) || slot == mine)
        return mine;
    memset(&mine->pid, 0, sizeof *mine - sizeof mine->state);
    atomic_store_explicit(SHARED32(mine->state), HR_STATS_FREE, memory_order_release);
    return slot;
}

/* ---- the file ---- */

static int header_is_good(const struct hr_stats_file *map, size_t size)
{
    return size >= HR_STATS_FILE_SIZE(1) &&
           !memcmp(map->header.magic, HR_STATS_MAGIC, sizeof map->header.magic) &&
           map->header.version == HR_STATS_VERSION;
}

/* map_file maps the file.  Calls are not counted in a file that is missing, short, read-only or not
 * of this format. */
static void map_file(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < (off_t)HR_STATS_FILE_SIZE(1))
        goto out;
    uint64_t slots = ((uint64_t)st.st_size - sizeof file->header) / sizeof file->slots[0];
    if (slots > HR_STATS_MAX_SLOTS)
        slots = HR_STATS_MAX_SLOTS;
    const size_t size = HR_STATS_FILE_SIZE(slots);
    struct hr_stats_file *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        goto out;
    if (!header_is_good(map, size)) {
        munmap(map, size);
        goto out;
    }
    const uint32_t claimed = map->header.num_slots;
    file = map;
    file_size = size;
    num_slots = claimed < slots ? claimed : (uint32_t)slots;
out:
    close(fd);
}

/* after_fork runs in the child, which has totals and a slot of its own. */
static void after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    atomic_fetch_add(&stats_generation, 1);
    memset(totals, 0, sizeof totals);
    for (size_t i = 0; i < NUM_SHARDS; i++)
        if (atomic_load(&shards[i].owner)) /* no other shard's pages need be touched */
            memset(&shards[i], 0, sizeof shards[i]);
    atomic_store(&own_slot, NULL);
}

/* stats_watch is called late, since most processes that load a binding count nothing. */
uint16_t stats_watch(void)
{
    uint16_t now = 0;
    if (atomic_compare_exchange_strong(&stats_generation, &now, 1))
        pthread_atfork(NULL, NULL, after_fork);
    return now ? now : 1;
}

AT_START void stats_open(const char *via, const char *path)
{
    pthread_mutex_lock(&lock);
    if (users++ == 0) {
        binding = via;
        if (path && *path) {
            stats_watch(); /* a child needs a slot of its own */
            map_file(path);
            slot_of_process();
        }
    }
    pthread_mutex_unlock(&lock);
}

AT_START void stats_close(void)
{
    pthread_mutex_lock(&lock);
    if (--users == 0 && file) {
        atomic_store(&own_slot, NULL);
        num_slots = 0;
        munmap(file, file_size);
        file = NULL;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- counts ---- */

/* shard_of_thread returns NULL if another thread has this thread's place. */
static struct shard *shard_of_thread(void)
{
    const uintptr_t self = (uintptr_t)pthread_self();
    const uint64_t hash = (uint64_t)self * UINT64_C(0x9e3779b97f4a7c15);
    struct shard *shard = &shards[hash >> (64 - SHARD_BITS)];
    uintptr_t owner = atomic_load_explicit(&shard->owner, memory_order_relaxed);
    if (UNLIKELY(!owner) && atomic_compare_exchange_strong(&shard->owner, &owner, self))
        owner = self;
    return LIKELY(owner == self) ? shard : NULL;
}

/* add_alone adds to a number that no other thread writes. */
static void add_alone(_Atomic uint64_t *to, uint64_t n)
{
    const uint64_t before = atomic_load_explicit(to, memory_order_relaxed);
    atomic_store_explicit(to, before + n, memory_order_relaxed);
}

static void add_total(size_t index, uint64_t calls, uint64_t bytes)
{
    struct shard *shard = shard_of_thread();
    if (LIKELY(shard)) {
        add_alone(&shard->totals[index].calls, calls);
        add_alone(&shard->totals[index].bytes, bytes);
    } else {
        atomic_fetch_add_explicit(&totals[index].calls, calls, memory_order_relaxed);
        atomic_fetch_add_explicit(&totals[index].bytes, bytes, memory_order_relaxed);
    }
}

static void add(size_t index, uint64_t calls, uint64_t bytes)
{
    add_total(index, calls, bytes);
    struct hr_stats_slot *slot = slot_of_process();
    if (slot) {
        struct hr_stats_entry *entry = &slot->entries[index];
        atomic_fetch_add_explicit(SHARED64(entry->calls), calls, memory_order_relaxed);
        atomic_fetch_add_explicit(SHARED64(entry->bytes), bytes, memory_order_relaxed);
    }
}

void stats_fold(struct served *served)
{
    const int64_t spent = served->granted - served->credit;
    const int64_t next = 2 * served->granted + 2 * CALL_COST;
    if (served->calls && served->generation == atomic_load(&stats_generation))
        add(served->index, served->calls, (uint64_t)spent - (uint64_t)served->calls * CALL_COST);
    served_init(served, served->index);
    served->granted = next < (int64_t)HR_STATS_FOLD_BYTES ? next : (int64_t)HR_STATS_FOLD_BYTES;
    served->credit = served->granted;
}

/* kernel_name is "-" for key derivation, which runs on the kernels of the digest that the caller
 * chose. */
static const char *kernel_name(hr_alg alg, enum hr_op op)
{
    struct hr_kernel kernel;
    const int index = hr_kernel_chosen(alg, op);
    return index < 0 || hr_kernel_at(&kernel, alg, op, (size_t)index) ? "-" : kernel.name;
}

/* sum_total adds up what all threads have added to a row. */
static struct total sum_total(size_t index)
{
    uint64_t calls = atomic_load(&totals[index].calls), bytes = atomic_load(&totals[index].bytes);
    for (size_t i = 0; i < NUM_SHARDS; i++)
        if (atomic_load(&shards[i].owner)) {
            calls += atomic_load(&shards[i].totals[index].calls);
            bytes += atomic_load(&shards[i].totals[index].bytes);
        }
    return (struct total){ calls, bytes };
}

void stats_text(char *out, size_t out_size)
{
    *out = '\0';
    for (size_t i = 0; i < NUM_ROWS; i++) {
        const struct hr_algorithm *row = hr_algorithm_at(i);
        const struct total total = sum_total(i);
        const unsigned long long calls = total.calls, bytes = total.bytes;
        const int two_ways = row->mode != HR_MODE_NONE;
        const size_t used = strlen(out);
        if (calls)
            snprintf(out + used, out_size - used, "%s %llu %llu %s%s%s\n", row->symbol, calls,
                     bytes, kernel_name(row->alg, HR_OP_ENCRYPT), two_ways ? "/" : "",
                     two_ways ? kernel_name(row->alg, HR_OP_DECRYPT) : "");
    }
}
