/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that compute in libcrypto although openssl.cnf would have Headrace serve them. */
#ifndef TRACE_UNSERVED_H
#define TRACE_UNSERVED_H

#include "report.h"

/* Bits of a process's clues, above those of clues.def: it maps libcrypto, or Headrace's provider;
 * the openssl.cnf that it reads enables Headrace; the system's does, but its OPENSSL_CONF names
 * another file. */
enum {
    UNSERVED_BITS = 27,
    MAPS_LIBCRYPTO = 1 << UNSERVED_BITS,
    MAPS_PROVIDER = 2 << UNSERVED_BITS,
    CONFIG_ENABLES = 4 << UNSERVED_BITS,
    CONFIG_IS_OTHER = 8 << UNSERVED_BITS,
};

/* Returns bits for a file that a process maps. */
unsigned unserved_file(const char *path);
/* Returns bits for a process with this environment, as /proc/PID/environ holds it. */
unsigned unserved_config(pid_t pid, const char *block, size_t len);
/* Adds sentences to the report's `waste`. Returns 0, or -1 without memory. */
int unserved_find(struct report *r);

#endif
