/* SPDX-License-Identifier: Apache-2.0 */
/* A client's keys: handles are numbers of its own namespace, index | generation << 32, so that the
 * number of a key that was closed names nothing.  The control thread adds and removes; the client's
 * accelerator looks up.  The bytes lie in memory of secrets.h. */
#ifndef HR_KEYTABLE_H
#define HR_KEYTABLE_H

#include <headrace/headrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KEYTABLE_MAX = 64, /* keys of a client */
    KEYTABLE_BYTES = 256,
};

/* What a key may be used for, by op and class of a job. */
enum key_uses {
    KEY_ENCRYPT = 1,
    KEY_DECRYPT = 2,
    KEY_MAC = 4,
    KEY_VERIFY = 8,
    KEY_ALL = 15,
};

/* Those that there are of a row; the first is of op 0, the second of op 1. */
static inline unsigned key_uses_of(const struct hr_algorithm *row)
{
    const bool macs = row->cls == HR_CLASS_MAC || row->cls == HR_CLASS_NMAC;
    return macs ? KEY_MAC | KEY_VERIFY : KEY_ENCRYPT | KEY_DECRYPT;
}

struct keytable;

/* NULL: no memory, or no more that may be locked. */
struct keytable *keytable_new(void);
/* Wipes; the accelerator looks at it no more.  NULL is allowed. */
void keytable_free(struct keytable *t);

/* ---- the control thread ---- */

/* HR_EBUFFER: KEYTABLE_MAX keys are there; HR_EALG, HR_EKEYLEN: no key of this row. */
HR_MUST_CHECK int keytable_add(struct keytable *t, uint64_t *handle, hr_alg alg, unsigned uses,
                               const uint8_t *bytes, size_t bytes_len);
/* From now on the handle names nothing; its bytes are wiped as soon as no request uses them, by the
 * accelerator: accelerator_kick, where it may be asleep.  HR_EHANDLE. */
HR_MUST_CHECK int keytable_remove(struct keytable *t, uint64_t handle);

/* ---- the accelerator ---- */

/* The expanded key, if the handle names one for this row and operation; else NULL.  It stays until
 * the user that was counted is taken back. */
const void *keytable_use(struct keytable *t, uint64_t handle, hr_alg alg, unsigned op,
                         uint32_t **users);
/* Wipes what was removed and is not in use. */
void keytable_sweep(struct keytable *t);

#endif
