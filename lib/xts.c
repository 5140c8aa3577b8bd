/* SPDX-License-Identifier: Apache-2.0 */
/* XTS-AES (IEEE 1619): the kernel tables, keys, and the public calls. */
#include "xts.h"
#include <headrace/algorithms.h>

enum { MIN_UNIT = 16, MAX_UNIT = 1 << 24 }; /* SP 800-38E: at most 2^20 blocks */

#define AESNI (CPU(AESNI) | CPU(SSE41))
#define VAES256 (CPU(VAES) | CPU(VPCLMULQDQ) | CPU(AVX2) | AESNI)
#define VAES512 (CPU(AVX512F) | CPU(AVX512BW) | VAES256)

/* clang-format off */
static const struct xts_kernel encrypt[] = { /* best first; portable C last */
    KERNEL_X86("vaes512", VAES512, aes_xts_encrypt_vaes512)
    KERNEL_X86("vaes256", VAES256, aes_xts_encrypt_vaes256)
    KERNEL_X86("aesni", AESNI, aes_xts_encrypt_aesni)
    KERNEL_ARM64("ce", CPU(ARM_AES), aes_xts_encrypt_ce)
    KERNEL_SPARC("t4", CPU(SPARC_AES) | CPU(SPARC_VIS3), aes_xts_encrypt_t4)
    KERNEL_X86("avx2", CPU(AVX2), aes_xts_encrypt_avx2)
    KERNEL_X86("ssse3", CPU(SSSE3), aes_xts_encrypt_ssse3)
    KERNEL_ARM64("neon", CPU(ARM_NEON), aes_xts_encrypt_neon)
    KERNEL_C(aes_xts_encrypt_c)
};
static const struct xts_kernel decrypt[] = {
    KERNEL_X86("vaes512", VAES512, aes_xts_decrypt_vaes512)
    KERNEL_X86("vaes256", VAES256, aes_xts_decrypt_vaes256)
    KERNEL_X86("aesni", AESNI, aes_xts_decrypt_aesni)
    KERNEL_ARM64("ce", CPU(ARM_AES), aes_xts_decrypt_ce)
    KERNEL_SPARC("t4", CPU(SPARC_AES) | CPU(SPARC_VIS3), aes_xts_decrypt_t4)
    KERNEL_X86("avx2", CPU(AVX2), aes_xts_decrypt_avx2)
    KERNEL_X86("ssse3", CPU(SSSE3), aes_xts_decrypt_ssse3)
    KERNEL_ARM64("neon", CPU(ARM_NEON), aes_xts_decrypt_neon)
    KERNEL_C(aes_xts_decrypt_c)
};
/* clang-format on */

static _Atomic(const struct xts_kernel *) chosen[2];
const struct xts_op xts_ops[2] = {
    [HR_OP_ENCRYPT] = { encrypt, COUNT(encrypt), &chosen[HR_OP_ENCRYPT] },
    [HR_OP_DECRYPT] = { decrypt, COUNT(decrypt), &chosen[HR_OP_DECRYPT] },
};

DEFINE_CHOOSE(xts_choose, struct xts_kernel, struct xts_op)

static const struct hr_algorithm *xts_row(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    return row && row->cls == HR_CLASS_XTS ? row : NULL;
}

/* ---- keys ---- */

/* Takes the place of the encryption kernel in a key whose two halves are equal; decryption with
 * such a key is allowed (FIPS 140 IG C.I). */
static int forbidden(uint8_t *out, const uint8_t *in, size_t len, const struct xts_key *key,
                     const uint8_t iv[16])
{
    return HR_EKEY;
}

static int equal(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint32_t differs = 0;
    for (size_t i = 0; i < len; i++)
        differs |= (uint32_t)(a[i] ^ b[i]);
    CT_PUBLIC(&differs, sizeof differs);
    return !differs;
}

