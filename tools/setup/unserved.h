/* SPDX-License-Identifier: Apache-2.0 */
/* The reason why programs are not served although Headrace is enabled. */
#ifndef UNSERVED_H
#define UNSERVED_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Writes the reason why no call was served of a command that ran with a configuration which loads
 * Headrace, as far as its file and the libraries that its loader lists show it. `loaded`: a process
 * of it has loaded a binding. Returns false if they show none. */
bool unserved_reason(char *out, size_t out_len, const char *command, bool loaded);

/* Whether a configuration file cannot enable Headrace, because it is no regular file or does not
 * contain its name. */
bool unserved_by_config(const char *path);

struct findings;
/* Adds a note on the running programs that use libcrypto under an OPENSSL_CONF of their own which
 * does not enable Headrace, as far as /proc may be read. */
void unserved_programs(struct findings *f);

#endif
