/* SPDX-License-Identifier: Apache-2.0 */
/* The floating-point environment of a kernel that computes with doubles: round-to-nearest, no
 * traps, no flush to zero.  rounding_set sets it and returns the caller's, which rounding_restore
 * brings back with its flags, so that the program sees no exception of the kernel.  The
 * calculation between them must be in a function that is not inlined: compilers order calls and
 * these functions, but not single operations on doubles.  <fenv.h> has such functions, but they are
 * in libm, which every program would then load. */
#ifndef HR_ROUNDING_H
#define HR_ROUNDING_H

#include <stdint.h>

#if defined __x86_64__

static inline uint64_t rounding_set(void)
{
    const uint32_t usual = 0x1f80;
    uint32_t before; /* MXCSR: Intel SDM volume 1, 10.2.3 */
    __asm__ volatile("stmxcsr %0" : "=m"(before) : : "memory");
    __asm__ volatile("ldmxcsr %0" : : "m"(usual) : "memory");
    return before;
}
static inline void rounding_restore(uint64_t before)
{
    const uint32_t mxcsr = (uint32_t)before;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}

#elif defined __aarch64__

static inline uint64_t rounding_set(void)
{
    uint64_t control, status; /* FPCR, FPSR: Arm ARM C5.2; their upper halves are reserved */
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr\n\tmsr fpcr, xzr"
                     : "=&r"(control), "=&r"(status)
                     :
                     : "memory");
    return control << 32 | (uint32_t)status;
}
static inline void rounding_restore(uint64_t before)
{
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1"
                     :
                     : "r"(before >> 32), "r"(before & UINT32_MAX)
                     : "memory");
}

#elif defined __sparc__ && defined __arch64__

static inline uint64_t rounding_set(void)
{
    const uint64_t usual = 0;
    uint64_t before; /* FSR: Oracle SPARC Architecture 2011, 3.4.4 */
    __asm__ volatile("stx %%fsr, %0" : "=m"(before) : : "memory");
    __asm__ volatile("ldx %0, %%fsr" : : "m"(usual) : "memory", "cc");
    return before;
}
static inline void rounding_restore(uint64_t before)
{
    __asm__ volatile("ldx %0, %%fsr" : : "m"(before) : "memory", "cc");
}

#else
#define HR_NO_ROUNDING /* kernels that need these functions are left out */
#endif

#endif