int hr_xts_key_init(struct hr_xts_key *public, hr_alg alg, const uint8_t *bytes, size_t bytes_len)
{
    const struct hr_algorithm *row = xts_row(alg);
    struct xts_key *key = (struct xts_key *)public;
    if (!row)
        return HR_EALG;
    if (!key || !bytes)
        return HR_EINVAL;
    if (bytes_len != row->key_len)
        return HR_EKEYLEN;
    aes_expand(&key->data, bytes, bytes_len / 2, 1);
    aes_expand(&key->tweak, bytes + bytes_len / 2, bytes_len / 2, 0);
    for (int op = 0; op < 2; op++)
        key->crypt[op] = xts_choose(&xts_ops[op])->crypt;
    if (equal(bytes, bytes + bytes_len / 2, bytes_len / 2))
        key->crypt[HR_OP_ENCRYPT] = forbidden;
    key->alg = alg;
    return 0;
}

int hr_xts_key_init_kernel(struct hr_xts_key *public, hr_alg alg, enum hr_op op, size_t i,
                           const uint8_t *bytes, size_t bytes_len)
{
    if ((unsigned)op > HR_OP_DECRYPT)
        return HR_EINVAL;
    const int error = hr_xts_key_init(public, alg, bytes, bytes_len);
    if (error)
        return error;
    struct xts_key *key = (struct xts_key *)public;
    const struct xts_op *ops = &xts_ops[op];
    if (i >= ops->num_kernels || ops->kernels[i].info.needs & ~hr_cpu_features()) {
        hr_xts_key_wipe(public);
        return HR_ECPU;
    }
    if (key->crypt[op] != forbidden)
        key->crypt[op] = ops->kernels[i].crypt;
    return 0;
}

/* Sets t to t x^n in GF(2^128), little-endian as in IEEE 1619 section 5.2, n <= 32. */
static void times_power(uint64_t t[2], unsigned n)
{
    const uint64_t over = t[1] >> 32 >> (32 - n);
    t[1] = t[1] << n | t[0] >> 32 >> (32 - n);
    t[0] = t[0] << n ^ over ^ over << 1 ^ over << 2 ^ over << 7;
}

/* The tweak of a unit's first block is E(iv), and that of block n is E(iv) x^n.  The last step of E
 * is an exclusive or with the last round key, so that another one makes E(iv) anything. */
int hr_xts_key_advance(struct hr_xts_key *public, const uint8_t *iv, size_t num_blocks)
{
    struct xts_key *key = (struct xts_key *)public;
    const struct cipher_op *ecb = &aes_cipher.ops[HR_MODE_ECB][HR_OP_ENCRYPT];
    uint8_t first[16];
    if (!key || !iv)
        return HR_EINVAL;
    if (!xts_row((hr_alg)key->alg))
        return HR_ESTATE;
    if (num_blocks > MAX_UNIT / 16)
        return HR_ELENGTH;
    (void)cipher_choose(ecb)->blocks(first, iv, 1, &key->tweak, NULL, NULL);
    uint64_t t[2] = { load_le64(first), load_le64(first + 8) };
    for (; num_blocks > 32; num_blocks -= 32)
        times_power(t, 32);
    times_power(t, (unsigned)num_blocks);
    uint8_t *last = key->tweak.enc[key->tweak.rounds];
    store_le64(last, load_le64(last) ^ load_le64(first) ^ t[0]);
    store_le64(last + 8, load_le64(last + 8) ^ load_le64(first + 8) ^ t[1]);
    WIPE(&t);
    WIPE(&first);
    return 0;
}

void hr_xts_key_wipe(struct hr_xts_key *key)
{
    if (key)
        WIPE((struct xts_key *)key);
}

size_t hr_xts_key_size(hr_alg alg)
{
    return xts_row(alg) ? sizeof(struct xts_key) : 0;
}

/* ---- calls ---- */

