/* SPDX-License-Identifier: Apache-2.0 */
/* mlkem-native's AVX2 backend, for mlkem_unit.h: what it replaces, and its constants. */
#define SUFFIX avx2
#define MLKEM_BACKEND <ml_kem/mlkem/native/x86_64/meta.h>
#define MLKEM_TABLES "x86/mlkem_avx2_tables.h"
#define BACKEND_END() __builtin_ia32_vzeroupper()
