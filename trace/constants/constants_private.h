/* SPDX-License-Identifier: Apache-2.0
 *
 * How the tables of constants are made and looked up; of constants*.c only.
 */
#ifndef TRACE_CONSTANTS_PRIVATE_H
#define TRACE_CONSTANTS_PRIVATE_H

#include "constants.h"

/* ---- values, from their definitions; variant counts from 0 ---- */

typedef void values_fn(uint64_t *out, unsigned variant);
values_fn aes_sbox_values, aes_inverse_values, aes_te_values, aes_te4_values, aes_td_values,
    aes_td4_values, aes_mix_values, aes_vpaes_values, aes_vpaes_orders_values, aes_bitslice_values;
values_fn sha1_values, sha256_values, sha512_values, md5_values, keccak_values, keccak_split_values,
    sm3_values, ripemd_values, blake2_values;
values_fn sm4_values, sm4_table_values, chacha_values, blowfish_values, des_sp_values,
    blowfish_box_values, des_sbox_values, camellia_values, camellia_sp_values, camellia_two_values,
    camellia_sp8_values, kasumi_s7_values, kasumi_s9_values;
values_fn ghash4_values, ghash4_high_values, ghash4_word_values, ghash8_values;
values_fn crc16_values, crc32_values, crc64_values;
values_fn p256_values;

enum {
    MAX_VALUES = 1024,
    NUM_CRC16 = 7,
    NUM_CRC32 = 10,
    NUM_CRC64 = 5,
    NUM_DES_SP = 8 * 128,
    NUM_CAMELLIA_SP = 16,
    NUM_PI_WORDS = 18, /* P */
    NUM_FOLDED = 6,
    MAX_FOLDS = 512,
};

/* Writes the constants with which PCLMULQDQ folds polynomial `variant`. Returns how many, at most
 * MAX_FOLDS. */
size_t crc_fold_values(uint64_t *out, unsigned variant);

/* ---- patterns: those values as bytes, in the forms that programs lay them out ---- */

enum {
    PATTERN_POINTED = 1, /* a part of it suffices to recognise it in memory behind a pointer */
    PATTERN_PAIR = 2,    /* counts only if another pattern of its group is beside it */
    PATTERN_ROWS = 8,    /* rows that rows_have() knows may lie near it */
    PATTERN_CRC = 4,     /* more tables, for the following bytes of a word, may stand around it */
};

struct pattern {
    uint32_t at, len; /* offset and length in the pool */
    uint32_t seed;    /* offset in the pattern of its most distinctive 8 bytes */
    uint16_t tail;    /* elements of the table that follow, compared by digests_tail_hash() */
    uint16_t variant;
    uint8_t bit, flags, width, group;
    bool swapped;
};

struct patterns {
    uint8_t *pool;
    size_t pool_len, pool_room;
    struct pattern *at; /* in the order of the pool */
    size_t num, room;
    bool failed; /* no memory */
};

/* Makes all patterns. Returns false if there is no memory. */
bool tables_patterns_make(struct patterns *);
void tables_patterns_free(struct patterns *);

/* The hash (XXH3, 64 bits) of the tail of a variant: its 32-bit words, little-endian. */
uint64_t digests_tail_hash(unsigned variant);
/* Whether 16 bytes are a row of AES_VPAES or AES_BITSLICE. */
bool rows_have(unsigned bit, const uint8_t row[16]);

#endif
