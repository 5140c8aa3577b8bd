/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets in struct camellia_key (camellia.h), for kernels in assembly. */
#ifndef HR_CAMELLIA_KEY_H
#define HR_CAMELLIA_KEY_H

#define CAMELLIA_KEY_ROUNDS 272

#endif
