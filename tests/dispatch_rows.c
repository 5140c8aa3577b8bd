/* SPDX-License-Identifier: Apache-2.0 */
#include "dispatch_rows.h"
#include "hash/hmac_iterate.h"
#include "hmac.h"
#include "nmac.h"
#include "test.h"
#include "wrap/wrap.h"
#include "xts.h"
#include <headrace/algorithms.h>
#include <headrace/classes.h>

/* The halves of an XTS key differ: else encryption has no kernel. */
static const uint8_t bytes[64] = { 1 };

/* union inside is the internal struct of any context or key. */
union inside {
    struct hr_digest_ctx digest_ctx;
    union hr_any_key key;
    struct hr_wrap_key wrap_key;
    struct digest_ctx digest;
    struct hmac_key hmac;
    struct cipher_key cipher;
    struct aead_key aead;
    struct nmac_key nmac;
    struct xts_key xts;
    struct wrap_key wrap;
};

static int init(union inside *in, const struct hr_algorithm *row)
{
    const unsigned has = hr_class_of(row)->has;
    const size_t len = has & HR_HAS_ANY_KEY ? 32 : row->key_len;
    if (row->cls == HR_CLASS_WRAP)
        return hr_wrap_key_init(&in->wrap_key, row->alg, bytes, len);
    return has & HR_HAS_KEY ? hr_any_key_init(&in->key, row->alg, bytes, len)
                            : hr_digest_init(&in->digest_ctx, row->alg);
}

/* name_of_chosen names the chosen kernel of a class whose contexts this file does not know. */
static const char *name_of_chosen(const struct hr_algorithm *row, enum hr_op op)
{
    struct hr_kernel kernel = { "none", 0 };
    const int i = hr_kernel_chosen(row->alg, op);
    return i < 0 || hr_kernel_at(&kernel, row->alg, op, (size_t)i) ? "none" : kernel.name;
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
        return poly1305_row(row->alg)     ? in.nmac.u.poly.poly.kernel->info.name
               : row->alg == HR_KASUMI_F9 ? in.nmac.u.f9.kernel->info.name
                                          : in.nmac.u.gcm.kernel->info.name;
    case HR_CLASS_XTS:
        return name_of_crypt(&xts_ops[op], in.xts.crypt[op]);
    case HR_CLASS_WRAP:
        return in.wrap.kernel[op]->info.name;
    case HR_CLASS_CIPHER:
        return name_of_blocks(cipher_op(row, op), in.cipher.blocks[op]);
    default:
        return name_of_chosen(row, op);
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
        return poly1305_row(row->alg)     ? poly1305_choose(poly1305_row(row->alg))->info.name
               : row->alg == HR_KASUMI_F9 ? kasumi_f9_choose(&kasumi_f9_impl)->info.name
                                          : aead_choose(&gcm_impl)->info.name;
    case HR_CLASS_XTS:
        return xts_choose(&xts_ops[op])->info.name;
    case HR_CLASS_WRAP:
        return wrap_choose(&wrap_ops[op])->info.name;
    case HR_CLASS_CIPHER:
        return cipher_choose(cipher_op(row, op))->info.name;
    default:
        return name_of_chosen(row, op);
    }
}

int init_by_number(const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    union inside in;
    const unsigned has = hr_class_of(row)->has;
    const size_t len = has & HR_HAS_ANY_KEY ? 32 : row->key_len;
    if (row->cls == HR_CLASS_WRAP)
        return hr_wrap_key_init_kernel(&in.wrap_key, row->alg, op, i, bytes, len);
    return has & HR_HAS_KEY ? hr_any_key_init_kernel(&in.key, row->alg, op, i, bytes, len)
                            : hr_digest_init_kernel(&in.digest_ctx, row->alg, i);
}

static size_t aead_code(code_fn *code[MAX_CODE], const struct aead_kernel *k, enum hr_op op)
{
    code[0] = (code_fn *)k->hash;
    code[1] = (code_fn *)k->blocks[op];
    code[2] = (code_fn *)k->setup;
    code[3] = (code_fn *)k->direct[op];
    code[4] = (code_fn *)k->chacha;
    return 5;
}

static size_t poly1305_code(code_fn *code[MAX_CODE], const struct poly1305_kernel *k)
{
    code[0] = (code_fn *)k->blocks;
    code[1] = (code_fn *)k->setup;
    code[2] = (code_fn *)k->kept;
    code[3] = (code_fn *)k->raw;
    code[4] = (code_fn *)k->once;
    return 5;
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
    case HR_CLASS_WRAP:
        code[0] = (code_fn *)wrap_ops[op].kernels[i].chain;
        code[1] = (code_fn *)wrap_ops[op].kernels[i].block;
        return 2;
    case HR_CLASS_CIPHER:
        return cipher_code(code, &cipher_op(row, op)->kernels[i]);
    default:
        return 0;
    }
}
