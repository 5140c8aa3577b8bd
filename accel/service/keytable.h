/* SPDX-License-Identifier: Apache-2.0 */
/* A client's keys.  Each client has handles of its own: index | generation << 32, so that the
 * handle of a closed key names nothing.  The control thread adds and removes keys; the client's
 * accelerator looks them up.  The bytes lie in memory of secrets.h. */
#ifndef HR_KEYTABLE_H
#define HR_KEYTABLE_H

#include "../ring.h"
#include <headrace/classes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KEYTABLE_MAX = 64, /* keys of a client */
    KEYTABLE_BYTES = 256,
};

struct keytable;

/* keytable_new returns NULL if there is no memory, or no more that may be locked. */
struct keytable *keytable_new(void);
/* keytable_free wipes and frees a table that the accelerator uses no more.  NULL is allowed. */
void keytable_free(struct keytable *t);

/* ---- the control thread ---- */

/* keytable_add adds a key; `uses` has bits of enum hr_use.  Returns 0; HR_EBUFFER: there are
 * KEYTABLE_MAX keys; HR_ESYSTEM: no memory; HR_EALG, HR_EKEYLEN: it is no key of this row. */
HR_MUST_CHECK int keytable_add(struct keytable *t, uint64_t *handle, hr_alg alg, unsigned uses,
                               const uint8_t *bytes, size_t bytes_len);
/* keytable_remove makes a handle invalid.  The accelerator wipes the key as soon as no request uses
 * it; accelerator_kick wakes it for that.  Returns 0 or HR_EHANDLE. */
HR_MUST_CHECK int keytable_remove(struct keytable *t, uint64_t handle);

/* ---- the accelerator ---- */

/* Which of the client's accelerators it is, and whether there are several. */
struct keytable_place {
    uint32_t part; /* below RING_MAX_SPREAD */
    bool many;
};
/* keytable_count adds to a count that one thread changes, and others read. */
static inline void keytable_count(_Atomic uint32_t *users, uint32_t more)
{
    const uint32_t before = atomic_load_explicit(users, memory_order_relaxed);
    atomic_store_explicit(users, before + more, memory_order_release); /* after uses of the key */
}
/* keytable_use returns the expanded key if the handle names one for this row and operation, else
 * NULL.  It increments **users; the key stays until the caller decrements it. */
const void *keytable_use(struct keytable *t, struct keytable_place place, uint64_t handle,
                         hr_alg alg, unsigned op, _Atomic uint32_t **users);
/* keytable_sweep wipes the removed keys that no request uses. */
void keytable_sweep(struct keytable *t);

#endif
