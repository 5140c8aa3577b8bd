/* SPDX-License-Identifier: Apache-2.0 */
/* CPU features of arm64, read from AT_HWCAP, whose bits are part of Linux's ABI (Linux
 * Documentation/arch/arm64/elf_hwcaps.rst). */
#include "cpu.h"
#include <sys/auxv.h>

#define HR_CPU_ARCH_X86(bit)
#define HR_CPU_ARCH_ARM64(bit) UINT64_C(1) << bit |
#define HR_CPU_ARCH_SPARC(bit)
const uint64_t cpu_arch_mask =
#define HR_CPU(bit, SYM, ARCH, ...) HR_CPU_ARCH_##ARCH(bit)
#include <headrace/cpu.def>
    0;

static const struct {
    uint8_t hwcap_bit;
    uint64_t feature;
} rows[] = {
    { 1, CPU(ARM_NEON) }, { 3, CPU(ARM_AES) },   { 4, CPU(ARM_PMULL) }, { 5, CPU(ARM_SHA1) },
    { 6, CPU(ARM_SHA2) }, { 7, CPU(ARM_CRC32) }, { 17, CPU(ARM_SHA3) }, { 21, CPU(ARM_SHA512) },
};

uint64_t cpu_detect(void)
{
    const unsigned long hwcap = getauxval(AT_HWCAP);
    uint64_t set = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (hwcap >> rows[i].hwcap_bit & 1)
            set |= rows[i].feature;
    return set;
}
