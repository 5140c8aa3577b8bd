/* SPDX-License-Identifier: Apache-2.0 */
/* Compares one kernel below CMAC and the retail MAC with the definition of these: whole messages
 * and streams. */
#include "kernels_calls.h"
#include <headrace/algorithms.h>

enum { BLOCK = 16, OUT = HR_CMAC_MAX_OUT, MAX = 4096 + 256, EVERY = 300 };

struct subject {
    const struct hr_algorithm *row;
    size_t index;
    const struct effort *effort;
    struct guarded in, out, keys;
    struct hr_cmac_key *key; /* ends at its guard page */
    uint8_t key_bytes[32], message[MAX];
};

/* ---- the definitions ---- */

static const struct hr_algorithm *block_cipher(const struct hr_algorithm *row)
{
    static const hr_alg ciphers[][2] = {
        { HR_AES_128_CMAC, HR_AES_128_ECB },   { HR_AES_192_CMAC, HR_AES_192_ECB },
        { HR_AES_256_CMAC, HR_AES_256_ECB },   { HR_DES_EDE2_CMAC, HR_DES_EDE2_ECB },
        { HR_DES_EDE3_CMAC, HR_DES_EDE3_ECB },
    };
    for (size_t i = 0; i < COUNT_OF(ciphers); i++)
        if (ciphers[i][0] == row->alg)
            return hr_algorithm(ciphers[i][1]);
    return hr_algorithm(HR_DES_ECB);
}

/* Doubles, bit by bit, the polynomial whose coefficients are the bits of `x`. */
static void model_twice(uint8_t *x, size_t unit)
{
    unsigned carry = 0;
    for (size_t i = unit; i-- > 0;) {
        const unsigned all = 2u * x[i] + carry;
        x[i] = (uint8_t)all;
        carry = all >> 8;
    }
    if (carry)
        x[unit - 1] ^= unit == 16 ? 0x87 : 0x1b;
}

/* Pads a copy of the message: returns the number of its blocks, and whether it was padded. */
static size_t pad(uint8_t *to, const uint8_t *in, size_t len, const struct hr_algorithm *row,
                  int *padded)
{
    const size_t unit = row->block_len;
    *padded = !len || len % unit || row->alg == HR_RETAIL_MAC_80;
    memcpy(to, in, len);
    if (!*padded)
        return len / unit;
    memset(to + len, 0, unit);
    to[len] = row->alg == HR_RETAIL_MAC || row->alg == HR_DES_MAC ? 0 : 0x80;
    return len / unit + 1;
}

static void model(uint8_t *out, const struct subject *s, const uint8_t *in, size_t len)
{
    static uint8_t text[MAX + BLOCK];
    const struct hr_algorithm *const cipher = block_cipher(s->row);
    const int is_plain = cipher->alg == HR_DES_ECB; /* nothing is added to the last block */
    const size_t unit = s->row->block_len;
    uint8_t sub[BLOCK] = { 0 }, y[BLOCK] = { 0 };
    int padded;
    const size_t num_blocks = pad(text, in, len, s->row, &padded);
    model_block(sub, sub, cipher, HR_OP_ENCRYPT, s->key_bytes);
    for (int i = 0; i <= padded; i++)
        model_twice(sub, unit);
    for (size_t i = 0; i < num_blocks; i++) {
        for (size_t k = 0; k < unit; k++)
            y[k] ^= text[i * unit + k] ^ (!is_plain && i + 1 == num_blocks ? sub[k] : 0);
        model_block(y, y, cipher, HR_OP_ENCRYPT, s->key_bytes);
    }
    if (is_plain && s->row->alg != HR_DES_MAC) {
        model_block(y, y, cipher, HR_OP_DECRYPT, s->key_bytes + 8);
        model_block(y, y, cipher, HR_OP_ENCRYPT, s->key_bytes);
    }
    memcpy(out, y, s->row->out_len);
}

/* ---- the calls ---- */

static int direct(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct subject *const s = subject;
    return direct_cmac(s->row->alg)(out, in, len, s->key);
}

static int generic(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct subject *const s = subject;
    return hr_cmac(out, in, len, s->key);
}

static int one_update(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct subject *const s = subject;
    struct hr_cmac_ctx *ctx = (void *)s->keys.start;
    int error = hr_cmac_init(ctx, s->key);
    if (!error)
        error = hr_cmac_update(ctx, in, len);
    if (!error)
        error = hr_cmac_final(ctx, out);
    if (!error && !is_zero(ctx, hr_cmac_size(s->row->alg)))
        complain("something is left in the context");
    return error;
}

/* ---- the checks ---- */

static void check_length(const struct subject *s, size_t len)
{
    static call_fn *const calls[] = { direct, generic, one_update };
    const size_t mac_len = s->row->out_len;
    uint8_t want[OUT], *const out = s->out.end - mac_len;
    model(want, s, s->message, len);
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        uint8_t *const in = (i + len) % 2 ? s->in.end - len : s->in.start;
        memcpy(in, s->message, len);
        memset(out, 0, mac_len);
        must(calls[i](s, out, in, len), "length");
        differs(out, want, mac_len, "length (and way)", len, i);
    }
}

/* The chain is computed in pieces of 1,024 bytes. */
static void check_lengths(const struct subject *s)
{
    for (size_t len = 0; len <= EVERY; len += s->effort->len_step)
        check_length(s, len);
    for (size_t near = 1024; near <= 3072; near += 1024)
        for (size_t len = near - 17; len <= near + 17; len++)
            check_length(s, len);
}

