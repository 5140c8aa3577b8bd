/* SPDX-License-Identifier: Apache-2.0 */
#include "vectors.h"

enum { BLOCK = HR_CIPHER_MAX_BLOCK };

static void compare(const struct vector *v, const uint8_t *got, size_t len, const uint8_t *want,
                    size_t want_len, const char *how, const struct hr_kernel *kernel)
{
    if (len != want_len || memcmp(got, want, len))
        complain("case %u: %s, %s %s", v->number, v->row->name, kernel->name, how);
}

/* ---- a whole message, in pieces or at once ---- */

static int streamed(uint8_t *out, size_t *out_len, uint8_t next_iv[BLOCK], const struct vector *v,
                    const struct hr_cipher_key *key, enum hr_op op)
{
    struct hr_cipher_ctx ctx;
    size_t wrote = 0;
    *out_len = 0;
    int error = hr_cipher_init(&ctx, key, op, v->iv.p, v->iv.len, v->pad ? HR_CIPHER_PADDING : 0);
    for (size_t at = 0, n; !error && at < v->in.len; at += n) {
        n = 1 + random_below(random_below(4) ? 24 : 400);
        n = n < v->in.len - at ? n : v->in.len - at;
        error = hr_cipher_update(&ctx, out + *out_len, n + BLOCK, &wrote, v->in.p + at, n);
        *out_len += wrote;
    }
    if (!error && v->row->mode != HR_MODE_F8)
        error = hr_cipher_get_iv(&ctx, next_iv, v->row->iv_len);
    if (!error) {
        error = hr_cipher_final(&ctx, out + *out_len, BLOCK, &wrote);
        *out_len += wrote;
    }
    return error;
}

/* at_once runs a case without padding, by direct and generic calls, which have none. */
static void at_once(const struct vector *v, const struct hr_cipher_key *key, enum hr_op op,
                    const struct hr_kernel *kernel)
{
    uint8_t *out = malloc(v->in.len + 1);
    int error = direct_cipher(v->row->alg, op)(out, v->in.p, v->in.len, key, v->iv.p);
    int generic = (op == HR_OP_ENCRYPT ? hr_cipher_encrypt : hr_cipher_decrypt)(
        out, v->in.p, v->in.len, key, v->iv.p, v->iv.len);
    if (v->result == MUST_FAIL && (!error || !generic))
        complain("case %u: must fail", v->number);
    if (v->result == MUST_WORK) {
        compare(v, out, error | generic ? 0 : v->in.len, v->out.p, v->out.len, "generic", kernel);
        error = direct_cipher(v->row->alg, op)(out, v->in.p, v->in.len, key, v->iv.p);
        compare(v, out, error ? 0 : v->in.len, v->out.p, v->out.len, "direct", kernel);
    }
    free(out);
}

static void message_on(const struct vector *v, enum hr_op op, const struct hr_cipher_key *key,
                       const struct hr_kernel *kernel)
{
    uint8_t *out = malloc(v->in.len + 2 * BLOCK), next_iv[BLOCK];
    size_t len;
    int error = streamed(out, &len, next_iv, v, key, op);
    if (v->result == MUST_FAIL && !error)
        complain("case %u: must fail", v->number);
    if (v->result == MUST_WORK && error)
        complain("case %u: %s", v->number, hr_strerror(error));
    if (v->result != MUST_FAIL && !error)
        compare(v, out, len, v->out.p, v->out.len, "streamed", kernel);
    if (v->next_iv.len)
        compare(v, next_iv, v->row->iv_len, v->next_iv.p, v->next_iv.len, "next IV", kernel);
    free(out);
    if (!v->pad)
        at_once(v, key, op, kernel);
}

/* ---- AESAVS section 6.4: Monte Carlo ---- */

struct monte {
    const struct hr_algorithm *row;
    enum hr_op op;
    uint8_t key[32], iv[BLOCK], in[BLOCK];
};

/* monte_inner encrypts or decrypts 1000 blocks of one message. The block that follows is the result
 * before the last one (at first the IV); for ECB, the last result. `last` gets the last two
 * results. */
