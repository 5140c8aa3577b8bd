/* SPDX-License-Identifier: Apache-2.0 */
#include <ml_kem/mlkem/native/x86_64/src/compress_consts.c>
#include <ml_kem/mlkem/native/x86_64/src/consts.c>
#include <ml_kem/mlkem/native/x86_64/src/rej_uniform_table.c>
