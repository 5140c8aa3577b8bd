/* SPDX-License-Identifier: Apache-2.0 */
/* mldsa-native's AVX2 backend, for mldsa_unit.h: what it replaces, and its constants. */
#define SUFFIX avx2
#define MLDSA_BACKEND <ml_dsa/mldsa/native/x86_64/meta.h>
#define MLDSA_TABLES "x86/mldsa_avx2_tables.h"
#define BACKEND_END() __builtin_ia32_vzeroupper()
