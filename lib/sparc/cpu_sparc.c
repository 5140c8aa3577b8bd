/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle SPARC Architecture 2011: the CFR (%asr26) tells the crypto opcodes, but on a CPU without
 * them %asr26 is another register.  So AT_HWCAP's CRYPTO bit is asked first. */
#include "../cpu.h"
#include <sys/auxv.h>

#define HR_CPU_ARCH_X86(bit)
#define HR_CPU_ARCH_ARM64(bit)
#define HR_CPU_ARCH_SPARC(bit) UINT64_C(1) << bit |
const uint64_t cpu_arch_mask =
#define HR_CPU(bit, SYM, ARCH, ...) HR_CPU_ARCH_##ARCH(bit)
#include <headrace/cpu.def>
    0;

enum { HWCAP_SPARC_CRYPTO_BIT = 26, NUM_CFR_BITS = 12 };

static uint64_t read_cfr(void)
{
    uint64_t cfr;
    __asm__ volatile("rd %%asr26, %0" : "=r"(cfr));
    return cfr;
}

/* cpu.def lists the SPARC features in the order of the CFR's bits. */
uint64_t cpu_detect(void)
{
    if (!(getauxval(AT_HWCAP) >> HWCAP_SPARC_CRYPTO_BIT & 1))
        return 0;
    return (read_cfr() & ((1u << NUM_CFR_BITS) - 1)) << HR_CPU_BIT_SPARC_AES;
}
