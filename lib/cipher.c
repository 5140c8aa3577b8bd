/* SPDX-License-Identifier: Apache-2.0 */
/* Cipher keys, and whole messages in one call (SP 800-38A). */
#include "cipher.h"
#include "kasumi/kasumi.h"
#include <headrace/algorithms.h>

DEFINE_CHOOSE(cipher_choose, struct cipher_kernel, struct cipher_op)

/* ---- keys ---- */

const struct cipher_op *cipher_op(const struct hr_algorithm *row, enum hr_op op)
{
    return &cipher_impl(row->alg)->ops[row->mode][op];
}

static int one_encrypt(uint8_t *out, const uint8_t *in, size_t len, const struct cipher_key *key,
                       const uint8_t iv[16])
{
    return key->few[HR_OP_ENCRYPT](out, in, 1, key->schedule, iv, NULL);
}

static int one_decrypt(uint8_t *out, const uint8_t *in, size_t len, const struct cipher_key *key,
                       const uint8_t iv[16])
{
    return key->few[HR_OP_DECRYPT](out, in, 1, key->schedule, iv, NULL);
}

/* Returns the next kernel in the table that this CPU can run.  There always is one: the last kernel
 * of a table needs no CPU feature. */
static const struct cipher_kernel *next_kernel(const struct cipher_kernel *kernel)
{
    const uint64_t missing = ~hr_cpu_features();
    do
        kernel++;
    while (kernel->info.needs & missing);
    return kernel;
}

const struct cipher_kernel *cipher_few(const struct cipher_kernel *kernel)
{
    while (kernel->least)
        kernel = next_kernel(kernel);
    return kernel;
}

const struct cipher_kernel *cipher_kernel_for_few(const struct cipher_op *op,
                                                  const struct cipher_kernel *kernel, int vartime)
{
    const struct cipher_kernel *const end = op->kernels + op->num_kernels;
    const uint64_t missing = ~(hr_cpu_features() | HR_KERNEL_VARTIME);
    kernel = cipher_few(kernel);
    for (const struct cipher_kernel *k = op->kernels; vartime && k < end; k++)
        if (k->info.needs & HR_KERNEL_VARTIME && !(k->info.needs & missing) &&
            k->speed > kernel->speed)
            return k;
    return kernel;
}

/* Returns the number of blocks from which on a bit-sliced kernel is faster than `few`; 0: `kernel`
 * is not bit-sliced. */
static uint16_t least_of(const struct cipher_kernel *kernel, const struct cipher_kernel *few)
{
    unsigned least = 0;
    for (; kernel->least; kernel = next_kernel(kernel))
        if (!least || kernel->least < least)
            least = kernel->least;
    return (uint16_t)(least * (few->speed ? few->speed : 1));
}

static void set_kernel(struct cipher_key *key, const struct cipher_op *ops, enum hr_op op,
                       const struct cipher_kernel *kernel, int vartime)
{
    static cipher_one_fn *const through_blocks[] = { one_encrypt, one_decrypt };
    const struct cipher_kernel *few = cipher_kernel_for_few(ops, kernel, vartime);
    if (!kernel->least)
        kernel = few;
    key->blocks[op] = kernel->blocks;
    key->few[op] = few->blocks;
    key->sliced[op] = (uint16_t)(kernel - ops->kernels);
    key->least[op] = least_of(kernel, few);
    key->one[op] = kernel->one ? kernel->one[(key->aes.rounds - 10) / 2] : through_blocks[op];
}

/* The table lists bit-sliced kernels from the widest to the narrowest; a narrower one takes the
 * blocks that are left over. */
int cipher_run_sliced(const struct cipher_key *key, enum hr_op op, uint8_t *out, const uint8_t *in,
                      size_t num_blocks, const uint8_t *iv, uint8_t *next)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)key->alg);
    const size_t unit = cipher_impl(row->alg)->unit;
    const struct cipher_kernel *kernel = &cipher_op(row, op)->kernels[key->sliced[op]];
    uint8_t between[sizeof((struct cipher_ctx *)0)->iv];
    while (num_blocks) {
        size_t now = num_blocks;
        while (num_blocks < kernel->least)
            kernel = next_kernel(kernel);
        const int slice = kernel->least && num_blocks >= key->least[op];
        if (slice && num_blocks % kernel->lanes < kernel->least)
            now -= num_blocks % kernel->lanes;
        num_blocks -= now;
        (slice ? kernel->blocks : key->few[op])(out, in, now, key->schedule, iv,
                                                num_blocks ? between : next);
        out += now * unit;
        in += now * unit;
        iv = between;
    }
    return 0;
}

