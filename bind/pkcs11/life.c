/* SPDX-License-Identifier: Apache-2.0 */
/* C_Initialize, C_Finalize, and what a fork leaves. */
#define _GNU_SOURCE
#include "../stats.h"
#include "module.h"
#include "object.h"
#include "session.h"
#include "slot.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct module *_Atomic module_state;
/* Between C_Initialize and C_Finalize of two threads.  A child of a fork may find it locked by a
 * thread that it does not have, so it is tried and not waited for. */
static _Atomic pid_t initializing;

struct module *module_of_parent(struct module *m)
{
    return m->pid == getpid() ? m : NULL;
}

/* enter lets one thread of this process in. */
static bool enter(void)
{
    const pid_t here = getpid();
    pid_t other = 0;
    return atomic_compare_exchange_strong(&initializing, &other, here) ||
           (other != here && atomic_compare_exchange_strong(&initializing, &other, here));
}

static void leave(void)
{
    atomic_store(&initializing, 0);
}

static bool locks_init(struct module *m)
{
    return !pthread_mutex_init(&m->login_lock, NULL) &&
           !pthread_mutex_init(&m->sessions_lock, NULL) &&
           !pthread_mutex_init(&m->objects_lock, NULL) &&
           !pthread_mutex_init(&m->token_lock, NULL) && !pthread_mutex_init(&m->secrets.lock, NULL);
}

static RV begin(void)
{
    struct module *m = atomic_load(&module_state);
    if (m && module_get())
        return CKR_CRYPTOKI_ALREADY_INITIALIZED;
    if (m && m->pid) /* a parent's, which the system did not wipe */
        wipe_bytes(m, sizeof *m);
    bool wiped;
    m = secret_map(sizeof *m, &wiped);
    if (!m)
        return CKR_HOST_MEMORY;
    m->pid = wiped ? 0 : getpid();
    CK_RV rv = CKR_HOST_MEMORY;
    if (!locks_init(m) || (rv = slots_begin(m)) != CKR_OK) {
        secret_pool_end(&m->secrets);
        munmap(m, sizeof *m);
        return rv;
    }
    stats_open("pkcs11", secure_getenv(HR_STATS_ENV));
    atomic_store(&m->is_live, 1);
    atomic_store(&module_state, m);
    return CKR_OK;
}

/* are_locks_given checks the functions for mutexes that a caller may give: all or none.  They are
 * not used, since a process that can load this module has those of its own C library. */
static bool are_arguments_fine(const CK_C_INITIALIZE_ARGS *args)
{
    const int given =
        !!args->CreateMutex + !!args->DestroyMutex + !!args->LockMutex + !!args->UnlockMutex;
    return !args->pReserved && (given == 0 || given == 4);
}

CK_RV C_Initialize(void *args)
{
    if (args && !are_arguments_fine(args))
        return CKR_ARGUMENTS_BAD;
    if (!enter())
        return CKR_FUNCTION_FAILED;
    const CK_RV rv = begin();
    leave();
    return rv;
}

CK_RV C_Finalize(void *reserved)
{
    if (reserved)
        return CKR_ARGUMENTS_BAD;
    if (!enter())
        return CKR_FUNCTION_FAILED;
    struct module *m = module_get();
    if (m) {
        atomic_store(&m->is_live, 0);
        sessions_end(m);
        objects_end(m);
        slots_end(m);
        stats_close();
        atomic_store(&module_state, NULL);
        secret_pool_end(&m->secrets);
        munmap(m, sizeof *m);
    }
    leave();
    return m ? CKR_OK : CKR_CRYPTOKI_NOT_INITIALIZED;
}