static inline __attribute__((always_inline)) int crypt(uint8_t *out, const uint8_t *in, size_t len,
                                                       const struct hr_xts_key *public,
                                                       const uint8_t *iv, hr_alg alg, enum hr_op op)
{
    const struct xts_key *key = (const struct xts_key *)public;
    if (UNLIKELY(key->alg != (uint32_t)alg))
        return HR_ESTATE;
    if (UNLIKELY(len - MIN_UNIT > MAX_UNIT - MIN_UNIT))
        return HR_ELENGTH;
    if (UNLIKELY(overlap(out, in, len)))
        return HR_EOVERLAP;
    return key->crypt[op](out, in, len, key, iv);
}

#define HR_XTS(number, sym, SYM, ...)                                               \
    ALIGNED int hr_##sym##_encrypt(uint8_t *out, const uint8_t *in, size_t len,     \
                                   const struct hr_xts_key *key, const uint8_t *iv) \
    {                                                                               \
        return crypt(out, in, len, key, iv, HR_##SYM, HR_OP_ENCRYPT);               \
    }                                                                               \
    ALIGNED int hr_##sym##_decrypt(uint8_t *out, const uint8_t *in, size_t len,     \
                                   const struct hr_xts_key *key, const uint8_t *iv) \
    {                                                                               \
        return crypt(out, in, len, key, iv, HR_##SYM, HR_OP_DECRYPT);               \
    }
#include <headrace/algorithms.def>

static int generic(uint8_t *out, const uint8_t *in, size_t len, const struct hr_xts_key *public,
                   const uint8_t *iv, enum hr_op op)
{
    if (!public || !iv || (len && (!out || !in)))
        return HR_EINVAL;
    const hr_alg alg = (hr_alg)((const struct xts_key *)public)->alg;
    return xts_row(alg) ? crypt(out, in, len, public, iv, alg, op) : HR_ESTATE;
}

int hr_xts_encrypt(uint8_t *out, const uint8_t *in, size_t len, const struct hr_xts_key *key,
                   const uint8_t *iv)
{
    return generic(out, in, len, key, iv, HR_OP_ENCRYPT);
}

int hr_xts_decrypt(uint8_t *out, const uint8_t *in, size_t len, const struct hr_xts_key *key,
                   const uint8_t *iv)
{
    return generic(out, in, len, key, iv, HR_OP_DECRYPT);
}

static int units(uint8_t *out, const uint8_t *in, size_t unit_len, size_t num_units,
                 const struct hr_xts_key *public, uint64_t first, enum hr_op op)
{
    uint8_t iv[16];
    if (!public || (num_units && (!out || !in)))
        return HR_EINVAL;
    const hr_alg alg = (hr_alg)((const struct xts_key *)public)->alg;
    if (!xts_row(alg))
        return HR_ESTATE;
    if (unit_len < MIN_UNIT || unit_len > MAX_UNIT || num_units > SIZE_MAX / unit_len)
        return HR_ELENGTH;
    if (overlap(out, in, unit_len * num_units))
        return HR_EOVERLAP;
    for (uint64_t i = 0; i < num_units; i++, in += unit_len, out += unit_len) {
        store_le64(iv, first + i);
        store_le64(iv + 8, first + i < first); /* a data unit's number has 128 bits */
        const int error = crypt(out, in, unit_len, public, iv, alg, op);
        if (error)
            return error;
    }
    return 0;
}

int hr_xts_encrypt_units(uint8_t *out, const uint8_t *in, size_t unit_len, size_t num_units,
                         const struct hr_xts_key *key, uint64_t first)
{
    return units(out, in, unit_len, num_units, key, first, HR_OP_ENCRYPT);
}

int hr_xts_decrypt_units(uint8_t *out, const uint8_t *in, size_t unit_len, size_t num_units,
                         const struct hr_xts_key *key, uint64_t first)
{
    return units(out, in, unit_len, num_units, key, first, HR_OP_DECRYPT);
}
