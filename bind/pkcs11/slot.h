/* SPDX-License-Identifier: Apache-2.0 */
/* The slots: which are there, who is logged in, and where token objects are stored. */
#ifndef HR_P11_SLOT_H
#define HR_P11_SLOT_H

#include "object.h"

RV slots_begin(struct module *m);
void slots_end(struct module *m);
/* slot_check returns CKR_OK for a slot that has a token now, else CKR_SLOT_ID_INVALID or
 * CKR_TOKEN_NOT_PRESENT. */
RV slot_check(struct module *m, CK_SLOT_ID slot);
/* slot_set_nobody makes nobody be logged in, and returns whether somebody was; under both locks of
 * the login.  slot_logged_out then removes what only that login could see; under login_lock. */
static inline bool slot_set_nobody(struct slot *slot)
{
    return atomic_exchange(&slot->who, NOBODY) != NOBODY;
}
void slot_logged_out(struct module *m, unsigned slot);
/* slot_store writes a token object to its file, slot_forget removes that; under objects_lock. */
RV slot_store(struct module *m, struct object *object);
RV slot_forget(struct module *m, const struct object *object);
/* slot_refresh takes over what another process has changed in the files. */
void slot_refresh(struct module *m, unsigned slot);

#endif
