/* SPDX-License-Identifier: Apache-2.0 */
#include "dispatch_rows.h"
#include "hmac.h"
#include "hmac_iterate.h"
#include "nmac.h"
#include "test.h"
#include "xts.h"

/* The halves of an XTS key differ: else encryption has no kernel. */
static const uint8_t bytes[64] = { 1 };

/* Any context or key, behind its public type. */
union inside {
    struct hr_digest_ctx digest_ctx;
    struct hr_hmac_key hmac_key;
    struct hr_cipher_key cipher_key;
    struct hr_aead_key aead_key;
    struct hr_nmac_key nmac_key;
    struct hr_xts_key xts_key;
    struct digest_ctx digest;
    struct hmac_key hmac;
    struct cipher_key cipher;
    struct aead_key aead;
    struct nmac_key nmac;
    struct xts_key xts;
};

static int init(union inside *in, const struct hr_algorithm *row)
{
    switch (row->cls) {
    case HR_CLASS_DIGEST:
        return hr_digest_init(&in->digest_ctx, row->alg);
    case HR_CLASS_MAC:
        return hr_hmac_key_init(&in->hmac_key, row->alg, bytes, 32);
    case HR_CLASS_CIPHER:
        return hr_cipher_key_init(&in->cipher_key, row->alg, bytes, row->key_len);
    case HR_CLASS_AEAD:
        return hr_aead_key_init(&in->aead_key, row->alg, bytes, row->key_len);
    case HR_CLASS_NMAC:
        return hr_nmac_key_init(&in->nmac_key, row->alg, bytes, row->key_len);
    case HR_CLASS_XTS:
        return hr_xts_key_init(&in->xts_key, row->alg, bytes, row->key_len);
    default:
        return HR_EALG;
    }
}

static const char *name_of_blocks(const struct cipher_op *cop, cipher_blocks_fn *blocks)
{
    for (size_t i = 0; i < cop->num_kernels; i++)
        if (cop->kernels[i].blocks == blocks)
            return cop->kernels[i].info.name;
    return "none";
}

static const char *name_of_crypt(const struct xts_op *op, xts_fn *crypt)
{
    for (size_t i = 0; i < op->num_kernels; i++)
        if (op->kernels[i].crypt == crypt)
            return op->kernels[i].info.name;
    return "none";
}

const char *kernel_in_use(const struct hr_algorithm *row, enum hr_op op)
{
    union inside in;
    if (row->cls == HR_CLASS_MAC && op == HR_OP_ITERATE)
        return iterate_choose(iterate_op(row->alg), MAX_LANES)->info.name;
    if (init(&in, row))
        return "none";
    switch (row->cls) {
    case HR_CLASS_DIGEST:
        return in.digest.kernel->info.name;
    case HR_CLASS_MAC:
        return in.hmac.kernel->info.name;
    case HR_CLASS_AEAD:
        return in.aead.kernel->info.name;
    case HR_CLASS_NMAC:
        return poly1305_row(row->alg)      ? in.nmac.u.poly.poly.kernel->info.name
               : row->alg == HR_KASUMI_F9 ? in.nmac.u.f9.kernel->info.name
                                           : in.nmac.u.gcm.kernel->info.name;
    case HR_CLASS_XTS:
        return name_of_crypt(&xts_ops[op], in.xts.crypt[op]);
    default:
        return name_of_blocks(cipher_op(row, op), in.cipher.blocks[op]);
    }
}

