/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets for kernels in assembly: in struct aes_key (internal.h), ... */
#ifndef HR_AES_KEY_H
#define HR_AES_KEY_H

#define AES_KEY_DEC 240
#define AES_KEY_ROUNDS 480
/* ... struct aead_key (aead.h) ... */
#define AEAD_KEY_POWERS 640
/* ... struct xts_key (xts.h) ... */
#define XTS_KEY_TWEAK 496
/* ... and struct poly1305_key (poly1305.h). */
#define POLY1305_KEY_R 0

#endif
