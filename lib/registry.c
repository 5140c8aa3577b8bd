/* SPDX-License-Identifier: Apache-2.0 */
/* algorithms.def as tables: the public rows and, for each, what implements it. */
#include "batch.h"
#include "camellia/camellia.h"
#include "class.h"
#include "digest_rows.h"
#include "kasumi/kasumi.h"
#include <headrace/algorithms.h>
#include <strings.h>

/* BLOCK_LEN_<mode>(unit) is the block_len of a cipher's row; `unit` is the length of the block
 * cipher's block. */
#define BLOCK_LEN_ECB(unit) unit
#define BLOCK_LEN_CBC(unit) unit
#define BLOCK_LEN_CFB128(unit) 1
#define BLOCK_LEN_CFB64(unit) 1
#define BLOCK_LEN_OFB(unit) 1
#define BLOCK_LEN_CTR(unit) 1
#define BLOCK_LEN_F8(unit) 1

/* CIPHER_FLAGS_<block cipher>(key_len) is `flags` of a cipher's row. */
#define CIPHER_FLAGS_aes(key_len) 0
#define CIPHER_FLAGS_des(key_len) ((key_len) < 24 ? HR_WEAK : 0)
#define CIPHER_FLAGS_camellia(key_len) 0
#define CIPHER_FLAGS_kasumi(key_len) 0

static const struct hr_algorithm rows[] = {
#define HR_ALGORITHM(number, sym, SYM, disp, CLASS, names, p11, java, mode_, out, block, key, iv, \
                     flag, MD, public_)                                                           \
    { .alg = number,                                                                              \
      .cls = HR_CLASS_##CLASS,                                                                    \
      .mode = HR_MODE_##mode_,                                                                    \
      .name = disp,                                                                               \
      .symbol = #sym,                                                                             \
      .openssl_names = names,                                                                     \
      .pkcs11 = p11,                                                                              \
      .jce = java,                                                                                \
      .out_len = out,                                                                             \
      .block_len = block,                                                                         \
      .key_len = key,                                                                             \
      .iv_len = iv,                                                                               \
      .flags = flag,                                                                              \
      .public_len = public_,                                                                      \
      .digest = HR_##MD },
#include <headrace/algorithms.def>
};

/* Checks that each text fits its array, with the zero byte at its end. */
#define FITS(member, text) \
    static_assert(sizeof(text) <= sizeof((struct hr_algorithm *)NULL)->member, "too long");
#define HR_ALGORITHM(number, sym, SYM, disp, CLASS, names, p11, java, ...) \
    FITS(name, disp) FITS(symbol, #sym) FITS(openssl_names, names) FITS(pkcs11, p11) FITS(jce, java)
#include <headrace/algorithms.def>

/* INDEX_<symbol> is the index of a row in `rows`. */
enum {
#define HR_ROW(number, sym, ...) INDEX_##sym,
#include <headrace/algorithms.def>
};
static_assert(COUNT(rows) < 255, "a place and one more fit a byte");

/* places[number] is the index of a row in `rows`, plus 1; 0: no row has this number. */
static const uint8_t places[] = {
#define HR_ROW(number, sym, ...) [number] = INDEX_##sym + 1,
#include <headrace/algorithms.def>
};

/* Tables of pointers are small here: each page of them is copied and relocated when a process
 * starts, in every process that loads the library. */

const struct digest_impl *const digest_impls[] = {
#define HR_DIGEST(number, sym, ...) [DIGEST_##sym] = &sym##_impl,
#include <headrace/algorithms.def>
};
static const struct digest_impl *const checksums[] = {
#define HR_CHECKSUM(number, sym, ...) [number - 0x0181] = &sym##_impl,
#include <headrace/algorithms.def>
};

enum { BLOCK_aes, BLOCK_des, BLOCK_camellia, BLOCK_kasumi, BLOCK_chacha20 };
static const struct block_cipher *const block_ciphers[] = {
    [BLOCK_aes] = &aes_cipher,       [BLOCK_des] = &des_cipher, [BLOCK_camellia] = &camellia_cipher,
    [BLOCK_kasumi] = &kasumi_cipher, [BLOCK_chacha20] = NULL, /* its blocks are keystream */
};
/* blocks[index of the row] is the block cipher of a cipher, an AEAD or a CMAC. */
static const uint8_t blocks[COUNT(rows)] = {
#define HR_CIPHER(number, sym, SYM, name, names, pkcs11, jce, cipher, ...) \
    [INDEX_##sym] = BLOCK_##cipher,
#define HR_AEAD(number, sym, SYM, name, names, pkcs11, jce, cipher, ...) \
    [INDEX_##sym] = BLOCK_##cipher,
#define HR_CMAC(number, sym, SYM, name, pkcs11, cipher, ...) [INDEX_##sym] = BLOCK_##cipher,
#include <headrace/algorithms.def>
};

const struct block_cipher *cipher_impl(hr_alg alg)
{
    return block_ciphers[blocks[places[alg] - 1]];
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
    const unsigned digest = (unsigned)alg - 0x0101, checksum = (unsigned)alg - 0x0181;
    if (digest < COUNT(digest_impls))
        return digest_impls[digest];
    return checksum < COUNT(checksums) ? checksums[checksum] : NULL;
}

/* ---- classes ---- */

const struct class_calls *class_calls(enum hr_class cls)
{
    static const struct class_calls none;
    switch ((unsigned)cls) {
#define HR_CLASS(number, SYM, sym, ...) \
    case number:                        \
        return &sym##_class;
#include <headrace/classes.def>
    default:
        return &none;
    }
}

hr_alg class_row_of_size(enum hr_class cls, size_t bytes)
{
    hr_alg found = HR_ALG_NONE;
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].cls != cls)
            continue;
        found = rows[i].alg;
        if (bytes <= rows[i].public_len)
            break;
    }
    return found;
}

