/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows fill lanes together (batch.h), and by which kernel. */
#include "batch.h"
#include "digest_rows.h"

/* SET_<digest> is the set of a digest and its HMAC.  Digests with the same compression function
 * share a set. */
enum {
    SET_sha224 = 0,
    SET_sha256 = 0,
    SET_sha384 = 1,
    SET_sha512 = 1,
    SET_sha512_224 = 1,
    SET_sha512_256 = 1,
    SET_sha1 = 2,
    SET_md5 = 3,
    SET_sha3_224 = 4,
    SET_sha3_256 = 5,
    SET_sha3_384 = 6,
    SET_sha3_512 = 7,
};

/* The first set of a block cipher and mode.  AES has three sets for each mode, for keys of 16, 24
 * and 32 bytes; DES two, for one pass and for three; Camellia two, for 18 rounds and for 24. */
enum {
    NO_SET = NUM_SETS, /* of the modes and ciphers that have no lanes */
    SET_AES_CBC = NUM_DIGEST_SETS,
    SET_AES_CFB128 = SET_AES_CBC + 3,
    SET_DES_CBC = WIDE_SETS,
    SET_DES_CFB64 = SET_DES_CBC + 2,
    SET_CAMELLIA_CBC = WIDE_SETS + NUM_DES_SETS,
    SET_CAMELLIA_CFB128 = SET_CAMELLIA_CBC + 2,
};
#define SET_aes_ECB(key_len) NO_SET
#define SET_aes_CTR(key_len) NO_SET
#define SET_aes_CBC(key_len) (SET_AES_CBC + (key_len) / 8 - 2)
#define SET_aes_CFB128(key_len) (SET_AES_CFB128 + (key_len) / 8 - 2)
#define SET_des_ECB(key_len) NO_SET
#define SET_des_CTR(key_len) NO_SET
#define SET_des_OFB(key_len) NO_SET
#define SET_des_CBC(key_len) (SET_DES_CBC + ((key_len) > 8))
#define SET_des_CFB64(key_len) (SET_DES_CFB64 + ((key_len) > 8))
#define SET_camellia_ECB(key_len) NO_SET
#define SET_camellia_CTR(key_len) NO_SET
#define SET_camellia_CBC(key_len) (SET_CAMELLIA_CBC + ((key_len) > 16))
#define SET_camellia_CFB128(key_len) (SET_CAMELLIA_CFB128 + ((key_len) > 16))
#define SET_kasumi_ECB(key_len) NO_SET
#define SET_kasumi_F8(key_len) NO_SET
/* CIPHER_SET is the set of a cipher's row, counted from 1; 0: the row has no lanes. */
#define CIPHER_SET(cipher, mode, key_len) ((SET_##cipher##_##mode(key_len) + 1) % (NUM_SETS + 1))

const struct lanes_row batch_lanes_rows[256] = {
#define HR_DIGEST(number, sym, ...) \
    [LANES_PLACE(number)] = { number, SET_##sym + 1, DIGEST_##sym + 1, 0, OUT_LEN_##sym, 0 },
#define HR_MAC(number, sym, SYM, name, names, pkcs11, jce, md, MD) \
    [LANES_PLACE(number)] = { number, SET_##md + 1, DIGEST_##md + 1, 1, OUT_LEN_##md, 0 },
#define HR_CIPHER(number, sym, SYM, name, names, pkcs11, jce, cipher, mode, key_len, iv_len) \
    [LANES_PLACE(number)] = { number, CIPHER_SET(cipher, mode, key_len), 0, 0, 0, UNIT_##cipher },
#include <headrace/algorithms.def>
};

/* Checks that each number has a place of its own in batch_lanes_rows, and none has the first. */
#define CHECK(number) \
    static_assert(((number)&0xff) < 64 && (number) >> 8 > 0 && (number) >> 8 < 4, "a place");
#define HR_DIGEST(number, ...) CHECK(number)
#define HR_MAC(number, ...) CHECK(number)
#define HR_CIPHER(number, ...) CHECK(number)
#include <headrace/algorithms.def>

const struct lanes_op *batch_lanes_set_op(unsigned set)
{
    static const enum hr_mode modes[] = { HR_MODE_CBC, HR_MODE_CFB128 };
    if (set < NUM_DIGEST_SETS)
        return &digest_lanes_ops[set];
    if (set < WIDE_SETS)
        return &aes_lanes_ops[modes[(set - NUM_DIGEST_SETS) / 3]];
    if (set < WIDE_SETS + NUM_DES_SETS)
        return &des_lanes_ops[set - WIDE_SETS];
    return &camellia_lanes_ops[set - WIDE_SETS - NUM_DES_SETS];
}

const struct lanes_op *batch_lanes_op(hr_alg alg)
{
    const unsigned set = lanes_row((unsigned)alg)->set;
    return set ? batch_lanes_set_op(set - 1) : NULL;
}

const struct lanes_kernel *batch_lanes_choose(const struct lanes_op *op)
{
    const uint64_t have = hr_cpu_features();
    for (size_t i = 0; i < op->num_kernels; i++)
        if (!(op->kernels[i].info.needs & ~have))
            return &op->kernels[i];
    return NULL;
}

uint32_t batch_lanes_least(const struct lanes_kernel *kernel)
{
    if (!kernel->rival || kernel->rival & ~hr_cpu_features())
        return kernel->least;
    return kernel->rival_least == UINT8_MAX ? UINT32_MAX : kernel->rival_least;
}
