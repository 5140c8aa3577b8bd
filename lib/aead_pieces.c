/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of direct calls that suit any kernel.  Their tables are in a file of their own, because
 * the compiler makes slower calls from tables whose contents it sees (lib/aead.c). */
#include "aead.h"

static int check_any(const uint8_t *out, size_t tag_len, const uint8_t *in, size_t len,
                     size_t aad_len, size_t iv_len, const struct aead_mode *mode)
{
    const uint64_t most = mode->max_len(iv_len);
    if (!most)
        return HR_EIVLEN;
    if (!mode->good_tag_len(tag_len))
        return HR_ETAGLEN;
    if (len > most || aad_len > AEAD_MAX_AAD)
        return HR_ELENGTH;
    return overlap(out, in, len) ? HR_EOVERLAP : 0;
}

/* Encrypts a whole message by the streaming functions, where the kernel has no function for whole
 * messages or the IV does not have 12 bytes. */
static int encrypt_in_pieces(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,
                             size_t len, const uint8_t *aad, size_t aad_len,
                             const struct aead_key *key, const uint8_t *iv, size_t iv_len)
{
    const int error = check_any(out, tag_len, in, len, aad_len, iv_len, key->mode);
    uint8_t full[16];
    if (error)
        return error;
    aead_in_pieces(out, full, tag_len, in, len, aad, aad_len, key, iv, iv_len, HR_OP_ENCRYPT);
    memcpy(tag, full, tag_len);
    return 0;
}

static int decrypt_in_pieces(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,
                             size_t len, const uint8_t *aad, size_t aad_len,
                             const struct aead_key *key, const uint8_t *iv, size_t iv_len)
{
    int error = check_any(out, tag_len, in, len, aad_len, iv_len, key->mode);
    uint8_t full[16];
    if (error)
        return error;
    aead_in_pieces(out, full, tag_len, in, len, aad, aad_len, key, iv, iv_len, HR_OP_DECRYPT);
    error = aead_compare(tag, full, tag_len);
    WIPE(&full);
    if (UNLIKELY(error) && len)
        memset(out, 0, len);
    return error;
}

aead_direct_fn *const aead_pieces[2] = { encrypt_in_pieces, decrypt_in_pieces };

static int refuse(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in, size_t len,
                  const uint8_t *aad, size_t aad_len, const struct aead_key *key, const uint8_t *iv,
                  size_t iv_len)
{
    return HR_ESTATE;
}

aead_direct_fn *const aead_refuse[2] = { refuse, refuse };
