/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_PROVIDER_LIBCRYPTO_H
#define FUZZ_PROVIDER_LIBCRYPTO_H

/* Objects of the stub that were not given back. */
extern int other_live;

#endif
