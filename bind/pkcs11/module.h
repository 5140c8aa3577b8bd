/* SPDX-License-Identifier: Apache-2.0 */
/* The PKCS#11 module.  It contains no libcrypto, and neither a destructor nor an exit handler.
 *
 * How a call travels: the C_... functions (crypt.c, sign.c, digest.c, object_calls.c ...) find the
 * session by its handle (session.c), without a lock.  C_...Init finds the mechanism
 * (mechanism.def), then the key (object.c), asks policy.c whether the key may do that, and lets the
 * mechanism's engine (engine.h: cipher.c, aead.c, mac.c, digest.c, pk/) set up the operation
 * (op.h).  The calls that follow go from the operation to its engine.
 *
 * Who may free what: an object that is destroyed leaves the table at once.  What is secret of it is
 * wiped when no operation is at work with it, and the rest freed when no operation of a session
 * refers to it (objects_release).  So no operation takes a lock, or writes to memory that
 * operations of other sessions write to.
 *
 * All that is secret lies in memory of secret.c: locked as far as the user's limit goes, not in
 * core dumps, and zero in the child of a fork, where C_Initialize begins anew. */
#ifndef HR_P11_MODULE_H
#define HR_P11_MODULE_H

#include "../common.h"
#include "../secret.h"
#include "cryptoki.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct object;
struct session;
struct mechanism;
struct token;
struct accel;

enum {
    NUM_SLOTS = 2,
    MAX_SESSIONS = 16384,
    SESSION_CHUNK = 256,
    NUM_BUCKETS = 4096,
    FILTER_WORDS = 1024
};
enum slot_number { SLOT_TOKEN, SLOT_ACCEL };

/* Who is logged in to a token. */
enum who { NOBODY, USER, OFFICER };

/* What differs between the slots. */
struct slot {
    const struct mechanism *mechanisms; /* by type, in ascending order */
    size_t num_mechanisms;
    /* Both change under sessions_lock, and `who` under login_lock too: so a login is of a session
     * that is open, and ends with the last. */
    _Atomic uint32_t who; /* enum who */
    CK_ULONG num_sessions, num_rw_sessions;
};

/* All state of the module, from C_Initialize to C_Finalize. */
struct module {
    _Atomic uint32_t is_live; /* 0 also in the child of a fork, whose memory of this is zero */
    pid_t pid;                /* where the system cannot do that: whose module it is; else 0 */
    /* Taken in this order.  login_lock is held through whole logins, changes of PINs, and logouts.
     */
    pthread_mutex_t login_lock, objects_lock, token_lock, sessions_lock;
    struct slot slots[NUM_SLOTS];
    /* sessions, under sessions_lock; the chunks are found without it */
    struct session *_Atomic chunks[MAX_SESSIONS / SESSION_CHUNK];
    struct session *free_sessions;
    uint32_t num_sessions;
    _Atomic uint32_t used_sessions;
    /* objects, under objects_lock; tables of handles are found without it */
    struct object_table *_Atomic objects;
    struct object *_Atomic limbo;  /* destroyed, and still referred to */
    uint64_t filter[FILTER_WORDS]; /* of object.c, for the moment */
    struct object *by_label[NUM_BUCKETS], *by_id[NUM_BUCKETS], *by_stored[NUM_BUCKETS];
    struct object *first, *last; /* all, in the order of their making */
    uint64_t num_objects, next_object;
    struct secret_pool secrets; /* its lock is taken last */
    struct token *token;        /* has its own lock */
    struct accel *accel;        /* so has this */
};

/* module_get returns the module, or NULL outside of C_Initialize and C_Finalize. */
extern struct module *_Atomic module_state;
struct module *module_of_parent(struct module *m);
static inline struct module *module_get(void)
{
    struct module *m = atomic_load_explicit(&module_state, memory_order_acquire);
    if (UNLIKELY(!m || !atomic_load_explicit(&m->is_live, memory_order_acquire)))
        return NULL;
    return LIKELY(!m->pid) ? m : module_of_parent(m);
}

/* secret_new returns zeroed memory for secrets at a multiple of 64, or NULL; secret_free wipes it.
 */
static inline void *secret_new(struct module *m, size_t len)
{
    return secret_pool_new(&m->secrets, len);
}

static inline void secret_free(struct module *m, void *p)
{
    secret_pool_free(&m->secrets, p);
}

/* barrier_all makes all threads of the process pass a full memory barrier (membarrier(2)), so that
 * they need none themselves.  false: the system cannot. */
bool barrier_all(void);

/* random_bytes fills memory with the system's random numbers (other.c).  CKR_DEVICE_ERROR. */
RV random_bytes(void *out, size_t len);

/* ---- errors ---- */

/* error_of translates an error of the library; what the caller's data can cause is given. */
CK_RV error_of(int error);

/* put_bytes hands out a result as all functions of PKCS#11 do: the length alone if there is no
 * buffer, CKR_BUFFER_TOO_SMALL if it is too small. */
RV put_bytes(CK_BYTE *out, CK_ULONG *out_len, const void *bytes, size_t len);
/* has_room does the same for a result that is still to be computed: *is_query tells that nothing is
 * to be written. */
RV has_room(const CK_BYTE *out, CK_ULONG *out_len, size_t len, bool *is_query);
/* pad_text fills a text of the specification's structs, which ends with spaces. */
void pad_text(CK_BYTE *out, size_t size, const char *text);

#endif
