/* SPDX-License-Identifier: Apache-2.0 */
/* Which libcrypto knows providers. */
#ifndef PROVIDERS_H
#define PROVIDERS_H

#include <stdbool.h>

/* Whether a text begins with the file name of a libcrypto that has them, OpenSSL 3 or later:
 * "libcrypto.so.3", "libcrypto.so.4 (deleted)". */
bool has_providers(const char *name);

#endif
