/* SPDX-License-Identifier: Apache-2.0 */
/* Sets AT_HWCAP to the value on a T4 under Linux (arch/sparc/include/asm/elf_64.h; /proc/cpuinfo
 * of such a machine lists the same as cpucaps). It is written into the auxiliary vector itself,
 * from which QEMU makes /proc/self/auxv. getauxval has a copy of its own, so it is replaced
 * here. */
#define _GNU_SOURCE
#include "guest.h"
#include <elf.h>
#include <sys/auxv.h>
#include <unistd.h>

/* clang-format off */
static const unsigned long t4_hwcap =
    HWCAP_SPARC_FLUSH | HWCAP_SPARC_STBAR | HWCAP_SPARC_SWAP | HWCAP_SPARC_MULDIV | HWCAP_SPARC_V9 |
    HWCAP_SPARC_BLKINIT | HWCAP_SPARC_N2 | HWCAP_SPARC_MUL32 | HWCAP_SPARC_DIV32 |
    HWCAP_SPARC_V8PLUS | HWCAP_SPARC_POPC | HWCAP_SPARC_VIS | HWCAP_SPARC_VIS2 |
    HWCAP_SPARC_ASI_BLK_INIT | HWCAP_SPARC_FMAF | HWCAP_SPARC_VIS3 | HWCAP_SPARC_HPC |
    HWCAP_SPARC_IMA | HWCAP_SPARC_PAUSE | HWCAP_SPARC_CBCOND;
/* clang-format on */

/* Linux reports CRYPTO if there is any of the instructions. */
static unsigned long hwcap(void)
{
    return t4_hwcap | (guest.model.cfr ? HWCAP_SPARC_CRYPTO : 0);
}

/* Changes AT_HWCAP in the vector. It lies behind the environment with which the program was
 * started; this runs before anything can change `environ`. */
void auxv_start(void)
{
    char **end = environ;
    if (!end)
        return;
    while (*end)
        end++;
    for (Elf64_auxv_t *entry = (Elf64_auxv_t *)(end + 1); entry->a_type != AT_NULL; entry++)
        if (entry->a_type == AT_HWCAP)
            entry->a_un.a_val = hwcap();
}

EXPORT unsigned long getauxval(unsigned long type)
{
    static unsigned long (*next)(unsigned long);
    guest_start();
    if (type == AT_HWCAP)
        return hwcap();
    if (!next)
        next = NEXT(getauxval);
    return next(type);
}

unsigned long __getauxval(unsigned long type); /* the C library has no prototype for it */
EXPORT unsigned long __getauxval(unsigned long type)
{
    return getauxval(type);
}
