/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_UNIT_THREAD_H
#define HR_UNIT_THREAD_H

#include "unit_parts.h"

/* unit_thread_run is a thread of the unit, whose argument is its struct unit_thread. */
void *unit_thread_run(void *thread);
/* unit_call_another wakes a thread, if one sleeps and nobody looks at requests that wait. */
void unit_call_another(struct unit *u);
/* unit_answer answers a batch that has been computed, which took until `now`, and charges its
 * clients. */
void unit_answer(struct unit *u, struct unit_thread *t, uint64_t now);
/* unit_leave ends a thread's use of the clients of its batch. */
void unit_leave(struct unit *u, const struct unit_thread *t);

#endif
