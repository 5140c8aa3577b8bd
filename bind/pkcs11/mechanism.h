/* SPDX-License-Identifier: Apache-2.0 */
/* The mechanisms: mechanism.def at run time. */
#ifndef HR_P11_MECHANISM_H
#define HR_P11_MECHANISM_H

#include "op.h"

enum mechanism_detail {
    MECH_GENERAL = 1, /* its parameter is the length of the MAC */
    MECH_PAD = 2,     /* PKCS#7 */
    MECH_IV = 4,      /* its parameter is an IV of the row's length, and nothing else */
    MECH_COUNTER = 8, /* its parameter is a CK_AES_CTR_PARAMS */
};

struct mechanism {
    CK_MECHANISM_TYPE type;
    char row[24];                /* the registry's name of the rows: CKM_AES_CBC; or "" */
    const struct engine *engine; /* of messages; NULL: it makes or derives keys only */
    CK_KEY_TYPE key_type, other_type;
    uint32_t min, max; /* of keys, in the unit of the specification */
    uint32_t detail;   /* enum mechanism_detail, and of pk/ its own */
    CK_FLAGS flags;
    hr_alg digest; /* of a signature that digests the message */
};

/* mechanisms_of returns a sorted copy of the table of a slot. */
RV mechanisms_of(struct module *m, unsigned slot);
/* mechanism_find returns a slot's mechanism, or NULL. */
const struct mechanism *mechanism_find(const struct module *m, unsigned slot,
                                       CK_MECHANISM_TYPE type);
/* mechanism_of_digest returns a slot's mechanism of a digest's row, or NULL. */
const struct mechanism *mechanism_of_digest(const struct module *m, unsigned slot, hr_alg alg);
/* mechanism_row returns the row of a mechanism for keys of so many bytes, or 0.  Rows without keys
 * have key_len 0. */
hr_alg mechanism_row(const struct mechanism *mech, size_t key_len);
/* form_new finds the row for a secret key's value, and memory for its form; form_made ends that
 * with the error of the library's call. */
RV form_new(const struct mechanism *mech, struct module *m, const struct object *key,
            size_t (*size)(hr_alg alg), void **form, hr_alg *alg, const uint8_t **value,
            size_t *len);
CK_RV form_made(struct module *m, void **form, int error);
/* P11_VALUE_FORM defines STEM_form of an engine, which makes a struct hr_STEM_key of a value. */
#define P11_VALUE_FORM(STEM)                                                                    \
    static RV STEM##_form(const struct mechanism *mech, struct module *m,                       \
                          const struct object *key, void **form, hr_alg *alg)                   \
    {                                                                                           \
        const uint8_t *value;                                                                   \
        size_t len;                                                                             \
        const CK_RV rv = form_new(mech, m, key, hr_##STEM##_key_size, form, alg, &value, &len); \
        if (rv != CKR_OK)                                                                       \
            return rv;                                                                          \
        return form_made(m, form, hr_##STEM##_key_init(*form, *alg, value, len));               \
    }

/* mechanism_form_free frees a form of a key. */
void mechanism_form_free(struct module *m, const struct object *object, void *form);

/* No parameter at all: CKR_MECHANISM_PARAM_INVALID. */
RV no_parameter(const CK_MECHANISM *mechanism);

#endif
