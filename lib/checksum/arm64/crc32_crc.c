/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 for CPUs that have the CRC32 extension but no PMULL. */
#define CRC_INSTRUCTION "crc32"
#if defined(__clang__) /* clang 14 does not accept the + */
#define TARGET __attribute__((target("crc")))
#else
#define TARGET __attribute__((target("+crc")))
#endif
#include "crc_chain.h"

/* Defines crc32_value_crc() and crc32_blocks_crc(), which continue a CRC over the bytes at `in`;
 * `in` may have any alignment. */
CRC_KERNEL(TARGET, crc32, crc, crc_chain)
