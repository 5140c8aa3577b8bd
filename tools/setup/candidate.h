/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CANDIDATE_H
#define CANDIDATE_H

#include "../../cli/module.h"
#include "probe.h"

/* Tries `text` as a configuration before it becomes the file `path`: a child process reads it as
 * any program would (probe.h). *after gets what programs
 * get from it. Returns an exit code. It is an error, with one line printed, if
 * OpenSSL refuses `text` but not `base`, if our provider is not active, or if a provider that is
 * active with `base` is not active any more. */
int candidate_try(const struct openssl *ssl, const char *path, const char *base, const char *text,
                  const struct module *module, struct probe *after);

#endif
