/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets in struct aes_key (internal.h), for kernels in assembly. */
#ifndef HR_AES_KEY_H
#define HR_AES_KEY_H

#define AES_KEY_DEC 240
#define AES_KEY_ROUNDS 480

#endif
