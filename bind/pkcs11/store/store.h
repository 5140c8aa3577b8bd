/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a token: objects of two byte strings each, a public and a private part, in a folder
 * that a PIN opens.  docs/file-format.md has the format, and what it protects from.
 *
 * Any number of processes may use one folder.  Every function looks at the folder anew and leaves
 * no descriptor open: nothing is inherited by a child, and a program that closes all descriptors
 * breaks nothing.  There is no thread, and no lock within the process: calls for one struct store
 * are made one at a time.  Calls wait for other processes at most a minute (STORE_BUSY).
 *
 * The folder and its files must belong to the effective user and be writable for nobody else; links
 * are refused.  The folders above it are the caller's choice. */
#ifndef HR_STORE_H
#define HR_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    STORE_ID = 16,           /* of a token, and of an object */
    STORE_LABEL = 32,        /* any bytes */
    STORE_KEY = 32,          /* the token key, under which all objects are encrypted */
    STORE_MAX_PIN = 255,     /* bytes of a PIN, of which there must be one */
    STORE_MAX_PARTS = 65536, /* bytes of both parts of an object */
    STORE_MAX_OBJECTS = 16384,
    STORE_TRIES = 10, /* wrong PINs in succession before a role is locked */
    STORE_SCRATCH = STORE_MAX_PARTS + 256,
    STORE_MAX_PATH = 4096,
};

enum store_error {
    STORE_NO_TOKEN = -1,   /* the folder does not exist, or has no token */
    STORE_WRONG_PIN = -2,  /* or the seal of the PIN was changed */
    STORE_LOCKED = -3,     /* too many wrong PINs; a new PIN unlocks the role */
    STORE_NO_PIN = -4,     /* the user has no PIN yet */
    STORE_CLOSED = -5,     /* the token key is needed: see store_login */
    STORE_REPLACED = -6,   /* another process initialised the token; the token key is wiped */
    STORE_DAMAGED = -7,    /* a file is not what this code wrote */
    STORE_REFUSED = -8,    /* a link, another owner, or others may write: see above */
    STORE_FULL = -9,       /* the token has STORE_MAX_OBJECTS */
    STORE_TOO_LONG = -10,  /* parts, PIN or path */
    STORE_GONE = -11,      /* there is no object of this id */
    STORE_EXISTS = -12,    /* there is one */
    STORE_BUSY = -13,      /* another process kept the token locked for too long */
    STORE_NO_ARGON2 = -14, /* this build has none, which PINs need */
    STORE_SYSTEM = -15,    /* see errno */
};

/* Both roles open the same token key: the difference between them is the caller's. */
enum store_role { STORE_NOBODY, STORE_SO, STORE_USER };

/* What a PIN costs by Argon2id.  store_open sets what new PINs get; the memory is in KiB. */
struct store_costs {
    uint32_t lanes, memory, passes;
};

/* A state of the files that store_changed compares with. */
struct store_state {
    dev_t dev;
    ino_t ino;
    int64_t generation;
};

/* The caller may read the members above the line. */
struct store {
    bool is_there;        /* there is a token: id, label and the next lines are its own */
    bool has_user_pin;    /* the user has one */
    enum store_role role; /* has opened the token key */
    uint8_t id[STORE_ID]; /* a new one for each store_init */
    uint8_t label[STORE_LABEL];
    unsigned tries[3];     /* wrong PINs since the last right one, by role */
    unsigned num_objects;  /* as the last store_load found them */
    unsigned num_left_out; /* of these, changed or not readable */
    struct store_costs costs;
    /* ---- */
    const char *folder;
    uint8_t *scratch;
    struct store_state seen; /* by the last store_load or change of ours */
    uint8_t key[STORE_KEY];  /* if the role is not STORE_NOBODY */
};

/* store_folder writes the path of the user's token: $HEADRACE_TOKEN; for root
 * /var/lib/headrace/token; else $XDG_DATA_HOME/headrace/token or ~/.local/share/headrace/token.
 * A set-user-ID program takes nothing from the environment.  STORE_TOO_LONG; STORE_NO_TOKEN: the
 * environment names none; STORE_REFUSED: the path is not absolute. */
int store_folder(char out[STORE_MAX_PATH]);

/* store_open fills `s` and reads the token's label, if there is one; that there is none is no
 * error.  `folder` and `scratch`, of STORE_SCRATCH bytes, must outlive `s`.  The token key stays in
 * `s`, and private parts pass through the scratch, which is wiped: the caller may lock both. */
int store_open(struct store *s, const char *folder, uint8_t *scratch);
/* store_look reads all that store_open reads again, such as the wrong PINs of other processes. */
int store_look(struct store *s);

/* store_init makes a token without objects and without a user's PIN.  The folder is created with
 * those above it.  If there is a token, the SO must have opened it: else STORE_CLOSED. */
int store_init(struct store *s, const uint8_t label[STORE_LABEL], const void *pin, size_t pin_len);
/* store_login opens the token key.  A try counts on disk as wrong until its PIN has proved right.
 * After an error the token key is as it was. */
int store_login(struct store *s, enum store_role role, const void *pin, size_t pin_len);
/* store_logout wipes the token key. */
void store_logout(struct store *s);
/* store_set_pin gives a role a new PIN, and its tries.  STORE_CLOSED. */
int store_set_pin(struct store *s, enum store_role role, const void *pin, size_t pin_len);

struct store_parts {
    const uint8_t *open, *secret; /* the public and the private part */
    size_t open_len, secret_len;
};
enum store_put { STORE_NEW, STORE_REPLACE };

/* store_new_id draws an id for store_put. */
int store_new_id(uint8_t id[STORE_ID]);
/* store_put writes an object, which must be new (STORE_EXISTS) or must be there (STORE_GONE).  On
 * return 0 it is on disk; whatever happens meanwhile, the file is as before or has both new parts.
 * The parts are not in the scratch. */
int store_put(struct store *s, const uint8_t id[STORE_ID], const struct store_parts *parts,
              enum store_put how);
/* store_delete deletes one.  It needs no token key, as whoever may write the folder needs none. */
int store_delete(struct store *s, const uint8_t id[STORE_ID]);

/* An object as store_load finds it.  Without the token key nothing is known to be authentic, and
 * the private part is encrypted: `is_open` is false, `secret` NULL, and secret_len right. */
struct store_object {
    const uint8_t *id;
    struct store_parts parts;
    bool is_open;
};
/* store_object_fn returns 0 to go on.  It must not call functions for the same struct store, nor
 * keep pointers. */
typedef int store_object_fn(void *arg, const struct store_object *object);
/* store_load calls `each` for every object, in no order.  Objects that are changed, cut, links, or
 * of another token are left out.  Returns what `each` returned, or an error. */
int store_load(struct store *s, store_object_fn *each, void *arg);

/* store_changed tells whether another process changed the token since store_load or the last
 * change of ours: one stat.  True if it cannot be told. */
bool store_changed(const struct store *s);

#endif
