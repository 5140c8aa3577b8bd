/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_PROVIDER_LIBCRYPTO_H
#define FUZZ_PROVIDER_LIBCRYPTO_H

/* The number of the stub's objects that have not been freed. */
extern int other_live;

#endif
