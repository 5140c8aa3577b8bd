/* SPDX-License-Identifier: Apache-2.0 */
/* algorithms.def as tables: the public rows and, for each, what implements it. */
#include "aead.h"
#include "batch.h"
#include "camellia.h"
#include "digest.h"
#include "hmac_iterate.h"
#include "kasumi.h"
#include "poly1305.h"
#include "xts.h"
#include <strings.h>

/* Of rows of ciphers, by mode and the block cipher's unit. */
#define BLOCK_LEN_ECB(unit) unit
#define BLOCK_LEN_CBC(unit) unit
#define BLOCK_LEN_CFB128(unit) 1
#define BLOCK_LEN_CFB64(unit) 1
#define BLOCK_LEN_OFB(unit) 1
#define BLOCK_LEN_CTR(unit) 1
#define BLOCK_LEN_F8(unit) 1

/* Of rows of ciphers, by the block cipher and the length of its key. */
#define CIPHER_FLAGS_aes(key_len) 0
#define CIPHER_FLAGS_des(key_len) ((key_len) < 24 ? HR_WEAK : 0)
#define CIPHER_FLAGS_camellia(key_len) 0
#define CIPHER_FLAGS_kasumi(key_len) 0

static const struct hr_algorithm rows[] = {
#define HR_DIGEST(number, sym, SYM, disp, names, p11, java, out, block, flag) \
    { .alg = number,                                                          \
      .cls = HR_CLASS_DIGEST,                                                 \
      .name = disp,                                                           \
      .symbol = #sym,                                                         \
      .openssl_names = names,                                                 \
      .pkcs11 = p11,                                                          \
      .jce = java,                                                            \
      .out_len = out,                                                         \
      .block_len = block,                                                     \
      .flags = flag },
#define HR_CHECKSUM(number, sym, SYM, disp, out, block) \
    { .alg = number,                                    \
      .cls = HR_CLASS_DIGEST,                           \
      .name = disp,                                     \
      .symbol = #sym,                                   \
      .openssl_names = "",                              \
      .pkcs11 = "",                                     \
      .jce = "",                                        \
      .out_len = out,                                   \
      .block_len = block,                               \
      .flags = HR_CHECKSUM_ONLY },
#define HR_MAC(number, sym, SYM, disp, names, p11, java, md, MD) \
    { .alg = number,                                             \
      .cls = HR_CLASS_MAC,                                       \
      .name = disp,                                              \
      .symbol = #sym,                                            \
      .openssl_names = names,                                    \
      .pkcs11 = p11,                                             \
      .jce = java,                                               \
      .out_len = OUT_LEN_##md,                                   \
      .block_len = BLOCK_LEN_##md,                               \
      .digest = HR_##MD },
#define HR_CIPHER(number, sym, SYM, disp, names, p11, java, cipher, mode_, key, iv) \
    { .alg = number,                                                                \
      .cls = HR_CLASS_CIPHER,                                                       \
      .mode = HR_MODE_##mode_,                                                      \
      .name = disp,                                                                 \
      .symbol = #sym,                                                               \
      .openssl_names = names,                                                       \
      .pkcs11 = p11,                                                                \
      .jce = java,                                                                  \
      .block_len = BLOCK_LEN_##mode_(UNIT_##cipher),                                \
      .key_len = key,                                                               \
      .iv_len = iv,                                                                 \
      .flags = CIPHER_FLAGS_##cipher(key) },
#define HR_KDF(number, sym, SYM, disp, names) \
    { .alg = number,                          \
      .cls = HR_CLASS_KDF,                    \
      .name = disp,                           \
      .symbol = #sym,                         \
      .openssl_names = names,                 \
      .pkcs11 = "",                           \
      .jce = "" },
#define HR_AEAD(number, sym, SYM, disp, names, p11, java, cipher, mode_, key, flag) \
    { .alg = number,                                                                \
      .cls = HR_CLASS_AEAD,                                                         \
      .mode = HR_MODE_##mode_,                                                      \
      .name = disp,                                                                 \
      .symbol = #sym,                                                               \
      .openssl_names = names,                                                       \
      .pkcs11 = p11,                                                                \
      .jce = java,                                                                  \
      .out_len = HR_AEAD_MAX_TAG,                                                   \
      .block_len = 1,                                                               \
      .key_len = key,                                                               \
      .iv_len = 12,                                                                 \
      .flags = flag },
#define HR_NMAC(number, sym, SYM, disp, names, p11, java, key, iv, out, block) \
    { .alg = number,                                               \
      .cls = HR_CLASS_NMAC,                                        \
      .name = disp,                                                \
      .symbol = #sym,                                              \
      .openssl_names = names,                                      \
      .pkcs11 = p11,                                               \
      .jce = java,                                                 \
      .out_len = out,                                              \
      .block_len = block,                                          \
      .key_len = key,                                              \
      .iv_len = iv },
#define HR_XTS(number, sym, SYM, disp, names, p11, java, cipher, key) \
    { .alg = number,                                                  \
      .cls = HR_CLASS_XTS,                                            \
      .mode = HR_MODE_XTS,                                            \
      .name = disp,                                                   \
      .symbol = #sym,                                                 \
      .openssl_names = names,                                         \
      .pkcs11 = p11,                                                  \
      .jce = java,                                                    \
      .block_len = 1,                                                 \
      .key_len = key,                                                 \
      .iv_len = 16 },
#include <headrace/algorithms.def>
};

/* Places of the rows. */
enum {
#define HR_ROW(number, sym, ...) INDEX_##sym,
#include <headrace/algorithms.def>
};
static_assert(COUNT(rows) < 255, "a place and one more fit a byte");

/* By number, the place + 1. */
static const uint8_t places[] = {
#define HR_ROW(number, sym, ...) [number] = INDEX_##sym + 1,
#include <headrace/algorithms.def>
};

static const struct digest_impl *const digests[] = {
#define HR_DIGEST(number, sym, ...) [number - 0x0101] = &sym##_impl,
#define HR_CHECKSUM(number, sym, ...) [number - 0x0101] = &sym##_impl,
#include <headrace/algorithms.def>
};

static const struct block_cipher *const block_ciphers[] = {
#define HR_CIPHER(number, sym, SYM, name, names, pkcs11, jce, cipher, ...) \
    [number - 0x0301] = &cipher##_cipher,
#include <headrace/algorithms.def>
};
static const struct block_cipher *const aead_block_ciphers[] = {
#define HR_AEAD(number, sym, SYM, name, names, pkcs11, jce, cipher, ...) \
    [number - 0x0601] = &cipher##_cipher,
#include <headrace/algorithms.def>
};

const struct block_cipher *block_cipher(hr_alg alg)
{
    return alg >= 0x0601 ? aead_block_ciphers[(unsigned)alg - 0x0601]
                         : block_ciphers[(unsigned)alg - 0x0301];
}

const struct hr_algorithm *hr_algorithm(hr_alg alg)
{
    const unsigned number = (unsigned)alg, place = number < COUNT(places) ? places[number] : 0;
    return place ? &rows[place - 1] : NULL;
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
    return index < COUNT(digests) ? digests[index] : NULL;
}

/* ---- operations and their kernels ---- */

static const struct {
    int num;
    const char *names[2];
} operations[] = {
    [HR_CLASS_DIGEST] = { 1, { "digest" } },
    [HR_CLASS_MAC] = { 2, { "mac", "iterate" } },
    [HR_CLASS_CIPHER] = { 2, { "encrypt", "decrypt" } },
    [HR_CLASS_KDF] = { 0, { NULL } },
    [HR_CLASS_AEAD] = { 2, { "encrypt", "decrypt" } },
    [HR_CLASS_NMAC] = { 1, { "mac" } },
    [HR_CLASS_XTS] = { 2, { "encrypt", "decrypt" } },
};

int hr_num_ops(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    return row ? operations[row->cls].num : HR_EALG;
}

const char *hr_op_name(hr_alg alg, enum hr_op op)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    if (op == HR_OP_LANES && lanes_op(alg))
        return "lanes";
    return row && (int)op >= 0 && (int)op < operations[row->cls].num
               ? operations[row->cls].names[op]
               : "?";
}

/* Kernel i of a list of any class. */
#define KERNEL_AT(list) (i < (list)->num_kernels ? (*out = (list)->kernels[i].info, 0) : HR_EINVAL)

int hr_kernel_at(struct hr_kernel *out, hr_alg alg, enum hr_op op, size_t i)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    if (!row)
        return HR_EALG;
    if (op == HR_OP_LANES && out && lanes_op(alg))
        return KERNEL_AT(lanes_op(alg));
    if (!out || (int)op < 0 || (int)op >= operations[row->cls].num)
        return HR_EINVAL;
    switch (row->cls) {
    case HR_CLASS_DIGEST:
        return KERNEL_AT(digest_impl(alg));
    case HR_CLASS_MAC:
        return op == HR_OP_ITERATE ? KERNEL_AT(iterate_op(alg))
                                   : KERNEL_AT(digest_impl(row->digest));
    case HR_CLASS_CIPHER:
        return KERNEL_AT(cipher_op(row, op));
    case HR_CLASS_AEAD:
        return KERNEL_AT(aead_impl(row));
    case HR_CLASS_NMAC:
        return poly1305_row(alg)      ? KERNEL_AT(poly1305_row(alg))
               : alg == HR_KASUMI_F9 ? KERNEL_AT(&kasumi_f9_impl)
                                      : KERNEL_AT(&gcm_impl);
    case HR_CLASS_XTS:
        return KERNEL_AT(&xts_ops[op]);
    default:
        return HR_EINVAL;
    }
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

const char *hr_version(void)
{
    return HR_VERSION;
}

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
        [-HR_EMAC] = "the MAC or tag is wrong",
        [-HR_ETAGLEN] = "tag length does not fit the algorithm",
        [-HR_EKEY] = "the algorithm forbids this key",
        [-HR_EPENDING] = "job is not finished",
        [-HR_EHANDLE] = "no such key on the accelerator, or not for this",
        [-HR_EGONE] = "accelerator is gone",
        [-HR_EACCESS] = "the accelerator's policy forbids it",
        [-HR_ESYSTEM] = "system error",
    };
    unsigned index = 0u - (unsigned)error;
    return index < COUNT(words) ? words[index] : "unknown error";
}