static int key_init(struct hr_cipher_key *public, hr_alg alg, const uint8_t *bytes,
                    size_t bytes_len, int vartime)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    struct cipher_key *key = (struct cipher_key *)public;
    if (!row || row->cls != HR_CLASS_CIPHER)
        return HR_EALG;
    if (!key || !bytes)
        return HR_EINVAL;
    if (bytes_len != row->key_len)
        return HR_EKEYLEN;
    cipher_impl(alg)->expand(key->schedule, bytes, bytes_len, row->block_len > 1);
    for (int op = 0; op < 2; op++) {
        const struct cipher_op *ops = cipher_op(row, (enum hr_op)op);
        set_kernel(key, ops, (enum hr_op)op, cipher_choose(ops), vartime);
    }
    key->alg = alg;
    return 0;
}

int hr_cipher_key_init(struct hr_cipher_key *key, hr_alg alg, const uint8_t *bytes,
                       size_t bytes_len)
{
    return key_init(key, alg, bytes, bytes_len, 0);
}

int hr_cipher_key_init_vartime(struct hr_cipher_key *key, hr_alg alg, const uint8_t *bytes,
                               size_t bytes_len)
{
    return key_init(key, alg, bytes, bytes_len, 1);
}

int hr_cipher_key_init_kernel(struct hr_cipher_key *public, hr_alg alg, enum hr_op op, size_t i,
                              const uint8_t *bytes, size_t bytes_len)
{
    if ((unsigned)op > HR_OP_DECRYPT)
        return HR_EINVAL;
    int error = hr_cipher_key_init(public, alg, bytes, bytes_len);
    if (error)
        return error;
    const struct cipher_op *cop = cipher_op(hr_algorithm(alg), op);
    const uint64_t have = hr_cpu_features() | HR_KERNEL_VARTIME;
    struct cipher_key *key = (struct cipher_key *)public;
    if (i >= cop->num_kernels || cop->kernels[i].info.needs & ~have) {
        hr_cipher_key_wipe(public);
        return HR_ECPU;
    }
    key->blocks[op] = key->few[op] = cop->kernels[i].blocks; /* used for any number of blocks */
    key->least[op] = 0;
    key->one[op] = cop->kernels[i].one ? cop->kernels[i].one[(key->aes.rounds - 10) / 2]
                   : op                ? one_decrypt
                                       : one_encrypt;
    return 0;
}

void hr_cipher_key_wipe(struct hr_cipher_key *public)
{
    if (public)
        WIPE((struct cipher_key *)public);
}

/* Functions of the direction for which an imported key has no round keys. */
static int no_one(uint8_t *out, const uint8_t *in, size_t len, const struct cipher_key *key,
                  const uint8_t iv[16])
{
    return HR_ESTATE;
}

int cipher_no_blocks(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                     const uint8_t *iv, uint8_t *next)
{
    return HR_ESTATE;
}

int hr_cipher_key_import(struct hr_cipher_key *public, hr_alg alg, enum hr_op op,
                         const uint8_t *schedule, size_t schedule_len)
{
    const struct hr_algorithm *row = cipher_row(alg);
    struct cipher_key *key = (struct cipher_key *)public;
    if (!row || cipher_impl(alg) != &aes_cipher)
        return HR_EALG;
    if (!key || !schedule || (unsigned)op > HR_OP_DECRYPT)
        return HR_EINVAL;
    const unsigned rounds = row->key_len / 4 + 6u;
    if (schedule_len != 16 * (rounds + 1))
        return HR_EKEYLEN;
    const int stream = row->block_len == 1; /* CTR and CFB use the cipher's forward direction to
                                             * decrypt too */
    memcpy(op == HR_OP_DECRYPT && !stream ? key->aes.dec : key->aes.enc, schedule, schedule_len);
    key->aes.rounds = rounds;
    key->blocks[!op] = key->few[!op] = cipher_no_blocks;
    key->least[!op] = 0;
    key->one[!op] = no_one;
    const struct cipher_op *ops = aes_ops[row->mode];
    const struct cipher_kernel *kernel = cipher_choose(&ops[op]);
    if (kernel->imported)
        kernel->imported(&key->aes);
    set_kernel(key, &ops[op], op, kernel, 0);
    if (stream)
        set_kernel(key, &ops[!op], (enum hr_op) !op, cipher_choose(&ops[!op]), 0);
    key->alg = alg;
    return 0;
}

int cipher_key_encrypts(const struct cipher_key *key)
{
    return key->blocks[HR_OP_ENCRYPT] != cipher_no_blocks;
}

size_t hr_cipher_key_size(hr_alg alg)
{
    return cipher_row(alg) ? sizeof(struct cipher_key) : 0;
}

size_t hr_cipher_size(hr_alg alg)
{
    return cipher_row(alg) ? sizeof(struct cipher_ctx) : 0;
}

