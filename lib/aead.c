/* SPDX-License-Identifier: Apache-2.0 */
/* Authenticated encryption with any kernel: keys and whole messages.  Streams are in aead_stream.c.
 */
#include "aead.h"
#include "cipher.h"
#include <headrace/algorithms.h>

/* AES has kernels of its own for GCM and CCM; Camellia uses those for any block cipher. */
#define IMPL_aes_GCM gcm_impl
#define IMPL_aes_CCM ccm_impl
#define IMPL_camellia_GCM gcm_any_impl
#define IMPL_camellia_CCM ccm_any_impl
#define IMPL_chacha20_POLY1305 chacha_poly1305_impl

const struct aead_impl *aead_impl(const struct hr_algorithm *row)
{
    static const struct aead_impl *const impls[] = {
#define HR_AEAD(number, sym, SYM, name, names, pkcs11, jce, cipher, mode, ...) \
    [number - 0x0601] = &IMPL_##cipher##_##mode,
#include <headrace/algorithms.def>
    };
    return impls[(unsigned)row->alg - 0x0601];
}

DEFINE_CHOOSE(aead_choose, struct aead_kernel, struct aead_impl)

const struct hr_algorithm *aead_row(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    return row && row->cls == HR_CLASS_AEAD ? row : NULL;
}

/* ---- keys ---- */

static aead_direct_fn *direct_fn(const struct aead_kernel *kernel, enum hr_op op)
{
    return kernel->direct[op] ? kernel->direct[op] : aead_pieces[op];
}

void aead_key_setup(struct aead_key *key, const struct aead_impl *impl,
                    const struct block_cipher *cipher, hr_alg alg, const struct aead_kernel *kernel,
                    const uint8_t *bytes, size_t bytes_len)
{
    key->kernel = kernel;
    key->mode = impl->mode;
    key->mode->setup(key, cipher, bytes, bytes_len);
    key->direct[HR_OP_ENCRYPT] = direct_fn(kernel, HR_OP_ENCRYPT);
    key->direct[HR_OP_DECRYPT] = direct_fn(kernel, HR_OP_DECRYPT);
    key->alg = alg;
}

static int key_init(struct aead_key *key, hr_alg alg, const struct aead_kernel *kernel,
                    const uint8_t *bytes, size_t bytes_len)
{
    const struct hr_algorithm *row = aead_row(alg);
    if (!row)
        return HR_EALG;
    if (!key || !bytes)
        return HR_EINVAL;
    if (bytes_len != row->key_len)
        return HR_EKEYLEN;
    const struct aead_impl *impl = aead_impl(row);
    aead_key_setup(key, impl, cipher_impl(alg), alg, kernel ? kernel : aead_choose(impl), bytes,
                   bytes_len);
    return 0;
}

int hr_aead_key_init(struct hr_aead_key *key, hr_alg alg, const uint8_t *bytes, size_t bytes_len)
{
    return key_init((struct aead_key *)key, alg, NULL, bytes, bytes_len);
}

int hr_aead_key_init_kernel(struct hr_aead_key *key, hr_alg alg, size_t i, const uint8_t *bytes,
                            size_t bytes_len)
{
    const struct hr_algorithm *row = aead_row(alg);
    if (!row)
        return HR_EALG;
    if (!key || !bytes)
        return HR_EINVAL;
    const struct aead_impl *impl = aead_impl(row);
    if (i >= impl->num_kernels || impl->kernels[i].info.needs & ~hr_cpu_features())
        return HR_ECPU;
    return key_init((struct aead_key *)key, alg, &impl->kernels[i], bytes, bytes_len);
}

void hr_aead_key_wipe(struct hr_aead_key *key)
{
    if (key)
        WIPE((struct aead_key *)key);
}

size_t hr_aead_key_size(hr_alg alg)
{
    return aead_row(alg) ? sizeof(struct aead_key) : 0;
}

size_t hr_aead_size(hr_alg alg)
{
    const struct hr_algorithm *row = aead_row(alg);
    return row ? aead_impl(row)->mode->ctx_size : 0;
}

/* ---- whole messages ---- */

/* Compares a tag in constant time.  Returns 0 or HR_EMAC. */
int aead_compare(const uint8_t *tag, const uint8_t full[16], size_t tag_len)
{
    uint32_t differs = 0;
    for (size_t i = 0; i < tag_len; i++)
        differs |= (uint32_t)(tag[i] ^ full[i]);
    CT_PUBLIC(&differs, sizeof differs);
    return differs ? HR_EMAC : 0;
}

