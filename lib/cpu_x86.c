/* SPDX-License-Identifier: Apache-2.0 */
/* CPU features of x86-64: Intel SDM volume 2, CPUID leaves 1, 7.0 and 7.1; volume 1 section 14.3
 * for XCR0. */
#include "cpu.h"
#include <cpuid.h>
#include <limits.h>
#include <string.h>

#define HR_CPU_ARCH_X86(bit) UINT64_C(1) << bit |
#define HR_CPU_ARCH_ARM64(bit)
#define HR_CPU_ARCH_SPARC(bit)
const uint64_t cpu_arch_mask =
#define HR_CPU(bit, SYM, ARCH, ...) HR_CPU_ARCH_##ARCH(bit)
#include <headrace/cpu.def>
    0;

enum { EAX, EBX, ECX, EDX };
/* The leaves that are read, each once: a hypervisor traps CPUID, which then takes microseconds. */
enum { LEAF_0, LEAF_1, LEAF_7_0, LEAF_7_1, NUM_LEAVES };
static const struct {
    unsigned leaf, subleaf;
} leaves[NUM_LEAVES] = { { 0, 0 }, { 1, 0 }, { 7, 0 }, { 7, 1 } };
typedef unsigned cpuid_regs[NUM_LEAVES][4]; /* zeros where the CPU has no such leaf */

/* XCR0 bits that the operating system must have set. */
enum { STATE_NONE = 0, STATE_YMM = 0x6, STATE_ZMM = 0xe6 };

static const struct {
    uint8_t leaf, reg, bit;
    uint8_t state;
    uint64_t feature;
} rows[] = {
    { LEAF_1, ECX, 9, STATE_NONE, CPU(SSSE3) },
    { LEAF_1, ECX, 19, STATE_NONE, CPU(SSE41) },
    { LEAF_1, ECX, 20, STATE_NONE, CPU(SSE42) },
    { LEAF_1, ECX, 25, STATE_NONE, CPU(AESNI) },
    { LEAF_1, ECX, 1, STATE_NONE, CPU(PCLMUL) },
    { LEAF_1, ECX, 28, STATE_YMM, CPU(AVX) },
    { LEAF_1, ECX, 12, STATE_YMM, CPU(FMA) },
    { LEAF_7_0, EBX, 5, STATE_YMM, CPU(AVX2) },
    { LEAF_7_0, EBX, 8, STATE_NONE, CPU(BMI2) },
    { LEAF_7_0, EBX, 19, STATE_NONE, CPU(ADX) },
    { LEAF_7_0, EBX, 16, STATE_ZMM, CPU(AVX512F) },
    { LEAF_7_0, EBX, 30, STATE_ZMM, CPU(AVX512BW) },
    { LEAF_7_0, EBX, 17, STATE_ZMM, CPU(AVX512DQ) },
    { LEAF_7_0, EBX, 31, STATE_ZMM, CPU(AVX512VL) },
    { LEAF_7_0, EBX, 21, STATE_ZMM, CPU(AVX512IFMA) },
    { LEAF_7_0, ECX, 1, STATE_ZMM, CPU(AVX512VBMI) },
    { LEAF_7_0, ECX, 6, STATE_ZMM, CPU(AVX512VBMI2) },
    { LEAF_7_0, ECX, 9, STATE_YMM, CPU(VAES) },
    { LEAF_7_0, ECX, 10, STATE_YMM, CPU(VPCLMULQDQ) },
    { LEAF_7_0, ECX, 8, STATE_NONE, CPU(GFNI) },
    { LEAF_7_0, EBX, 29, STATE_NONE, CPU(SHANI) },
    { LEAF_7_1, EAX, 0, STATE_YMM, CPU(SHA512NI) },
};

static uint32_t read_xcr0(void)
{
    uint32_t eax, edx;
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return eax;
}

/* Behaviours of CPUs, by vendor (EBX of leaf 0) and family; the first row that fits counts.
 *
 * AMD 0x19, Zen 3 and Zen 4, of which only Zen 4 has AVX-512: VPROLD takes 2 cycles, VPADDD and
 * VPTERNLOGD 1, so that a step of MD5's chain takes 5 in vectors and 4.6 in general registers; two
 * VPROLQ of 256 bits start in a cycle, and one of 512.
 * AMD 0x1a, Zen 5, and later: additions and rotations take 2, and a step of MD5 in vectors 8.
 * All figures are measured. */
static const struct {
    uint32_t vendor;
    unsigned min_family, max_family;
    uint64_t features;
} behaviours[] = {
    { signature_AMD_ebx, 0x19, 0x19, CPU(ROTATE2) | CPU(HALVES512) },
    { signature_AMD_ebx, 0x1a, UINT_MAX, CPU(VECTOR2) | CPU(ROTATE2) },
};

/* Returns the family as AMD and Intel count it: the extended field is added to 15. */
static unsigned family(unsigned signature)
{
    enum { EXTENDED = 15 };
    const unsigned base = signature >> 8 & 15;
    return base == EXTENDED ? EXTENDED + (signature >> 20 & 255) : base;
}

static uint64_t behaviours_of(cpuid_regs r)
{
    const unsigned f = family(r[LEAF_1][EAX]);
    for (size_t i = 0; i < sizeof behaviours / sizeof behaviours[0]; i++)
        if (r[LEAF_0][EBX] == behaviours[i].vendor && f >= behaviours[i].min_family &&
            f <= behaviours[i].max_family)
            return behaviours[i].features;
    return 0;
}

static void read_leaves(cpuid_regs r)
{
    memset(r, 0, sizeof(cpuid_regs));
    for (size_t i = 0; i < NUM_LEAVES; i++) {
        if (i && leaves[i].leaf > r[LEAF_0][EAX]) /* the highest leaf that the CPU has */
            return;
        __cpuid_count(leaves[i].leaf, leaves[i].subleaf, r[i][EAX], r[i][EBX], r[i][ECX],
                      r[i][EDX]);
    }
}

uint64_t cpu_detect(void)
{
    cpuid_regs r;
    uint32_t xcr0 = 0;
    uint64_t set = 0;
    read_leaves(r);
    if (r[LEAF_1][ECX] >> 27 & 1)
        xcr0 = read_xcr0(); /* bit 27 is OSXSAVE */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((xcr0 & rows[i].state) == rows[i].state &&
            r[rows[i].leaf][rows[i].reg] >> rows[i].bit & 1)
            set |= rows[i].feature;
    return set | behaviours_of(r);
}
