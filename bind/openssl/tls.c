/* SPDX-License-Identifier: Apache-2.0 */
/* CBC records of TLS 1.0 to 1.2 and DTLS, as libssl asks for them with the parameter
 * OSSL_CIPHER_PARAM_TLS_VERSION of provider-cipher(7).  Since TLS 1.1, a record begins with its IV,
 * one block. */
#include "cipher.h"

static const uint32_t versions[] = {
    TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION, DTLS1_VERSION, DTLS1_2_VERSION, DTLS1_BAD_VER,
};

int tls_version_known(uint64_t version)
{
    for (size_t i = 0; i < COUNT(versions); i++)
        if (versions[i] == version)
            return 1;
    return version == 0;
}

static int encrypt_record(struct cipher *c, unsigned char *rec, size_t *out_len, size_t size,
                          size_t len)
{
    int error = hr_tls_cbc_pad(rec, size, &len, c->row->block_len);
    if (!error)
        error = hr_cipher_update(&c->stream, rec, size, out_len, rec, len);
    return error;
}

static int decrypt_record(struct cipher *c, unsigned char *rec, size_t *out_len, size_t len)
{
    const size_t block_len = c->row->block_len;
    const size_t iv_len = c->tls_version == TLS1_VERSION ? 0 : block_len;
    size_t num;
    if (len < iv_len || len & (block_len - 1))
        return HR_ELENGTH;
    int error = hr_cipher_update(&c->stream, rec, len, &num, rec, len);
    if (!error)
        error =
            hr_tls_cbc_unpad(c->mac, c->mac_len, out_len, rec + iv_len, len - iv_len, block_len);
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
