/* SPDX-License-Identifier: Apache-2.0 */
/* What a key is made of. */
#ifndef HR_P11_KEY_H
#define HR_P11_KEY_H

#include "object.h"

/* key_defaults adds attributes that callers expect to find: what nothing is known of is empty. */
RV key_defaults(struct module *m, struct draft *draft);
/* key_complete checks that a new object has what its class and type need, and adds what follows of
 * that: CKA_VALUE_LEN, CKA_MODULUS_BITS, CKA_UNIQUE_ID and others. */
RV key_complete(struct module *m, struct draft *draft);
/* key_unique_id gives a draft a new CKA_UNIQUE_ID, key_id_text one that is these bytes in hex. */
enum { UNIQUE_ID = 16 };
RV key_unique_id(struct module *m, struct draft *draft);
RV key_id_text(struct module *m, struct draft *draft, const uint8_t id[UNIQUE_ID]);
/* secret_len_check returns whether secret keys of a type can have so many bytes. */
RV secret_len_check(CK_KEY_TYPE type, size_t len);
/* secret_len_of returns the length of a type that has one only, or 0. */
size_t secret_len_of(CK_KEY_TYPE type);
/* secret_finish makes a secret key of a draft and these bytes, of which CKA_VALUE_LEN may take the
 * first ones.  `from` is the key that they come of. */
RV secret_finish(struct session *s, struct draft *draft, const uint8_t *secret, size_t len,
                 enum origin origin, const struct object *from, CK_OBJECT_HANDLE *handle);
/* key_material writes what is wrapped of a key: the value, or PKCS#8; under objects_lock.  *len is
 * the room, and becomes the length. */
RV key_material(struct module *m, const struct object *key, uint8_t *out, size_t *len);

/* ---- pk/ ---- */

/* pk_complete does what key_complete does, for public and private keys. */
RV pk_complete(struct module *m, struct draft *draft);
/* pk_generate fills the drafts of a new pair: what policy.c needs is in them. */
RV pk_generate(struct module *m, const struct mechanism *mech, const CK_MECHANISM *mechanism,
               struct draft *public_key, struct draft *private_key);
/* pk_encode writes a private key as PKCS#8, pk_decode adds to a draft what such bytes say. */
RV pk_encode(struct module *m, const struct object *key, uint8_t *out, size_t *len);
RV pk_decode(struct module *m, struct draft *draft, const uint8_t *in, size_t len);

#endif
