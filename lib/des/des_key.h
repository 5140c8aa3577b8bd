/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets in struct des_key (des.h), for kernels in assembly. */
#ifndef HR_DES_KEY_H
#define HR_DES_KEY_H

#define DES_KEY_PASSES 384
#define DES_KEY_KEY 392

#endif
