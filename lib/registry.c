/* SPDX-License-Identifier: Apache-2.0 */
/* algorithms.def as tables: the public rows and, for each, what implements it. */
#include "internal.h"
#include <strings.h>

#define BLOCK_LEN_ECB 16
#define BLOCK_LEN_CBC 16
#define BLOCK_LEN_CFB128 1
#define BLOCK_LEN_CTR 1

static const struct hr_algorithm rows[] = {
#define HR_DIGEST(number, sym, SYM, name, names, pkcs11, jce, out_len, block_len)                  \
    { number, HR_CLASS_DIGEST, HR_MODE_NONE, name, #sym, names, pkcs11, jce, out_len, block_len,   \
      0, 0 },
#define HR_CIPHER(number, sym, SYM, name, names, pkcs11, jce, cipher, mode, key_len, iv_len)       \
    { number, HR_CLASS_CIPHER, HR_MODE_##mode, name, #sym, names, pkcs11, jce, 0,                  \
      BLOCK_LEN_##mode, key_len, iv_len },
#include <headrace/algorithms.def>
};

static const struct digest_impl *const digests[] = {
#define HR_DIGEST(number, sym, ...) [number - 0x0101] = &sym##_impl,
#include <headrace/algorithms.def>
};

enum { NUM_DIGESTS = COUNT(digests), NUM_CIPHERS = COUNT(rows) - NUM_DIGESTS };

/* Dense numbers make a lookup an index. */
const struct hr_algorithm *hr_algorithm(hr_alg alg)
{
    unsigned index = ((unsigned)alg & 0xff) - 1;
    switch ((unsigned)alg >> 8) {
    case HR_CLASS_DIGEST:
        return index < NUM_DIGESTS ? &rows[index] : NULL;
    case HR_CLASS_CIPHER:
        return index < NUM_CIPHERS ? &rows[NUM_DIGESTS + index] : NULL;
    default:
        return NULL;
    }
}

const struct hr_algorithm *hr_algorithm_at(size_t i)
{
    return i < COUNT(rows) ? &rows[i] : NULL;
}

static int in_list(const char *list, const char *name)
{
    size_t len = strlen(name);
    while (*list) {
        size_t item = strcspn(list, ":");
        if (item == len && strncasecmp(list, name, len) == 0)
            return 1;
        list += item + (list[item] == ':');
    }
    return 0;
}

const struct hr_algorithm *hr_algorithm_by_name(const char *name)
{
    if (!name || !*name)
        return NULL;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (!strcasecmp(rows[i].name, name) || !strcasecmp(rows[i].symbol, name) ||
            in_list(rows[i].openssl_names, name))
            return &rows[i];
    return NULL;
}

const struct digest_impl *digest_impl(hr_alg alg)
{
    unsigned index = (unsigned)alg - 0x0101;
    return index < NUM_DIGESTS ? digests[index] : NULL;
}

static const struct cipher_op *cipher_op(const struct hr_algorithm *row, enum hr_op op)
{
    return &aes_ops[row->mode][op];
}

int hr_kernel_at(struct hr_kernel *out, hr_alg alg, enum hr_op op, size_t i)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    if (!row)
        return HR_EALG;
    if (!out || (unsigned)op > HR_OP_DECRYPT)
        return HR_EINVAL;
    if (row->cls == HR_CLASS_DIGEST) {
        const struct digest_impl *impl = digest_impl(alg);
        if (op != HR_OP_DIGEST || i >= impl->num_kernels)
            return HR_EINVAL;
        *out = impl->kernels[i].info;
        return 0;
    }
    const struct cipher_op *cop = cipher_op(row, op);
    if (i >= cop->num_kernels)
        return HR_EINVAL;
    *out = cop->kernels[i].info;
    return 0;
}

int hr_kernel_chosen(hr_alg alg, enum hr_op op)
{
    struct hr_kernel kernel;
    uint64_t have = hr_cpu_features();
    for (int i = 0;; i++) {
        int error = hr_kernel_at(&kernel, alg, op, (size_t)i);
        if (error)
            return error;
        if (!(kernel.needs & ~have))
            return i;
    }
}

const char *hr_version(void) { return HR_VERSION; }

const char *hr_strerror(int error)
{
    static const char *const words[] = {
        [-HR_OK] = "no error",
        [-HR_EINVAL] = "argument is NULL or impossible",
        [-HR_EALG] = "no such algorithm here",
        [-HR_EKEYLEN] = "key length does not fit the algorithm",
        [-HR_EIVLEN] = "IV length does not fit the algorithm",
        [-HR_ELENGTH] = "data length is not allowed",
        [-HR_EOVERLAP] = "buffers overlap other than in place",
        [-HR_ESTATE] = "call out of order, or key or context not initialised for it",
        [-HR_EBUFFER] = "output buffer is too small",
        [-HR_EPADDING] = "bad padding",
        [-HR_EFORMAT] = "not a valid exported state",
        [-HR_ECPU] = "no such kernel on this CPU",
    };
    unsigned index = 0u - (unsigned)error;
    return index < COUNT(words) ? words[index] : "unknown error";
}
