/* SPDX-License-Identifier: Apache-2.0 */
/* CPU features of x86-64: Intel SDM volume 2, CPUID leaves 1, 7.0 and 7.1; volume 1 section 14.3
 * for XCR0. */
#include "cpu.h"
#include <cpuid.h>

#define HR_CPU_ARCH_X86(bit) UINT64_C(1) << bit |
#define HR_CPU_ARCH_ARM64(bit)
#define HR_CPU_ARCH_SPARC(bit)
const uint64_t cpu_arch_mask =
#define HR_CPU(bit, SYM, ARCH, ...) HR_CPU_ARCH_##ARCH(bit)
#include <headrace/cpu.def>
    0;

enum { EAX, EBX, ECX, EDX };
/* XCR0 bits that the operating system must have set. */
enum { STATE_NONE = 0, STATE_YMM = 0x6, STATE_ZMM = 0xe6 };

static const struct {
    unsigned leaf, subleaf;
    uint8_t reg, bit;
    uint8_t state;
    uint64_t feature;
} rows[] = {
    { 1, 0, ECX, 9, STATE_NONE, CPU(SSSE3) },     { 1, 0, ECX, 19, STATE_NONE, CPU(SSE41) },
    { 1, 0, ECX, 20, STATE_NONE, CPU(SSE42) },    { 1, 0, ECX, 25, STATE_NONE, CPU(AESNI) },
    { 1, 0, ECX, 1, STATE_NONE, CPU(PCLMUL) },    { 1, 0, ECX, 28, STATE_YMM, CPU(AVX) },
    { 7, 0, EBX, 5, STATE_YMM, CPU(AVX2) },       { 7, 0, EBX, 8, STATE_NONE, CPU(BMI2) },
    { 7, 0, EBX, 19, STATE_NONE, CPU(ADX) },      { 7, 0, EBX, 16, STATE_ZMM, CPU(AVX512F) },
    { 7, 0, EBX, 30, STATE_ZMM, CPU(AVX512BW) },  { 7, 0, EBX, 17, STATE_ZMM, CPU(AVX512DQ) },
    { 7, 0, EBX, 31, STATE_ZMM, CPU(AVX512VL) },  { 7, 0, EBX, 21, STATE_ZMM, CPU(AVX512IFMA) },
    { 7, 0, ECX, 1, STATE_ZMM, CPU(AVX512VBMI) }, { 7, 0, ECX, 6, STATE_ZMM, CPU(AVX512VBMI2) },
    { 7, 0, ECX, 9, STATE_YMM, CPU(VAES) },       { 7, 0, ECX, 10, STATE_YMM, CPU(VPCLMULQDQ) },
    { 7, 0, ECX, 8, STATE_NONE, CPU(GFNI) },      { 7, 0, EBX, 29, STATE_NONE, CPU(SHANI) },
    { 7, 1, EAX, 0, STATE_YMM, CPU(SHA512NI) },
};

static uint32_t read_xcr0(void)
{
    uint32_t eax, edx;
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return eax;
}

/* Detects Zen 5 and later (AMD's families from 0x1a on), where additions and rotations of vectors
 * take two cycles; no bit of CPUID says so.  There a step of MD5's chain in AVX-512 takes 8 cycles
 * instead of 4 (measured). */
static int has_slow_vectors(void)
{
    enum { ZEN5 = 0x1a, EXTENDED = 15 };
    unsigned r[4];
    if (!__get_cpuid(0, &r[EAX], &r[EBX], &r[ECX], &r[EDX]) || r[EBX] != signature_AMD_ebx ||
        !__get_cpuid(1, &r[EAX], &r[EBX], &r[ECX], &r[EDX]))
        return 0;
    return (r[EAX] >> 8 & 15) == EXTENDED && EXTENDED + (r[EAX] >> 20 & 255) >= ZEN5;
}

uint64_t cpu_detect(void)
{
    unsigned r[4];
    uint32_t xcr0 = 0;
    uint64_t set = 0;
    if (__get_cpuid_count(1, 0, &r[EAX], &r[EBX], &r[ECX], &r[EDX]) && r[ECX] >> 27 & 1)
        xcr0 = read_xcr0(); /* bit 27 is OSXSAVE */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!__get_cpuid_count(rows[i].leaf, rows[i].subleaf, &r[EAX], &r[EBX], &r[ECX], &r[EDX]))
            continue;
        if ((xcr0 & rows[i].state) == rows[i].state && r[rows[i].reg] >> rows[i].bit & 1)
            set |= rows[i].feature;
    }
    return has_slow_vectors() ? set | CPU(VECTOR2) : set;
}
