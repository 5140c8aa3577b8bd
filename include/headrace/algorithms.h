/* SPDX-License-Identifier: Apache-2.0
 *
 * What exists once for each row of algorithms.def: its number, and the direct calls of its class.
 */
#ifndef HEADRACE_ALGORITHMS_H
#define HEADRACE_ALGORITHMS_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hr_cmac_key; /* of headers that include this one before they declare them */
struct hr_aead_key;
struct hr_nmac_key;
struct hr_xts_key;

/* HR_SHA256, HR_AES_128_CBC and so on, which never change. */
enum {
#define HR_ROW(number, sym, SYM, ...) HR_##SYM = number,
#include <headrace/algorithms.def>
};

/* void hr_sha256(out, in, in_len) digests a whole message and writes the row's out_len bytes.
 * `out` may lie anywhere, also inside `in`.  Each digest row has such a function. */
#define HR_DIGEST(number, sym, SYM, name, names, pkcs11, jce, out_len, block_len, flags) \
    HR_API void hr_##sym(uint8_t out[out_len], const void *in, size_t in_len);
#include <headrace/algorithms.def>

/* void hr_crc32(out, in, in_len), hr_crc32c and hr_ipsum write a checksum as a big-endian number.
 * Use them for public data only: some kernels look bytes up in tables. */
#define HR_CHECKSUM(number, sym, SYM, name, out_len, block_len) \
    HR_API void hr_##sym(uint8_t out[out_len], const void *in, size_t in_len);
#include <headrace/algorithms.def>

/* int hr_hmac_sha256(out, in, in_len, key) computes the MAC of a whole message.  `out` gets the
 * row's out_len bytes and may lie anywhere, also inside `in`.  Each MAC row has such a function.
 * It does not check whether the key is NULL.  HR_ESTATE (key of another row), HR_ELENGTH past
 * 2^61 - 129 bytes. */
#define HR_MAC(number, sym, SYM, name, names, pkcs11, jce, digest, DIGEST)         \
    HR_API HR_MUST_CHECK int hr_##sym(uint8_t *out, const void *in, size_t in_len, \
                                      const struct hr_hmac_key *key);
#include <headrace/algorithms.def>

/* int hr_aes_128_cbc_encrypt(out, in, len, key, iv) and ..._decrypt process a whole message, and
 * write len bytes.  Nothing is padded: ECB and CBC need whole blocks.  `iv` has the row's iv_len
 * bytes (NULL for ECB) and is not changed; for CTR it is the first counter block, which is
 * incremented as one big-endian number.  They do not check whether key or iv is NULL.  HR_ESTATE
 * (key of another row), HR_ELENGTH, HR_EOVERLAP. */
#define HR_CIPHER(number, sym, SYM, name, names, pkcs11, jce, cipher, mode, key_len, iv_len) \
    HR_API HR_MUST_CHECK int hr_##sym##_encrypt(uint8_t *out, const uint8_t *in, size_t len, \
                                                const struct hr_cipher_key *key,             \
                                                const uint8_t *iv);                          \
    HR_API HR_MUST_CHECK int hr_##sym##_decrypt(uint8_t *out, const uint8_t *in, size_t len, \
                                                const struct hr_cipher_key *key,             \
                                                const uint8_t *iv);
#include <headrace/algorithms.def>

/* int hr_aes_128_gcm_encrypt(out, tag, tag_len, in, len, aad, aad_len, key, iv, iv_len) encrypts a
 * whole message: `out` gets len bytes, `tag` tag_len bytes.  An IV must never be used twice with
 * one key.  ..._decrypt takes the tag as an input and compares it in constant time; if it is wrong,
 * it zeroes `out` and returns HR_EMAC.  These calls do not check whether key, iv or tag is NULL.
 * After HR_ESTATE (key of another row), HR_EIVLEN, HR_ETAGLEN, HR_ELENGTH and HR_EOVERLAP nothing
 * has been written. */
#define HR_AEAD(number, sym, SYM, ...)                                                             \
    HR_API HR_MUST_CHECK int hr_##sym##_encrypt(uint8_t *out, uint8_t *tag, size_t tag_len,        \
                                                const uint8_t *in, size_t len, const uint8_t *aad, \
                                                size_t aad_len, const struct hr_aead_key *key,     \
                                                const uint8_t *iv, size_t iv_len);                 \
    HR_API HR_MUST_CHECK int hr_##sym##_decrypt(uint8_t *out, const uint8_t *tag, size_t tag_len,  \
                                                const uint8_t *in, size_t len, const uint8_t *aad, \
                                                size_t aad_len, const struct hr_aead_key *key,     \
                                                const uint8_t *iv, size_t iv_len);
#include <headrace/algorithms.def>

/* int hr_poly1305_aes(out, in, in_len, key, iv, iv_len) computes the MAC of a whole message.  `out`
 * gets the row's out_len bytes and may lie anywhere.  Each NMAC row has such a function.  It does
 * not check whether key or iv is NULL.  HR_ESTATE (key of another row), HR_EIVLEN, HR_ELENGTH past
 * 2^61 - 1 bytes. */
#define HR_NMAC(number, sym, SYM, ...)                                                  \
    HR_API HR_MUST_CHECK int hr_##sym(uint8_t *out, const void *in, size_t in_len,      \
                                      const struct hr_nmac_key *key, const uint8_t *iv, \
                                      size_t iv_len);
#include <headrace/algorithms.def>

/* int hr_aes_128_cmac(out, in, in_len, key) computes the MAC of a whole message.  `out` gets the
 * row's out_len bytes and may lie anywhere.  Each CMAC row has such a function.  It does not check
 * whether the key is NULL.  HR_ESTATE (key of another row), HR_ELENGTH past 2^61 - 1 bytes. */
#define HR_CMAC(number, sym, SYM, ...)                                             \
    HR_API HR_MUST_CHECK int hr_##sym(uint8_t *out, const void *in, size_t in_len, \
                                      const struct hr_cmac_key *key);
#include <headrace/algorithms.def>

/* int hr_aes_128_xts_encrypt(out, in, len, key, iv) and ..._decrypt process one data unit.  `iv` is
 * the unit's number, as 16 bytes in little-endian order.  They do not check whether key or iv is
 * NULL.  HR_ESTATE (key of another row), HR_EKEY, HR_EOVERLAP, HR_ELENGTH. */
#define HR_XTS(number, sym, SYM, ...)                                                             \
    HR_API HR_MUST_CHECK int hr_##sym##_encrypt(uint8_t *out, const uint8_t *in, size_t len,      \
                                                const struct hr_xts_key *key, const uint8_t *iv); \
    HR_API HR_MUST_CHECK int hr_##sym##_decrypt(uint8_t *out, const uint8_t *in, size_t len,      \
                                                const struct hr_xts_key *key, const uint8_t *iv);
#include <headrace/algorithms.def>

#ifdef __cplusplus
}
#endif

#endif
