/* SPDX-License-Identifier: Apache-2.0 */
/* For CPUs that have the CRC32 extension and no PMULL. */
#define CRC_INSTRUCTION "crc32"
#if defined(__clang__) /* 14, which has no + */
#define TARGET __attribute__((target("crc")))
#else
#define TARGET __attribute__((target("+crc")))
#endif
#include "crc_chain.h"

/* value = the CRC, of which value was that of the bytes before; nothing need be aligned. */
CRC_KERNEL(TARGET, crc32, crc, crc_chain)
