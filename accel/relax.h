/* SPDX-License-Identifier: Apache-2.0 */
/* RELAX pauses a thread that looks at memory again and again. */
#ifndef HR_RELAX_H
#define HR_RELAX_H

#if defined(__x86_64__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define RELAX() __asm__ volatile("yield" : : : "memory")
#else
#define RELAX() __asm__ volatile("" : : : "memory")
#endif

#endif
