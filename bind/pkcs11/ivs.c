/* SPDX-License-Identifier: Apache-2.0 */
/* Where the IVs of a key are counted (message.c). */
#include "key.h"

enum { MOST = 4096, ID = 2 * UNIQUE_ID };

/* The counters of keys that this process may forget and read again: at a logout, at C_Finalize, or
 * when the service has listed them anew.  They stay as long as the process has the module, since a
 * counter that begins again gives IVs that there were.  Under objects_lock. */
static struct kept {
    uint8_t id[ID];
    _Atomic uint64_t num;
} kept[MOST];
static size_t num_kept;

static void id_of(uint8_t id[ID], const struct object *key)
{
    size_t len;
    const uint8_t *value = key->accel ? object_value(key, CKA_UNIQUE_ID, &len) : NULL;
    memset(id, 0, ID);
    if (value)
        memcpy(id, value, len < ID ? len : ID);
    else
        memcpy(id, key->stored, sizeof key->stored);
}

static _Atomic uint64_t *find(const struct object *key)
{
    uint8_t id[ID];
    size_t i = 0;
    id_of(id, key);
    while (i < num_kept && memcmp(kept[i].id, id, ID) != 0)
        i++;
    if (i == MOST)
        return NULL;
    if (i == num_kept) {
        memcpy(kept[i].id, id, ID);
        num_kept++;
    }
    return &kept[i].num;
}

_Atomic uint64_t *object_ivs(struct module *m, struct object *key)
{
    _Atomic uint64_t *ivs = atomic_load(&key->ivs);
    if (ivs)
        return ivs;
    if (!key->accel && !object_is_stored(key))
        return &key->num_ivs;
    pthread_mutex_lock(&m->objects_lock);
    ivs = find(key);
    atomic_store(&key->ivs, ivs);
    pthread_mutex_unlock(&m->objects_lock);
    return ivs;
}
