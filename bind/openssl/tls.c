/* SPDX-License-Identifier: Apache-2.0 */
/* CBC records of TLS 1.0 to 1.2 and DTLS, as libssl asks for them: OSSL_CIPHER_PARAM_TLS_VERSION
 * of provider-cipher(7).  From TLS 1.1 on a record begins with its IV, one block. */
#include "cipher.h"

static const struct {
    uint32_t version;
    uint32_t iv_len;
} versions[] = {
    { TLS1_VERSION, 0 },   { TLS1_1_VERSION, 16 },  { TLS1_2_VERSION, 16 },
    { DTLS1_VERSION, 16 }, { DTLS1_2_VERSION, 16 }, { DTLS1_BAD_VER, 16 },
};

static size_t explicit_iv_len(uint32_t version)
{
    size_t i = 0;
    while (versions[i].version != version)
        i++;
    return versions[i].iv_len;
}

int tls_version_known(uint64_t version)
{
    for (size_t i = 0; i < COUNT(versions); i++)
        if (versions[i].version == version)
            return 1;
    return version == 0;
}

static int encrypt_record(struct cipher *c, unsigned char *rec, size_t *out_len, size_t size,
                          size_t len)
{
    int error = hr_tls_cbc_pad(rec, size, &len);
    if (!error)
        error = hr_cipher_update(&c->stream, rec, size, out_len, rec, len);
    return error;
}

static int decrypt_record(struct cipher *c, unsigned char *rec, size_t *out_len, size_t len)
{
    const size_t iv_len = explicit_iv_len(c->tls_version);
    size_t num;
    if (len < iv_len || len & 15)
        return HR_ELENGTH;
    int error = hr_cipher_update(&c->stream, rec, len, &num, rec, len);
    if (!error)
        error = hr_tls_cbc_unpad(c->mac, c->mac_len, out_len, rec + iv_len, len - iv_len);
    return error;
}

int tls_record(struct cipher *c, unsigned char *out, size_t *out_len, size_t out_size,
               const unsigned char *in, size_t in_len)
{
    *out_len = 0;
    if (!in || in != out || out_size < in_len || !c->padding)
        return RAISE(c->provider, PROV_R_CIPHER_OPERATION_FAILED);
    const int error = c->op == HR_OP_ENCRYPT ? encrypt_record(c, out, out_len, out_size, in_len)
                                             : decrypt_record(c, out, out_len, in_len);
    if (error)
        return RAISE(c->provider, PROV_R_CIPHER_OPERATION_FAILED);
    served_add(&c->served, in_len);
    return 1;
}
