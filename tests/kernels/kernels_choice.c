/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a cipher row for any number of blocks, with the kernels that are chosen for it.  A
 * bitsliced kernel leaves blocks over, which other kernels process, starting from its chaining
 * value. */
#include "internal.h"
#include "kernels.h"

enum { MOST = 2 * 512 + 7, LEN = MOST * HR_CIPHER_MAX_BLOCK };

typedef int init_fn(struct hr_cipher_key *, hr_alg, const uint8_t *, size_t);

struct choice {
    const struct hr_algorithm *row;
    enum hr_op op;
    size_t unit;
    struct hr_cipher_key key;
    uint8_t key_bytes[32], iv[HR_CIPHER_MAX_BLOCK];
    uint8_t message[LEN], want[LEN], got[LEN];
};

static int run(struct choice *c, uint8_t *out, const uint8_t *in, size_t num_blocks)
{
    return (c->op == HR_OP_ENCRYPT ? hr_cipher_encrypt : hr_cipher_decrypt)(
        out, in, num_blocks * c->unit, &c->key, c->iv, c->row->iv_len);
}

/* check_call makes one call, in place if the number of blocks is odd. */
static void check_call(struct choice *c, size_t num_blocks)
{
    const uint8_t *in = c->message;
    if (num_blocks % 2) {
        memcpy(c->got, c->message, num_blocks * c->unit);
        in = c->got;
    }
    if (run(c, c->got, in, num_blocks) || memcmp(c->got, c->want, num_blocks * c->unit))
        complain("%s: %zu blocks", c->row->name, num_blocks);
}

/* check_stream makes two calls of a stream, of which the second continues where the kernels of the
 * first ended. */
static void check_stream(struct choice *c, size_t num_blocks)
{
    struct hr_cipher_ctx ctx;
    size_t len = num_blocks * c->unit, more = (MOST - num_blocks) / 3 * c->unit, wrote = 0;
    int error = hr_cipher_init(&ctx, &c->key, c->op, c->iv, c->row->iv_len, 0);
    error |= hr_cipher_update(&ctx, c->got, LEN, &wrote, c->message, len);
    error |= hr_cipher_update(&ctx, c->got + len, LEN - len, &wrote, c->message + len, more);
    error |= hr_cipher_final(&ctx, c->got + len + more, LEN - len - more, &wrote);
    if (error || memcmp(c->got, c->want, len + more))
        complain("%s: a stream of %zu blocks and %zu", c->row->name, num_blocks, more / c->unit);
}

/* next_number returns the number of blocks to try after n: each from one below to 19 above a
 * multiple of 256, and between those every (11 * step)-th. */
static size_t next_number(size_t n, size_t step)
{
    const size_t edge = n / 256 * 256 + 255, next = n + ((n + 1) % 256 < 20 ? 1 : 11 * step);
    return n < edge && next > edge ? edge : next;
}

int check_choice_of_kernels(const struct hr_algorithm *row, enum hr_op op,
                            const struct effort *effort)
{
    static init_fn *const inits[] = { hr_cipher_key_init, hr_cipher_key_init_vartime };
    static struct choice c;
    const int before = complaints_so_far();
    c.row = row;
    c.op = op;
    c.unit = cipher_unit(row);
    random_bytes(c.key_bytes, sizeof c.key_bytes);
    random_bytes(c.iv, sizeof c.iv);
    random_bytes(c.message, sizeof c.message);
    if (hr_cipher_key_init_kernel(&c.key, row->alg, op, cipher_op(row, op)->num_kernels - 1,
                                  c.key_bytes, row->key_len) ||
        run(&c, c.want, c.message, MOST))
        return complain("%s: the portable kernel", row->name);
    for (size_t i = 0; i < COUNT_OF(inits); i++) {
        if (inits[i](&c.key, row->alg, c.key_bytes, row->key_len))
            return complain("%s: no key", row->name);
        for (size_t n = 0; n <= MOST; n = next_number(n, effort->len_step)) {
            check_call(&c, n);
            if (n % 8 == 3)
                check_stream(&c, n);
        }
    }
    hr_cipher_key_wipe(&c.key);
    return complaints_so_far() - before;
}
