/* SPDX-License-Identifier: Apache-2.0 */
/* The token of this process: its files (store/), PINs, and the objects in them. */
#ifndef HR_P11_TOKEN_H
#define HR_P11_TOKEN_H

#include "object.h"
#include "store/store.h"

/* Its members are under token_lock, which is taken after objects_lock. */
struct token {
    struct store store;
    bool is_usable; /* its folder can be used; else there are session objects only */
    bool is_loaded; /* store_load has been called, for `role` */
    enum store_role role;
    uint32_t stamp; /* of the last store_load */
    char folder[STORE_MAX_PATH];
    uint8_t scratch[STORE_SCRATCH], parts[STORE_MAX_PARTS];
};

/* token_attach looks for the files; that there are none is no error. */
RV token_attach(struct module *m);
void token_detach(struct module *m);
/* token_info adds to the information of a token what the files say. */
void token_info(struct module *m, CK_TOKEN_INFO *info);
RV token_error(int store_error);

/* ---- token_objects.c ---- */

/* token_put writes an object to its file, a new one or again; token_forget deletes the file.  Both
 * under objects_lock. */
RV token_put(struct module *m, struct object *object);
RV token_forget(struct module *m, const struct object *object);
/* token_refresh makes the token objects of the table those of the files, if these have changed or
 * another PIN opened them. */
void token_refresh(struct module *m);

#endif
