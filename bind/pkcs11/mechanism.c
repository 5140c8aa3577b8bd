/* SPDX-License-Identifier: Apache-2.0 */
#include "mechanism.h"
#include "accel/accel.h"
#include "pk/pk.h"
#include <headrace/algorithms.h>
#include <stdlib.h>

#define P11_MECHANISM(type, row, engine, key, other, min, max, flags, detail, digest) \
    { type, "CKM_" #row, engine, CKK_##key, CKK_##other, min, max, detail, flags, HR_##digest },
static const struct mechanism token_mechanisms[] = {
#include "mechanism.def"
};

static int compare(const void *a, const void *b)
{
    const CK_MECHANISM_TYPE x = ((const struct mechanism *)a)->type,
                            y = ((const struct mechanism *)b)->type;
    return x < y ? -1 : x > y;
}

RV mechanisms_of(struct module *m, unsigned slot)
{
    const struct mechanism *table = slot == SLOT_TOKEN ? token_mechanisms : accel_mechanisms;
    const size_t num = slot == SLOT_TOKEN ? COUNT(token_mechanisms) : accel_num_mechanisms;
    struct mechanism *copy = secret_new(m, num * sizeof *copy);
    if (!copy)
        return CKR_HOST_MEMORY;
    memcpy(copy, table, num * sizeof *copy);
    qsort(copy, num, sizeof *copy, compare);
    m->slots[slot].mechanisms = copy;
    m->slots[slot].num_mechanisms = num;
    return CKR_OK;
}

const struct mechanism *mechanism_find(const struct module *m, unsigned slot,
                                       CK_MECHANISM_TYPE type)
{
    const struct mechanism *list = m->slots[slot].mechanisms;
    size_t low = 0, high = m->slots[slot].num_mechanisms;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (list[middle].type == type)
            return &list[middle];
        if (list[middle].type < type)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct mechanism *mechanism_of_digest(const struct module *m, unsigned slot, hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    const struct mechanism *list = m->slots[slot].mechanisms;
    for (size_t i = 0; row && i < m->slots[slot].num_mechanisms; i++)
        if (list[i].flags & CKF_DIGEST && !strcmp(list[i].row, row->pkcs11))
            return &list[i];
    return NULL;
}

hr_alg mechanism_row(const struct mechanism *mech, size_t key_len)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)) != NULL; i++)
        if (!strcmp(row->pkcs11, mech->row) && (row->key_len == key_len || !row->key_len))
            return row->alg;
    return HR_ALG_NONE;
}

RV form_new(const struct mechanism *mech, struct module *m, const struct object *key,
            size_t (*size)(hr_alg alg), void **form, hr_alg *alg, const uint8_t **value,
            size_t *len)
{
    *value = object_value(key, CKA_VALUE, len);
    *alg = mechanism_row(mech, *len);
    if (!*value || !*alg)
        return CKR_KEY_SIZE_RANGE;
    *form = secret_new(m, size(*alg));
    return *form ? CKR_OK : CKR_HOST_MEMORY;
}

CK_RV form_made(struct module *m, void **form, int error)
{
    if (error) {
        secret_free(m, *form);
        *form = NULL;
    }
    return error_of(error);
}

void mechanism_form_free(struct module *m, const struct object *object, void *form)
{
    secret_free(m, form);
}

/* object_has_secret: of stored keys that are not private, what is secret comes with the login. */
static bool object_has_secret(const struct object *key)
{
    size_t len;
    return key->cls == CKO_PUBLIC_KEY || key->accel || object_value(key, CKA_VALUE, &len) ||
           object_value(key, CKA_PRIVATE_EXPONENT, &len);
}

/* is_same_form tells whether two mechanisms use a key in the same form. */
static bool is_same_form(const struct mechanism *a, const struct mechanism *b)
{
    return a->engine->form == b->engine->form && !strcmp(a->row, b->row);
}

RV key_form(struct module *m, const struct mechanism *mech, struct object *key, void **form,
            hr_alg *alg)
{
    CK_RV rv = CKR_OK;
    pthread_mutex_lock(&m->objects_lock);
    uint32_t i = 0, num = atomic_load(&key->num_forms);
    while (i < num && !is_same_form(key->forms[i].mech, mech))
        i++;
    if (i == num) {
        struct form *one = &key->forms[i];
        rv = num == MAX_FORMS          ? CKR_DEVICE_MEMORY
             : !object_has_secret(key) ? CKR_USER_NOT_LOGGED_IN
                                       : mech->engine->form(mech, m, key, &one->made, &one->alg);
        if (rv == CKR_OK) {
            one->mech = mech;
            atomic_store(&key->num_forms, num + 1);
        }
    }
    if (rv == CKR_OK) {
        *form = key->forms[i].made;
        *alg = key->forms[i].alg;
    }
    pthread_mutex_unlock(&m->objects_lock);
    return rv;
}

RV no_parameter(const CK_MECHANISM *mechanism)
{
    return mechanism->ulParameterLen ? CKR_MECHANISM_PARAM_INVALID : CKR_OK;
}
