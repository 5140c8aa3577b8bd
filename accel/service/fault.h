/* SPDX-License-Identifier: Apache-2.0 */
/* SIGBUS in a client's memory: the system had no page for a hole (strict overcommit), or a page was
 * damaged.  The thread goes on with other memory, and the control thread revokes the client. */
#ifndef HR_FAULT_H
#define HR_FAULT_H

#include "memory.h"

enum { FAULT_MEMORIES = 2 };

/* fault_begin handles SIGBUS from now on.  It returns a descriptor from which an eight-byte number
 * can be read after a fault, or -1 with errno. */
int fault_begin(void);
/* fault_watch names the memories of a client, until fault_forget.  It returns a number, or -1 if
 * there are too many.  These functions are for one thread. */
int fault_watch(const struct memory memories[FAULT_MEMORIES]);
/* fault_happened tells whether the memories have been replaced, both of them. */
bool fault_happened(int number);
/* fault_undo maps the memories again, which may cause the next fault. */
void fault_undo(const struct memory memories[FAULT_MEMORIES]);
void fault_forget(int number);

#endif
