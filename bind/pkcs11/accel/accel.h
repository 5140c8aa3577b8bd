/* SPDX-License-Identifier: Apache-2.0 */
/* The slot of the accelerator: the named keys of its service (headrace-accel(7)), as objects that
 * the service alone can change.
 *
 * The slot is there while a service answers.  Objects stay when it goes, so that a program keeps
 * their handles over a restart; operations wait for the service as jobs under named keys do, and
 * then fail with CKR_DEVICE_REMOVED. */
#ifndef HR_P11_ACCEL_H
#define HR_P11_ACCEL_H

#include "../mechanism.h"
#include "client.h"

RV accel_begin(struct module *m);
void accel_end(struct module *m);
/* accel_refresh asks the service which keys there are, and makes and removes objects. */
void accel_refresh(struct module *m);
/* accel_is_there tells whether the service has just answered; it asks if that is a second ago. */
bool accel_is_there(struct module *m);
/* accel_mechanisms is the slot's table. */
extern const struct mechanism accel_mechanisms[];
extern const size_t accel_num_mechanisms;

/* ---- named.c ---- */

enum { ACCEL_SPKI = 3072, ACCEL_PRINT = 32 };

/* A named key, or what it was: a key of the same name with another public key is another one.  It
 * stays until C_Finalize, since forms of keys refer to it. */
struct accel_named {
    struct accel_named *next;
    struct hr_accel_key key;
    uint8_t print[ACCEL_PRINT]; /* SHA-256 of the SubjectPublicKeyInfo; zeros: none */
    CK_OBJECT_HANDLE objects[2];
    bool is_listed;
    _Atomic uint64_t handle; /* the client's; 0: not opened yet */
};

/* The second argument of accel_use: what is to be done under a handle.  Returns 0 or HR_E.... */
typedef int accel_use_fn(void *what, uint64_t handle);
/* accel_use opens a key if needed, and once more if the service does not know the handle. */
RV accel_use(struct accel_named *named, accel_use_fn *use, void *what);
/* accel_error translates an error of the client. */
CK_RV accel_error(int error);
/* accel_is_public tells whether a row is one of public key. */
bool accel_is_public(hr_alg alg);

/* ---- objects.c ---- */

/* objects_make makes the objects of a key.  `spki` of len bytes is checked; len 0: none. */
RV accel_objects_make(struct module *m, struct accel_named *named, const uint8_t *spki, size_t len);
/* accel_of returns the named key that an object of the slot stands for. */
struct accel_named *accel_of(const struct object *object);

/* ---- engines ---- */

extern const struct engine engine_accel_pk, engine_accel_pk_whole, engine_accel_mac,
    engine_accel_gmac, engine_accel_cipher, engine_accel_aead, engine_accel_xts;

#endif
