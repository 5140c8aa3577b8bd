/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CANDIDATE_H
#define CANDIDATE_H

#include "module.h"

/* Has a child read `text` as any program would (probe.h), before it becomes the file `path`.  An
 * error, with one line printed: OpenSSL would refuse it, our provider would not be active, or one
 * that is active with `base` would not be any more. */
int candidate_try(const struct openssl *ssl, const char *path, const char *base, const char *text,
                  const struct module *module);

#endif
