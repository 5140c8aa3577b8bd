/* SPDX-License-Identifier: Apache-2.0 */
#include <ml_dsa/mldsa/native/x86_64/src/consts.c>
#include <ml_dsa/mldsa/native/x86_64/src/rej_uniform_table.c>
