/* SPDX-License-Identifier: Apache-2.0 */
#include "evp_aead_alone.h"

void aead_alone(const struct loaded *both, const struct hr_algorithm *row)
{
    unsigned char key[32] = { 1 }, iv[12] = { 2 }, in[100] = { 3 }, want[100], out[100], tag[2][16];
    struct hr_aead_key direct;
    int n;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both->libctx, row->name, OURS);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    MUST(!hr_aead_key_init(&direct, row->alg, key, row->key_len));
    MUST(!hr_aead_encrypt(want, tag[0], 16, in, sizeof in, iv, sizeof iv, &direct, iv, sizeof iv));
    MUST(cipher && EVP_CipherInit_ex2(ctx, cipher, NULL, NULL, 1, NULL));
    MUST(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, sizeof iv, NULL) > 0);
    MUST(row->mode == HR_MODE_GCM || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL) > 0);
    MUST(EVP_CipherInit_ex2(ctx, NULL, key, iv, 1, NULL));
    MUST(row->mode == HR_MODE_GCM || EVP_CipherUpdate(ctx, NULL, &n, NULL, sizeof in));
    MUST(EVP_CipherUpdate(ctx, NULL, &n, iv, sizeof iv));
    MUST(EVP_CipherUpdate(ctx, out, &n, in, sizeof in) && EVP_CipherFinal_ex(ctx, out + n, &n));
    MUST(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag[1]) > 0);
    MUST(!memcmp(out, want, sizeof out) && !memcmp(tag[0], tag[1], 16));
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
}
