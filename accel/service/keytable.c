/* SPDX-License-Identifier: Apache-2.0 */
/* The control thread makes a FREE entry LIVE, and a LIVE one CLOSING.  An accelerator makes it FREE
 * again, because the control thread does not know when no request uses the key.  It is SWEPT while
 * one of several accelerators looks for that. */
#define _GNU_SOURCE
#include "keytable.h"
#include "secrets.h"
#include <stdatomic.h>
#include <string.h>

enum entry_state { ENTRY_FREE, ENTRY_LIVE, ENTRY_CLOSING, ENTRY_SWEPT };

struct key_entry {
    _Atomic uint32_t state;
    uint32_t generation;                     /* of the key that is there, or was there last */
    _Atomic uint32_t users[RING_MAX_SPREAD]; /* each changed by one accelerator */
    uint16_t alg;
    uint16_t ops;          /* bit i: operation i of its jobs is allowed */
    union hr_any_key *key; /* in memory of secrets.h; kept for the next key */
};

struct keytable {
    _Atomic uint32_t closing; /* an entry is CLOSING */
    struct key_entry entries[KEYTABLE_MAX];
};

struct keytable *keytable_new(void)
{
    return secrets_alloc(sizeof(struct keytable));
}

void keytable_free(struct keytable *t)
{
    for (size_t i = 0; t && i < KEYTABLE_MAX; i++)
        secrets_free(t->entries[i].key, sizeof *t->entries[i].key);
    secrets_free(t, sizeof *t);
}

/* ---- the control thread ---- */

static struct key_entry *find_free(struct keytable *t)
{
    for (size_t i = 0; i < KEYTABLE_MAX; i++)
        if (atomic_load_explicit(&t->entries[i].state, memory_order_acquire) == ENTRY_FREE)
            return &t->entries[i];
    return NULL;
}

static uint16_t ops_of(hr_alg alg, unsigned uses)
{
    const struct hr_class_info *info = hr_class_of(hr_algorithm(alg));
    unsigned ops = 0;
    for (unsigned op = 0; op < HR_JOB_MAX_OPS; op++)
        ops |= (unsigned)((info->ops[op].use & uses) != 0) << op;
    return (uint16_t)ops;
}

int keytable_add(struct keytable *t, uint64_t *handle, hr_alg alg, unsigned uses,
                 const uint8_t *bytes, size_t bytes_len)
{
    struct key_entry *e = find_free(t);
    if (!e)
        return HR_EBUFFER;
    if (!e->key && !(e->key = secrets_alloc(sizeof *e->key)))
        return HR_ESYSTEM;
    const int error = hr_any_key_init(e->key, alg, bytes, bytes_len);
    if (error) {
        explicit_bzero(e->key, sizeof *e->key);
        return error;
    }
    e->alg = (uint16_t)alg;
    e->ops = ops_of(alg, uses);
    e->generation++;
    *handle = (uint64_t)e->generation << 32 | (uint64_t)(e - t->entries);
    atomic_store_explicit(&e->state, ENTRY_LIVE, memory_order_release); /* after the rest */
    return 0;
}

int keytable_remove(struct keytable *t, uint64_t handle)
{
    const uint32_t i = (uint32_t)handle;
    if (i >= KEYTABLE_MAX || t->entries[i].generation != handle >> 32 ||
        atomic_load_explicit(&t->entries[i].state, memory_order_relaxed) != ENTRY_LIVE)
        return HR_EHANDLE;
    atomic_store_explicit(&t->entries[i].state, ENTRY_CLOSING, memory_order_relaxed);
    atomic_store_explicit(&t->closing, 1, memory_order_release); /* after the state */
    return 0;
}

/* ---- the accelerator ---- */

static bool is_named(const struct key_entry *e, uint64_t handle, hr_alg alg, unsigned op)
{
    return atomic_load_explicit(&e->state, memory_order_acquire) == ENTRY_LIVE && e->alg == alg &&
           e->generation == handle >> 32 && e->ops >> op & 1;
}

/* Where another accelerator sweeps the table, the count comes first, and then the state is looked
 * at again: the sweep looks at the state, and then at the counts. */
const void *keytable_use(struct keytable *t, struct keytable_place place, uint64_t handle,
                         hr_alg alg, unsigned op, _Atomic uint32_t **users)
{
    const uint32_t i = (uint32_t)handle;
    if (i >= KEYTABLE_MAX || !is_named(&t->entries[i], handle, alg, op))
        return NULL;
    struct key_entry *e = &t->entries[i];
    keytable_count(&e->users[place.part], 1);
    if (place.many) {
        atomic_thread_fence(memory_order_seq_cst);
        if (!is_named(e, handle, alg, op)) {
            keytable_count(&e->users[place.part], UINT32_MAX);
            return NULL;
        }
    }
    *users = &e->users[place.part];
    return e->key;
}

static bool is_used(const struct key_entry *e)
{
    uint32_t users = 0;
    atomic_thread_fence(memory_order_seq_cst); /* orders the state before the counts */
    for (size_t i = 0; i < RING_MAX_SPREAD; i++)
        users |= atomic_load_explicit(&e->users[i], memory_order_acquire);
    return users;
}

void keytable_sweep(struct keytable *t)
{
    uint32_t left = 0;
    if (!atomic_load_explicit(&t->closing, memory_order_relaxed) ||
        !atomic_exchange_explicit(&t->closing, 0, memory_order_acquire))
        return;
    for (size_t i = 0; i < KEYTABLE_MAX; i++) {
        struct key_entry *e = &t->entries[i];
        uint32_t closing = ENTRY_CLOSING;
        if (!atomic_compare_exchange_strong(&e->state, &closing, ENTRY_SWEPT))
            continue; /* or another accelerator sweeps it */
        const bool used = is_used(e);
        left |= used;
        if (!used)
            explicit_bzero(e->key, sizeof *e->key);
        atomic_store_explicit(&e->state, used ? ENTRY_CLOSING : ENTRY_FREE,
                              memory_order_release); /* after the wipe */
    }
    if (left)
        atomic_store_explicit(&t->closing, 1, memory_order_relaxed);
}
