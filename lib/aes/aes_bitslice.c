/* SPDX-License-Identifier: Apache-2.0 */
/* AES, FIPS 197, bit-sliced: constant time on every CPU (Biham, FSE 1997; Kaesper and Schwabe, CHES
 * 2009).
 *
 * Plane j holds bit j of the 64 bytes of four blocks; the byte in row r and column c of block b
 * lies at bit 16 r + 4 c + b.  So ShiftRows rotates each 16-bit row of a plane by 4 r, and the
 * plane rotated by 16 has each byte's neighbour in the next row of its column.
 *
 * The S-box's constant 0x63 is added to the round keys instead, once a key: ShiftRows and
 * MixColumns do not change a state of equal bytes, since 2 + 3 + 1 + 1 = 1 in GF(2^8). */
#include "aes_bitslice.h"
#include "../transpose_bits.h"
#include "aes_sbox.h"

static inline uint64_t rotr_rows(uint64_t x, unsigned num)
{
    return rotr64(x, 16 * num);
}

/* `spread` moves the four bytes of a 32-bit column to the even bytes of a 64-bit word, `gather`
 * moves them back. */
static inline uint64_t spread(uint64_t x)
{
    x = (x | x << 16) & 0x0000ffff0000ffff;
    return (x | x << 8) & 0x00ff00ff00ff00ff;
}

static inline uint32_t gather(uint64_t x)
{
    x &= 0x00ff00ff00ff00ff;
    x = (x | x >> 8) & 0x0000ffff0000ffff;
    return (uint32_t)(x | x >> 16);
}

/* Word b gets columns 0 and 2 of block b, word 4 + b columns 1 and 3. */
static inline void load_block(uint64_t q[8], unsigned b, const uint8_t block[16])
{
    q[b] = spread(load_le32(block)) | spread(load_le32(block + 8)) << 8;
    q[4 + b] = spread(load_le32(block + 4)) | spread(load_le32(block + 12)) << 8;
}

static inline void store_block(uint8_t block[16], const uint64_t q[8], unsigned b)
{
    store_le32(block, gather(q[b]));
    store_le32(block + 4, gather(q[4 + b]));
    store_le32(block + 8, gather(q[b] >> 8));
    store_le32(block + 12, gather(q[4 + b] >> 8));
}

static inline void add_round_key(uint64_t q[8], const uint64_t key[8])
{
    for (unsigned j = 0; j < 8; j++)
        q[j] ^= key[j];
}

/* Rotates row r, which is bits 16 r to 16 r + 15, right by 4 r bits, that is by r columns. */
static inline void shift_rows(uint64_t q[8])
{
    for (unsigned j = 0; j < 8; j++) {
        const uint64_t x = q[j];
        q[j] = (x & 0x000000000000ffff) | (x >> 4 & 0x000000000fff0000) |
               (x << 12 & 0x00000000f0000000) | (x >> 8 & 0x000000ff00000000) |
               (x << 8 & 0x0000ff0000000000) | (x >> 12 & 0x000f000000000000) |
               (x << 4 & 0xfff0000000000000);
    }
}

static inline void inv_shift_rows(uint64_t q[8])
{
    for (unsigned j = 0; j < 8; j++) {
        const uint64_t x = q[j];
        q[j] = (x & 0x000000000000ffff) | (x << 4 & 0x00000000fff00000) |
               (x >> 12 & 0x00000000000f0000) | (x >> 8 & 0x000000ff00000000) |
               (x << 8 & 0x0000ff0000000000) | (x << 12 & 0xf000000000000000) |
               (x >> 4 & 0x0fff000000000000);
    }
}

/* q += 2 p in GF(2^8): bit 7 of p is carried to the bits of 0x1b. */
static inline void add_double(uint64_t q[8], const uint64_t p[8])
{
    q[0] ^= p[7];
    q[1] ^= p[0] ^ p[7];
    q[2] ^= p[1];
    q[3] ^= p[2] ^ p[7];
    q[4] ^= p[3] ^ p[7];
    q[5] ^= p[4];
    q[6] ^= p[5];
    q[7] ^= p[6];
}

/* MixColumns.  Let a[k] be the byte k rows below a, and s = a + a[1].  Then 2 a + 3 a[1] + a[2] +
 * a[3] = 2 s + a[1] + s[2]. */
