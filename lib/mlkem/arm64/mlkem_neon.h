/* SPDX-License-Identifier: Apache-2.0 */
/* mlkem-native's NEON backend, for mlkem_unit.h: what it replaces, and its constants. */
#define SUFFIX neon
#define MLKEM_BACKEND <ml_kem/mlkem/native/aarch64/meta.h>
#define MLKEM_TABLES "arm64/mlkem_neon_tables.h"
