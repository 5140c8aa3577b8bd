/* SPDX-License-Identifier: Apache-2.0 */
#include <ml_dsa/mldsa/native/aarch64/src/aarch64_zetas.c>
#include <ml_dsa/mldsa/native/aarch64/src/polyz_unpack_table.c>
#include <ml_dsa/mldsa/native/aarch64/src/rej_uniform_eta_table.c>
#include <ml_dsa/mldsa/native/aarch64/src/rej_uniform_table.c>