static inline void mix_columns(uint64_t q[8])
{
    uint64_t s[8];
    for (unsigned j = 0; j < 8; j++) {
        const uint64_t below = rotr_rows(q[j], 1);
        s[j] = q[j] ^ below;
        q[j] = below ^ rotr_rows(s[j], 2);
    }
    add_double(q, s);
}

/* InvMixColumns.  The matrices satisfy (14, 11, 13, 9) = (2, 3, 1, 1) (5, 0, 4, 0), so a + 4 (a +
 * a[2]) is computed first, then MixColumns. */
static inline void inv_mix_columns(uint64_t q[8])
{
    uint64_t s[8], twice[8] = { 0 };
    for (unsigned j = 0; j < 8; j++)
        s[j] = q[j] ^ rotr_rows(q[j], 2);
    add_double(twice, s);
    add_double(q, twice);
    mix_columns(q);
}

/* ---- round keys ---- */

static void slice_key(uint64_t planes[8], const uint8_t round_key[16], int add_0x63)
{
    for (unsigned b = 0; b < SLICED_BLOCKS; b++)
        load_block(planes, b, round_key);
    transpose_bits(planes);
    for (unsigned j = 0; add_0x63 && j < 8; j++)
        planes[j] ^= 0 - (uint64_t)(0x63 >> j & 1);
}

void aes_slice_encrypt_keys(struct aes_sliced *sliced, const struct aes_key *key)
{
    sliced->rounds = key->rounds;
    for (unsigned r = 0; r <= key->rounds; r++)
        slice_key(sliced->keys[r], key->enc[r], r > 0);
}

void aes_slice_decrypt_keys(struct aes_sliced *sliced, const struct aes_key *key)
{
    sliced->rounds = key->rounds;
    for (unsigned r = 0; r <= key->rounds; r++)
        slice_key(sliced->keys[r], key->dec[r], r < key->rounds);
}

/* ---- blocks ---- */

static void load_blocks(uint64_t q[8], const uint8_t blocks[SLICED_LEN])
{
    for (unsigned b = 0; b < SLICED_BLOCKS; b++)
        load_block(q, b, blocks + 16 * b);
    transpose_bits(q);
}

static void store_blocks(uint8_t blocks[SLICED_LEN], uint64_t q[8])
{
    transpose_bits(q);
    for (unsigned b = 0; b < SLICED_BLOCKS; b++)
        store_block(blocks + 16 * b, q, b);
}

void aes_sliced_encrypt(uint8_t blocks[SLICED_LEN], const struct aes_sliced *sliced)
{
    uint64_t q[8];
    load_blocks(q, blocks);
    add_round_key(q, sliced->keys[0]);
    for (unsigned r = 1; r < sliced->rounds; r++) {
        sub_bytes(q);
        shift_rows(q);
        mix_columns(q);
        add_round_key(q, sliced->keys[r]);
    }
    sub_bytes(q);
    shift_rows(q);
    add_round_key(q, sliced->keys[sliced->rounds]);
    store_blocks(blocks, q);
    WIPE(&q);
}

void aes_sliced_decrypt(uint8_t blocks[SLICED_LEN], const struct aes_sliced *sliced)
{
    uint64_t q[8];
    load_blocks(q, blocks);
    add_round_key(q, sliced->keys[0]);
    for (unsigned r = 1; r < sliced->rounds; r++) {
        inv_sub_bytes(q);
        inv_shift_rows(q);
        inv_mix_columns(q);
        add_round_key(q, sliced->keys[r]);
    }
    inv_sub_bytes(q);
    inv_shift_rows(q);
    add_round_key(q, sliced->keys[sliced->rounds]);
    store_blocks(blocks, q);
    WIPE(&q);
}

void aes_sliced_sub_word(uint8_t word[4])
{
    uint64_t q[8] = { load_le32(word) };
    transpose_bits(q);
    sub_bytes(q);
    transpose_bits(q);
    store_le32(word, (uint32_t)q[0] ^ 0x63636363);
    WIPE(&q);
}

void aes_sliced_inv_mix_columns(uint8_t block[16])
{
    uint64_t q[8] = { 0 };
    load_block(q, 0, block);
    transpose_bits(q);
    inv_mix_columns(q);
    transpose_bits(q);
    store_block(block, q, 0);
    WIPE(&q);
}