static int monte_inner(uint8_t last[2 * BLOCK], const struct vector *v,
                       const struct hr_cipher_key *key, enum hr_op op, int stream)
{
    struct hr_cipher_ctx ctx;
    uint8_t x[BLOCK], iv[BLOCK];
    size_t wrote = 0;
    int error = hr_cipher_init(&ctx, key, op, v->iv.p, v->iv.len, 0);
    memcpy(x, v->in.p, BLOCK);
    memset(last, 0, 2 * BLOCK);
    if (v->iv.len) {
        memcpy(iv, v->iv.p, BLOCK);
        memcpy(last + BLOCK, iv, BLOCK);
    }
    for (unsigned j = 0; j < 1000 && !error; j++) {
        memcpy(last, last + BLOCK, BLOCK);
        if (stream) {
            error = hr_cipher_update(&ctx, last + BLOCK, BLOCK, &wrote, x, BLOCK);
        } else {
            error = direct_cipher(v->row->alg, op)(last + BLOCK, x, BLOCK, key, iv);
            memcpy(iv, op == HR_OP_ENCRYPT ? last + BLOCK : x, BLOCK);
        }
        memcpy(x, v->iv.len ? last : last + BLOCK, BLOCK);
    }
    return error;
}

static void monte_on(const struct vector *v, enum hr_op op, const struct hr_cipher_key *key,
                     const struct hr_kernel *kernel)
{
    uint8_t last[2 * BLOCK];
    for (int stream = 0; stream < 2; stream++) {
        int error = monte_inner(last, v, key, op, stream);
        compare(v, last + BLOCK, error ? 0 : BLOCK, v->out.p, v->out.len, "Monte Carlo", kernel);
    }
}

/* monte_next makes the case of the next COUNT (AESAVS): its key is this case's XOR the end of the
 * last two results; its IV is the last result and its input the one before, or for ECB the last. */
static void monte_next(struct monte *next, const struct vector *v, enum hr_op op)
{
    struct hr_cipher_key key;
    uint8_t last[2 * BLOCK];
    *next = (struct monte){ v->row, op, { 0 }, { 0 }, { 0 } };
    if (hr_cipher_key_init(&key, v->row->alg, v->key.p, v->key.len) ||
        monte_inner(last, v, &key, op, 1))
        return;
    for (size_t i = 0; i < v->key.len; i++)
        next->key[i] = v->key.p[i] ^ last[2 * BLOCK - v->key.len + i];
    memcpy(next->iv, last + BLOCK, BLOCK);
    memcpy(next->in, v->iv.len ? last : last + BLOCK, BLOCK);
}

static void monte(const struct vector *v, enum hr_op op);

/* ---- every kernel ---- */

typedef void run_fn(const struct vector *v, enum hr_op op, const struct hr_cipher_key *key,
                    const struct hr_kernel *kernel);

static void on_every_kernel(const struct vector *v, enum hr_op op, run_fn *run)
{
    struct hr_cipher_key key;
    struct hr_kernel kernel;
    const uint64_t have = hr_cpu_features() | HR_KERNEL_VARTIME;
    for (size_t i = 0; hr_kernel_at(&kernel, v->row->alg, op, i) == 0; i++) {
        if (kernel.needs & ~have)
            continue;
        if (key_init_on_its_cpu(&key, v->row->alg, op, i, v->key.p, v->key.len))
            complain("case %u: the key is refused", v->number);
        else
            run(v, op, &key, &kernel);
        hr_cipher_key_wipe(&key);
    }
}

static void monte(const struct vector *v, enum hr_op op)
{
    static struct monte next;
    const int fits =
        next.row == v->row && next.op == op && !memcmp(next.key, v->key.p, v->row->key_len) &&
        !memcmp(next.iv, v->iv.len ? v->iv.p : next.iv, BLOCK) && !memcmp(next.in, v->in.p, BLOCK);
    if (v->in.len != BLOCK || v->key.len != v->row->key_len || v->iv.len != v->row->iv_len) {
        complain("case %u: not a Monte Carlo case", v->number);
        return;
    }
    if (v->chain && !fits)
        complain("case %u: does not follow from the case before", v->number);
    on_every_kernel(v, op, monte_on);
    monte_next(&next, v, op);
}

void run_encrypt(const struct vector *v)
{
    on_every_kernel(v, HR_OP_ENCRYPT, message_on);
}
void run_decrypt(const struct vector *v)
{
    on_every_kernel(v, HR_OP_DECRYPT, message_on);
}
void run_monte_encrypt(const struct vector *v)
{
    monte(v, HR_OP_ENCRYPT);
}
void run_monte_decrypt(const struct vector *v)
{
    monte(v, HR_OP_DECRYPT);
}

void run_both(const struct vector *v)
{
    struct vector back = *v;
    back.in = v->out;
    back.out = v->in;
    run_encrypt(v);
    run_decrypt(&back);
}
