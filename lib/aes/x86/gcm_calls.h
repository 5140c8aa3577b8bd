/* SPDX-License-Identifier: Apache-2.0 */
/* GCM of whole messages: the functions that direct calls jump to.  The file that includes this one
 * has defined
 *   FEW             the longest text that crypt_few() processes
 *   crypt_groups()  the rest of a message of at least one vector
 *   crypt_many()    a message of any length, with any AAD
 *   is_one(), crypt_one()  a text that is processed in another way, without AAD */

/* Processes a text of at most FEW bytes, with at most one block of AAD. */
INLINE TARGET_GCM int crypt_few(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,
                                size_t len, const uint8_t *aad, size_t aad_len,
                                const struct aead_key *key, const uint8_t *iv, enum hr_op op)
{
    struct message m = begin(out, in, len, key, op);
    const block nonce = load_iv(iv);
    const size_t p = place(&m);
    m.few = 1;
    m.base = xor(spread_block(nonce), round_key(key->aes.enc[0]));
    m.first = xor16(low16(m.base), load16(gcm_counter(1)));
    if (LIKELY(m.num_blocks < LANES))
        last_group(&m, 1);
    else
        crypt_groups(&m);
    if (aad_len) {
        add_product(&m.sum, widen(reverse16(load_bytes16(aad, aad_len))), power_at(key, p - 1));
        add_high(&m.sum, 8 * aad_len, key);
    }
    return end(&m, tag, tag_len, out, len);
}

#define DIRECT(verb, op)                                                                     \
    static __attribute__((noinline))                                                         \
    TARGET_GCM int verb##_any(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in, \
                              size_t len, const uint8_t *aad, size_t aad_len,                \
                              const struct aead_key *key, const uint8_t *iv, size_t iv_len)  \
    {                                                                                        \
        const int error = gcm_check(out, tag_len, in, len, aad_len);                         \
        if (error)                                                                           \
            return error;                                                                    \
        return crypt_many(out, tag, tag_len, in, len, aad, aad_len, key, iv, op);            \
    }                                                                                        \
    ALIGNED TARGET_GCM int KERNEL(gcm_##verb##_direct)(                                      \
        uint8_t * out, uint8_t * tag, size_t tag_len, const uint8_t *in, size_t len,         \
        const uint8_t *aad, size_t aad_len, const struct aead_key *key, const uint8_t *iv,   \
        size_t iv_len)                                                                       \
    {                                                                                        \
        if (len > FEW || aad_len > 16)                                                       \
            return verb##_any(out, tag, tag_len, in, len, aad, aad_len, key, iv, iv_len);    \
        const int error = gcm_check(out, tag_len, in, len, aad_len);                         \
        if (UNLIKELY(error))                                                                 \
            return error;                                                                    \
        if (is_one(len) && !aad_len && tag_len == 16)                                        \
            return crypt_one(out, tag, in, len, key, iv, op);                                \
        return crypt_few(out, tag, tag_len, in, len, aad, aad_len, key, iv, op);             \
    }
DIRECT(encrypt, HR_OP_ENCRYPT)
DIRECT(decrypt, HR_OP_DECRYPT)
