/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of the standards, as functions of values without any register. The code is
 * written to be read, not to be fast, and none of it is constant-time. */
#ifndef T4EMU_SEM_H
#define T4EMU_SEM_H

#include <stddef.h>
#include <stdint.h>

/* AES (FIPS 197). Columns are words with row 0 in the most significant byte. */
void sem_aes_columns(uint32_t out[2], const uint32_t state[4], const uint32_t key[2],
                     unsigned first_column, int decrypt, int last);
uint32_t sem_aes_sub_word(uint32_t word);
uint32_t sem_aes_rcon(unsigned round); /* round 0 is 0x01000000; FIPS 197 section 5.2 */

/* DES (FIPS 46-3). Halves are L:R; `cd` is C and D of the key schedule, 28 bits each. */
uint64_t sem_des_ip(uint64_t block);
uint64_t sem_des_iip(uint64_t halves); /* swaps the halves before it permutes */
uint64_t sem_des_pc1(uint64_t key);    /* ignores parity bits */
uint64_t sem_des_rotate(uint64_t cd, unsigned n);
uint64_t sem_des_round(uint64_t halves, uint64_t cd);

/* Camellia (RFC 3713). */
uint64_t sem_camellia_f(uint64_t in, uint64_t key);
uint64_t sem_camellia_fl(uint64_t in, uint64_t key);
uint64_t sem_camellia_fl_inverse(uint64_t in, uint64_t key);

/* Montgomery multiplication: a b 2^(-64 words) mod n. n0 is -n^-1 mod 2^64; numbers have the
 * least significant word first. n is subtracted at most once, which is enough if a b < n 2^(64
 * words). Returns 1 if the result is less than n. */
enum { SEM_MONT_WORDS = 32 };
int sem_montgomery(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *n,
                   uint64_t n0, unsigned words);

#endif
