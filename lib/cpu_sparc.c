/* SPDX-License-Identifier: Apache-2.0 */
/* CPU features of SPARC. The register CFR (%asr26) says which crypto instructions there are (Oracle
 * SPARC Architecture 2011), but a CPU without crypto instructions uses %asr26 for something else.
 * Therefore the CRYPTO bit of AT_HWCAP is checked first. */
#include "cpu.h"
#include <sys/auxv.h>

#define HR_CPU_ARCH_X86(bit)
#define HR_CPU_ARCH_ARM64(bit)
#define HR_CPU_ARCH_SPARC(bit) UINT64_C(1) << bit |
const uint64_t cpu_arch_mask =
#define HR_CPU(bit, SYM, ARCH, ...) HR_CPU_ARCH_##ARCH(bit)
#include <headrace/cpu.def>
    0;

/* For each feature, its bit in AT_HWCAP and its bits in the CFR (0: none). */
static const struct {
    uint64_t feature;
    uint64_t hwcap;
    uint32_t cfr;
} features[] = {
    { CPU(SPARC_POPC), HWCAP_SPARC_POPC, 0 },
    { CPU(SPARC_VIS), HWCAP_SPARC_VIS, 0 },
    { CPU(SPARC_VIS2), HWCAP_SPARC_VIS2, 0 },
    { CPU(SPARC_ASI_BLK_INIT), HWCAP_SPARC_ASI_BLK_INIT, 0 },
    { CPU(SPARC_FMAF), HWCAP_SPARC_FMAF, 0 },
    { CPU(SPARC_VIS3), HWCAP_SPARC_VIS3, 0 },
    { CPU(SPARC_HPC), HWCAP_SPARC_HPC, 0 },
    { CPU(SPARC_IMA), HWCAP_SPARC_IMA, 0 },
    { CPU(SPARC_PAUSE), HWCAP_SPARC_PAUSE, 0 },
    { CPU(SPARC_CBCOND), HWCAP_SPARC_CBCOND, 0 },
    { CPU(SPARC_AES), HWCAP_SPARC_CRYPTO, 0x001 },
    { CPU(SPARC_DES), HWCAP_SPARC_CRYPTO, 0x002 },
    { CPU(SPARC_KASUMI), HWCAP_SPARC_CRYPTO, 0x004 },
    { CPU(SPARC_CAMELLIA), HWCAP_SPARC_CRYPTO, 0x008 },
    { CPU(SPARC_MD5), HWCAP_SPARC_CRYPTO, 0x010 },
    { CPU(SPARC_SHA1), HWCAP_SPARC_CRYPTO, 0x020 },
    { CPU(SPARC_SHA256), HWCAP_SPARC_CRYPTO, 0x040 },
    { CPU(SPARC_SHA512), HWCAP_SPARC_CRYPTO, 0x080 },
    { CPU(SPARC_MPMUL), HWCAP_SPARC_CRYPTO, 0x100 },
    { CPU(SPARC_MONT), HWCAP_SPARC_CRYPTO, 0x600 },
    { CPU(SPARC_CRC32C), HWCAP_SPARC_CRYPTO, 0x800 },
};

static uint64_t read_cfr(void)
{
    uint64_t cfr;
    __asm__ volatile("rd %%asr26, %0" : "=r"(cfr));
    return cfr;
}

uint64_t cpu_detect(void)
{
    const uint64_t hwcap = getauxval(AT_HWCAP);
    const uint64_t cfr = hwcap & HWCAP_SPARC_CRYPTO ? read_cfr() : 0;
    uint64_t set = 0;
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if ((hwcap & features[i].hwcap) == features[i].hwcap &&
            (cfr & features[i].cfr) == features[i].cfr)
            set |= features[i].feature;
    return set;
}
