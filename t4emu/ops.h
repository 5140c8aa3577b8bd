/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions as functions of registers, in ops_<group>.c. The arithmetic is in
 * sem_<algorithm>.c, as functions of plain values, except CRC-32C's (ops_crc.c) and that of the
 * hashes (lib/hash/). */
#ifndef T4EMU_OPS_H
#define T4EMU_OPS_H

#include "machine.h"

t4_execute_fn t4_aes_round, t4_aes_kexpand;                 /* ops_aes.c */
t4_execute_fn t4_des_permute, t4_des_round, t4_des_kexpand; /* ops_des.c */
t4_execute_fn t4_camellia_f, t4_camellia_fl;                /* ops_camellia.c */
t4_execute_fn t4_md5, t4_sha1, t4_sha256, t4_sha512;        /* ops_hash.c */
t4_execute_fn t4_crc32c;                                    /* ops_crc.c */
t4_execute_fn t4_montgomery;                                /* ops_mont.c */
t4_execute_fn t4_rd_cfr, t4_pause;                          /* ops_system.c */
t4_execute_fn t4_vis, t4_siam, t4_flcmp;                    /* ops_vis.c */
t4_execute_fn t4_cbcond;                                    /* ops_branch.c */
t4_execute_fn t4_store, t4_store_double;                    /* ops_memory.c */

#endif
