/* SPDX-License-Identifier: Apache-2.0 */
#include <ml_kem/mlkem/native/aarch64/src/aarch64_zetas.c>
#include <ml_kem/mlkem/native/aarch64/src/rej_uniform_table.c>
