/* SPDX-License-Identifier: Apache-2.0 */
/* mldsa-native's NEON backend, for mldsa_unit.h: what it replaces, and its constants. */
#define SUFFIX neon
#define MLDSA_BACKEND <ml_dsa/mldsa/native/aarch64/meta.h>
#define MLDSA_TABLES "arm64/mldsa_neon_tables.h"
