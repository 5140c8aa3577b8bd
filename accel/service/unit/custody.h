/* SPDX-License-Identifier: Apache-2.0 */
/* Named keys of public key, which programs use and never have: clients that open one share it.  All
 * policy of such a key is enforced here, and so all padding is done here: a request says what it
 * wants, and the key's terms (key_terms.h) whether it gets that. */
#ifndef HR_CUSTODY_H
#define HR_CUSTODY_H

#include "../../config/keyfile.h"
#include "lent.h"

struct pk_request;

/* A key lies in memory of secrets.h.  Only `until` changes while it has several users. */
struct custody_key {
    _Atomic uint32_t users; /* the list of named keys, and handles of clients */
    char name[CONTROL_NAME];
    struct lent_made made; /* whose object is this key's own */
    struct key_terms terms;
    uint64_t until; /* ns: when its rate will have caught up; under the unit's lock */
    struct control_public public;
    struct keyfile_parts parts;
};

/* custody_make makes a key of what its file says.  Returns 0; HR_EKEYLEN: the row is not that of
 * its size; HR_ESYSTEM: no memory may be locked; or the error of the class's call. */
HR_MUST_CHECK int custody_make(struct custody_key **out, const struct named_key *key,
                               const struct keyfile_parts *parts);
void custody_keep(struct custody_key *key);
/* custody_put ends a use; the last one wipes and frees the key.  NULL is allowed. */
void custody_put(struct custody_key *key);
/* custody_is tells whether a key is what a file says, so that its users may keep it. */
bool custody_is(const struct custody_key *key, const struct named_key *file,
                const struct keyfile_parts *parts);

/* custody_lend describes the key as one that was lent, and counts a user, whom lent_unmake ends. */
struct lent_made custody_lend(struct custody_key *key);

/* custody_judge checks a request whose job was made by the terms of its key.  The input of a
 * PKCS#1 signature may be a DigestInfo, which it replaces by its digest.  Returns 0 or HR_EACCESS.
 */
HR_MUST_CHECK int custody_judge(struct pk_request *r, const struct custody_key *key);

/* ---- rates, under the unit's lock; `key` NULL: a key that was lent, which has none ---- */

bool custody_throttled(const struct custody_key *key, uint64_t now);
void custody_charge(struct custody_key *key, uint64_t now);

#endif
