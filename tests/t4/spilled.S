/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel whose register window is sent to the stack before each of many instructions, as a trap
 * could do at any time. SOURCE is the kernel's file. */
#define SPILL save %sp, -176, %sp; flushw; restore
#define aes_eround23 SPILL; aes_eround23
#define aes_eround23_l SPILL; aes_eround23_l
#define aes_dround23 SPILL; aes_dround23
#define aes_dround23_l SPILL; aes_dround23_l
#define xmulxhi SPILL; xmulxhi
#define umulxhi SPILL; umulxhi
#define movdtox SPILL; movdtox
#define movxtod SPILL; movxtod

#include SOURCE