const char *kernel_chosen(const struct hr_algorithm *row, enum hr_op op)
{
    switch (row->cls) {
    case HR_CLASS_DIGEST:
        return digest_choose(digest_impl(row->alg))->info.name;
    case HR_CLASS_MAC:
        return op == HR_OP_ITERATE ? iterate_choose(iterate_op(row->alg), MAX_LANES)->info.name
                                   : digest_choose(digest_impl(row->digest))->info.name;
    case HR_CLASS_AEAD:
        return aead_choose(aead_impl(row))->info.name;
    case HR_CLASS_NMAC:
        return poly1305_row(row->alg)      ? poly1305_choose(poly1305_row(row->alg))->info.name
               : row->alg == HR_KASUMI_F9 ? kasumi_f9_choose(&kasumi_f9_impl)->info.name
                                           : aead_choose(&gcm_impl)->info.name;
    case HR_CLASS_XTS:
        return xts_choose(&xts_ops[op])->info.name;
    default:
        return cipher_choose(cipher_op(row, op))->info.name;
    }
}

int init_by_number(const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    union inside in;
    switch (row->cls) {
    case HR_CLASS_DIGEST:
        return hr_digest_init_kernel(&in.digest_ctx, row->alg, i);
    case HR_CLASS_MAC:
        return hr_hmac_key_init_kernel(&in.hmac_key, row->alg, i, bytes, 32);
    case HR_CLASS_AEAD:
        return hr_aead_key_init_kernel(&in.aead_key, row->alg, i, bytes, row->key_len);
    case HR_CLASS_NMAC:
        return hr_nmac_key_init_kernel(&in.nmac_key, row->alg, i, bytes, row->key_len);
    case HR_CLASS_XTS:
        return hr_xts_key_init_kernel(&in.xts_key, row->alg, op, i, bytes, row->key_len);
    default:
        return hr_cipher_key_init_kernel(&in.cipher_key, row->alg, op, i, bytes, row->key_len);
    }
}

static size_t aead_code(code_fn *code[MAX_CODE], const struct aead_kernel *k, enum hr_op op)
{
    code[0] = (code_fn *)k->hash;
    code[1] = (code_fn *)k->blocks[op];
    code[2] = (code_fn *)k->setup;
    code[3] = (code_fn *)k->direct[op];
    return 4;
}

static size_t poly1305_code(code_fn *code[MAX_CODE], const struct poly1305_kernel *k)
{
    code[0] = (code_fn *)k->blocks;
    code[1] = (code_fn *)k->setup;
    code[2] = (code_fn *)k->kept;
    code[3] = (code_fn *)k->raw;
    return 4;
}

static size_t digest_code(code_fn *code[MAX_CODE], const struct digest_kernel *k)
{
    code[0] = (code_fn *)k->blocks;
    code[1] = (code_fn *)k->hmac;
    code[2] = (code_fn *)k->value;
    return 3;
}

static size_t cipher_code(code_fn *code[MAX_CODE], const struct cipher_kernel *k)
{
    code[0] = (code_fn *)k->blocks;
    code[1] = k->one ? (code_fn *)k->one[0] : NULL;
    return 2;
}

size_t kernel_code(code_fn *code[MAX_CODE], const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    switch (row->cls) {
    case HR_CLASS_DIGEST:
        return digest_code(code, &digest_impl(row->alg)->kernels[i]);
    case HR_CLASS_MAC:
        code[0] = op == HR_OP_ITERATE ? (code_fn *)iterate_op(row->alg)->kernels[i].iterate : NULL;
        return 1;
    case HR_CLASS_AEAD:
        return aead_code(code, &aead_impl(row)->kernels[i], op);
    case HR_CLASS_NMAC:
        if (row->alg == HR_KASUMI_F9) {
            code[0] = (code_fn *)kasumi_f9_impl.kernels[i].blocks;
            return 1;
        }
        return poly1305_row(row->alg) ? poly1305_code(code, &poly1305_row(row->alg)->kernels[i])
                                      : aead_code(code, &gcm_impl.kernels[i], HR_OP_ENCRYPT);
    case HR_CLASS_XTS:
        code[0] = (code_fn *)xts_ops[op].kernels[i].crypt;
        return 1;
    default:
        return cipher_code(code, &cipher_op(row, op)->kernels[i]);
    }
}