/* The function is selected by conditional moves between tables: with branches, the compiler would
 * save and restore all arguments that lie on the stack. */
static inline __attribute__((always_inline)) int
message(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in, size_t len,
        const uint8_t *aad, size_t aad_len, const struct aead_key *key, const uint8_t *iv,
        size_t iv_len, hr_alg alg, enum hr_op op)
{
    aead_direct_fn *const *direct = iv_len == 12 ? key->direct : aead_pieces;
    direct = key->alg == (uint32_t)alg ? direct : aead_refuse;
    return direct[op](out, tag, tag_len, in, len, aad, aad_len, key, iv, iv_len);
}

#define HR_AEAD(number, sym, SYM, name, names, pkcs11, jce, cipher, mode, key_len, flags)          \
    ALIGNED int hr_##sym##_encrypt(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,  \
                                   size_t len, const uint8_t *aad, size_t aad_len,                 \
                                   const struct hr_aead_key *key, const uint8_t *iv,               \
                                   size_t iv_len)                                                  \
    {                                                                                              \
        return message(out, tag, tag_len, in, len, aad, aad_len, (const struct aead_key *)key, iv, \
                       iv_len, HR_##SYM, HR_OP_ENCRYPT);                                           \
    }                                                                                              \
    ALIGNED int hr_##sym##_decrypt(uint8_t *out, const uint8_t *tag, size_t tag_len,               \
                                   const uint8_t *in, size_t len, const uint8_t *aad,              \
                                   size_t aad_len, const struct hr_aead_key *key,                  \
                                   const uint8_t *iv, size_t iv_len)                               \
    {                                                                                              \
        return message(out, (uint8_t *)tag, tag_len, in, len, aad, aad_len,                        \
                       (const struct aead_key *)key, iv, iv_len, HR_##SYM, HR_OP_DECRYPT);         \
    }
#include <headrace/algorithms.def>

/* Makes the checks that the rows' direct calls leave to their caller; sets *row.  Returns 0,
 * HR_EINVAL or HR_ESTATE. */
static int check(const uint8_t *out, const uint8_t *tag, const uint8_t *in, size_t len,
                 const uint8_t *aad, size_t aad_len, const struct hr_aead_key *key,
                 const uint8_t *iv, size_t iv_len, const struct hr_algorithm **row)
{
    if (!key || !tag || (len && (!out || !in)) || (aad_len && !aad) || (iv_len && !iv))
        return HR_EINVAL;
    *row = aead_row((hr_alg)((const struct aead_key *)key)->alg);
    return *row ? 0 : HR_ESTATE;
}

int hr_aead_encrypt(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in, size_t len,
                    const uint8_t *aad, size_t aad_len, const struct hr_aead_key *key,
                    const uint8_t *iv, size_t iv_len)
{
    const struct hr_algorithm *row;
    const int error = check(out, tag, in, len, aad, aad_len, key, iv, iv_len, &row);
    return error ? error
                 : message(out, tag, tag_len, in, len, aad, aad_len, (const struct aead_key *)key,
                           iv, iv_len, row->alg, HR_OP_ENCRYPT);
}

int hr_aead_decrypt(uint8_t *out, const uint8_t *tag, size_t tag_len, const uint8_t *in, size_t len,
                    const uint8_t *aad, size_t aad_len, const struct hr_aead_key *key,
                    const uint8_t *iv, size_t iv_len)
{
    const struct hr_algorithm *row;
    const int error = check(out, tag, in, len, aad, aad_len, key, iv, iv_len, &row);
    return error ? error
                 : message(out, (uint8_t *)tag, tag_len, in, len, aad, aad_len,
                           (const struct aead_key *)key, iv, iv_len, row->alg, HR_OP_DECRYPT);
}

void hr_aead_iv_next(uint8_t *iv, size_t iv_len, size_t counter_len)
{
    const size_t end = counter_len < iv_len ? iv_len - counter_len : 0;
    unsigned carry = 1;
    for (size_t i = iv_len; i-- > end; carry >>= 8) {
        carry += iv[i];
        iv[i] = (uint8_t)carry;
    }
}
