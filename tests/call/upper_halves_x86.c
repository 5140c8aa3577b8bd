/* SPDX-License-Identifier: Apache-2.0 */
/* XGETBV with ECX = 1 reads XINUSE (Intel SDM volume 1, section 13.6): bit 2 says that the upper
 * halves of ymm registers are in use, bit 6 those of zmm0-15.  A kernel that leaves them so slows
 * every SSE instruction after it.  The machine is asked only if it tells dirty from clean. */
#include "checked_call.h"
#include <cpuid.h>
#include <immintrin.h>

const char *const registers_checked = "registers: rbx rbp r12-r15, MXCSR, x87 control, DF";
const unsigned num_clobbered = 3;

__attribute__((target("xsave"))) int upper_halves_dirty(void)
{
    return (_xgetbv(1) & 0x44) != 0;
}

__attribute__((target("avx"))) void upper_halves_clean(void)
{
    _mm256_zeroupper();
}

static void make_dirty(void)
{
    __asm__ volatile("vcmpps $15, %%ymm0, %%ymm0, %%ymm0" : : : "xmm0");
}

static int tracked(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_AVX) || !(c & bit_OSXSAVE))
        return 0;
    if (!__get_cpuid_count(13, 1, &a, &b, &c, &d) || !(a & 4))
        return 0;
    make_dirty();
    const int seen = upper_halves_dirty();
    upper_halves_clean();
    return seen && !upper_halves_dirty();
}

int upper_halves_tracked(void)
{
    static int answer = -1;
    if (answer < 0)
        answer = tracked();
    return answer;
}