/* ---- direct calls ---- */

/* Processes a message of a stream mode, which may end in an incomplete block: first the whole
 * blocks, then a copy of the incomplete one. */
static int direct_part(uint8_t *out, const uint8_t *in, size_t len, const struct cipher_key *key,
                       const uint8_t *iv, enum hr_op op, size_t unit)
{
    uint8_t next[sizeof((struct cipher_ctx *)0)->iv], block[16] = { 0 };
    const size_t part = len % unit, whole = len - part;
    if (whole)
        run_blocks(key, op, out, in, whole / unit, iv, next);
    if (part) {
        memcpy(block, in + whole, part);
        key->few[op](block, block, 1, key->schedule, whole ? next : iv, NULL);
        memcpy(out + whole, block, part);
    }
    WIPE(&block);
    WIPE(&next);
    return 0;
}

/* KASUMI's f8 begins with the encryption of a block under another key, in kasumi_f8_start().  Then
 * direct_part() processes the message, whatever its length. */
static int direct_f8(uint8_t *out, const uint8_t *in, size_t len, const struct cipher_key *key,
                     const uint8_t *iv, enum hr_op op)
{
    uint8_t state[KASUMI_F8_IV];
    kasumi_f8_start(state, key->schedule, iv);
    const int error = direct_part(out, in, len, key, state, op, UNIT_kasumi);
    WIPE(&state);
    return error;
}

/* AES takes about 8 cycles for 16 bytes, so there are few checks, and fewer still where the length
 * is a constant; the kernel is reached by a jump instead of a call. */
static inline __attribute__((always_inline)) int
direct(uint8_t *out, const uint8_t *in, size_t len, const struct cipher_key *key, const uint8_t *iv,
       hr_alg alg, enum hr_op op, enum hr_mode mode, size_t unit)
{
    if (!LIKELY(key->alg == (uint32_t)alg))
        return HR_ESTATE;
    if (LIKELY(mode != HR_MODE_F8 && len == unit && !overlap(out, in, unit)))
        return key->one[op](out, in, len, key, iv);
    if (mode <= HR_MODE_CBC && !LIKELY(len % unit == 0))
        return HR_ELENGTH;
    if (!LIKELY(!overlap(out, in, len)))
        return HR_EOVERLAP;
    if (mode == HR_MODE_F8)
        return direct_f8(out, in, len, key, iv, op);
    if (mode > HR_MODE_CBC && !LIKELY(len % unit == 0))
        return direct_part(out, in, len, key, iv, op, unit);
    return run_blocks(key, op, out, in, len / unit, iv, NULL);
}

#define DIRECT(sym, dir, alg, op, mode, unit)                                        \
    ALIGNED int hr_##sym##_##dir(uint8_t *out, const uint8_t *in, size_t len,        \
                                 const struct hr_cipher_key *key, const uint8_t *iv) \
    {                                                                                \
        return direct(out, in, len, open_key(key), iv, alg, op, mode, unit);         \
    }
#define HR_CIPHER(number, sym, SYM, name, names, pkcs11, jce, cipher, mode, key_len, iv_len) \
    DIRECT(sym, encrypt, HR_##SYM, HR_OP_ENCRYPT, HR_MODE_##mode, UNIT_##cipher)             \
    DIRECT(sym, decrypt, HR_##SYM, HR_OP_DECRYPT, HR_MODE_##mode, UNIT_##cipher)
#include <headrace/algorithms.def>

static int checked(uint8_t *out, const uint8_t *in, size_t len, const struct hr_cipher_key *public,
                   const uint8_t *iv, size_t iv_len, enum hr_op op)
{
    const struct cipher_key *key = open_key(public);
    if (!key || (len && (!out || !in)) || (iv_len && !iv))
        return HR_EINVAL;
    const struct hr_algorithm *row = cipher_row((hr_alg)key->alg);
    if (!row)
        return HR_ESTATE;
    if (iv_len != row->iv_len)
        return HR_EIVLEN;
    return direct(out, in, len, key, iv, (hr_alg)key->alg, op, row->mode,
                  cipher_impl(row->alg)->unit);
}

int hr_cipher_encrypt(uint8_t *out, const uint8_t *in, size_t len, const struct hr_cipher_key *key,
                      const uint8_t *iv, size_t iv_len)
{
    return checked(out, in, len, key, iv, iv_len, HR_OP_ENCRYPT);
}

int hr_cipher_decrypt(uint8_t *out, const uint8_t *in, size_t len, const struct hr_cipher_key *key,
                      const uint8_t *iv, size_t iv_len)
{
    return checked(out, in, len, key, iv, iv_len, HR_OP_DECRYPT);
}
