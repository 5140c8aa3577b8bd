/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of public key that a client has lent.  They come by components, from which the library
 * makes a key of its own, so that nothing that another library laid out is believed.  Handles are
 * index | generation << 32, as those of keytable.h.  The unit's lock protects a table, but the
 * functions that make and free a key need no lock. */
#ifndef HR_LENT_H
#define HR_LENT_H

#include <headrace/queue.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LENT_MOST = 256,        /* keys that the policy can allow a client, */
    LENT_USUAL = 64,        /* and allows by default */
    LENT_BYTES = 512 << 10, /* memory of a client's keys */
};

struct custody_key;

/* A key that the library has made. */
struct lent_made {
    void *object;              /* in memory of secrets.h */
    struct custody_key *named; /* whose object it is, see custody.h; NULL: its own */
    size_t len;
    uint16_t alg;
    bool is_slow;        /* its public operation may take as long as its private one */
    uint32_t result_len; /* of signatures, ciphertexts of RSA, and secrets */
    uint32_t cipher_len; /* of ciphertexts beside a secret, or 0 */
};

struct lent_key {
    struct lent_made made;
    uint32_t generation; /* of the key that is there, or was there last */
    uint32_t users;      /* requests that were taken and are not answered */
    bool live, leaving;  /* leaving: to be freed by its last user */
};

/* Named keys take none of the bytes, and do not count among those that a client may lend. */
struct lent_keys {
    uint32_t num, num_named;
    size_t bytes;
    struct lent_key keys[LENT_MOST];
};

/* lent_make makes a key of the components in a message.  Returns 0; HR_EFORMAT: they are not what
 * control.h says; HR_EALG; HR_ESYSTEM: no memory may be locked; or the error of the class's call.
 */
HR_MUST_CHECK int lent_make(struct lent_made *out, hr_alg alg, const uint8_t *bytes, size_t len);
/* lent_unmake wipes and frees a key, or ends the use of a named one.  One of zeros is allowed. */
void lent_unmake(struct lent_made *made);

/* lent_add returns 0, or HR_EBUFFER if the client has lent `most` keys, or too many bytes of them,
 * or has no place for one.  Then the key is still the caller's. */
HR_MUST_CHECK int lent_add(struct lent_keys *t, uint64_t *handle, const struct lent_made *made,
                           uint32_t most);
/* lent_find returns the key if the handle names one for this row, else NULL. */
struct lent_key *lent_find(struct lent_keys *t, uint64_t handle, unsigned alg);
/* lent_remove makes a handle invalid.  Returns 0 or HR_EHANDLE.  *out is the key, if it has no
 * users, for the caller to unmake; else zeros. */
HR_MUST_CHECK int lent_remove(struct lent_keys *t, uint64_t handle, struct lent_made *out);
/* lent_leave ends a use.  *out is as that of lent_remove, if the key was to be freed. */
void lent_leave(struct lent_keys *t, struct lent_key *key, struct lent_made *out);
/* lent_clear frees all keys, which have no users. */
void lent_clear(struct lent_keys *t);

#endif