static void check_splits(const struct subject *s)
{
    for (size_t k = 0; k < s->effort->num_splits; k++) {
        const size_t len = random_below((uint32_t)s->effort->max_len);
        const uint32_t longest = 1 + random_below(k & 1 ? 40 : 900);
        uint8_t want[OUT], got[OUT];
        struct hr_cmac_ctx ctx;
        model(want, s, s->message, len);
        must(hr_cmac_init(&ctx, s->key), "init");
        for (size_t at = 0, n; at < len; at += n) {
            n = random_below(longest + 1);
            n = n < len - at ? n : len - at;
            memcpy(s->in.end - n, s->message + at, n);
            must(hr_cmac_update(&ctx, s->in.end - n, n), "update");
        }
        must(hr_cmac_final(&ctx, got), "final");
        differs(got, want, s->row->out_len, "random split (round, length)", k, len);
    }
}

/* check_verify checks that every truncated MAC is accepted, and none with a changed bit. */
static void check_verify(const struct subject *s)
{
    const size_t len = 77, mac_len = s->row->out_len;
    uint8_t mac[OUT + 1];
    model(mac, s, s->message, len);
    for (size_t n = 1; n <= mac_len; n++) {
        uint8_t *const at = s->in.end - n;
        memcpy(at, mac, n);
        must(hr_cmac_verify(at, n, s->message, len, s->key), "verify");
        for (size_t bit = 0; bit < 8 * n; bit++) {
            at[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (hr_cmac_verify(at, n, s->message, len, s->key) != HR_EMAC)
                complain("bit %zu of %zu bytes may be wrong", bit, n);
            at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    if (hr_cmac_verify(mac, mac_len + 1, s->message, len, s->key) != HR_ETAGLEN ||
        hr_cmac_verify(mac, 0, s->message, len, s->key) != HR_ETAGLEN)
        complain("a MAC of no possible length");
}

static void check_registers(const struct subject *s)
{
    uint8_t want[OUT], *const out = s->out.end - s->row->out_len;
    for (size_t n = 0; n <= 100; n++) {
        const uintptr_t args[6] = { (uintptr_t)out, (uintptr_t)s->message, n, (uintptr_t)s->key };
        const int changed = checked_call((void (*)(void))direct_cmac(s->row->alg), args);
        if (changed)
            complain("%zu bytes: %d registers not kept", n, changed);
        model(want, s, s->message, n);
        differs(out, want, s->row->out_len, "checked call", n, 0);
    }
}

/* check_copy checks that a copy of a context continues independently, also with a copy of its
 * key. */
static void check_copy(const struct subject *s)
{
    const size_t len = 5 * BLOCK + 3;
    struct hr_cmac_key copied;
    struct hr_cmac_ctx ctx, copy;
    uint8_t want[OUT], got[OUT];
    memcpy(&copied, s->key, hr_cmac_key_size(s->row->alg));
    model(want, s, s->message, len);
    for (size_t split = 0; split <= len; split++) {
        must(hr_cmac_init(&ctx, s->key), "init");
        must(hr_cmac_update(&ctx, s->message, split), "update");
        memcpy(&copy, &ctx, hr_cmac_size(s->row->alg));
        must(hr_cmac_set_key(&copy, &copied), "set_key");
        for (int i = 0; i < 2; i++) {
            must(hr_cmac_update(i ? &ctx : &copy, s->message + split, len - split), "update");
            must(hr_cmac_final(i ? &ctx : &copy, got), "final");
            differs(got, want, s->row->out_len, i ? "context (split)" : "copied context (split)",
                    split, 0);
        }
        if (hr_cmac_final(&ctx, got) != HR_ESTATE || hr_cmac_update(&ctx, got, 1) != HR_ESTATE)
            complain("a context goes on after final");
    }
}

static void prepare(struct subject *s)
{
    static struct guarded in, out, keys;
    if (!in.start) {
        in = guarded_new(MAX);
        out = guarded_new(MAX);
        keys = guarded_new(sizeof *s->key + sizeof(struct hr_cmac_ctx));
    }
    s->in = in, s->out = out, s->keys = keys;
    s->key = (void *)(keys.end - ((hr_cmac_key_size(s->row->alg) + 63) & ~(size_t)63));
    random_bytes(s->key_bytes, sizeof s->key_bytes);
    random_bytes(s->message, MAX);
    must(cmac_key_on_its_cpu(s->key, s->row->alg, s->index, s->key_bytes, s->row->key_len),
         "key_init_kernel");
}

static const uint8_t *want(const void *subject, size_t len)
{
    static uint8_t out[OUT];
    const struct subject *const s = subject;
    model(out, s, s->message, len);
    return out;
}

int check_cmac_kernel(const struct hr_algorithm *row, size_t index, const struct effort *effort)
{
    static struct subject s;
    s = (struct subject){ .row = row, .index = index, .effort = effort };
    const int before = complaints_so_far();
    prepare(&s);
    struct hr_cmac_key made;
    memcpy(&made, s.key, hr_cmac_key_size(row->alg));
    check_lengths(&s);
    check_splits(&s);
    const struct calls calls = { &s,     direct,    generic, want, row->out_len,
                                 effort, s.message, s.in,    s.out };
    check_alignments(&calls, 9 * BLOCK + 5);
    check_short(&calls, 0, effort->len_step);
    check_out_inside_in(&calls, 5 * BLOCK + 1);
    check_verify(&s);
    check_registers(&s);
    check_copy(&s);
    if (memcmp(&made, s.key, hr_cmac_key_size(row->alg)))
        complain("the key has changed in use");
    hr_cmac_key_wipe(s.key);
    if (!is_zero(s.key, hr_cmac_key_size(row->alg)))
        complain("a wiped key is not zero");
    return complaints_so_far() - before;
}