/* Checks that each class lists its operations in the order of their numbers. */
#define HR_CLASS_KERNELS(kernels)
#define HR_CLASS_OP(CLASS, OP, ...) char OP;
#define HR_PK_OP(CLASS, OP, ...) HR_CLASS_OP(CLASS, OP)
#define HR_CLASS(number, SYM, sym, has, operations) \
    struct operations_of_##SYM {                    \
        operations char end;                        \
    };
#define HR_PK_CLASS(number, SYM, sym, operations) HR_CLASS(number, SYM, sym, 0, operations)
#include <headrace/classes.def>
#undef HR_CLASS_OP
#define HR_CLASS_OP(CLASS, OP, ...) \
    static_assert(offsetof(struct operations_of_##CLASS, OP) == HR_JOB_##OP, "out of order");
#define HR_CLASS(number, SYM, sym, has, operations) operations
#define HR_PK_CLASS(number, SYM, sym, operations) operations
#include <headrace/classes.def>

/* ---- operations and their kernels ---- */

/* Returns the name of operation `op` of a row's kernels, or NULL if there is none. */
static const char *kernels_name(const struct hr_algorithm *row, unsigned op)
{
    return op < HR_JOB_MAX_OPS ? hr_class_of(row)->ops[op].kernels : NULL;
}

int hr_num_ops(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    int num = 0;
    while (row && kernels_name(row, (unsigned)num))
        num++;
    return row ? num : HR_EALG;
}

const char *hr_op_name(hr_alg alg, enum hr_op op)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    if (op == HR_OP_LANES && batch_lanes_op(alg))
        return "lanes";
    if (op == HR_OP_PK && hr_class_pk(hr_class_of(row), 0))
        return "all";
    return row && kernels_name(row, (unsigned)op) ? kernels_name(row, (unsigned)op) : "?";
}

int hr_kernel_at(struct hr_kernel *out, hr_alg alg, enum hr_op op, size_t i)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    if (!row)
        return HR_EALG;
    if (op == HR_OP_LANES && out && batch_lanes_op(alg))
        return KERNEL_AT(batch_lanes_op(alg));
    const int is_pk = op == HR_OP_PK && hr_class_pk(hr_class_of(row), 0);
    if (!out || !(is_pk || kernels_name(row, (unsigned)op)))
        return HR_EINVAL;
    const struct class_calls *calls = class_calls(row->cls);
    return calls->kernel_at ? calls->kernel_at(out, row, op, i) : HR_EINVAL;
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
        [-HR_EINVAL] = "an argument is NULL or has an impossible value",
        [-HR_EALG] = "no such algorithm for this call",
        [-HR_EKEYLEN] = "key length does not fit the algorithm",
        [-HR_EIVLEN] = "IV length does not fit the algorithm",
        [-HR_ELENGTH] = "data length does not fit the algorithm",
        [-HR_EOVERLAP] = "buffers overlap without being the same",
        [-HR_ESTATE] = "call out of order, or key or context not initialised for it",
        [-HR_EBUFFER] = "output buffer is too small",
        [-HR_EPADDING] = "bad padding",
        [-HR_EFORMAT] = "not a valid exported state",
        [-HR_ECPU] = "no such kernel on this CPU",
        [-HR_EMAC] = "the MAC, tag or signature is wrong",
        [-HR_ETAGLEN] = "tag length does not fit the algorithm",
        [-HR_EKEY] = "the algorithm forbids this key",
        [-HR_EPENDING] = "job is not finished",
        [-HR_EHANDLE] = "no such key on the accelerator, or not for this use",
        [-HR_EGONE] = "the accelerator's service ended",
        [-HR_EACCESS] = "the accelerator's policy forbids it",
        [-HR_ESYSTEM] = "system error",
        [-HR_EFAULT] = "a check of the result found a mistake of the computer",
    };
    unsigned index = 0u - (unsigned)error;
    return index < COUNT(words) ? words[index] : "unknown error";
}
