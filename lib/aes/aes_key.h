/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets of fields, for kernels in assembly.  In struct aes_key (internal.h): */
#ifndef HR_AES_KEY_H
#define HR_AES_KEY_H

#define AES_KEY_DEC 240
#define AES_KEY_ROUNDS 480
/* In struct aead_key (aead.h): */
#define AEAD_KEY_POWERS 640
/* In struct xts_key (xts.h): */
#define XTS_KEY_TWEAK 496
/* In struct poly1305_key (poly1305.h): */
#define POLY1305_KEY_R 0

#endif
